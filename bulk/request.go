package bulk

import (
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Action is what is done to each task. It is the kind of the operation that does it.
type Action string

// The actions.
const (
	Cancel     Action = "cancel"     // ends a pending task, asks a running one to end
	Retry      Action = "retry"      // lets a pending task run at once
	Reschedule Action = "reschedule" // moves the next run of a pending task
)

// Is reports whether operations of a kind are of this package.
func Is(kind string) bool {
	return slices.Contains([]Action{Cancel, Retry, Reschedule}, Action(kind))
}

// event is what the action does to a task.
func (a Action) event() task.Event {
	if a == Cancel {
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

// Request says what to do to which tasks. Either IDs or Filter.
type Request struct {
	Action Action
	IDs    []task.ID
	// Filter selects tasks as they are when the operation begins: tasks that are
	// created later are not meant. Without a state it means those to which the action can
	// be done: pending ones, and for a cancel running ones.
	Filter *store.Filter
	// Hidden is a queue whose tasks a filter does not mean, "" for none.
	Hidden string
	RunAt  time.Time // of Reschedule: when the tasks run next
	Reason string    // for the audit log, "" for none
	DryRun bool      // count, change nothing
}

// Result is what a request led to.
type Result struct {
	Operation string       // the id of the operation that does the work; "" when all is done
	Matched   int          // tasks that were changed, or will be as far as their states allow
	AtLeast   bool         // Matched is where counting stopped
	Items     []Item       // of what was done at once; of a dry run with ids, those that are not possible
	Sample    []*task.Task // of a dry run by filter, the newest
	Until     time.Time    // of a dry run by filter: tasks created before were counted
}

// Check returns a [*task.Error] that says what is wrong with a request, nil when all is well.
func (r *Request) Check() error {
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
	if r.Filter != nil && !r.fits(r.Filter.State) {
		add("filter.state", "tasks that are "+string(r.Filter.State)+" cannot take the action "+string(r.Action))
	}
	if (r.Action == Reschedule) == r.RunAt.IsZero() {
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
func (r *Request) fits(state task.State) bool {
	return state == "" || state == task.Pending || state == task.Running && r.Action == Cancel
}

// selects is the filter with the states that are meant.
func (r *Request) selects() store.Filter {
	filter := *r.Filter
	if filter.State == "" && r.Action == Cancel {
		filter.Live = true
	} else if filter.State == "" {
		filter.State = task.Pending
	}
	return filter
}

// takesTime reports whether it is more than to do named tasks now.
func (r *Request) takesTime() bool { return r.Filter != nil || len(r.IDs) > AtOnce }

// steering asks the store for the action on some tasks.
func (r *Request) steering(ids []task.ID) store.Steering {
	return store.Steering{IDs: ids, Event: r.Action.event(), At: r.RunAt}
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
