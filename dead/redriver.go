package dead

import (
	"context"
	"errors"
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
	// mostCollected bounds the ids that one pass keeps in memory.
	mostCollected = 100_000
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
	ctx := r.ctx
	r.workers.Go(func() {
		defer func() {
			r.mu.Lock()
			delete(r.working, operation.ID)
			r.mu.Unlock()
		}()
		r.work(ctx, operation)
	})
}

// errNotOurs ends the work on an operation that was paused, canceled or taken
// over.
var errNotOurs = errors.New("the operation is no longer ours")

// work sends back what an operation matches, until there is nothing left.
func (r *Redriver) work(ctx context.Context, operation *store.Operation) {
	asked, err := request(operation)
	if err != nil {
		r.finish(ctx, operation.ID, store.OperationFailed, err.Error())
		return
	}
	r.recount(ctx, operation, asked)
	pace := pace{rate: asked.Rate, next: time.Now()}
	for {
		ids, err := r.collect(ctx, *asked.Filter)
		if err == nil && len(ids) == 0 {
			r.finish(ctx, operation.ID, store.OperationDone, "")
			return
		}
		if err == nil {
			err = r.sendAll(ctx, operation.ID, ids, asked, &pace)
		}
		if errors.Is(err, errNotOurs) || ctx.Err() != nil {
			return
		}
		if invalid := (*task.Error)(nil); errors.As(err, &invalid) && invalid.Code == task.CodeInvalid {
			r.finish(ctx, operation.ID, store.OperationFailed, invalid.Error())
			return
		}
		if err != nil {
			r.log.Warn("operation.repeated", "operation", operation.ID, "error", err)
			if !sleep(ctx, errorPause) {
				return
			}
		}
	}
}

// recount corrects the progress of an operation whose node ended between a
// batch and the record of it.
func (r *Redriver) recount(ctx context.Context, operation *store.Operation, asked *Request) {
	left, err := r.backend.Count(ctx, *asked.Filter, mostCounted)
	if err != nil || operation.Matched-left <= operation.Done {
		return
	}
	_, _ = r.progress(ctx, operation.ID, operation.Matched-left-operation.Done)
}

// collect returns ids of letters that match, the oldest first: the newest
// 100 000 if there are more.
func (r *Redriver) collect(ctx context.Context, filter store.Filter) ([]task.ID, error) {
	var ids []task.ID
	enough := errors.New("enough")
	err := Each(ctx, r.backend, filter, func(letter *task.Task) error {
		if ids = append(ids, letter.ID); len(ids) >= mostCollected {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return nil, err
	}
	slices.Reverse(ids)
	return ids, nil
}

// sendAll sends letters back in batches, at the operation's pace, and records
// the progress after each.
func (r *Redriver) sendAll(ctx context.Context, id string, ids []task.ID, asked *Request, pace *pace) error {
	for len(ids) > 0 {
		if err := r.await(ctx, id, pace.next); err != nil {
			return err
		}
		batch := ids[:min(len(ids), pace.batch())]
		start := time.Now()
		done, _, err := r.send(ctx, batch, asked, start)
		if err != nil {
			return err
		}
		pace.sent(start, len(done))
		if _, err := r.progress(ctx, id, len(done)); err != nil {
			return err
		}
		ids = ids[len(batch):]
	}
	return nil
}

// await waits for the time of the next batch, with a look at the operation
// each second: it may have been paused or canceled.
func (r *Redriver) await(ctx context.Context, id string, next time.Time) error {
	for {
		if _, err := r.progress(ctx, id, 0); err != nil {
			return err
		}
		wait := time.Until(next)
		if wait <= 0 {
			return nil
		}
		if !sleep(ctx, min(wait, time.Second)) {
			return ctx.Err()
		}
	}
}

// progress adds to the count of an operation, and says errNotOurs when this
// node is not to go on with it. With 0 it only asks.
func (r *Redriver) progress(ctx context.Context, id string, done int) (*store.Operation, error) {
	operation, err := r.update(ctx, id, func(operation *store.Operation) error {
		if done == 0 {
			return errUnchanged
		}
		operation.Done += done
		return nil
	})
	if err != nil {
		return nil, err
	}
	if operation.State != store.OperationRunning || operation.Node != r.self() {
		return operation, errNotOurs
	}
	return operation, nil
}

// finish ends an operation, if it still runs.
func (r *Redriver) finish(ctx context.Context, id string, state store.OperationState, message string) {
	finished := false
	operation, err := r.update(ctx, id, func(operation *store.Operation) error {
		if operation.State != store.OperationRunning {
			return errUnchanged
		}
		operation.State, operation.Error, operation.FinishedAt = state, message, time.Now()
		finished = true
		return nil
	})
	if err != nil {
		r.log.Warn("operation.unfinished", "operation", id, "error", err) // run takes it up again
	} else if finished && r.ended != nil {
		r.ended(operation)
	}
}

// pace spaces batches so that no second has more than rate letters. Run times
// are spread inside a batch.
type pace struct {
	rate float64
	next time.Time // of the next batch
}

// batch is about a second's worth.
func (p *pace) batch() int {
	if p.rate <= 0 {
		return redriveBatch
	}
	return min(max(int(p.rate), 1), redriveBatch)
}

func (p *pace) sent(start time.Time, n int) { p.next = start.Add(spread(n, p.rate)) }
