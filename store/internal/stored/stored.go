// Package stored is how values without columns of their own are kept in a
// database: specs, failures and the attempts of dead letters, as JSON.
package stored

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Spec is a spec as it is stored: JSON, nil for the zero spec.
func Spec(spec *task.Spec) ([]byte, error) {
	if spec.Unreadable != "" {
		return nil, &task.Error{Code: task.CodeInvalid, Message: spec.Unreadable}
	}
	if spec.IsZero() {
		return nil, nil
	}
	return json.Marshal(spec)
}

// SpecOf reads what Spec made. A row that was damaged, or changed by somebody else,
// must hold up no other: what cannot be read is told by Unreadable.
func SpecOf(text []byte) task.Spec {
	if text == nil {
		return task.Spec{} // most tasks: without the memory that a decoder wants
	}
	return specIn(text)
}

func specIn(text []byte) (spec task.Spec) {
	if err := json.Unmarshal(text, &spec); err != nil {
		return task.Spec{Unreadable: "what the task is to do cannot be read in the database: " + err.Error()}
	}
	return spec
}

// Time is the time of a column in µs, 0 for none.
func Time(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}

// Micro is a time as a column in µs, 0 for none.
func Micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// MicroOrNull is a time as a column in µs, null for none.
func MicroOrNull(t time.Time) any { return OrNull(Micro(t)) }

// OrNull is a number of a column in which 0 is null.
func OrNull(v int64) any {
	if v == 0 {
		return nil
	}
	return v
}

// NewEntry is the entry of a task that is inserted at a time in µs, but for its Seq.
func NewEntry(item *store.Insert, now int64) store.Entry {
	t, runAt := item.Task, item.Task.RunAt
	if runAt.IsZero() {
		runAt = Time(now).Add(item.Delay)
	}
	return store.Entry{ID: t.ID, RunAt: runAt.UnixMicro(), Rank: task.Rank(runAt, t.Priority), Key: t.Key, Share: t.Spec.ShareKey, Type: t.Type, Target: t.Target, Size: len(t.Payload)}
}

// Entry is the entry of a pending task.
func Entry(t *task.Task) store.Entry {
	return store.Entry{
		ID: t.ID, RunAt: t.RunAt.UnixMicro(), Rank: task.Rank(t.RunAt, t.Priority), Seq: t.Seq, Park: t.Park, Key: t.Key, Share: t.Spec.ShareKey,
		Type: t.Type, Target: t.Target, Attempt: t.Attempt, Crashes: t.Crashes, Size: len(t.Payload),
	}
}
