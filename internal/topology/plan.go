package topology

import (
	"cmp"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
)

// Every node works out by itself, from the topology that all can read, how
// many lanes of each queue each node should own. Nobody leads: the same
// reading gives the same result, and different ones meet at the
// compare-and-set on the lane's epoch.

// Plan is what a node should do about lanes.
type Plan struct {
	Take    []store.LaneEpoch // free lanes up to its share
	Spare   []store.LaneEpoch // free lanes that others should take
	Surplus map[string]int    // by queue: lanes beyond its share, for others that have less than theirs
}

// Plan compares what a node owns with its shares.
func (v *View) Plan(self string) Plan {
	p := Plan{Surplus: map[string]int{}}
	shares := v.shares()
	for _, queue := range slices.Sorted(maps.Keys(v.byQueue)) {
		share, may := shares[queue][self]
		free, held := []store.LaneEpoch{}, 0
		for _, l := range v.byQueue[queue] {
			if l.Owner == self {
				held++
			} else if v.free(l) {
				free = append(free, store.LaneEpoch{Lane: l.Number, Epoch: l.Epoch})
			}
		}
		if held > share {
			p.Surplus[queue] = held - share
		}
		if !may || len(free) == 0 {
			continue
		}
		want := min(max(0, share-held), len(free))
		free = turned(free, shares[queue], self)
		p.Take, p.Spare = append(p.Take, free[:want]...), append(p.Spare, free[want:]...)
	}
	return p
}

// turned lets each of several nodes begin at another one of the free lanes, so
// that they do not all try to take the same.
func turned(free []store.LaneEpoch, shares map[string]int, self string) []store.LaneEpoch {
	at := 0
	for id := range shares {
		if id < self {
			at++
		}
	}
	at = at * len(free) / len(shares)
	return slices.Concat(free[at:], free[:at])
}

// shares is how many lanes of each queue each node should own: the same number
// for all who may own them, and one more for as many as the division leaves
// lanes over: those that have fewest so far, over all queues; among equals
// those that have such a lane already, so that nothing moves without need.
func (v *View) shares() map[string]map[string]int {
	shares, totals := map[string]map[string]int{}, map[string]int{}
	for _, queue := range slices.Sorted(maps.Keys(v.byQueue)) {
		owners := v.owners(queue)
		if len(owners) == 0 {
			continue
		}
		lanes := v.byQueue[queue]
		least, over := len(lanes)/len(owners), len(lanes)%len(owners)
		held := map[string]int{}
		for _, l := range lanes {
			held[l.Owner]++
		}
		slices.SortFunc(owners, func(a, b string) int {
			return cmp.Or(cmp.Compare(totals[a], totals[b]), cmp.Compare(min(held[b], least+1), min(held[a], least+1)), cmp.Compare(a, b))
		})
		share := make(map[string]int, len(owners))
		for i, id := range owners {
			if share[id] = least; i < over {
				share[id]++
			}
		}
		for id, count := range share {
			totals[id] += count
		}
		shares[queue] = share
	}
	return shares
}

// owners lists the living nodes that may own lanes of the queue: those that
// work on it and have a part of its limit; servers only where no embedded node
// works on it, or if they were told to; passes only where no other may.
func (v *View) owners(queue string) (ids []string) {
	embedded := v.embedded(queue)
	var once []string
	for id, n := range v.Alive {
		if !Works(n, queue) || v.limitShare(v.Queues[queue], id) == agenda.NoShare {
			continue
		}
		if n.Embedded || !embedded || n.Serves[queue].Owner {
			if n.Serves[queue].Once {
				once = append(once, id)
			} else {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return once
	}
	return ids
}

// limitShare is a node's part of a queue's limit: the limit divided by the
// nodes that may run tasks of the queue, the remainder going to the first of
// them by id. Where there are more nodes than the limit allows tasks, those
// have a part that together can start the most types. A node without a part
// owns no lanes of the queue either.
func (v *View) limitShare(q *store.Queue, node string) int {
	if q == nil || q.Concurrency == 0 {
		return 0
	}
	nodes := v.sharers(q.Name)
	if q.Concurrency < len(nodes) {
		if slices.Contains(v.covering(q.Name, nodes, q.Concurrency), node) {
			return 1
		}
		return agenda.NoShare
	}
	at := slices.Index(nodes, node)
	if at < 0 {
		return agenda.NoShare
	}
	share := q.Concurrency / len(nodes)
	if at < q.Concurrency%len(nodes) {
		share++
	}
	return share
}

// sharers lists the living nodes between which a queue's limit is divided, by
// id: all that serve it, since each may run tasks that only it can start.
func (v *View) sharers(queue string) (nodes []string) {
	for id, n := range v.Alive {
		if _, serves := n.Serves[queue]; serves {
			nodes = append(nodes, id)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// covering chooses count of the nodes: those that stop and still have attempts,
// which may be of the queue; then each time the one that can start most of what
// the ones before it cannot, and among equals the first.
func (v *View) covering(queue string, nodes []string, count int) (chosen []string) {
	covered := coverage{}
	adds := func(id string) int { return covered.lacks(v.Alive[id].Serves[queue]) }
	for _, id := range nodes {
		if n := v.Alive[id]; !Works(n, queue) && n.Load.Running > 0 && len(chosen) < count {
			chosen = append(chosen, id)
		}
	}
	for len(chosen) < count {
		best := ""
		for _, id := range nodes {
			if !slices.Contains(chosen, id) && (best == "" || adds(id) > adds(best) || Works(v.Alive[id], queue) && !Works(v.Alive[best], queue)) {
				best = id
			}
		}
		chosen = append(chosen, best)
		covered.add(v.Alive[best].Serves[queue])
	}
	return chosen
}
