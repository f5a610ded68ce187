package agenda

import (
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
)

// Queue is the ready part of one queue: its tasks by share key, see share, and by what
// they call, see crowd. Starts go round the share keys.
type Queue struct {
	name string
	QueueSettings
	credit  int
	running int
	kept    int               // slots that it is sure to get, see keep
	shares  map[string]*share // by share key
	plain   *share            // of the tasks without a share key
	keyed   bool              // share keys have been seen in it
	crowds  map[string]*crowd // by target
	open    heap.Heap[*share] // shares of which something may start, by whose turn it is
	turn    int64             // of the share of which something started last
	large   map[*share]bool   // shares that have as many slots as are left for others, see tighten
	left    int               // how many these are
	tight   bool              // no more slots are free than these
	asleep  int               // streams that sleep
	rates   *rates
	draw    func() float64 // a random number in [0, 1)
}

// QueueSettings are what operators and the other nodes make of a queue.
type QueueSettings struct {
	Paused      bool
	UnknownDies bool  // tasks that no living node can start become dead letters
	Limit       int   // running tasks of the queue on this node; 0 for no limit, [NoShare] for none at all
	Until       int64 // µs: when limit ends, and nothing starts; 0 for never
	Weight      int
	Each        EachShare
}

// NoShare is a limit under which nothing starts.
const NoShare = -1

func newQueue(name string, rates *rates, draw func() float64) *Queue {
	q := &Queue{name: name, QueueSettings: QueueSettings{Weight: 1}, shares: map[string]*share{}, crowds: map[string]*crowd{}, large: map[*share]bool{}, rates: rates, draw: draw}
	q.open = heap.New(byTurn, func(sh *share) *int { return &sh.index })
	q.plain = q.share("")
	return q
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
	for _, c := range q.crowds {
		for _, due := range c.due {
			count += due
		}
	}
	return count
}

// stream returns the stream of a share key and a target, new if need be.
func (q *Queue) stream(targets *guard.Targets, key, target string) *stream {
	sh := q.share(key)
	if s := sh.streams[target]; s != nil {
		return s
	}
	c := q.crowds[target]
	if c == nil {
		c = newCrowd(q)
		c.target = targets.Attach(target, c)
		q.crowds[target] = c
	}
	s := newStream(sh, c)
	sh.streams[target] = s
	return s
}

// drop forgets a stream that is empty.
func (q *Queue) drop(s *stream) {
	delete(s.share.streams, s.target.Name)
	s.share.tidy()
	if c := s.crowd; c.drop(s) {
		delete(q.crowds, s.target.Name)
		s.target.Detach(c)
	}
}

// has is how many entries of a target are in memory, and how many of them
// have failed before.
func (q *Queue) has(target string) (all, retries int) {
	if c := q.crowds[target]; c != nil {
		return c.count, c.retries
	}
	return 0, 0
}

// hasOf is how many entries of a share key for a target are in memory.
func (q *Queue) hasOf(key, target string) int {
	if sh := q.shares[key]; sh != nil && sh.streams[target] != nil {
		return sh.streams[target].count
	}
	return 0
}

// holds reports whether nothing may start of what is in memory of a share key, whatever
// its limits and turns.
func (q *Queue) holds(key string) bool {
	sh := q.shares[key]
	return sh != nil && sh.open.Len() == 0
}

// next is the stream whose turn it is; nil if none may start anything.
func (q *Queue) next() *stream {
	if q.open.Len() == 0 {
		return nil
	}
	return q.open.First().nextStream()
}
