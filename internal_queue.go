package outlast

import (
	"slices"
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

// shownQueue reports whether a queue is one of those, or with nil is one of people's.
func shownQueue(queue string, queues []string) bool {
	if queues != nil {
		return slices.Contains(queues, queue)
	}
	return !isInternal(queue)
}

// leavesOut is the queue whose tasks are left out of what a filter finds, "" for none: who
// names a queue, a type or ids finds those of alerts, too.
func leavesOut(filter *store.Filter) string {
	if filter.Queue == "" && filter.Type == "" && len(filter.IDs) == 0 {
		return alert.Queue
	}
	return ""
}

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
