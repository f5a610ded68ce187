// Package check refuses what a store must not take, before a database sees it.
package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Farthest is the last moment that a µs column holds with room for ranks.
var Farthest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Insert refuses what a database would refuse, or would store but could not
// give back, and what would break an invariant.
func Insert(insert *store.Insert) error {
	t := insert.Task
	switch {
	case t == nil || t.ID.IsZero():
		return task.Invalid("id", "the task has no id", "")
	case !store.Fits(t.Payload, task.MaxPayload):
		return &task.Error{Code: task.CodeTooLarge, Message: "the payload is larger than " + strconv.Itoa(task.MaxPayload) + " bytes",
			Fields: []task.Field{{Path: "payload", Message: "too large"}}}
	case t.Priority < task.MinPriority || t.Priority > task.MaxPriority:
		return task.Invalid("priority", "the priority is not between 0 and 9", "")
	case t.RunAt.After(Farthest):
		return task.Invalid("run_at", "the time is too far away", "")
	case insert.Delay < 0:
		return task.Invalid("delay", "the delay is negative", "")
	}
	if err := checkNames(t); err != nil {
		return err
	}
	if insert.Dedupe != nil && !t.Spec.Group.IsZero() {
		return task.Invalid("dedupe_key", "a member of a group of tasks can have none", "a repeat would be a task that the group does not count: give it an id instead")
	}
	if insert.Dedupe != nil {
		return Text("dedupe_key", insert.Dedupe.Key, task.MaxKey)
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
		{"share_key", t.Spec.ShareKey, task.MaxKey, false},
		{"target", t.Target, 4096, false},
		{"policy", t.Policy, 4 * task.MaxName, false},
	} {
		if text.needed && text.value == "" {
			return task.Invalid(text.field, "it is empty", "")
		}
		if err := Text(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return nil
}

// Text refuses text that is longer than limit bytes, is not UTF-8 or contains a
// NUL.
func Text(field, text string, limit int) error {
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

// Settlement refuses data that must not get into the database.
func Settlement(s *store.Settlement) error {
	if s.Task == nil {
		return task.Invalid("task", "a settlement needs its task", "")
	}
	if !store.Fits(s.Result, task.MaxResult) {
		return &task.Error{Code: task.CodeTooLarge, Message: "the result is too large"}
	}
	for i := range s.Follow {
		if err := Insert(&s.Follow[i]); err != nil {
			return err
		}
	}
	switch s.Outcome {
	case task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeDead, task.OutcomeCanceled:
		return nil
	}
	return task.Invalid("outcome", "no attempt ends as "+task.Quote(string(s.Outcome)), "")
}

// ClaimBytes is how many bytes of payloads a claim may have.
func ClaimBytes(c *store.Claim) int { return cmp.Or(max(0, c.MaxBytes), 8<<20) }

// maxLanes is how many lanes a queue can have.
const maxLanes = 256

// Queue refuses settings that no queue can have.
func Queue(q *store.Queue) error {
	switch {
	case q.Name == "":
		return task.Invalid("name", "the queue has no name", "")
	case q.Lanes < 0 || q.Lanes > maxLanes:
		return task.Invalid("lanes", "it is not between 1 and 256", "")
	case q.UnknownType != "" && q.UnknownType != "park" && q.UnknownType != "dead":
		return task.Invalid("unknown_type", `it is neither "park" nor "dead"`, "")
	case q.Concurrency < 0 || q.MaxPending < 0 || q.Weight < 0 || q.Shares.Concurrency < 0:
		return task.Invalid("queue", "a limit is negative", "")
	}
	if _, _, err := q.Shares.Rate.Parse(); err != nil {
		return err
	}
	if err := Text("policy", q.Policy, 4*task.MaxName); err != nil {
		return err
	}
	return Text("name", q.Name, 4*task.MaxName)
}

// Same refuses the id of a task that is there if it has other content.
func Same(existing, t *task.Task) error {
	if !store.SameContent(existing, t) {
		return &task.Error{Code: task.CodeIDConflict, Message: "the id belongs to a task of other content", State: existing.State, Existing: t.ID}
	}
	if group := t.Spec.Group; !group.IsZero() && existing.Spec.Group != group {
		return &task.Error{Code: task.CodeIDConflict, Message: "the id belongs to a task that is no member of the group " + group.String(), State: existing.State, Existing: t.ID}
	}
	return nil
}

// Group refuses a group of tasks that no store can keep.
func Group(g *task.Group) error {
	switch {
	case g.ID.IsZero():
		return task.Invalid("id", "the group has no id", "")
	case g.Callback.Type == "":
		return task.Invalid("callback.type", "it is empty", "")
	case len(g.Callback.Payload) > task.MaxPayload:
		return &task.Error{Code: task.CodeTooLarge, Message: "the payload of the callback is too large"}
	}
	return Text("label", g.Label, task.MaxLabel)
}

// SameGroup refuses the id of a group of tasks that is there if it is another group.
func SameGroup(existing, g *task.Group) error {
	a, errA := json.Marshal(existing.Callback)
	b, errB := json.Marshal(g.Callback)
	if err := cmp.Or(errA, errB); err != nil {
		return err
	}
	if existing.Label != g.Label || !bytes.Equal(a, b) {
		return &task.Error{Code: task.CodeIDConflict, Message: "the id belongs to a group of tasks with another label or callback", Existing: g.ID}
	}
	return nil
}

// SameKey refuses a dedupe key that a task holds which had other content.
func SameKey(d *store.Dedupe, holder task.ID, content [16]byte) error {
	if d.Content != content {
		return &task.Error{Code: task.CodeDedupeConflict, Message: "the dedupe key belongs to a task of other content", Existing: holder}
	}
	return nil
}

// Forgotten is what is left of a task that holds a dedupe key: it ended and its retention
// has passed, but not the window of the key.
func Forgotten(id task.ID, queue string) *task.Task {
	return &task.Task{ID: id, Queue: queue, State: task.Succeeded, CreatedAt: id.Time()}
}
