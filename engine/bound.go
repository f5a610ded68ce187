package engine

import (
	"math"
	"slices"
	"time"
)

// crowd says which of the nodes that run tasks this one is. What is limited over all
// of them is divided by it.
type crowd struct {
	at, of int
	turn   int64 // counts turns, see turns.go
	quiet  bool  // a turn has only just begun
}

// unbound is the part of a limit that does not exist.
const unbound = math.MaxInt

// boundAgain is how often a target at its limit is asked again where no attempt ends.
const boundAgain = time.Second

// crowd counts the living nodes that run tasks, by id, at a time of the store's clock.
func (v *view) crowd(self string, now time.Time) crowd {
	var ids []string
	for id, node := range v.alive {
		if len(node.Serves) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	began := now.Truncate(turnTime)
	return crowd{at: slices.Index(ids, self), of: len(ids), turn: began.Unix() / int64(turnTime/time.Second), quiet: now.Sub(began) < turnQuiet}
}

// part is this node's part of a limit: the limit divided by the nodes, the remainder
// going to the first ones. A limit below their number goes round among them.
func (c crowd) part(limit int) int {
	switch {
	case limit == 0:
		return unbound
	case c.of == 0 || c.at < 0: // a node that is not in the list yet is about to be
		return 0
	case limit >= c.of:
		part := limit / c.of
		if c.at < limit%c.of {
			part++
		}
		return part
	case c.quiet:
		return 0
	}
	first := int(c.turn * int64(limit) % int64(c.of))
	if (c.at-first+c.of)%c.of < limit {
		return 1
	}
	return 0
}

// bound is how many attempts at once this node may make of a target, whatever is
// learned of it.
func (n *near) bound(name string) int {
	if n.limits == nil {
		return unbound
	}
	return n.crowd.part(n.limits(name))
}

// rebind follows changes of limits and of the nodes that share them.
func (n *near) rebind(c crowd) {
	n.crowd = c
	for _, t := range n.targets {
		if bound := n.bound(t.name); bound != t.bound {
			t.bound = bound
			n.reopen(t, byLimit)
		}
	}
}
