// Package operation is how nodes share long operations. What each kind of them can
// rely on:
//
//   - An operation is worked on by the node that it names, and by another when that
//     one has ended. Every write is fenced by the operation's version, and a [Hold]
//     by its node as well: who was overtaken writes nothing.
//   - The plan, which items in which order, is on disk before the first of them is
//     touched. With it and what the operation says, any node can go on.
//   - The first Operation.Done items of the plan are handled, and are not handled
//     again. A kind sees to it that a batch of unknown outcome does nothing twice.
//   - The report tells what became of each item, until [Runner.Forget].
package operation

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lookEvery is how often a node looks for operations that nobody works on.
	lookEvery = 5 * time.Second
	// mostOperations is how many of those that run are looked at, the newest;
	// others follow as these end.
	mostOperations = 1000
	// errorPause is the wait after a step that failed.
	errorPause = time.Second
)

// Node is what a runner needs to know of the engine beside it.
type Node interface {
	Topology() *store.Topology
	Node() string
}

// Config says which operations a [Runner] works on, and how. All fields are
// required.
type Config[T any, W kept[T]] struct {
	Backend store.Backend
	Node    Node
	Log     *slog.Logger
	// Is reports whether operations of a kind are this runner's.
	Is func(kind string) bool
	// Chunks is the kind of the objects that keep their plans.
	Chunks string
	// Work makes what works on an operation of this node.
	Work func(*Hold[T, W]) Worker
}

// Runner works on the operations of its kinds, which it reads as T. It is safe for
// concurrent use; before Run it takes no part.
type Runner[T any, W kept[T]] struct {
	Config[T, W]
	looking chan struct{}   // look for operations now
	unread  map[string]bool // operations that did not open at the last look; of Run alone

	mu      sync.Mutex
	ctx     context.Context // of the work; nil before Run and after it
	working map[string]bool
	workers sync.WaitGroup
}

// NewRunner makes a runner.
func NewRunner[T any, W kept[T]](config Config[T, W]) *Runner[T, W] {
	return &Runner[T, W]{Config: config, looking: make(chan struct{}, 1), working: make(map[string]bool)}
}

// Run takes over operations whose node has ended, until ctx ends.
func (r *Runner[T, W]) Run(ctx context.Context) {
	r.mu.Lock()
	r.ctx = ctx
	r.mu.Unlock()
	ticker := background.NewTicker(ctx, lookEvery)
	defer ticker.Stop()
	for {
		r.runOnce(ctx)
		select {
		case <-ticker.C:
		case <-r.looking:
		case <-ctx.Done():
			r.mu.Lock()
			r.ctx = nil
			r.mu.Unlock()
			r.workers.Wait()
			return
		}
	}
}

// Look makes Run look now.
func (r *Runner[T, W]) Look() {
	select {
	case r.looking <- struct{}{}:
	default:
	}
}

func (r *Runner[T, W]) runOnce(ctx context.Context) {
	operations, err := r.Backend.Operations(ctx, store.OperationRunning, mostOperations)
	if err != nil {
		if ctx.Err() == nil {
			r.Log.Warn("operations.unread", "error", err)
		}
		return
	}
	before := r.unread
	r.unread = make(map[string]bool)
	for i := range operations {
		operation := &operations[i]
		if !r.Is(operation.Kind) {
			continue
		}
		if _, err := Read[T, W](operation); err != nil {
			r.unread[operation.ID] = true
			r.leave(ctx, operation, err, before[operation.ID])
			continue
		}
		switch operation.Node {
		case r.Self():
			r.Take(operation)
		default:
			if r.isAlive(operation.Node) {
				continue
			}
			operation.Node = r.Self()
			if taken, err := r.Backend.PutOperation(ctx, *operation); err == nil {
				r.Log.Info("operation.taken", "operation", taken.ID, "done", taken.Done, "matched", taken.Matched)
				r.Take(taken)
			}
		}
	}
}

// leave leaves an operation that does not open here to the nodes that have its key,
// and says so once.
func (r *Runner[T, W]) leave(ctx context.Context, operation *store.Operation, cause error, said bool) {
	if !said {
		r.Log.Warn("operation.unreadable", "operation", operation.ID, "error", cause, "hint", "give this node the key; the operation waits for a node that has it")
	}
	if operation.Node != r.Self() {
		return
	}
	operation.Node = ""
	if _, err := r.Backend.PutOperation(ctx, *operation); err != nil && ctx.Err() == nil {
		r.Log.Warn("operation.repeated", "operation", operation.ID, "error", err)
	}
}

// Self is the id of this node, "" when it does not take part.
func (r *Runner[T, W]) Self() string {
	r.mu.Lock()
	working := r.ctx != nil
	r.mu.Unlock()
	if !working {
		return ""
	}
	return r.Node.Node()
}

func (r *Runner[T, W]) isAlive(id string) bool {
	topology := r.Node.Topology()
	if len(topology.Nodes) == 0 {
		return id != "" // nobody knows
	}
	return slices.ContainsFunc(topology.Nodes, func(n store.Node) bool { return n.ID == id && n.State == store.NodeAlive })
}

// Take starts to work on an operation of this node, once.
func (r *Runner[T, W]) Take(operation *store.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil || r.working[operation.ID] {
		return
	}
	r.working[operation.ID] = true
	ctx := r.ctx
	r.workers.Go(func() {
		r.work(ctx, operation)
		r.mu.Lock()
		delete(r.working, operation.ID)
		r.mu.Unlock()
		r.Look() // it may have been resumed meanwhile
	})
}

// work does the steps of an operation until it has ended or is no longer this node's.
func (r *Runner[T, W]) work(ctx context.Context, operation *store.Operation) {
	worker := r.Work(&Hold[T, W]{runner: r, ID: operation.ID, node: operation.Node})
	for {
		wait, err := worker.Step(ctx)
		if isCode(err, task.CodeInvalid) || isCode(err, task.CodeTooLarge) || errors.Is(err, errPlan) {
			err = worker.Fail(ctx, err.Error()) // it would not go away
		}
		switch {
		case errors.Is(err, ErrOver) || ctx.Err() != nil:
			return
		case isCode(err, task.CodeConflict):
			wait = 0 // it has changed meanwhile: look at it again
		case err != nil:
			r.Log.Warn("operation.repeated", "operation", operation.ID, "error", err)
			wait = errorPause
		}
		if wait > 0 && !background.Sleep(ctx, wait) {
			return
		}
	}
}

func isCode(err error, code task.Code) bool { return errors.Is(err, &task.Error{Code: code}) }
