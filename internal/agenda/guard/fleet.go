package guard

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Fleet is what a node knows of the other ones, as far as what may start here depends
// on it.
type Fleet struct {
	Breakers map[string]store.Breaker // what they say of targets
	Orders   []store.TargetOrder      // the operators' ones that hold
	Workers  int                      // nodes that run tasks, this one included
	Position Position
}

// Follow takes over what other nodes and operators say of targets, and follows changes
// of limits and of the nodes that share them.
func (ts *Targets) Follow(now time.Time, o Fleet) {
	ts.clock.Advance(now)
	before := ts.orders
	ts.remote, ts.orders = o.Breakers, map[string]store.TargetOrder{}
	for _, order := range o.Orders {
		ts.orders[order.Target] = order
		if t := ts.byName[order.Target]; t != nil && t.guard != nil {
			t.obey(order)
		}
	}
	ts.missed(before)
	for name, other := range ts.remote {
		if t := ts.byName[name]; t != nil && t.guard != nil {
			t.guard.breaker.adopt(ts.clock.Time, other)
		}
	}
	if sharers := max(1, o.Workers); sharers != ts.sharers {
		ts.sharers = sharers
		for _, t := range ts.byName {
			if t.guard != nil {
				t.guard.budget.current.Split(sharers)
			}
		}
	}
	ts.position = o.Position
	for _, t := range ts.byName {
		if bound := ts.bound(t.Name); bound != t.bound {
			t.bound = bound
			t.reopen(byLimit)
		}
	}
}

// missed ends the orders to stay open that nobody shows any more. One that holds is
// always shown; what ended it was forgotten while this node was away.
func (ts *Targets) missed(before map[string]store.TargetOrder) {
	for name, order := range before {
		_, known := ts.orders[name]
		if t := ts.byName[name]; order.Action == store.TargetOpen && !known && t != nil && t.guard != nil {
			t.close()
		}
	}
}

// Position says which of the nodes that run tasks this one is. What is limited over all
// of them is divided by it.
type Position struct {
	At, Of int
	Turn   int64 // counts the turns in which a limit goes round
	Quiet  bool  // a turn has only just begun
}

// unbound is the part of a limit that does not exist.
const unbound = math.MaxInt

// Part is this node's part of a limit: the limit divided by the nodes, the remainder
// going to the first ones. A limit below their number goes round among them.
func (c Position) Part(limit int) int {
	switch {
	case c.Of == 0 || c.At < 0: // a node that is not in the list yet is about to be
		return 0
	case limit >= c.Of:
		part := limit / c.Of
		if c.At < limit%c.Of {
			part++
		}
		return part
	case c.Quiet:
		return 0
	}
	first := int(c.Turn * int64(limit) % int64(c.Of))
	if (c.At-first+c.Of)%c.Of < limit {
		return 1
	}
	return 0
}
