package engine

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Remote workers poll a node for tasks, and tell any node how they ended. While
// a worker is connected to a node, the node can start what the worker can: it
// says so to others, takes such tasks from its own lanes, and borrows them from
// lanes of others. It claims one only for a poll that waits for it, with a lease,
// which is the worker's and not the node's: it outlives the node, and any node
// extends it or settles its task. The rest is as for a handler of the node: the
// same order, gates and policies.

const (
	// workerMemory is how long a worker counts as connected that neither polls nor
	// extends a lease here.
	workerMemory = time.Minute
	// mostPolls bounds the polls that wait on one node, mostWorkers the workers that
	// it remembers.
	mostPolls   = 4096
	mostWorkers = 16384
	// idleAfter is how long a poll waits before other nodes hear that a worker is
	// idle here, lendMost how many tasks of a type they leave it then at a time,
	// for lendFor.
	idleAfter = 200 * time.Millisecond
	lendMost  = 256
	lendFor   = 2 * time.Second
)

// wanting begins the signs by which a node lists types of which a worker waits for
// tasks in vain. No type can have such a name.
const wanting = "@wants "

// remote is what a node knows of its remote workers. Guarded by the engine's lock.
type remote struct {
	polls   []*poll // that wait, the oldest first
	workers map[string]*worker

	leases map[uint16]map[*attempt]bool // of this node, that have not ended, by lane
	heard  map[uint16]bool              // lanes in which others may have ended some
	any    bool                         // the same, in any lane
}

// worker is a remote worker that polls this node.
type worker struct {
	queues []string
	types  []string // nil for all that are no HTTP requests
	seen   time.Time
}

// served is which types remote workers of this node can start, by queue. It is
// immutable; nil stands for none.
type served map[string]servedTypes

type servedTypes struct {
	any   bool
	types map[string]bool
}

// has reports whether a remote worker can start the capability in the queue.
func (s served) has(queue, capability string) bool {
	if capability == Push {
		return false
	}
	of := s[queue]
	return of.any || of.types[capability]
}

// names lists the types of a queue, nil for all.
func (t servedTypes) names() []string {
	if t.any {
		return nil
	}
	return slices.Sorted(maps.Keys(t.types))
}

// serves works out what the connected workers can start.
func (r *remote) serves() served {
	out := served{}
	for _, w := range r.workers {
		for _, queue := range w.queues {
			of := out[queue]
			of.any = of.any || w.types == nil
			if of.types == nil {
				of.types = map[string]bool{}
			}
			for _, name := range w.types {
				of.types[name] = true
			}
			out[queue] = of
		}
	}
	return out
}

func sameServed(a, b served) bool {
	return maps.EqualFunc(a, b, func(x, y servedTypes) bool { return x.any == y.any && maps.Equal(x.types, y.types) })
}

// canStart reports whether this node can start a capability in a queue: by a
// handler of its own, or by a worker that is connected to it.
func (e *Engine) canStart(queue, capability string) bool {
	return e.config.Registry.CanStart(capability) || e.remotes().has(queue, capability)
}

// remotes is what remote workers of this node can start.
func (e *Engine) remotes() served {
	if s := e.served.Load(); s != nil {
		return *s
	}
	return nil
}

// connect notes that a worker polls, and reports whether this node can start more
// than before. The engine's lock must be held.
func (e *Engine) connect(name string, queues, types []string, now time.Time) (more bool) {
	r := &e.remote
	if r.workers == nil {
		r.workers = map[string]*worker{}
	}
	if r.workers[name] == nil && len(r.workers) >= mostWorkers {
		r.forgetOldest()
	}
	r.workers[name] = &worker{queues: queues, types: types, seen: now}
	return e.publish()
}

func (r *remote) forgetOldest() {
	oldest := ""
	for name, w := range r.workers {
		if oldest == "" || w.seen.Before(r.workers[oldest].seen) {
			oldest = name
		}
	}
	delete(r.workers, oldest)
}

// publish makes what the workers can start what this node can. The engine's lock
// must be held.
func (e *Engine) publish() (changed bool) {
	now := e.remote.serves()
	if sameServed(e.remotes(), now) {
		return false
	}
	e.served.Store(&now)
	e.near.served = now
	return true
}

// disconnectOld forgets workers that were not heard of for long, and what memory
// has of tasks that only they could start: the loader finds those again, and
// leaves them to other nodes.
func (e *Engine) disconnectOld(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, w := range e.remote.workers {
		if now.Sub(w.seen) >= workerMemory && !e.remote.polled(name) {
			delete(e.remote.workers, name)
		}
	}
	if !e.publish() {
		return
	}
	for _, entry := range e.near.known {
		if entry.where != isClaimed && e.parksType(entry.queue, &entry.Entry) {
			if l := entry.lane; l != nil {
				l.rewind(math.MinInt64 + 1)
			}
			e.near.forget(entry)
		}
	}
	signal(e.load)
}

// polled reports whether a poll of the worker waits.
func (r *remote) polled(name string) bool {
	return slices.ContainsFunc(r.polls, func(p *poll) bool { return p.Worker == name })
}

// wants lists the signs of the types of which workers wait in vain for tasks of a
// queue.
func (e *Engine) wants(queue string, now time.Time) (signs []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.remote.polls {
		if now.Sub(p.began) < idleAfter || !slices.Contains(p.Queues, queue) {
			continue
		}
		for _, name := range p.Types {
			signs = append(signs, wanting+name)
		}
	}
	slices.Sort(signs)
	return slices.Compact(signs)
}

// lend leaves due tasks, for which no worker of this node waits, to nodes where one
// does.
func (e *Engine) lend() {
	v := e.view.Load()
	if v == nil || len(e.remotes()) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, node := range v.alive {
		if id == e.node() {
			continue
		}
		for queue, signs := range node.Serves {
			for _, sign := range signs {
				if name, wants := strings.CutPrefix(sign, wanting); wants && e.near.queues[queue] != nil {
					e.lendTo(e.near.queues[queue], name)
				}
			}
		}
	}
}

// lendTo parks the first tasks of a type by that.
func (e *Engine) lendTo(q *queue, name string) {
	s := q.streams[name]
	if s == nil || !s.unasked || len(e.parking) > mostMarks {
		return
	}
	until := micros(time.Now().Add(lendFor))
	for _, entry := range s.front(lendMost) {
		l := entry.lane
		if e.near.forget(entry); l == nil {
			continue // borrowed, and marked already
		}
		number := l.noteType(&entry.Entry)
		e.parking[entry.ID], l.marks[number].until = number, until
		signal(e.load)
	}
}

// front lists up to so many entries without an ordering key of those that are ready.
func (s *stream) front(most int) (out []*entry) {
	for of := range s.ready {
		for i := range s.ready[of].items {
			if e := s.ready[of].items[i].item; e.line == nil && len(out) < most {
				out = append(out, e)
			}
		}
	}
	return out
}

// worker is the poll that an entry is for; ok is false if only a remote worker can
// start it and none waits.
func (n *near) worker(e *entry) (p *poll, ok bool) {
	can := Capability(&e.Entry)
	if !n.served.has(e.queue.name, can) || n.local(can) {
		return nil, true
	}
	for _, p := range *n.polls {
		if p.taken < p.Most && p.takes(e.queue.name, can) {
			return p, true
		}
	}
	return nil, false
}

// isLeased reports whether a remote worker has the task of an entry.
func (e *entry) isLeased() bool { return e.attempt != nil && e.attempt.lease != nil }

// learnServed adds what remote workers can start to what the node itself can.
func learnServed(types []string, serves bool, of servedTypes, remote bool) ([]string, bool) {
	switch {
	case !remote:
		return types, serves
	case !serves:
		return of.names(), true
	case types == nil || of.any:
		return nil, true
	}
	for name := range of.types {
		if !slices.Contains(types, name) {
			types = append(slices.Clip(types), name)
		}
	}
	return types, true
}
