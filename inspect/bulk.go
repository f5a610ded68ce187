package inspect

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// BulkStatus is what has become of one task.
type BulkStatus string

// What becomes of tasks.
const (
	BulkWaiting BulkStatus = "waiting"      // its turn has not come
	BulkChanged BulkStatus = "changed"      // was canceled, or its next run was moved
	BulkAsked   BulkStatus = "asked"        // was running, and was asked to end
	BulkBusy    BulkStatus = "left_running" // was left alone: it was running
	BulkEnded   BulkStatus = "left_ended"   // was left alone: it had ended
	BulkMissing BulkStatus = "not_found"    // there was no such task
)

// BulkItem is one task of a request.
type BulkItem struct {
	Place  int // in the order in which they go, from 1; 0 of what was done at once
	ID     task.ID
	Status BulkStatus
	Task   *task.Task // as it is now, nil when it is gone
}

// BulkAction is what is done to each task. It is the kind of the operation that does it.
type BulkAction string

// The actions.
const (
	BulkCancel     BulkAction = "cancel"     // ends a pending task, asks a running one to end
	BulkRetry      BulkAction = "retry"      // lets a pending task run at once
	BulkReschedule BulkAction = "reschedule" // moves the next run of a pending task
)

// BulkRequest says what to do to which tasks. Either IDs or Filter.
type BulkRequest struct {
	Action BulkAction
	IDs    []task.ID
	// Filter selects tasks as they are when the operation begins: tasks that are
	// created later are not meant. Without a state it means those to which the action can
	// be done: pending ones, and for a cancel running ones.
	Filter *store.Filter
	// Hidden is a queue whose tasks a filter does not mean, "" for none.
	Hidden string
	RunAt  time.Time // of a reschedule: when the tasks run next
	Reason string    // for the audit log, "" for none
	DryRun bool      // count, change nothing
}

// BulkResult is what a request led to.
type BulkResult struct {
	Operation string       // the id of the operation that does the work; "" when all is done
	Matched   int          // tasks that were changed, or will be as far as their states allow
	AtLeast   bool         // Matched is where counting stopped
	Items     []BulkItem   // of what was done at once; of a dry run with ids, those that are not possible
	Sample    []*task.Task // of a dry run by filter, the newest
	Until     time.Time    // of a dry run by filter: tasks created before were counted
}
