package sqlite

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// farthest is the last moment that a µs column holds with room for ranks.
var farthest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// checkInsert refuses what SQLite would store but could not give back, or
// what would break an invariant: SQLite itself checks no text.
func checkInsert(insert *store.Insert) error {
	t := insert.Task
	switch {
	case t == nil || t.ID.IsZero():
		return task.Invalid("id", "the task has no id", "")
	case len(t.Payload) > task.MaxPayload:
		return &task.Error{Code: task.CodeTooLarge, Message: "the payload is larger than " + strconv.Itoa(task.MaxPayload) + " bytes",
			Fields: []task.Field{{Path: "payload", Message: "too large"}}}
	case t.Priority < task.MinPriority || t.Priority > task.MaxPriority:
		return task.Invalid("priority", "the priority is not between 0 and 9", "")
	case t.RunAt.After(farthest):
		return task.Invalid("run_at", "the time is too far away", "")
	case insert.Delay < 0:
		return task.Invalid("delay", "the delay is negative", "")
	}
	if err := checkNames(t); err != nil {
		return err
	}
	if insert.Dedupe != nil {
		return checkText("dedupe_key", insert.Dedupe.Key, task.MaxKey)
	}
	return nil
}

func checkNames(t *task.Task) error {
	for _, text := range [...]struct {
		field, value string
		limit        int
		needed       bool
	}{
		{"queue", t.Queue, 4 * task.MaxName, true},
		{"type", t.Type, 4 * task.MaxName, true},
		{"key", t.Key, task.MaxKey, false},
		{"target", t.Target, 4096, false},
		{"policy", t.Policy, 4 * task.MaxName, false},
	} {
		if text.needed && text.value == "" {
			return task.Invalid(text.field, "it is empty", "")
		}
		if err := checkText(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return nil
}

func checkText(field, text string, limit int) error {
	switch {
	case len(text) > limit:
		return task.Invalid(field, "it is longer than "+strconv.Itoa(limit)+" bytes", "")
	case !utf8.ValidString(text):
		return task.Invalid(field, "it is not UTF-8", "")
	case strings.IndexByte(text, 0) >= 0:
		return task.Invalid(field, "it contains a NUL", "")
	}
	return nil
}
