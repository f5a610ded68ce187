package agenda

import (
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/task"
)

// Queue is the ready part of one queue: a stream per target, each ordered by
// rank. Half of the starts go to the least rank of all (aged priority), the
// other half to the streams in turn, so that no target starves behind the
// backlog of another.
type Queue struct {
	name string
	QueueSettings
	credit  int
	running int
	kept    int // slots that it is sure to get, see keep
	streams map[string]*stream
	open    heap.Heap[*stream] // streams with an entry that no gate is known to hold, by least rank
	ring    []*stream          // the same streams, for the turns
	turn    int
	fair    bool
	draw    func() float64 // a random number in [0, 1)
}

// QueueSettings are what operators and the other nodes make of a queue.
type QueueSettings struct {
	Paused      bool
	UnknownDies bool  // tasks that no living node can start become dead letters
	Limit       int   // running tasks of the queue on this node; 0 for no limit, [NoShare] for none at all
	Until       int64 // µs: when limit ends, and nothing starts; 0 for never
	Weight      int
}

// NoShare is a limit under which nothing starts.
const NoShare = -1

func newQueue(name string, draw func() float64) *Queue {
	return &Queue{name: name, QueueSettings: QueueSettings{Weight: 1}, streams: map[string]*stream{}, draw: draw, open: heap.New(
		func(s *stream) heap.Rank { return byRank(s.head) }, func(s *stream) *int { return &s.index },
	)}
}

// Name is the queue's name.
func (q *Queue) Name() string { return q.name }

// shut reports whether the queue itself lets nothing start: it is paused, or at
// its limit.
func (q *Queue) shut() bool { return q.Paused || q.Limit != 0 && q.running >= q.Limit }

// owed is how many of the slots that are kept for the queue it has not taken.
func (q *Queue) owed() int { return max(0, q.kept-q.running) }

// ready counts the entries that are due.
func (q *Queue) ready() (count int) {
	for _, s := range q.streams {
		for of := range s.ready {
			count += s.ready[of].Len()
		}
	}
	return count
}

// stream returns the stream of a target, new if need be.
func (q *Queue) stream(targets *guard.Targets, name string) *stream {
	s := q.streams[name]
	if s == nil {
		s = &stream{queue: q, index: -1}
		for of := range s.ready {
			s.ready[of] = heap.New(byRank, placeOf)
		}
		s.target = targets.Attach(name, s)
		q.streams[name] = s
	}
	return s
}

// has is how many entries of a target are in memory, and how many of them
// have failed before.
func (q *Queue) has(target string) (all, retries int) {
	if s := q.streams[target]; s != nil {
		return s.count, s.retries
	}
	return 0, 0
}

// next is the stream whose turn it is; nil if none may start anything.
func (q *Queue) next() *stream {
	if q.open.Len() == 0 {
		return nil
	}
	s := q.open.First()
	if q.fair = !q.fair; q.fair && len(q.ring) > 1 {
		q.turn = (q.turn + 1) % len(q.ring)
		s = q.ring[q.turn]
	}
	return s
}

// stream is the ready entries of one target in one queue, apart by the gates
// that they have, so that retries that must wait hold no first attempts up.
type stream struct {
	target  *guard.Target
	queue   *Queue
	ready   [guard.Sets]heap.Heap[*Entry]
	head    *Entry // starts next; nil if nothing may
	count   int    // entries in memory, wherever they are
	retries int    // those of them that have failed before
	unread  int    // of the ready ones, those of unknown deadline
	index   int    // in queue.open
	seat    int    // in queue.ring
	isOpen  bool
	unasked bool // only remote workers can start its entries, and none waits for one
}

// next is the entry of the least rank that no gate is known to hold.
func (s *stream) next() (least *Entry) {
	if s.unasked {
		return nil
	}
	open, probes := s.target.Startable()
	if probes {
		return s.drawn(open)
	}
	for of := range s.ready {
		p := &s.ready[of]
		if p.Len() > 0 && open[of] && (least == nil || byRank(p.First()).Before(byRank(least))) {
			least = p.First()
		}
	}
	return least
}

// drawn is any of the entries that next chooses from. The one that tells
// whether the target is back must not always be the same: some tasks fail
// whatever the target does, and they are often those in front. First attempts and
// retries take turns, however many there are of each.
func (s *stream) drawn(open [guard.Sets]bool) *Entry {
	var counts [2]int
	for of := range s.ready {
		if open[of] {
			counts[guard.Gates(of).Kind()] += s.ready[of].Len()
		}
	}
	turn := s.target.NextProbe()
	if counts[turn] == 0 {
		turn = turn.Other()
	}
	at := int(s.queue.draw() * float64(counts[turn]))
	for of := range s.ready {
		if p := &s.ready[of]; open[of] && guard.Gates(of).Kind() == turn {
			if at < p.Len() {
				return p.At(at)
			}
			at -= p.Len()
		}
	}
	return nil
}

func (s *stream) push(e *Entry) {
	s.ready[e.call.Gates].Push(e)
	if !e.read {
		s.unread++
	}
	s.Refresh()
}

func (s *stream) remove(e *Entry) {
	s.ready[e.call.Gates].Remove(e)
	if !e.read {
		s.unread--
	}
	s.Refresh()
}

// Refresh opens, closes or moves the stream after a change, in both orders of its queue.
func (s *stream) Refresh() {
	s.head = s.next()
	q := s.queue
	switch {
	case s.head != nil && s.isOpen:
		q.open.Fix(s)
	case s.head != nil:
		q.open.Push(s)
		s.seat = len(q.ring)
		q.ring = append(q.ring, s)
	case s.isOpen:
		q.open.Remove(s)
		last := len(q.ring) - 1
		q.ring[s.seat] = q.ring[last]
		q.ring[s.seat].seat = s.seat
		q.ring[last] = nil
		q.ring = q.ring[:last]
	}
	s.isOpen = s.head != nil
}

// Due is how many ready entries have those gates.
func (s *stream) Due(of guard.Gates) int { return s.ready[of].Len() }

// Held reports whether the queue itself lets nothing start.
func (s *stream) Held() bool { return s.queue.shut() }

// each yields the ready entries, in no order.
func (s *stream) each(yield func(*Entry) bool) {
	for of := range s.ready {
		for i := range s.ready[of].Len() {
			if !yield(s.ready[of].At(i)) {
				return
			}
		}
	}
}

// addUnread adds those of unknown deadline. The last to come are mostly at the ends.
func (s *stream) addUnread(ids []task.ID, most int) []task.ID {
	left := s.unread
	for of := range s.ready {
		p := &s.ready[of]
		for i := p.Len() - 1; i >= 0 && left > 0 && len(ids) < most; i-- {
			if e := p.At(i); !e.read {
				ids = append(ids, e.ID)
				left--
			}
		}
	}
	return ids
}

// front lists up to so many entries without an ordering key of those that are ready.
func (s *stream) front(most int) (out []*Entry) {
	for e := range s.each {
		if len(out) == most {
			break
		}
		if e.sequence == nil {
			out = append(out, e)
		}
	}
	return out
}
