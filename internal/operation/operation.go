// Package operation is how nodes share long operations: each is worked on by the
// node that it names, and by another when that one has ended.
package operation

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lookEvery is how often a node looks for operations that nobody works on.
	lookEvery = 5 * time.Second
	// mostOperations is how many of those that run are looked at, the newest;
	// others follow as these end.
	mostOperations = 1000
)

// Node is what a runner needs to know of the engine beside it.
type Node interface {
	Topology() *store.Topology
	Node() string
}

// Config says which operations a [Runner] works on, and how. All fields are
// required.
type Config struct {
	Backend store.Backend
	Node    Node
	Log     *slog.Logger
	// Kind reports whether operations of a kind are this runner's.
	Kind func(kind string) bool
	// Open says why an operation cannot be read, nil if it can.
	Open func(*store.Operation) error
	// Work works on an operation until it has ended or is no longer the node's,
	// or ctx has ended.
	Work func(ctx context.Context, operation *store.Operation)
}

// Runner works on the operations of its kinds. It is safe for concurrent use;
// before Run it takes no part.
type Runner struct {
	Config
	looking chan struct{}   // look for operations now
	unread  map[string]bool // operations that did not open at the last look; of Run alone

	mu      sync.Mutex
	ctx     context.Context // of the work; nil before Run and after it
	working map[string]bool
	workers sync.WaitGroup
}

// NewRunner makes a runner.
func NewRunner(config Config) *Runner {
	return &Runner{Config: config, looking: make(chan struct{}, 1), working: make(map[string]bool)}
}

// Run takes over operations whose node has ended, until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	r.mu.Lock()
	r.ctx = ctx
	r.mu.Unlock()
	ticker := time.NewTicker(lookEvery)
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
func (r *Runner) Look() {
	select {
	case r.looking <- struct{}{}:
	default:
	}
}

func (r *Runner) runOnce(ctx context.Context) {
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
		if !r.Kind(operation.Kind) {
			continue
		}
		if err := r.Open(operation); err != nil {
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
func (r *Runner) leave(ctx context.Context, operation *store.Operation, cause error, said bool) {
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
func (r *Runner) Self() string {
	r.mu.Lock()
	working := r.ctx != nil
	r.mu.Unlock()
	if !working {
		return ""
	}
	return r.Node.Node()
}

func (r *Runner) isAlive(id string) bool {
	topology := r.Node.Topology()
	if len(topology.Nodes) == 0 {
		return id != "" // nobody knows
	}
	return slices.ContainsFunc(topology.Nodes, func(n store.Node) bool { return n.ID == id && n.State == store.NodeAlive })
}

// Take starts to work on an operation of this node, once.
func (r *Runner) Take(operation *store.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil || r.working[operation.ID] {
		return
	}
	r.working[operation.ID] = true
	ctx := r.ctx
	r.workers.Go(func() {
		r.Work(ctx, operation)
		r.mu.Lock()
		delete(r.working, operation.ID)
		r.mu.Unlock()
		r.Look() // it may have been resumed meanwhile
	})
}

// Sealed refuses an operation that is encrypted with a key that the node lacks.
func Sealed(operation *store.Operation) error {
	if !store.IsSealed(operation.Request) {
		return nil
	}
	return &task.Error{Code: task.CodeConflict, Message: "the operation is encrypted with a key that this node does not have",
		Hint: "ask a node that has the key, or give it to this one; without the key it can only be canceled"}
}

// Unchanged fails with a conflict if an operation is not as it was read.
func Unchanged(ctx context.Context, backend store.Backend, read *store.Operation) error {
	now, err := backend.Operation(ctx, read.ID)
	if err == nil && now.Version != read.Version {
		err = &task.Error{Code: task.CodeConflict, Message: "the operation has changed"}
	}
	return err
}

// AwaitsKey is what an operation waits for that does not open at the node asked.
const AwaitsKey = "a node with its encryption key; the one asked does not have it"

// ErrUnchanged ends an [Runner.Update] without writing and without an error.
var ErrUnchanged = errors.New("nothing to change")

// Update changes an operation as it stands, again if another was faster. The rows
// of the audit log are written with the change.
func (r *Runner) Update(ctx context.Context, id string, change func(*store.Operation) ([]store.Audit, error)) (*store.Operation, error) {
	for {
		operation, err := r.Backend.Operation(ctx, id)
		if err != nil {
			return nil, err
		}
		rows, err := change(operation)
		if errors.Is(err, ErrUnchanged) {
			return operation, nil
		}
		if err != nil {
			return operation, err
		}
		stored, err := r.Backend.PutOperation(ctx, *operation, rows...)
		if err == nil {
			return stored, nil
		}
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}
