// Package lease keeps the remote workers of a node: what they can start, the polls by which
// they wait for tasks, and the leases of the tasks that they run.
//
// Remote workers poll a node for tasks, and tell any node how they ended. While
// a worker is connected to a node, the node can start what the worker can: it
// says so to others, takes such tasks from its own lanes, and borrows them from
// lanes of others. It claims one only for a poll that waits for it, with a lease,
// which is the worker's and not the node's: it outlives the node, and any node
// extends it or settles its task. The rest is as for a handler of the node: the
// same order, gates and policies.
package lease

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// workerMemory is how long a worker counts as connected that neither polls nor
	// extends a lease here.
	workerMemory = time.Minute
	// mostPolls bounds the polls that wait on one node, mostWorkers the workers that
	// it remembers.
	mostPolls   = 4096
	mostWorkers = 16384
	// idleAfter is how long a poll waits before other nodes hear that a worker is
	// idle here.
	idleAfter = 200 * time.Millisecond
)

// Keeper knows the remote workers of a node. All methods are safe for concurrent use, also
// under a lock of the caller: they call nobody back, but for [Attempt.Ended].
type Keeper struct {
	config Config
	served atomic.Pointer[Served] // what the workers can start
	doubts chan struct{}          // other nodes may have settled some leases

	mu      sync.Mutex
	polls   []*Poll // that wait, the oldest first
	workers map[string]*worker
	leases  map[uint16]map[task.ID]*Lease // of this node, that have not ended, by lane
	heard   map[uint16]bool               // lanes in which others may have ended some
	any     bool                          // the same, in any lane
}

// NewKeeper makes one that knows no worker.
func NewKeeper(config Config) *Keeper {
	return &Keeper{
		config: config, doubts: make(chan struct{}, 1), workers: map[string]*worker{}, leases: map[uint16]map[task.ID]*Lease{}, heard: map[uint16]bool{},
	}
}

// worker is a remote worker that polls this node.
type worker struct {
	release string
	queues  []string
	types   []string // nil for all that are no HTTP requests
	since   time.Time
	polled  time.Time // when it waited for tasks last
	seen    time.Time
	away    bool // it is kept for its leases only, and can start nothing
}

// Served is which types remote workers of this node can start, by queue. It is
// immutable; nil stands for none.
type Served map[string]Types

// Types are those that workers can start of a queue.
type Types struct {
	any   bool
	names map[string]bool
}

// Has reports whether a remote worker can start the capability in the queue: no request,
// whatever its reach.
func (s Served) Has(queue, capability string) bool {
	if _, ability := store.ReachOf(capability); ability || capability == agenda.Push {
		return false
	}
	of := s[queue]
	return of.any || of.names[capability]
}

// Add adds what remote workers can start to what the node itself can.
func (s Served) Add(queue string, own store.Serving, serves bool) (store.Serving, bool) {
	of, remote := s[queue]
	if !remote {
		return own, serves
	}
	if !serves {
		own = store.Serving{}
	}
	own.AnyType = own.AnyType || of.any
	for _, name := range slices.Sorted(maps.Keys(of.names)) {
		if !slices.Contains(own.Types, name) {
			own.Types = append(slices.Clip(own.Types), name)
		}
	}
	return own, true
}

// Served is what remote workers of this node can start.
func (k *Keeper) Served() Served {
	if s := k.served.Load(); s != nil {
		return *s
	}
	return nil
}

// publish makes what the workers can start what this node can.
func (k *Keeper) publish() (changed bool) {
	now := Served{}
	for _, w := range k.workers {
		if w.away {
			continue
		}
		for _, queue := range w.queues {
			of := now[queue]
			of.any = of.any || w.types == nil
			if of.names == nil {
				of.names = map[string]bool{}
			}
			for _, name := range w.types {
				of.names[name] = true
			}
			now[queue] = of
		}
	}
	same := func(a, b Types) bool { return a.any == b.any && maps.Equal(a.names, b.names) }
	if maps.EqualFunc(k.Served(), now, same) {
		return false
	}
	k.served.Store(&now)
	return true
}

// connect notes that a worker polls, and reports whether this node can start other types
// than before.
func (k *Keeper) connect(r *Request, now time.Time) (more bool) {
	w := k.workers[r.Worker]
	if w == nil && len(k.workers) >= mostWorkers {
		k.forgetOldest()
	}
	since := now
	if w != nil && !w.away {
		since = w.since
	}
	k.workers[r.Worker] = &worker{release: r.Release, queues: r.Queues, types: r.Types, since: since, polled: now, seen: now}
	return k.publish()
}

func (k *Keeper) forgetOldest() {
	oldest := ""
	for name, w := range k.workers {
		if oldest == "" || w.seen.Before(k.workers[oldest].seen) {
			oldest = name
		}
	}
	delete(k.workers, oldest)
}

// seen notes a sign of life of a worker.
func (k *Keeper) seen(name string, at time.Time) {
	if w := k.workers[name]; w != nil {
		w.seen = at
	}
}

// answered notes that a poll of a worker is over.
func (k *Keeper) answered(name string, at time.Time) {
	if w := k.workers[name]; w != nil {
		w.polled, w.seen = at, at
	}
}

// DisconnectOld disconnects workers that were not heard of for long, and reports whether
// this node can start less than before. It forgets those that have no lease of this node.
func (k *Keeper) DisconnectOld(now time.Time) (less bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var old []string
	for name, w := range k.workers {
		if now.Sub(w.seen) >= workerMemory && !k.polled(name) {
			w.away = true
			old = append(old, name)
		}
	}
	if len(old) == 0 {
		return false
	}
	leases := k.byWorker()
	for _, name := range old {
		if len(leases[name]) == 0 {
			delete(k.workers, name)
		}
	}
	return k.publish()
}

// polled reports whether a poll of the worker waits.
func (k *Keeper) polled(name string) bool {
	return slices.ContainsFunc(k.polls, func(p *Poll) bool { return p.Worker == name })
}

// Wants lists the types of a queue of which workers wait in vain for tasks.
func (k *Keeper) Wants(queue string, now time.Time) (types []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.polls {
		if now.Sub(p.began) >= idleAfter && slices.Contains(p.Queues, queue) {
			types = append(types, p.Types...)
		}
	}
	slices.Sort(types)
	return slices.Compact(types)
}
