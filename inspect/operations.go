package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// Operations shows long actions, which outlive their nodes, and stops them.
type Operations interface {
	// Get returns a long action with its progress; code "not_found", with queues also
	// for one that is about another queue.
	Get(ctx context.Context, id string, queues ...string) (*store.Operation, error)
	// List returns the newest long actions, at most n, or 100 if n is 0. With
	// queues, those that are about no other queue.
	List(ctx context.Context, n int, queues ...string) ([]store.Operation, error)
	// Progress is how far a long action had come when it was read; the zero value for
	// a kind of action that this program does not know. It asks no store.
	Progress(operation *store.Operation) OperationProgress
	// RedriveItems is the report of a redrive: what has become of each of its
	// letters, in the order in which they go. A page has at most 500, and 100 if its
	// limit is 0. Code "not_found" for operations that are unknown or have no report
	// any more: it is kept as long as dead letters are, from the end of the operation.
	RedriveItems(ctx context.Context, id string, page store.Page) (items []RedriveItem, next string, err error)
	// BulkItems is the report of an operation that [Tasks.Bulk] has begun: what has
	// become of each of its tasks, in the order in which they go. A page has at most 500,
	// and 100 if its limit is 0. Code "not_found" for operations that are unknown or have
	// no report any more: it is kept as long as dead letters are, from the end of the
	// operation.
	BulkItems(ctx context.Context, id string, page store.Page) (items []BulkItem, next string, err error)
	// Pause stops a running operation after its current batch; code
	// "conflict" for one that has ended.
	Pause(ctx context.Context, id string) (*store.Operation, error)
	// Resume lets a paused operation go on.
	Resume(ctx context.Context, id string) (*store.Operation, error)
	// Cancel ends an operation after its current batch. What it has done
	// stays done.
	Cancel(ctx context.Context, id string) (*store.Operation, error)
}

// OperationProgress is how far a long action has come, beside the numbers of
// [store.Operation].
type OperationProgress struct {
	Sent    int    // letters sent back, of a redrive
	Changed int    // tasks changed, of an action on tasks
	Skipped int    // letters or tasks that were left alone, since they were not any more what was asked for
	Waiting string // what it waits for, "" for nothing
	// Watched reports whether what becomes of the letters of a redrive is counted: it has a
	// canary, or stops if many fail. Succeeded and Failing are of the last 1000 sent back.
	Watched   bool
	Succeeded int
	Failing   int
}
