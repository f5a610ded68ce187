package task_test

import (
	"errors"
	"testing"

	"github.com/outlast-dev/outlast/task"
)

// TestTransitions states the whole machine once more, in other words than the
// table, and checks every pair of state and event.
func TestTransitions(t *testing.T) {
	legal := map[task.State]map[task.Event]task.State{
		task.Pending: {task.Claim: task.Running, task.Cancel: task.Canceled, task.Reschedule: task.Pending},
		task.Running: {
			task.Succeed: task.Succeeded, task.Retry: task.Pending, task.Snooze: task.Pending, task.Release: task.Pending,
			task.Crash: task.Pending, task.Die: task.Dead, task.Cancel: task.Canceled,
		},
		task.Dead: {task.Redrive: task.Pending},
	}
	events := []task.Event{
		task.Claim, task.Succeed, task.Retry, task.Snooze, task.Release, task.Crash, task.Die, task.Cancel, task.Reschedule, task.Redrive, "", "nonsense",
	}
	for _, from := range task.States {
		for _, event := range events {
			next, err := from.Next(event)
			want, ok := legal[from][event]
			if ok && (err != nil || next != want) {
				t.Errorf("%s and %s lead to %s, %v", from, event, next, err)
			}
			var refused *task.Error
			if !ok && (!errors.As(err, &refused) || refused.Code != task.CodeConflict || refused.State != from || next != from) {
				t.Errorf("%s and %s: %s, %v", from, event, next, err)
			}
		}
	}
}

func TestFinalStates(t *testing.T) {
	for _, s := range task.States {
		if !s.Valid() {
			t.Errorf("%s is not valid", s)
		}
		if want := s == task.Succeeded || s == task.Dead || s == task.Canceled; s.Final() != want {
			t.Errorf("%s is final: %v", s, s.Final())
		}
	}
	if task.State("lost").Valid() || task.State("").Valid() {
		t.Error("unknown states are valid")
	}
}

func TestOutcomesAreEventsOfARunningTask(t *testing.T) {
	for _, o := range []task.Outcome{
		task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeDead, task.OutcomeCanceled, task.OutcomeCrashed,
	} {
		if _, err := task.Running.Next(o.Event()); err != nil {
			t.Errorf("%s: %v", o, err)
		}
	}
	if task.Outcome("vanished").Event() != "" {
		t.Error("an unknown outcome is an event")
	}
}
