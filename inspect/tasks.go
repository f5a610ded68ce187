package inspect

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tasks shows tasks, whatever their state, and acts on them.
type Tasks interface {
	// Get returns a task, whatever its state. Code "not_found" if there is none,
	// or none any more.
	Get(ctx context.Context, id task.ID) (*View, error)
	// Row returns a task as its row is, without payload and result: less to read than
	// [Tasks.Get], for who looks often. Code "not_found" as there.
	Row(ctx context.Context, id task.ID) (*task.Task, error)
	// Attempts returns the recorded attempts of a task, the oldest first.
	Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error)
	// Find returns a page of tasks, the newest first, and the cursor of the next
	// page, "" for none; with a filter of failures the newest failure first. A page may be
	// short or empty and still have a next one. The steps of alerts are found by their queue,
	// type or id only. A search that is the id of a task finds it alone, one of at least 8
	// digits that ids begin with these tasks. Code "invalid" with fields.
	Find(ctx context.Context, filter store.Filter, page store.Page) ([]*View, string, error)
	// Count returns how many tasks match, counting no further than limit.
	Count(ctx context.Context, filter store.Filter, limit int) (int, error)
	// Cancel ends a pending task, or asks a running one to end: its context is
	// canceled within about a second, and a success that still arrives is kept.
	// Code "conflict" with the state for tasks that have ended.
	//
	// With [Compensate] the steps of the task are undone, the last one first, once it is
	// canceled, whatever becomes of this node: [View.CompensationTask] sees to it. A task
	// that is canceled already may be compensated afterwards. One that dies in spite of the
	// cancel compensates itself; of one that succeeds nothing is undone.
	Cancel(ctx context.Context, id task.ID, options ...CancelOption) (*View, error)
	// RetryNow lets a pending task run at once, whatever it waits for in time.
	// Code "conflict" with the state for others, dead ones included: those are
	// sent back by [Letters.Redrive].
	RetryNow(ctx context.Context, id task.ID) (*View, error)
	// Reschedule moves the next run of a pending task. Code "conflict" for
	// others.
	Reschedule(ctx context.Context, id task.ID, at time.Time) (*View, error)
	// FindWaiting returns a page of the pending tasks that wait for one reason, the newest
	// first, and the cursor of the next page. It looks through a bounded number of tasks, so
	// a page may be short or empty and still have a next one. Code "invalid" for what is no
	// reason to wait.
	FindWaiting(ctx context.Context, why task.Waiting, filter store.Filter, page store.Page) (found []*View, next string, err error)
	// Bulk cancels, retries or reschedules many tasks: up to 100 that are named at once,
	// with what has become of each in Items; more, and those of a filter, by an operation
	// that outlives this node, whose id is returned. It does to each what [Tasks.Cancel],
	// [Tasks.RetryNow] or [Tasks.Reschedule] do to one: a task whose state does not
	// fit is left alone, and said. A dry run changes nothing, counts and shows a sample.
	Bulk(ctx context.Context, request BulkRequest) (BulkResult, error)
	// Upcoming returns pending tasks that have been tried before, those that are tried
	// again first in front: by when it is their time, or their target's that is held back.
	// Behind them come those of which no one can say when, such as tasks of a paused queue.
	// They are of the queues that are given, with nil of all but that of alerts; at most
	// limit, 1 to 100, 10 for 0.
	//
	// No database keeps retries apart from what else waits, and how much is looked at is
	// bounded: the front of each lane, of what is due from now on at each priority, and of
	// what is parked. Complete is false where more waited than that and one that was not
	// looked at may be tried before the last that is returned.
	Upcoming(ctx context.Context, queues []string, limit int) (tasks []*View, complete bool, err error)
	// View completes tasks that were read before, one for one.
	View(ctx context.Context, tasks ...*task.Task) ([]*View, error)
}

// Steps shows what is done of tasks, and tells their handlers what they wait for.
type Steps interface {
	// Of returns the steps of a task, in the order in which they ended. One that the store
	// cannot read says so in Unreadable. Code "not_found" as for [Tasks.Get].
	Of(ctx context.Context, id task.ID) ([]task.Step, error)
	// Signal gives a task the signal of a name, with a payload of at most 64 KiB of JSON, nil
	// for none: a handler that waits for it goes on, and one that will asks and has it. The
	// first signal of a name stands. A repeat with the same payload is answered as it was,
	// whatever became of the task, so a call of unknown outcome is simply repeated. Code
	// "conflict" for another payload, for a task that has waited in vain, and with the state
	// for one that has ended; "not_found", "invalid" and "too_large".
	Signal(ctx context.Context, id task.ID, name string, payload json.RawMessage) (*Signaled, error)
}

// Signaled is what has become of a signal.
type Signaled struct {
	task.Step            // as it is kept: Name, Result, EndedAt
	Repeated  bool       // it was there before
	State     task.State // of the task
	Woken     bool       // the task waited for it, and is due now
}

// CancelOption is what a cancel does besides.
type CancelOption int

// Compensate lets a cancel undo what the steps of the task have done.
const Compensate CancelOption = 1

// Failed stands for a state in the filter of [Tasks.Find]: tasks that have failed and
// not succeeded since, whatever their state now. Without FailedSince and FailedUntil that
// is a view of the last hour and the newest 1000; with one of them it is all in between.
const Failed task.State = "failed"

// View is a task as people look at it: the row, and what follows from it.
type View struct {
	*task.Task
	// Waiting says why a pending task is not running; "" for others, and for
	// one that starts at any moment.
	Waiting task.Waiting
	// NextCheck is when that is looked at again: the next run of a task that
	// waits for its time, the next probe of an open breaker, the next token of a
	// spent budget. Zero where nobody can know.
	NextCheck time.Time
	// MissingKey is the encryption key that nodes lack which were to run the task,
	// where Waiting says so; "" where it waits for being encrypted at all.
	MissingKey string
	// Held is why nobody takes a task for a worker group that waits for that; nil for
	// all others.
	Held *store.Held
	// MaxAttempts is the limit that holds, 0 for unlimited.
	MaxAttempts int
	// PolicyName is the policy that holds: "inline", a name, or "default".
	// For types whose handlers set one, only the nodes that run them know it.
	PolicyName string
	// PolicyVersion is the newest version of it, 0 for a policy without versions.
	PolicyVersion int64
	// RetryPolicy is that policy; nil where PolicyName is "".
	RetryPolicy *retry.Policy
	// FallbackState and FallbackError tell of the fallback task of a dead
	// one, where there is one. Only [Tasks.Get] fills them.
	FallbackState task.State
	FallbackError *task.Failure
	// CallbackTask, CallbackState and CallbackError tell of the on_success or
	// on_dead task of one that has ended, as long as it is there and its queue has
	// no more lanes than it had. Only [Tasks.Get] fills them.
	CallbackTask  task.ID
	CallbackState task.State
	CallbackError *task.Failure
	// Steps are what is done of the task, see [Steps.Of]. Only [Tasks.Get] fills them.
	Steps []task.Step
	// CompensationTask is the task that undoes the steps of this one once it is canceled,
	// where that was asked for, and CompensationState its state. Only [Tasks.Cancel] and,
	// of a task with steps, [Tasks.Get] fill them.
	CompensationTask  task.ID
	CompensationState task.State
	// Progress is what the running attempt last reported, JSON, if it runs on
	// this node.
	Progress json.RawMessage
	// LeaseUntil is until when a remote worker has the running task at least, if this
	// node has leased it.
	LeaseUntil time.Time
}
