package agenda

import (
	"math/rand/v2"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// queues are the queues of which something is in memory, and the slots that they share.
type queues struct {
	byName   map[string]*Queue
	order    []*Queue // the same, for the round over queues
	turn     int
	slots    int
	internal string // the queue of the installation itself
	rand     retry.Rand
	rates    *rates
}

// queueOf returns the queue, new if need be.
func (qs *queues) queueOf(name string) *Queue {
	q := qs.byName[name]
	if q == nil {
		q = newQueue(name, qs.rates, qs.draw)
		q.left = qs.slots / keptPart
		qs.byName[name] = q
		qs.order = append(qs.order, q)
	}
	return q
}

// draw is a random number in [0, 1).
func (qs *queues) draw() float64 {
	if qs.rand == nil {
		return rand.Float64()
	}
	return qs.rand.Float64()
}

// Runs reports whether tasks of a queue run on this node.
func (qs *queues) Runs(queue string) bool {
	q := qs.byName[queue]
	return q != nil && q.running > 0
}

// endTurns takes the places of queues away whose turn is over, however long ago
// the topology was read.
func (qs *queues) endTurns(now int64) {
	for _, q := range qs.order {
		if q.Until != 0 && now >= q.Until {
			q.Limit, q.Until = NoShare, 0
		}
	}
}

// Offered opens the streams of queues whose entries a taker has asked for.
func (qs *queues) Offered(names []string, takes func(queue, target string) bool) {
	for _, name := range names {
		q := qs.byName[name]
		if q == nil {
			continue
		}
		for _, c := range q.crowds {
			if c.unasked && takes(name, c.target.Name) {
				c.unasked = false
				c.Refresh()
			}
		}
	}
}

// UnknownDeadlines lists ready entries of unknown deadline whose target is left alone.
func (qs *queues) UnknownDeadlines(most int) (ids []task.ID) {
	for _, q := range qs.order {
		for _, c := range q.crowds {
			if !c.target.LeftAlone() {
				continue
			}
			for _, s := range c.streams {
				ids = s.addUnread(ids, most)
			}
		}
	}
	return ids
}

// keptPart is which part of the slots is kept for queues, divided by their weights:
// one in so many. What a queue has not got of its part yet, no other one can take, so
// that tasks which end late, or never, hold no node.
const keptPart = 8

// keep works out how many slots each queue is sure to get, and returns how many must
// stay free for those that have not taken theirs. These are never more than the part of
// all slots, so a node with fewer slots than that keeps none. One queue alone keeps
// nothing from itself. For the queue of the installation itself there is one where the
// part is two or more.
func (qs *queues) keep() (owed int) {
	pool, weights := qs.slots/keptPart, 0
	for _, q := range qs.order {
		if !q.Paused && q.name != qs.internal {
			weights += q.Weight
		}
	}
	for _, q := range qs.order {
		switch q.kept = 0; {
		case q.Paused || pool == 0:
		case q.name == qs.internal:
			q.kept = min(1, pool-1)
		default:
			q.kept = max(1, pool*q.Weight/weights)
		}
		if q.Limit > 0 {
			q.kept = min(q.kept, q.Limit)
		}
		owed += q.owed()
	}
	return owed
}

// mayStart reports whether one of the free slots is for the queue.
func (qs *queues) mayStart(q *Queue, free, owed int) bool {
	return q.owed() > 0 || free > min(owed, qs.slots/keptPart)
}
