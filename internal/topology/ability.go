package topology

import (
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// Abilities lists the capabilities by which tasks can be left to living nodes of the
// queue that may make other calls than this one, or sign them: see [store.Ability].
func (v *View) Abilities(queue string) (all []string) {
	if v == nil {
		return nil
	}
	for _, n := range v.Alive {
		if s := n.Serves[queue]; s.Reach != "" && !slices.Contains(all, store.Ability(s.Reach)) {
			all = append(all, store.Ability(s.Reach))
		}
	}
	return all
}

// Unlike compares the reach of two nodes, which is the same in all queues that a node
// works on.
func Unlike(a, b *store.Node) (ofA, ofB string, differ bool) {
	for queue, s := range a.Serves {
		if Works(a, queue) && Works(b, queue) {
			ofA, ofB = s.Reach, b.Serves[queue].Reach
			return ofA, ofB, ofA != ofB
		}
	}
	return "", "", false
}

// anyType stands among capabilities for every type.
const anyType = "*"

// coverage is what some nodes can start together: capabilities, and [anyType].
type coverage map[string]bool

func (c coverage) add(s store.Serving) {
	for _, name := range s.Capabilities() {
		c[name] = true
	}
	if s.AnyType {
		c[anyType] = true
	}
}

// lacks counts what a node would add; every type is more than all that can be named.
func (c coverage) lacks(s store.Serving) (more int) {
	if s.AnyType && !c[anyType] {
		more = 1 << 20
	}
	for _, name := range s.Capabilities() {
		_, ability := store.ReachOf(name)
		if !c[name] && (!c[anyType] || ability || name == store.Push) {
			more++
		}
	}
	return more
}
