package agenda

import (
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
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

// close takes a stream out of both orders.
func (q *Queue) close(s *stream) {
	q.open.Remove(s)
	end := len(q.ring) - 1
	q.ring[s.seat] = q.ring[end]
	q.ring[s.seat].seat = s.seat
	q.ring[end] = nil
	q.ring = q.ring[:end]
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
