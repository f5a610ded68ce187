package query

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tasks are the parameters by which tasks are found.
type Tasks struct {
	State       task.State  `query:"state" enum:"pending,running,succeeded,dead,canceled,failed" doc:"In this state. failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given."`
	Type        string      `query:"type" doc:"Of this type."`
	Queue       string      `query:"queue" doc:"Of this queue."`
	Key         string      `query:"key" doc:"Ordering key."`
	Category    string      `query:"category" doc:"Category of the last error."`
	Trace       string      `query:"trace" doc:"Trace id."`
	Since       client.Time `query:"since" doc:"Created at or after."`
	Until       client.Time `query:"until" doc:"Created before."`
	FailedSince client.Time `query:"failed_since" doc:"Failed last at or after; the newest failure comes first."`
	FailedUntil client.Time `query:"failed_until" doc:"Failed last before; the newest failure comes first."`
	Target      string      `query:"target" doc:"That call this target."`
	AttemptMin  int         `query:"attempt_min" doc:"With at least so many attempts."`
	Metadata    []string    `query:"metadata" doc:"name:value; repeatable, all must be there."`
	Q           string      `query:"q" doc:"The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message."`
}

// Filter is what they ask for.
func (q *Tasks) Filter() (store.Filter, error) {
	metadata, err := metadataOf(q.Metadata)
	return store.Filter{
		State: q.State, Type: q.Type, Queue: q.Queue, Key: q.Key, Category: q.Category, Trace: q.Trace, Since: q.Since.Time, Until: q.Until.Time,
		FailedSince: q.FailedSince.Time, FailedUntil: q.FailedUntil.Time,
		Target: q.Target, AttemptMin: q.AttemptMin, Metadata: metadata, Search: q.Q,
	}, err
}

// metadataOf reads pairs of name and value; only the first colon parts them.
func metadataOf(pairs []string) (map[string]string, error) {
	metadata := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, ":")
		if _, twice := metadata[name]; twice || !ok || name == "" || !utf8.ValidString(pair) || strings.ContainsRune(pair, 0) {
			return nil, task.Invalid("metadata", "is not name:value in UTF-8, each name once", "metadata=region:eu")
		}
		metadata[name] = value
	}
	return metadata, nil
}

// InFilter gives complaints about the filter of a body, an F, their place in it.
func InFilter[F any](err error) error {
	known := strictjson.Names(reflect.TypeFor[F]())
	return problem.Placed(err, func(path string) string {
		if slices.Contains(known, path) {
			return "filter." + path
		}
		return path
	})
}
