package enqueue

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// conflictPaths are the fields that errors of the store and of a full queue
// are about.
var conflictPaths = map[task.Code]string{
	task.CodeDedupeConflict: "dedupe_key", task.CodeDedupeBusy: "dedupe_key", task.CodeIDConflict: "id", task.CodeQueueFull: "queue",
}

// Attributed names the fields that an error is about, one for each prefix.
func Attributed(err error, prefixes ...string) error {
	var e *task.Error
	if !errors.As(err, &e) || conflictPaths[e.Code] == "" || len(e.Fields) > 0 {
		return err
	}
	named := *e
	for _, prefix := range prefixes {
		named.Fields = append(named.Fields, task.Field{Path: prefix + conflictPaths[e.Code], Message: e.Message})
	}
	return &named
}

// attribute finds the drafts of a batch that an error is about: those of its
// id, or of the dedupe key of the task in the way, which may itself be one of
// the batch. With a key whose task is gone it names all that have a key.
func (e *Enqueuer) attribute(ctx context.Context, err error, inserts []store.Insert) error {
	var problem *task.Error
	if !errors.As(err, &problem) || conflictPaths[problem.Code] == "" {
		return err
	}
	about := func(insert *store.Insert) bool { return insert.Task.ID == problem.Existing }
	if problem.Code != task.CodeIDConflict {
		about = func(insert *store.Insert) bool { return insert.Dedupe != nil }
		if holder := e.holder(ctx, problem.Existing, inserts); holder != nil {
			about = func(insert *store.Insert) bool {
				return insert.Dedupe != nil && insert.Dedupe.Key == holder.Spec.DedupeKey && insert.Task.Queue == holder.Queue && insert.Task.ID != holder.ID
			}
		}
	}
	var prefixes []string
	for i := range inserts {
		if about(&inserts[i]) && len(prefixes) < accept.MostComplaints {
			prefixes = append(prefixes, Item(i))
		}
	}
	return Attributed(err, prefixes...)
}

// holder is the task that has a dedupe key, nil if it is gone.
func (e *Enqueuer) holder(ctx context.Context, id task.ID, inserts []store.Insert) *task.Task {
	for i := range inserts {
		if inserts[i].Task.ID == id {
			return inserts[i].Task
		}
	}
	t, err := e.backend.Get(ctx, id)
	if err != nil {
		return nil
	}
	return t
}

// InBatch is an error about one draft of a batch, with the paths that it has there.
func InBatch(err error, i int) error {
	var e *task.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Fields = slices.Clone(e.Fields)
	for at := range named.Fields {
		named.Fields[at].Path = Item(i) + named.Fields[at].Path
	}
	return &named
}

// Behind is an error about a batch with the paths that it has behind some drafts more.
func Behind(err error, from int) error {
	var e *task.Error
	if from == 0 || !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Fields = slices.Clone(e.Fields)
	for at := range named.Fields {
		number, rest, found := strings.Cut(strings.TrimPrefix(named.Fields[at].Path, "tasks["), "]")
		if n, err := strconv.Atoi(number); found && err == nil {
			named.Fields[at].Path = "tasks[" + strconv.Itoa(from+n) + "]" + rest
		}
	}
	return &named
}

// Item is the prefix of the paths of one draft of a batch.
func Item(i int) string { return "tasks[" + strconv.Itoa(i) + "]." }
