package engine

import "time"

// queue is the ready part of one queue: a stream per target, each ordered by
// rank. Half of the starts go to the least rank of all (aged priority), the
// other half to the streams in turn, so that no target starves behind the
// backlog of another.
type queue struct {
	name        string
	paused      bool
	unknownDies bool  // tasks that no living node can start become dead letters
	limit       int   // running tasks of this queue on this node, 0 for no limit
	until       int64 // µs: when limit ends, and nothing starts; 0 for never
	weight      int
	credit      int
	running     int
	kept        int // slots that it is sure to get, see keep
	streams     map[string]*stream
	open        pile[*stream] // streams with an entry that no gate is known to hold, by least rank
	ring        []*stream     // the same streams, for the turns
	turn        int
	fair        bool
}

func newQueue(name string) *queue {
	return &queue{name: name, weight: 1, streams: map[string]*stream{}, open: pile[*stream]{
		rank: func(s *stream) rank { return byRank(s.head) },
	}}
}

// shut reports whether the queue itself lets nothing start: it is paused, or at
// its limit.
func (q *queue) shut() bool { return q.paused || q.limit != 0 && q.running >= q.limit }

// ready counts the entries that are due.
func (q *queue) ready() (count int) {
	for _, s := range q.streams {
		count += s.held(anyGate)
	}
	return count
}

// queueOf returns the queue, new if need be.
func (n *near) queueOf(name string) *queue {
	q := n.queues[name]
	if q == nil {
		q = newQueue(name)
		n.queues[name] = q
		n.order = append(n.order, q)
	}
	return q
}

// stream returns the stream of a target, new if need be.
func (q *queue) stream(n *near, name string) *stream {
	if s := q.streams[name]; s != nil {
		return s
	}
	t := n.targets[name]
	if t == nil {
		t = &target{name: name, limit: max(1, int(float64(n.slots)*n.share)), bound: n.bound(name), index: -1}
		n.targets[name] = t
	}
	s := newStream(t, q, n)
	t.streams = append(t.streams, s)
	q.streams[name] = s
	return s
}

// has is how many entries of a target are in memory, and how many of them
// have failed before.
func (q *queue) has(target string) (all, retries int) {
	if s := q.streams[target]; s != nil {
		return s.count, s.retries
	}
	return 0, 0
}

// What is known of targets without work is kept for a while, longer while
// their breaker is not closed, and not of more than so many.
const (
	targetMemory = time.Minute
	outageMemory = 10 * time.Minute
	mostTargets  = 10_000
)

// tidy removes a stream without entries.
func (q *queue) tidy(n *near, s *stream) {
	if s.count > 0 {
		return
	}
	delete(q.streams, s.target.name)
	t := s.target
	for i, other := range t.streams {
		if other == s {
			t.streams[i] = t.streams[len(t.streams)-1]
			t.streams = t.streams[:len(t.streams)-1]
			break
		}
	}
	if len(t.streams) == 0 && len(n.targets) > mostTargets {
		n.forgetTarget(t)
	}
}

// forgetTargets drops what is known of targets that had no work for a while,
// and the guards of those whose work is later: what they have seen is too old
// to count.
func (n *near) forgetTargets(now int64) {
	for _, t := range n.targets {
		kept, idle := targetMemory, t.running == 0
		if t.guard != nil && !t.guard.healthy(n.clock) {
			kept, idle = outageMemory, false
		}
		switch old := t.used < now-kept.Microseconds(); {
		case old && len(t.streams) == 0:
			n.forgetTarget(t)
		case old && idle && t.guard != nil && t.guard.outages.Known() == 0 && n.clock.Sub(t.guard.changed) > shown:
			t.guard = nil
			n.renew(t, anyGate)
		}
	}
}

func (n *near) forgetTarget(t *target) {
	delete(n.targets, t.name)
	delete(n.yielding, t)
	if t.index >= 0 {
		n.wakes.remove(t)
	}
}

// close takes a stream out of both orders.
func (q *queue) close(s *stream) {
	q.open.remove(s)
	end := len(q.ring) - 1
	q.ring[s.seat] = q.ring[end]
	q.ring[s.seat].seat = s.seat
	q.ring[end] = nil
	q.ring = q.ring[:end]
}

// next is the stream whose turn it is; nil if none may start anything.
func (q *queue) next() *stream {
	if q.open.len() == 0 {
		return nil
	}
	s := q.open.first()
	if q.fair = !q.fair; q.fair && len(q.ring) > 1 {
		q.turn = (q.turn + 1) % len(q.ring)
		s = q.ring[q.turn]
	}
	return s
}
