package bulk

import (
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Is reports whether operations of a kind are of this package.
func Is(kind string) bool {
	return slices.Contains([]inspect.BulkAction{inspect.BulkCancel, inspect.BulkRetry, inspect.BulkReschedule}, inspect.BulkAction(kind))
}

// event is what the action does to a task.
func event(a inspect.BulkAction) task.Event {
	if a == inspect.BulkCancel {
		return task.Cancel
	}
	return task.Reschedule
}

const (
	// MaxIDs is how many tasks one request may name.
	MaxIDs = 10_000
	// AtOnce is how many named tasks are done at once, without an operation.
	AtOnce = 100
	// MaxReason is how long a reason may be, in bytes.
	MaxReason = 500
	// MostCounted is where counting stops: a request that says it matches so many
	// matches at least so many.
	MostCounted = 100_000
	// sampleSize is how many tasks a dry run shows.
	sampleSize = 10
)

// Check returns a [*task.Error] that says what is wrong with a request, nil when all is well.
func Check(r *inspect.BulkRequest) error {
	var wrong []task.Field
	add := func(path, message string) { wrong = append(wrong, task.Field{Path: path, Message: message}) }
	if !Is(string(r.Action)) {
		add("action", "is none of cancel, retry, reschedule")
	}
	switch {
	case r.Filter == nil && len(r.IDs) == 0:
		add("ids", "ids or a filter is required")
	case r.Filter != nil && r.IDs != nil: // an empty list would mean all that match
		add("filter", "is given together with ids")
	case len(r.IDs) > MaxIDs:
		add("ids", strconv.Itoa(MaxIDs)+" ids are the limit; use a filter for more")
	}
	if r.Filter != nil && !fits(r, r.Filter.State) {
		add("filter.state", "tasks that are "+string(r.Filter.State)+" cannot take the action "+string(r.Action))
	}
	if (r.Action == inspect.BulkReschedule) == r.RunAt.IsZero() {
		add("run_at", "is required for reschedule, and for no other action")
	}
	if len(r.Reason) > MaxReason {
		add("reason", "is longer than "+strconv.Itoa(MaxReason)+" bytes")
	}
	if len(wrong) == 0 {
		return nil
	}
	return &task.Error{Code: task.CodeInvalid, Message: "the request is invalid", Fields: wrong,
		Hint: "give an action, and ids (at most 10000) or a filter; a reschedule needs run_at"}
}

// fits reports whether tasks of a state can take the action; "" is any state.
func fits(r *inspect.BulkRequest, state task.State) bool {
	return state == "" || state == task.Pending || state == task.Running && r.Action == inspect.BulkCancel
}

// selects is the filter with the states that are meant.
func selects(r *inspect.BulkRequest) store.Filter {
	filter := *r.Filter
	if filter.State == "" && r.Action == inspect.BulkCancel {
		filter.Live = true
	} else if filter.State == "" {
		filter.State = task.Pending
	}
	return filter
}

// takesTime reports whether it is more than to do named tasks now.
func takesTime(r *inspect.BulkRequest) bool { return r.Filter != nil || len(r.IDs) > AtOnce }

// steering asks the store for the action on some tasks.
func steering(r *inspect.BulkRequest, ids []task.ID) store.Steering {
	return store.Steering{IDs: ids, Event: event(r.Action), At: r.RunAt}
}

// distinct are the ids without repeats, in their order.
func distinct(ids []task.ID) []task.ID {
	seen := make(map[task.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id task.ID) bool {
		repeated := seen[id]
		seen[id] = true
		return repeated
	})
}
