package dead

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lookEvery is how often a node looks for operations that nobody works on.
	lookEvery = 5 * time.Second
	// mostOperations is how many of the newest are looked at.
	mostOperations = 100
	// errorPause is the wait after the store did not answer.
	errorPause = time.Second
)

// Redriver sends dead letters back. It is safe for concurrent use; without
// being started it still sends back by ids and begins operations, which other
// nodes then work on.
type Redriver struct {
	backend store.Backend
	node    Node
	log     *slog.Logger
	looking chan struct{} // look for operations now
	ended   func(*store.Operation)

	mu      sync.Mutex
	ctx     context.Context // of the work; nil before run and after it
	working map[string]bool
	workers sync.WaitGroup
}

// WhenEnded sets what is told of redrives that this node has brought to their
// end. It must not block, and is set before [Keeper.Start].
func (r *Redriver) WhenEnded(ended func(*store.Operation)) { r.ended = ended }

func newRedriver(backend store.Backend, node Node, log *slog.Logger) *Redriver {
	return &Redriver{backend: backend, node: node, log: log, looking: make(chan struct{}, 1), working: make(map[string]bool)}
}

func newOperationID(now time.Time) string { return task.NewID(now, source{}).String() }

type source struct{}

func (source) Uint64() uint64 { return rand.Uint64() }

// run takes over operations whose node has ended, until ctx ends.
func (r *Redriver) run(ctx context.Context) {
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

// look makes run look now.
func (r *Redriver) look() {
	select {
	case r.looking <- struct{}{}:
	default:
	}
}

func (r *Redriver) runOnce(ctx context.Context) {
	operations, err := r.backend.Operations(ctx, mostOperations)
	if err != nil {
		if ctx.Err() == nil {
			r.log.Warn("operations.unread", "error", err)
		}
		return
	}
	for i := range operations {
		operation := &operations[i]
		if operation.Kind != KindRedrive || operation.State != store.OperationRunning {
			continue
		}
		switch operation.Node {
		case r.self():
			r.take(operation)
		default:
			if r.isAlive(operation.Node) {
				continue
			}
			operation.Node = r.self()
			if taken, err := r.backend.PutOperation(ctx, *operation); err == nil {
				r.log.Info("operation.taken", "operation", taken.ID, "done", taken.Done, "matched", taken.Matched)
				r.take(taken)
			}
		}
	}
}

// self is the id of this node, "" when it does not take part.
func (r *Redriver) self() string {
	r.mu.Lock()
	working := r.ctx != nil
	r.mu.Unlock()
	if !working {
		return ""
	}
	return r.node.Node()
}

func (r *Redriver) isAlive(id string) bool {
	topology := r.node.Topology()
	if len(topology.Nodes) == 0 {
		return id != "" // nobody knows
	}
	return slices.ContainsFunc(topology.Nodes, func(n store.Node) bool { return n.ID == id && n.State == store.NodeAlive })
}

// take starts to work on an operation of this node, once.
func (r *Redriver) take(operation *store.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil || r.working[operation.ID] {
		return
	}
	r.working[operation.ID] = true
	ctx, w := r.ctx, newWork(r, operation)
	r.workers.Go(func() {
		w.run(ctx)
		r.mu.Lock()
		delete(r.working, operation.ID)
		r.mu.Unlock()
		r.look() // it may have been resumed meanwhile
	})
}
