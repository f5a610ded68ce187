package agenda

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// share is the entries of one share key in one queue, a stream for each target. Starts of
// the queue go round the shares: each start costs one turn, and the share with the fewest
// turns is the next one. One that comes, or comes back, goes on from where the others are:
// it has saved no turns.
//
// Inside a share, half of the starts go to the least rank of all (aged priority), the other
// half to its streams in turn, so that no target starves behind the backlog of another.
type share struct {
	queue   *Queue
	name    string
	streams map[string]*stream // by target
	open    heap.Heap[*stream] // streams with an entry that no gate is known to hold, by least rank
	ring    []*stream          // the same streams, for their turns
	at      int
	fair    bool
	ready   int
	running int
	turn    int64
	index   int // in queue.open
	isOpen  bool
	waited  bool // it was closed with something ready: it has waited for its turn

	paid      int64 // µs: under a rate, until when its starts have used it up
	wakes     int64 // µs: when the rate is looked at again; 0 for never
	waitIndex int   // in rates.waiting
}

// EachShare is this node's part of the limits that each share key of a queue has.
type EachShare struct {
	Most int   // running tasks; 0 for no limit, [NoShare] for none at all
	Gap  int64 // µs between two starts, 0 for no limit
}

// Each is the part of limits that a node has by its position. A rate is divided evenly.
func Each(of guard.Position, limits store.ShareLimits) (each EachShare) {
	if limits.Concurrency > 0 {
		if each.Most = of.Part(limits.Concurrency); each.Most == 0 {
			each.Most = NoShare
		}
	}
	each.Gap = max(0, int64(limits.Rate.Gap()*time.Duration(max(1, of.Of))/time.Microsecond))
	return each
}

// burst is how far the starts of a share may be ahead of its rate, in µs.
const burst = int64(100 * time.Millisecond / time.Microsecond)

func byTurn(sh *share) heap.Rank { return heap.Rank{First: sh.turn, Second: sh.open.First().head.Rank} }

// share returns the share of a key, new if need be.
func (q *Queue) share(key string) *share {
	sh := q.shares[key]
	if sh == nil {
		sh = &share{queue: q, name: key, streams: map[string]*stream{}, index: -1, waitIndex: -1}
		sh.open = heap.New(func(s *stream) heap.Rank { return byRank(s.head) }, func(s *stream) *int { return &s.index })
		q.shares[key] = sh
	}
	return sh
}

// nextStream is the stream whose turn it is.
func (sh *share) nextStream() *stream {
	s := sh.open.First()
	if sh.fair = !sh.fair; sh.fair && len(sh.ring) > 1 {
		sh.at = (sh.at + 1) % len(sh.ring)
		s = sh.ring[sh.at]
	}
	return s
}

// tighten leaves the last free slots of the node to shares that have few, where share keys
// are in use: however long the tasks of one run, those of others find a place. Only a
// handful of shares can be large.
func (q *Queue) tighten(free int) {
	if tight := q.keyed && free <= q.left; tight != q.tight {
		q.tight = tight
		for sh := range q.large {
			sh.refresh()
		}
	}
}

// runs counts what runs of the share.
func (sh *share) runs(more int) {
	q := sh.queue
	if sh.running += more; q.keyed && q.left > 0 {
		if sh.running >= q.left {
			q.large[sh] = true
		} else {
			delete(q.large, sh)
		}
	}
	sh.refresh()
}

// crowded reports whether the share has so many slots that the last ones are for others.
func (sh *share) crowded() bool { return sh.queue.tight && sh.queue.large[sh] }

// refresh opens, closes or moves the share after a change.
func (sh *share) refresh() {
	q := sh.queue
	open := sh.open.Len() > 0 && !sh.crowded() && !sh.atLimit()
	switch {
	case open && sh.isOpen:
		q.open.Fix(sh)
	case open:
		from := q.turn + 1 // with those that have started in this round: whoever comes must not hold them up for ever
		if sh.waited {
			from -= 2 // before those that have only come
		}
		sh.turn, sh.waited = max(sh.turn, from), false
		q.open.Push(sh)
	case sh.isOpen:
		q.open.Remove(sh)
		sh.waited = sh.ready > 0
	}
	closes := sh.isOpen && !open
	if sh.isOpen = open; closes && q.asleep > 0 {
		sh.passOn()
	}
}

// passOn wakes others for the targets whose streams were awake in a share that closes: they
// would sleep on though the target rests no more.
func (sh *share) passOn() {
	for i := 0; i < len(sh.ring); i++ { // which may grow
		if c := sh.ring[i].crowd; !c.rests {
			c.wake()
		}
	}
}

// atLimit reports whether a limit of the share lets nothing start. Under a rate it sees to
// it that this is asked again.
func (sh *share) atLimit() bool {
	each := &sh.queue.Each
	if each.Most != 0 && sh.running >= each.Most {
		return true
	}
	if each.Gap == 0 {
		return false
	}
	ahead := burst
	if each.Gap >= burst {
		ahead = 0
	}
	if sh.paid-ahead <= sh.queue.rates.clock.Micros {
		return false
	}
	sh.queue.rates.await(sh, sh.paid-ahead/2) // several may start then
	return true
}

// why is the limit of the share that lets nothing start, if one does.
func (sh *share) why() (r task.WaitReason) {
	if !sh.atLimit() {
		return r
	}
	r.Why = task.AtShareLimit
	if most := sh.queue.Each.Most; most == 0 || sh.running < most {
		r.Until = time.UnixMicro(sh.wakes).UTC()
	}
	return r
}

// started counts a start: it takes a turn, and a part of the rate.
func (sh *share) started() {
	q := sh.queue
	q.turn = max(q.turn, sh.turn)
	sh.turn++
	if q.Each.Gap > 0 {
		sh.paid = max(sh.paid, q.rates.clock.Micros) + q.Each.Gap
	}
	sh.refresh()
}

// gaveBack undoes what a start has taken of the rate, but not the turn.
func (sh *share) gaveBack() {
	if sh.paid > 0 {
		sh.paid -= sh.queue.Each.Gap
	}
}

// tidy forgets a share of which nothing is in memory, unless its rate is used up: then it
// is looked at again when that is over.
func (sh *share) tidy() {
	switch q := sh.queue; {
	case len(sh.streams) > 0 || sh == q.plain:
	case q.Each.Gap > 0 && sh.paid > q.rates.clock.Micros:
		q.rates.await(sh, sh.paid)
	case q.shares[sh.name] == sh:
		q.rates.forget(sh)
		delete(q.shares, sh.name)
	}
}

// rates are the shares whose rate is used up, by when that is looked at again.
type rates struct {
	clock   *guard.Clock
	waiting heap.Heap[*share]
}

func newRates(clock *guard.Clock) *rates {
	return &rates{clock, heap.New(func(sh *share) heap.Rank { return heap.Rank{First: sh.wakes} }, func(sh *share) *int { return &sh.waitIndex })}
}

// next is when the next one is looked at; the greatest number for never.
func (r *rates) next() int64 {
	if r.waiting.Len() == 0 {
		return math.MaxInt64
	}
	return r.waiting.First().wakes
}

// await looks at a share again at a time.
func (r *rates) await(sh *share, at int64) {
	if sh.wakes = at; sh.waitIndex >= 0 {
		r.waiting.Fix(sh)
	} else {
		r.waiting.Push(sh)
	}
}

// wake opens the shares whose rate lets something start again.
func (r *rates) wake(now int64) {
	for r.waiting.Len() > 0 && r.waiting.First().wakes <= now {
		sh := r.waiting.Pop()
		sh.refresh()
		sh.tidy()
	}
}

func (r *rates) forget(sh *share) {
	if sh.waitIndex >= 0 {
		r.waiting.Remove(sh)
	}
}
