package bulk

import (
	"errors"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Status is what has become of one task.
type Status string

// What becomes of tasks.
const (
	Waiting Status = "waiting"      // its turn has not come
	Changed Status = "changed"      // was canceled, or its next run was moved
	Asked   Status = "asked"        // was running, and was asked to end
	Busy    Status = "left_running" // was left alone: it was running
	Ended   Status = "left_ended"   // was left alone: it had ended
	Missing Status = "not_found"    // there was no such task
)

// letters are the statuses as plans keep them.
var letters = map[Status]byte{Changed: 'c', Asked: 'a', Busy: 'r', Ended: 'e', Missing: 'm'}

func statusOf(letter byte) Status {
	for status, l := range letters {
		if l == letter {
			return status
		}
	}
	return Waiting
}

// Item is one task of a request.
type Item struct {
	Place  int // in the order in which they go, from 1; 0 of what was done at once
	ID     task.ID
	Status Status
	Task   *task.Task // as it is now, nil when it is gone
}

// became tells what a steering has made of a task.
func became(s *store.Steered) Status {
	var e *task.Error
	switch {
	case s.Err == nil && s.Task.State == task.Running:
		return Asked
	case s.Err == nil:
		return Changed
	case errors.As(s.Err, &e) && e.Code == task.CodeNotFound:
		return Missing
	case e != nil && e.State == task.Running:
		return Busy
	}
	return Ended
}

// would tells what the action would make of a task, nil for one that is not there.
func (r *Request) would(t *task.Task) Status {
	switch {
	case t == nil:
		return Missing
	case t.State.Final():
		return Ended
	case t.State == task.Running && r.Action != Cancel:
		return Busy
	case t.State == task.Running:
		return Asked
	}
	return Changed
}
