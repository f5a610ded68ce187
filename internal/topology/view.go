// Package topology reads what all nodes can read, queues, lanes and living nodes, and
// works out from it what a node should do: which lanes it should own, its part of
// limits, who should hear of changes. It is pure: the same reading gives the same
// answers on every node, so nobody leads.
package topology

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/store"
)

// View is the topology as last read, with what follows from it. It is
// immutable.
type View struct {
	Topology *store.Topology
	Read     time.Time // no later than the topology was
	Queues   map[string]*store.Queue
	Lanes    map[uint16]*store.Lane
	Alive    map[string]*store.Node
	byQueue  map[string][]*store.Lane // in the order of their numbers
}

// New makes a view of what was read. It keeps the topology.
func New(t *store.Topology) *View {
	v := &View{
		Topology: t, Queues: map[string]*store.Queue{}, Lanes: map[uint16]*store.Lane{}, Alive: map[string]*store.Node{},
		byQueue: map[string][]*store.Lane{},
	}
	for i := range t.Queues {
		v.Queues[t.Queues[i].Name] = &t.Queues[i]
	}
	for i := range t.Lanes {
		l := &t.Lanes[i]
		v.Lanes[l.Number] = l
		v.byQueue[l.Queue] = append(v.byQueue[l.Queue], l)
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.State == store.NodeAlive && !n.Gone {
			v.Alive[n.ID] = n
		}
	}
	return v
}

// Me is the node's own row, nil before the first look or when it is not alive.
func (v *View) Me(id string) *store.Node {
	if v == nil {
		return nil
	}
	return v.Alive[id]
}

// Alone reports whether no node lives but this one, if it does.
func (v *View) Alone(self string) bool {
	return len(v.Alive) == 0 || len(v.Alive) == 1 && v.Alive[self] != nil
}

// QueueOf is the queue of a lane.
func (v *View) QueueOf(lane uint16) (string, bool) {
	l := v.Lanes[lane]
	if l == nil {
		return "", false
	}
	return l.Queue, true
}

// CanStart reports whether a living node can start the capability in the
// queue.
func (v *View) CanStart(queue, capability string) bool {
	for _, n := range v.Alive {
		if s, serves := n.Serves[queue]; serves && s.Can(capability) {
			return true
		}
	}
	return false
}

// Works reports whether the node serves the queue and goes on doing so.
func Works(n *store.Node, queue string) bool {
	s, serves := n.Serves[queue]
	return serves && !s.Leaving
}

// embedded reports whether a living embedded node works on the queue all the time:
// servers leave it alone then.
func (v *View) embedded(queue string) bool {
	for _, n := range v.Alive {
		if n.Embedded && Works(n, queue) && !n.Serves[queue].Once {
			return true
		}
	}
	return false
}

// free reports whether a lane has no living owner.
func (v *View) free(l *store.Lane) bool { return l.Owner == "" || v.Alive[l.Owner] == nil }

// Breakers is the last thing that happened to each breaker on the other living
// nodes.
func (v *View) Breakers(self string) map[string]store.Breaker {
	last := map[string]store.Breaker{}
	for id, node := range v.Alive {
		if id == self {
			continue
		}
		for _, t := range node.Targets {
			if known, ok := last[t.Name]; !t.Breaker.Forced && (!ok || t.Breaker.Since.After(known.Since)) {
				last[t.Name] = t.Breaker
			}
		}
	}
	return last
}

// Workers is the number of living nodes that run tasks.
func (v *View) Workers() (count int) {
	for _, node := range v.Alive {
		if len(node.Serves) > 0 {
			count++
		}
	}
	return count
}

// Position counts the living nodes that run tasks, by id, at a time of the store's clock.
func (v *View) Position(self string, now time.Time) guard.Position {
	var ids []string
	for id, node := range v.Alive {
		if len(node.Serves) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	began := now.Truncate(turnTime)
	return guard.Position{At: slices.Index(ids, self), Of: len(ids), Turn: began.Unix() / int64(turnTime/time.Second), Quiet: now.Sub(began) < turnQuiet}
}
