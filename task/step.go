package task

import (
	"encoding/json"
	"time"
)

// Limits of the steps of a task.
const (
	MaxSteps     = 1000    // in all
	MaxStepBytes = 4 << 20 // of all results and arguments of compensations together
)

// Types of steps that are no results of a handler's functions.
const (
	StepAwait   = "await"   // a handler waits, until Until, for the signal of the step's name
	StepSignal  = "signal"  // that signal, whose payload is Result; its occurrence is 0
	StepTimeout = "timeout" // in place of a signal: none has come in time
)

// Step is a named part of a handler that was done: what it gave is on disk, and later
// attempts do not repeat it.
type Step struct {
	Task       ID        `json:"-"`
	Seq        int       `json:"-"` // the order in which the steps of a task ended, from 1; equal where it is not known
	Claim      int64     `json:"-"` // under which it ended
	Name       string    `json:"name"`
	Occurrence int       `json:"occurrence"` // of the name in one attempt, from 1
	Attempt    int       `json:"attempt"`
	StartedAt  time.Time `json:"started_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
	// Result is at most MaxResult bytes of JSON; nil for none.
	Result json.RawMessage `json:"-"`
	// Type is that of the result, in the words of the language that made it; "" where
	// nobody has said it.
	Type string `json:"type,omitempty"`
	// Until is when a durable sleep ends, or a wait for a signal; zero for what is neither.
	Until time.Time `json:"until,omitzero"`
	// Compensation is the task that undoes the step when its own dies; nil for none. Its
	// Payload is at most MaxResult bytes of JSON.
	Compensation *Follow `json:"compensation,omitempty"`

	// Unreadable is why the store could not read what it keeps, "" where it could. What
	// has such a step runs no further: nobody knows what was done.
	Unreadable string `json:"-"`
}

// Compensates reports whether the step is to be undone when its task, as it stands, dies:
// it has a compensation, and was not undone before the task was redriven.
func (s *Step) Compensates(t *Task) bool {
	return s.Compensation != nil && s.Claim > t.Spec.Undone
}

// EndsWait reports whether the step is what ends the wait for a signal: the signal, or that
// none has come in time. Whichever is stored first stands.
func (s *Step) EndsWait() bool { return s.Occurrence == 0 }

// Forgotten reports whether the step says that a handler waited, or waited in vain, before
// its task, as it stands, died and was redriven: then it waits anew. Signals stay.
func (s *Step) Forgotten(t *Task) bool {
	waits := s.Type == StepAwait && !s.EndsWait() && !s.Until.IsZero()
	return s.Claim <= t.Spec.Undone && (waits || s.Type == StepTimeout && s.EndsWait())
}
