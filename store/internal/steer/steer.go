// Package steer is what all stores share of actions on many tasks.
package steer

import (
	"errors"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

// Check refuses what can never be done.
func Check(s *store.Steering) error {
	if s.Event != task.Cancel && s.Event != task.Reschedule {
		return task.Invalid("event", "is neither cancel nor reschedule", "")
	}
	if s.At.After(check.Farthest) {
		return task.Invalid("run_at", "the time is too far away", "")
	}
	if len(s.IDs) > store.MaxSteered {
		return task.Invalid("ids", "are more than "+strconv.Itoa(store.MaxSteered), "")
	}
	if (s.Operation == nil) != (s.Note == nil) || s.Operation != nil && s.Operation.ID == "" {
		return task.Invalid("operation", "an operation needs an id and a note", "")
	}
	seen := make(map[task.ID]bool, len(s.IDs))
	for _, id := range s.IDs {
		if seen[id] {
			return task.Invalid("ids", id.String()+" is named twice", "")
		}
		seen[id] = true
	}
	return objects.CheckAudit(s.Audit)
}

// RunAt is when a rescheduled task runs next.
func RunAt(s *store.Steering, now time.Time) time.Time {
	if s.At.IsZero() {
		return now
	}
	return s.At.Truncate(time.Microsecond)
}

// Done is the answer for a task to which the event happened.
func Done(before *task.Task, s *store.Steering, now time.Time) store.Steered {
	t := *before
	t.Payload, t.Result, t.Spec, t.LastError = nil, nil, task.Spec{}, nil
	t.UpdatedAt = now
	switch {
	case s.Event == task.Reschedule:
		t.RunAt, t.Park = RunAt(s, now), 0
	case t.State == task.Running:
		t.CancelRequested = true
	default:
		t.State, t.Park, t.FinishedAt = task.Canceled, 0, now
	}
	return store.Steered{ID: t.ID, Task: &t}
}

// Refused is the answer for a task that is not there or whose state does not fit;
// false for any other error, which ends the transaction.
func Refused(id task.ID, err error) (store.Steered, bool) {
	var e *task.Error
	if errors.As(err, &e) && (e.Code == task.CodeNotFound || e.Code == task.CodeConflict && e.State != "") {
		return store.Steered{ID: id, Err: err}, true
	}
	return store.Steered{}, false
}

// Noted is the operation with what was done, nil for none.
func Noted(s *store.Steering, steered []store.Steered) (*store.Operation, error) {
	if s.Operation == nil {
		return nil, nil
	}
	o := *s.Operation
	return &o, s.Note(&o, steered)
}

// Audit are the rows to write: none if nothing was changed.
func Audit(s *store.Steering, steered []store.Steered) []store.Audit {
	for i := range steered {
		if steered[i].Err == nil {
			return s.Audit
		}
	}
	return nil
}
