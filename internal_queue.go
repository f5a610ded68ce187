package outlast

import (
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The engine's own tasks, those of alerts, are in a queue of their own and of types of
// their own. They are nobody's work: what looks at tasks, queues or targets asks here what
// to leave out.

// isInternal reports whether a queue holds the engine's own tasks.
func isInternal(queue string) bool { return queue == alert.Queue }

// ofPeople tells an observer nothing of the engine's own tasks.
func ofPeople(o engine.Observer) engine.Observer {
	started, settled, recovered := o.AttemptStarted, o.Settled, o.Recovered
	o.AttemptStarted = func(t *task.Task, late time.Duration) {
		if !isInternal(t.Queue) {
			started(t, late)
		}
	}
	o.Settled = func(outcome engine.Outcome) {
		if !isInternal(outcome.Settlement.Task.Queue) {
			settled(outcome)
		}
	}
	o.Recovered = func(r store.Recovered) {
		if !isInternal(r.Queue) {
			recovered(r)
		}
	}
	return o
}
