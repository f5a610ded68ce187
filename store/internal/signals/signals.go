// Package signals is what all stores share of signals, which end the waits of handlers.
package signals

import (
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// Check refuses what ends no wait, and what is too large.
func Check(step *task.Step) error {
	signal, timeout := step.Type == task.StepSignal && step.Claim == 0, step.Type == task.StepTimeout && step.Claim > 0
	switch {
	case step.Occurrence != 0 || !signal && !timeout || step.Compensation != nil:
		return task.Invalid("step", "it is neither a signal nor a timeout", "")
	case step.Name == "":
		return task.Invalid("name", "a signal needs a name", "")
	case !store.Fits(step.Result, task.MaxResult):
		return &task.Error{Code: task.CodeTooLarge, Message: "the payload of a signal is larger than " + strconv.Itoa(task.MaxResult) + " bytes"}
	}
	return nil
}

// Decide says what becomes of a signal or a timeout, for a task as it stands under its lock,
// and of which all steps are given that are stored. The step is to be stored if it is Added,
// and the task to be made due if it is Woken.
func Decide(t *task.Task, all []task.Step, given *task.Step, now time.Time) (store.Signaled, error) {
	done := store.Signaled{Status: store.StatusOK, Task: bare(t, now, false)}
	if stands := endOf(t, all, given.Name); stands != nil {
		done.Step = *stands
		return done, nil
	}
	if given.Type == task.StepTimeout {
		if t.State != task.Running || t.Claim != given.Claim {
			done.Status = store.StatusStale
			return done, nil
		}
	} else if t.State != task.Pending && t.State != task.Running {
		return store.Signaled{}, &task.Error{Code: task.CodeConflict, Message: "the task has ended as " + string(t.State), State: t.State}
	}
	if given.Type == task.StepSignal { // a wait that has begun must be able to end
		if err := fits(all, given); err != nil {
			return store.Signaled{}, err
		}
	}
	done.Step, done.Added = *given, true
	done.Step.EndedAt = now
	for i := range all {
		done.Step.Seq = max(done.Step.Seq, all[i].Seq)
	}
	done.Step.Seq++
	done.Woken = t.State == task.Pending && t.RunAt.After(now) && waits(t, all, given.Name)
	done.Task = bare(t, now, done.Woken)
	return done, nil
}

// Ready reports whether a wait of a task for one of the names has ended.
func Ready(t *task.Task, all []task.Step, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return endOf(t, all, name) != nil })
}

// endOf is what ends the wait for a name, nil for nothing.
func endOf(t *task.Task, all []task.Step, name string) *task.Step {
	for i := range all {
		if s := &all[i]; s.EndsWait() && s.Name == name && !s.Forgotten(t) {
			return s
		}
	}
	return nil
}

// waits reports whether a pending task waits for a name, alone or beside others.
func waits(t *task.Task, all []task.Step, name string) bool {
	named, until := false, false
	for i := range all {
		if s := &all[i]; s.Type == task.StepAwait && !s.EndsWait() && !s.Forgotten(t) {
			named = named || s.Name == name
			until = until || s.Until.Equal(t.RunAt)
		}
	}
	return named && until
}

// fits refuses a step with which the task has too many or too large ones.
func fits(all []task.Step, given *task.Step) error {
	count, bytes := 1, len(given.Result)
	for i := range all {
		s := &all[i]
		if s.EndsWait() && s.Name == given.Name {
			continue // it is replaced
		}
		count, bytes = count+1, bytes+len(s.Result)
		if s.Compensation != nil {
			bytes += len(s.Compensation.Payload)
		}
	}
	if count > task.MaxSteps || bytes > task.MaxStepBytes {
		return &task.Error{Code: task.CodeTooLarge, Message: "the task has " + strconv.Itoa(count-1) + " steps and signals of " + strconv.Itoa(bytes-len(given.Result)) + " bytes, and one more is too much",
			Hint: "a task has at most " + strconv.Itoa(task.MaxSteps) + " of them, of " + strconv.Itoa(task.MaxStepBytes) + " bytes together"}
	}
	return nil
}

func bare(t *task.Task, now time.Time, due bool) *task.Task {
	if due {
		return steer.Done(t, &store.Steering{Event: task.Reschedule}, now).Task
	}
	b := *t
	b.Payload, b.Result, b.Spec, b.LastError = nil, nil, task.Spec{}, nil
	return &b
}
