package topology

import (
	"slices"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/store"
)

// Serving is how many living nodes serve the queue.
func (v *View) Serving(queue string) int { return len(v.sharers(queue)) }

// Owner is the living node that has a lane, nil while none has.
func (v *View) Owner(lane uint16) *store.Node {
	if l := v.Lanes[lane]; l != nil {
		return v.Alive[l.Owner]
	}
	return nil
}

// Ordered reports whether operators hold a target.
func (v *View) Ordered(target string) bool {
	return slices.ContainsFunc(v.Topology.Orders, func(order store.TargetOrder) bool {
		return order.Target == target && order.Action == store.TargetOpen
	})
}

// Target is what is told of the target of a task that needs a capability, where it is to
// run: by the owner of its lane, or, where that cannot start it, by a node that can; nil
// for nothing. An operator's order comes before what nodes say.
func (v *View) Target(lane uint16, capability, name string) *store.Target {
	if v.Ordered(name) {
		ordered := guard.Ordered(name)
		return &ordered
	}
	queue, _ := v.QueueOf(lane)
	if owner := v.Owner(lane); owner != nil && owner.Serves[queue].Can(capability) {
		return toldOf(owner, name)
	}
	for n := range v.Topology.Nodes {
		if node := v.Alive[v.Topology.Nodes[n].ID]; node != nil && node.Serves[queue].Can(capability) {
			if told := toldOf(node, name); told != nil {
				return told
			}
		}
	}
	return nil
}

// toldOf is what a node tells of a target, nil for nothing: nothing is wrong with it there.
func toldOf(node *store.Node, name string) *store.Target {
	if at := slices.IndexFunc(node.Targets, func(t store.Target) bool { return t.Name == name }); at >= 0 {
		return &node.Targets[at]
	}
	return nil
}
