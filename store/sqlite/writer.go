package sqlite

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
)

const (
	maxTransaction = 20 * time.Millisecond // a transaction takes no further operation after this
	maxOperations  = 4096                  // operations of one transaction
	courtesy       = 2 * time.Millisecond  // the file is left alone for so long after maxTransaction
	soloBusy       = time.Second           // and after so long when no other process is known
	closeTimeout   = 5 * time.Second       // a closing store waits so long for the lock
)

// operation is one call waiting for the writer.
type operation struct {
	kind  string // for hooks
	run   func(tx *tx) error
	err   error
	taken atomic.Bool // by the writer, or by a caller that gave up
	done  chan struct{}
}

// tx is the transaction that an operation runs in. An operation may be run
// more than once: it starts from nothing each time. It may return a
// *task.Error or store.ErrNodeDead only while it has changed nothing.
type tx struct {
	*conn
	store *Store
	now   int64 // µs; read once per operation
	// careful is set after some operation of the group was refused: each
	// item is then kept apart by a savepoint, see (*tx).apart.
	careful bool
}

func (tx *tx) time() time.Time { return stored.Time(tx.now) }

// writer owns the writing connection. All writes go through its goroutine,
// which commits whatever has queued up meanwhile in one transaction.
type writer struct {
	store *Store
	conn  *conn

	mu       sync.Mutex
	queue    []*operation
	closed   bool
	closedAt time.Time
	signal   chan struct{} // capacity 1: the queue is not empty, or closed
	ended    chan struct{}
	running  bool

	version   int64        // data_version of the connection, 0 before the first look
	changed   bool         // the transaction may have changed pending rows, other than by a claim
	changes   atomic.Int64 // transactions, of any process, that may have; see early
	claims    atomic.Int64 // claims that have run
	foreign   atomic.Int64
	commits   atomic.Int64
	busySince time.Time
}

// write runs an operation in a transaction and returns when it has
// committed. A context that ends before the writer took the operation drops
// it; afterwards its outcome is waited for.
func (s *Store) write(ctx context.Context, kind string, run func(tx *tx) error) error {
	op := &operation{kind: kind, run: run, done: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.writer.put(op) {
		return store.ErrClosed
	}
	select {
	case <-op.done:
		return op.err
	case <-ctx.Done():
	}
	if op.taken.CompareAndSwap(false, true) {
		return ctx.Err()
	}
	<-op.done
	return op.err
}

func (w *writer) put(op *operation) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.queue = append(w.queue, op)
	w.wake()
	return true
}

// ask waits until the connection has looked for commits of others.
func (w *writer) ask(ctx context.Context) error {
	op := &operation{done: make(chan struct{})} // without a run
	if !w.put(op) {
		return store.ErrClosed
	}
	select {
	case <-op.done:
		return op.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) wake() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// stop lets queued operations finish and ends the goroutine.
func (w *writer) stop() {
	w.mu.Lock()
	w.closed, w.closedAt = true, time.Now()
	w.wake()
	w.mu.Unlock()
	<-w.ended
}

// loop is the writer's goroutine. It ends after stop.
func (w *writer) loop(ctx context.Context) {
	defer close(w.ended)
	for {
		<-w.signal
		w.busySince = time.Now()
		for {
			ops, closed := w.next()
			if len(ops) == 0 && closed {
				return
			}
			if len(ops) == 0 {
				break
			}
			w.group(ctx, ops)
			w.rest()
		}
	}
}

// next takes what is queued. More may join while the group runs.
func (w *writer) next() ([]*operation, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ops := w.queue
	if len(ops) > maxOperations {
		ops = ops[:maxOperations:maxOperations]
	}
	w.queue = w.queue[len(ops):]
	return ops, w.closed
}

func (w *writer) putBack(ops []*operation) {
	if len(ops) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(ops[:len(ops):len(ops)], w.queue...)
}

// rest leaves the file alone for a moment now and then, so that another
// process gets its turn: the locks of SQLite are not fair.
func (w *writer) rest() {
	limit := soloBusy
	if w.store.crowded() {
		limit = maxTransaction
	}
	if time.Since(w.busySince) < limit {
		return
	}
	timer := time.NewTimer(courtesy)
	<-timer.C
	w.busySince = time.Now()
}
