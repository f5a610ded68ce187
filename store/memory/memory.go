// Package memory is the reference implementation of the store: one mutex,
// ordered indexes, nothing on disk. Tests and the simulator use it, and
// storetest uses it as the model of every other store. Package outlasttest makes a client on
// it whose days last milliseconds.
//
// A [Store] is a handle. Handles of the same data, made by [Store.Handle],
// play the part of several processes on one database.
//
// Stability: stable. Names and their meaning stay within a major version.
package memory

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// nodeMemory is how long a node that left or died stays visible.
const nodeMemory = time.Hour

// Store is one handle on the data. It is safe for concurrent use.
type Store struct {
	data     *data
	ended    chan struct{} // closed with closed
	closed   bool          // guarded by data.mu, like all that follows
	watchers map[*watcher]struct{}
	joined   []string // nodes
}

var (
	_ store.Backend = (*Store)(nil)
	_ store.Waker   = (*Store)(nil)

	_ store.TxEnqueuer = (*Store)(nil)
	_ store.TxSettler  = (*Store)(nil)
)

// data is what all handles share.
type data struct {
	mu         sync.Mutex
	clock      func() time.Time
	exactDeath bool
	handles    map[*Store]struct{}

	queues     map[string]*queue
	lanes      []*lane // by number
	nodes      map[string]*node
	live       map[task.ID]*row
	done       map[task.ID]*task.Task
	dead       map[task.ID]*task.Task
	attempts   map[task.ID][]task.Attempt // of tasks in any table
	steps      map[task.ID][]task.Step    // likewise, by Seq
	groups     groups
	dedupe     map[dedupeKey]dedupeEntry
	operations map[string]store.Operation
	orders     map[string]store.TargetOrder
	config     configuration
	suspects   map[string]bool   // nodes that died while a task with crashes >= 2 ran on them
	locked     map[task.ID]int64 // claims of rows that an open transaction has settled
	seq        int64

	byID      ordered // every task of any table: (0, 0, id)
	doneByEnd ordered // (finished at, 0, id)
	deadByEnd ordered // (finished at, 0, id)
	byFailure ordered // every task that has failed: (last failed at, 0, id)
	stats     store.DeadStats
}

// Option changes a store at its making.
type Option func(*data)

// WithClock sets the store's clock; time.Now is the default.
func WithClock(now func() time.Time) Option { return func(d *data) { d.clock = now } }

// WithExactDeath lets [Store.Kill] show in the topology at once, as
// [store.Node].Gone, in the way of a store with operating system locks.
func WithExactDeath() Option { return func(d *data) { d.exactDeath = true } }

// New returns the first handle of an empty store.
func New(options ...Option) *Store {
	d := &data{
		clock:      time.Now,
		handles:    map[*Store]struct{}{},
		queues:     map[string]*queue{},
		nodes:      map[string]*node{},
		live:       map[task.ID]*row{},
		done:       map[task.ID]*task.Task{},
		dead:       map[task.ID]*task.Task{},
		attempts:   map[task.ID][]task.Attempt{},
		steps:      map[task.ID][]task.Step{},
		groups:     groups{},
		dedupe:     map[dedupeKey]dedupeEntry{},
		operations: map[string]store.Operation{},
		orders:     map[string]store.TargetOrder{},
		config:     newConfiguration(),
		suspects:   map[string]bool{},
		locked:     map[task.ID]int64{},
		stats:      *stored.NewStats(),
	}
	for _, option := range options {
		option(d)
	}
	return d.handle()
}

// Handle returns another handle on the same data, as another process would
// have. It works also after s was closed or killed.
func (s *Store) Handle() *Store {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	return s.data.handle()
}

func (d *data) handle() *Store {
	s := &Store{data: d, ended: make(chan struct{}), watchers: map[*watcher]struct{}{}}
	d.handles[s] = struct{}{}
	return s
}

// Close ends this handle; the data and other handles live on. Idempotent.
func (s *Store) Close() error {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	s.close()
	return nil
}

func (s *Store) close() {
	if s.closed {
		return
	}
	s.closed = true
	close(s.ended)
	delete(s.data.handles, s)
}

// Kill ends this handle as the death of its process would: every later call
// fails, and with [WithExactDeath] the nodes that joined through it show as
// gone. Their rows stay as they are.
func (s *Store) Kill() {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	s.close()
	for _, id := range s.joined {
		if node := s.data.nodes[id]; node != nil {
			node.killed = true
		}
	}
}

// watcher collects what one call of Watch has yet to tell.
type watcher struct {
	signal chan struct{} // of capacity 1
	lanes  map[uint16]struct{}
	any    bool
}

// begin locks the data for one transaction and reads the clock once.
// On nil error the caller must unlock.
func (s *Store) begin(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	s.data.mu.Lock()
	if s.closed {
		s.data.mu.Unlock()
		return time.Time{}, store.ErrClosed
	}
	return micros(s.data.clock()), nil
}

// micros is t in UTC with microseconds; zero stays zero.
func micros(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

// orElse is t with microseconds, or the other time if t is absent.
func orElse(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return micros(t)
}
