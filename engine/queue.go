package engine

import (
	"slices"
	"time"
)

// queue is the ready part of one queue: a stream per target, each ordered by
// rank. Half of the starts go to the least rank of all (aged priority), the
// other half to the streams in turn, so that no target starves behind the
// backlog of another.
type queue struct {
	name        string
	paused      bool
	unknownDies bool // tasks that no living node can start become dead letters
	limit       int  // running tasks of this queue on this node, 0 for no limit
	weight      int
	credit      int
	running     int
	streams     map[string]*stream
	open        pile[*stream] // streams that are not empty and whose target is not full, by least rank
	ring        []*stream     // the same streams, for the turns
	turn        int
	fair        bool
}

// stream is the ready entries of one target in one queue.
type stream struct {
	target *target
	queue  *queue
	ready  pile[*entry]
	inLane map[*lane]int // ready entries by lane
	count  int           // entries in memory, wherever they are
	index  int           // in queue.open
	seat   int           // in queue.ring
	isOpen bool
}

func (s *stream) place() *int { return &s.index }

// target is what tasks call, as this node sees it.
type target struct {
	name    string
	limit   int // attempts at once on this node
	running int
	used    int64 // µs: the last outcome
	wakes   int64 // µs: a target that rests starts nothing before; 0 when it does not
	streams []*stream
	seen    int     // outcomes learned from, counted to enoughSeen
	success float64 // share of attempts that succeeded, exponentially weighted; 1 at first
	usual   float64 // length of an attempt, ns, exponentially weighted
}

// full reports whether the target holds its whole share of the slots, or
// rests.
func (t *target) full() bool { return t.running >= t.limit || t.wakes != 0 }

// started and ended count attempts, and shut or open the gate.
func (t *target) started() {
	if t.running++; t.running == t.limit {
		t.refresh()
	}
}

func (t *target) ended() {
	if t.running--; t.running == t.limit-1 {
		t.refresh()
	}
}

// A target that answers nothing but failures, while others have work here,
// may hold a hundredth of the slots only, and rests after each batch: its
// claims, calls and settlements would delay the others.
const (
	enoughSeen   = 32
	failingShare = 0.1 // of successes
	failingPart  = 100
	failingRest  = 20 * time.Millisecond
)

// bound sets how many attempts at once a target may have, and lets it rest.
func (n *near) bound(t *target, now int64) {
	t.used = now
	limit := max(1, int(float64(n.slots)*n.share))
	if t.seen >= enoughSeen && t.success < failingShare && len(n.targets) > 1 {
		limit = max(1, n.slots/failingPart)
		if t.wakes == 0 {
			t.wakes = now + failingRest.Microseconds()
			n.resting = append(n.resting, t)
		}
	}
	t.limit = limit
	t.refresh()
}

// forgetTargets drops what is known of targets that had no work for a while.
func (n *near) forgetTargets(now int64) {
	for name, t := range n.targets {
		if len(t.streams) == 0 && t.used < now-targetMemory.Microseconds() {
			delete(n.targets, name)
		}
	}
}

// waken ends the rests that are over.
func (n *near) waken(now int64) {
	n.resting = slices.DeleteFunc(n.resting, func(t *target) bool {
		if t.wakes > now {
			return false
		}
		t.wakes = 0
		t.refresh()
		return true
	})
}

func (t *target) refresh() {
	for _, s := range t.streams {
		s.refresh()
	}
}

// learn weighs in the outcome of an attempt: one part in sixteen.
func (t *target) learn(success bool, took float64) {
	share := 0.0
	if success {
		share = 1
	}
	t.seen = min(t.seen+1, enoughSeen)
	t.success += (share - t.success) / 16
	if t.usual == 0 {
		t.usual = took
	}
	t.usual += (took - t.usual) / 16
}

func byRank(a, b *entry) bool {
	if a.Rank != b.Rank {
		return a.Rank < b.Rank
	}
	return a.Seq < b.Seq
}

func newQueue(name string) *queue {
	return &queue{name: name, weight: 1, streams: map[string]*stream{}, open: pile[*stream]{
		less: func(a, b *stream) bool { return byRank(a.ready.first(), b.ready.first()) },
	}}
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
		t = &target{name: name, success: 1}
		n.targets[name] = t
		n.bound(t, 0)
	}
	s := &stream{target: t, queue: q, ready: pile[*entry]{less: byRank}, inLane: map[*lane]int{}, index: -1}
	t.streams = append(t.streams, s)
	q.streams[name] = s
	return s
}

// has is how many entries of a target are in memory.
func (q *queue) has(target string) int {
	if s := q.streams[target]; s != nil {
		return s.count
	}
	return 0
}

// What is known of targets without work is kept for a while, and not of more
// than so many.
const (
	targetMemory = time.Minute
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
		delete(n.targets, t.name)
	}
}

func (s *stream) push(e *entry) {
	s.ready.push(e)
	s.inLane[e.lane]++
	s.refresh()
}

func (s *stream) remove(e *entry) {
	s.ready.remove(e)
	if s.inLane[e.lane]--; s.inLane[e.lane] == 0 {
		delete(s.inLane, e.lane)
	}
	s.refresh()
}

// refresh opens, closes or moves the stream after a change.
func (s *stream) refresh() {
	wanted := s.ready.len() > 0 && !s.target.full()
	q := s.queue
	switch {
	case wanted && s.isOpen:
		q.open.fix(s)
	case wanted:
		q.open.push(s)
		s.seat = len(q.ring)
		q.ring = append(q.ring, s)
	case s.isOpen:
		q.close(s)
	}
	s.isOpen = wanted
}

// close takes a stream out of both orders. The heap may hold it with an
// empty pile, so it is taken out by its place, not by its order.
func (q *queue) close(s *stream) {
	last := len(q.open.items) - 1
	at := s.index
	q.open.swap(at, last)
	q.open.items[last] = nil
	q.open.items = q.open.items[:last]
	s.index = -1
	if at < last {
		q.open.fix(q.open.items[at])
	}
	end := len(q.ring) - 1
	q.ring[s.seat] = q.ring[end]
	q.ring[s.seat].seat = s.seat
	q.ring[end] = nil
	q.ring = q.ring[:end]
}

// take removes the entry that starts next; nil if none may.
func (q *queue) take() *entry {
	if q.open.len() == 0 {
		return nil
	}
	s := q.open.first()
	if q.fair = !q.fair; q.fair && len(q.ring) > 1 {
		q.turn = (q.turn + 1) % len(q.ring)
		s = q.ring[q.turn]
	}
	e := s.ready.first()
	s.remove(e)
	return e
}
