package engine

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Engine is one node. Make it with [New]; all methods are safe for
// concurrent use.
type Engine struct{}

// New checks the configuration and makes an engine that has not started.
func New(config Config) (*Engine, error) { return nil, nil }

// Start joins the cluster and begins to take lanes and run tasks. It
// returns once the node row is on disk and the topology is known.
func (e *Engine) Start(ctx context.Context) error { return nil }

// Stop ends the engine gracefully: no new claims, running attempts get the
// grace time, or less if ctx ends first, the rest is handed back without
// cost, lanes are freed and the node leaves. Idempotent.
func (e *Engine) Stop(ctx context.Context) error { return nil }

// Enqueue commits one batch, all or nothing, together with those of
// concurrent callers. It returns after the commit.
func (e *Engine) Enqueue(ctx context.Context, items []store.Insert) ([]store.Inserted, error) {
	return nil, nil
}

// EnqueueEach commits items that do not share fate, in as few transactions
// as they fit in, with one result per item.
func (e *Engine) EnqueueEach(ctx context.Context, items []store.Insert) ([]store.BatchResult, error) {
	return nil, nil
}

// Queue returns the queue as last read, at most about a second old.
func (e *Engine) Queue(name string) (store.Queue, bool) { return store.Queue{}, false }

// Topology returns what was read last, at most about a second old; callers
// must not change it.
func (e *Engine) Topology() *store.Topology { return nil }

// Refresh reads the topology now, after a queue was changed.
func (e *Engine) Refresh(ctx context.Context) error { return nil }

// Wake tells the engine that rows of the lane changed: enqueued in a
// caller's transaction, rescheduled, redriven, a key released.
func (e *Engine) Wake(lanes ...uint16) {}

// Canceled tells the engine that a cancel was committed for the task: a
// pending one is forgotten, a running one has its context canceled.
func (e *Engine) Canceled(id task.ID) {}

// Rescheduled tells the engine that the task's next run was moved.
func (e *Engine) Rescheduled(t *task.Task) {}

// Running returns the tasks that run on this node now.
func (e *Engine) Running() []*task.Task { return nil }

// Stats returns a snapshot.
func (e *Engine) Stats() Stats { return Stats{} }
