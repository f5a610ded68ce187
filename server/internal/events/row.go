package events

import (
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// rowWatch compares a task's row with what was told, for changes that other nodes have
// made.
type rowWatch struct {
	last, row rowState
}

// rowState is what a change changes.
type rowState struct {
	state   task.State
	attempt int
}

func (w *rowWatch) told(t *inspect.TaskEvent) { w.last = rowState{t.State, t.Attempt} }

// lookUp tells of a change that the feed has not told of for a second.
func (st *stream) lookUp() {
	t, err := st.calls.Tasks.Row(st.ctx, st.in.Task)
	if err != nil {
		return // its retention is over, or the store does not answer: the caller sees that itself
	}
	now := rowState{t.State, t.Attempt}
	before := st.row.row
	st.row.row = now
	if before != now || now == st.row.last { // new, and the feed may be about to tell; or told
		return
	}
	first := st.row.last == rowState{}
	if st.row.last = now; first {
		return // as it was when the stream began
	}
	if in := st.in; in.State != "" && in.State != t.State {
		return
	}
	st.add("tasks", st.position, &client.EventTasks{At: client.Time{Time: time.Now()}, Seen: 1, Tasks: []client.EventTask{changeOfRow(t)}})
	st.flush()
}

// changeOfRow is what must have become of a task.
func changeOfRow(t *task.Task) client.EventTask {
	change := &inspect.TaskEvent{
		ID: t.ID, Type: t.Type, Queue: t.Queue, Target: t.Target, Key: t.Key, State: t.State, Attempt: t.Attempt,
		Reason: t.DeadReason, ChangedAt: t.UpdatedAt,
	}
	if failure := t.LastError; failure != nil && (t.State == task.Pending || t.State == task.Dead) {
		change.Category, change.Code = failure.Category, failure.Code
	}
	switch t.State {
	case task.Pending:
		change.What, change.NextAt = inspect.EventReleased, t.RunAt
		if change.Category != "" {
			change.What = inspect.EventFailed
		}
	case task.Running:
		change.What = inspect.EventStarted
	default:
		change.What = inspect.EventKind(t.State)
	}
	return wireChange(change)
}
