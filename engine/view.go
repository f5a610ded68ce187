package engine

import (
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// view is the topology as last read, with what follows from it. It is
// immutable.
type view struct {
	topology *store.Topology
	queues   map[string]*store.Queue
	lanes    map[uint16]*store.Lane
	alive    map[string]*store.Node
}

func newView(t *store.Topology) *view {
	v := &view{topology: t, queues: map[string]*store.Queue{}, lanes: map[uint16]*store.Lane{}, alive: map[string]*store.Node{}}
	for i := range t.Queues {
		v.queues[t.Queues[i].Name] = &t.Queues[i]
	}
	for i := range t.Lanes {
		v.lanes[t.Lanes[i].Number] = &t.Lanes[i]
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.State == store.NodeAlive && !n.Gone {
			v.alive[n.ID] = n
		}
	}
	return v
}

// me is the node's own row, nil before the first look or when it is not alive.
func (v *view) me(id string) *store.Node {
	if v == nil {
		return nil
	}
	return v.alive[id]
}

func (v *view) queueOf(lane uint16) (string, bool) {
	l := v.lanes[lane]
	if l == nil {
		return "", false
	}
	return l.Queue, true
}

// canStart reports whether a living node can start the capability in the
// queue.
func (v *view) canStart(queue, capability string) bool {
	for _, n := range v.alive {
		if types, serves := n.Serves[queue]; serves && (types == nil || slices.Contains(types, capability)) {
			return true
		}
	}
	return false
}

// mayOwn reports whether the node may own lanes of the queue: it serves it,
// it is an embedded node or no living embedded node serves it, and it has a
// part of the queue's limit.
func (v *view) mayOwn(n *store.Node, queue string) bool {
	if _, serves := n.Serves[queue]; !serves {
		return false
	}
	return (n.Embedded || !v.embedded(queue)) && v.limitShare(v.queues[queue], n.ID) != noShare
}

func (v *view) embedded(queue string) bool {
	for _, n := range v.alive {
		if _, serves := n.Serves[queue]; serves && n.Embedded {
			return true
		}
	}
	return false
}

// free reports whether a lane has no living owner.
func (v *view) free(l *store.Lane) bool { return l.Owner == "" || v.alive[l.Owner] == nil }

// plan says which lanes a node should take and which it should give back,
// from what everybody can read: its share is the sum, over the lanes that it
// may own, of one part for each node that may own them. It takes free lanes
// up to its share, rounded up, and gives one back when it holds two more
// than its share, or one more while a node has none.
func (v *view) plan(self *store.Node, owned func(lane uint16) bool) (take []store.LaneEpoch, giveBack []uint16) {
	share, held, poor := 0.0, 0, false
	var mine []uint16
	var free []store.LaneEpoch
	counts := map[string]int{}
	for i := range v.topology.Lanes {
		l := &v.topology.Lanes[i]
		counts[l.Owner]++
		owners := v.owners(l.Queue)
		if !slices.Contains(owners, self.ID) {
			if owned(l.Number) {
				giveBack = append(giveBack, l.Number)
			}
			continue
		}
		share += 1 / float64(len(owners))
		if owned(l.Number) {
			held++
			mine = append(mine, l.Number)
			for _, other := range owners {
				poor = poor || other != self.ID && v.holds(other) == 0
			}
		} else if v.free(l) {
			free = append(free, store.LaneEpoch{Lane: l.Number, Epoch: l.Epoch})
		}
	}
	for _, l := range free {
		if float64(held) >= share {
			break
		}
		take = append(take, l)
		held++
	}
	if len(take) == 0 && (float64(held) >= share+2 || poor && float64(held) >= share+1) && len(mine) > 0 {
		giveBack = append(giveBack, mine[len(mine)-1])
	}
	return take, giveBack
}

// owners lists the living nodes that may own lanes of the queue.
func (v *view) owners(queue string) []string {
	var out []string
	for id, n := range v.alive {
		if v.mayOwn(n, queue) {
			out = append(out, id)
		}
	}
	return out
}

func (v *view) holds(node string) int {
	count := 0
	for i := range v.topology.Lanes {
		if v.topology.Lanes[i].Owner == node {
			count++
		}
	}
	return count
}
