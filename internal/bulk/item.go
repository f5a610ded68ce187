package bulk

import (
	"errors"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// letters are the statuses as plans keep them.
var letters = map[inspect.BulkStatus]byte{inspect.BulkChanged: 'c', inspect.BulkAsked: 'a', inspect.BulkBusy: 'r', inspect.BulkEnded: 'e', inspect.BulkMissing: 'm'}

func statusOf(letter byte) inspect.BulkStatus {
	for status, l := range letters {
		if l == letter {
			return status
		}
	}
	return inspect.BulkWaiting
}

// became tells what a steering has made of a task.
func became(s *store.Steered) inspect.BulkStatus {
	var e *task.Error
	switch {
	case s.Err == nil && s.Task.State == task.Running:
		return inspect.BulkAsked
	case s.Err == nil:
		return inspect.BulkChanged
	case errors.As(s.Err, &e) && e.Code == task.CodeNotFound:
		return inspect.BulkMissing
	case e != nil && e.State == task.Running:
		return inspect.BulkBusy
	}
	return inspect.BulkEnded
}

// would tells what the action would make of a task, nil for one that is not there.
func would(r *inspect.BulkRequest, t *task.Task) inspect.BulkStatus {
	switch {
	case t == nil:
		return inspect.BulkMissing
	case t.State.Final():
		return inspect.BulkEnded
	case t.State == task.Running && r.Action != inspect.BulkCancel:
		return inspect.BulkBusy
	case t.State == task.Running:
		return inspect.BulkAsked
	}
	return inspect.BulkChanged
}
