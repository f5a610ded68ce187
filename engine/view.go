package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// view is the topology as last read, with what follows from it. It is
// immutable.
type view struct {
	topology *store.Topology
	read     time.Time // no later than the topology was
	queues   map[string]*store.Queue
	lanes    map[uint16]*store.Lane
	alive    map[string]*store.Node
	byQueue  map[string][]*store.Lane // in the order of their numbers
}

func newView(t *store.Topology) *view {
	v := &view{
		topology: t, queues: map[string]*store.Queue{}, lanes: map[uint16]*store.Lane{}, alive: map[string]*store.Node{},
		byQueue: map[string][]*store.Lane{},
	}
	for i := range t.Queues {
		v.queues[t.Queues[i].Name] = &t.Queues[i]
	}
	for i := range t.Lanes {
		l := &t.Lanes[i]
		v.lanes[l.Number] = l
		v.byQueue[l.Queue] = append(v.byQueue[l.Queue], l)
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

// Leaving is what a node that stops lists as the one type that it can start:
// it owns nothing more, but its part of a queue's limit is not free before its
// attempts have ended. No type can have this name.
const Leaving = "@leaving"

// owning is what a server lists among its types in a queue that it was told to
// work on, whatever embedded nodes do. No type can have this name.
const owning = "@owner"

// holding is what a node lists among its types in a queue whose places go round
// while tasks of the queue run on it. No type can have this name.
const holding = "@running"

// isSign reports whether what a node lists among its types is no type.
func isSign(name string) bool {
	return name == Leaving || name == owning || name == holding || strings.HasPrefix(name, wanting)
}

// works reports whether the node serves the queue and goes on doing so.
func works(n *store.Node, queue string) bool {
	types, serves := n.Serves[queue]
	return serves && !slices.Contains(types, Leaving)
}

// embedded reports whether a living embedded node works on the queue: servers
// leave it alone then.
func (v *view) embedded(queue string) bool {
	for _, n := range v.alive {
		if n.Embedded && works(n, queue) {
			return true
		}
	}
	return false
}

// free reports whether a lane has no living owner.
func (v *view) free(l *store.Lane) bool { return l.Owner == "" || v.alive[l.Owner] == nil }
