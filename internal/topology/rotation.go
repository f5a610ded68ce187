package topology

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
)

// Where a queue's limit allows fewer tasks than there are nodes, and no choice of
// so many nodes can start all types, the places go round: each node has one for a
// turn, by the clock. Turns begin quietly. Meanwhile the nodes of the last one say
// in their rows whether something of the queue still runs, and if so it takes a
// place until it ends.
const (
	turnTime  = 30 * time.Second
	turnQuiet = 5 * time.Second // clocks may differ by what is left of it after a beat and a look at the topology
)

// GoesRound reports whether the places of a queue go round.
func (v *View) GoesRound(q *store.Queue) bool {
	nodes := v.sharers(q.Name)
	if q.Concurrency == 0 || q.Concurrency >= len(nodes) {
		return false
	}
	covered := coverage{}
	for _, id := range v.covering(q.Name, nodes, q.Concurrency) {
		covered.add(v.Alive[id].Serves[q.Name])
	}
	return slices.ContainsFunc(nodes, func(id string) bool { return covered.lacks(v.Alive[id].Serves[q.Name]) > 0 })
}

// Place is a node's part of a queue's limit at the time of the view, and until when
// it has that, zero for as long as the topology stays.
func (v *View) Place(q *store.Queue, node string, at time.Time) (limit int, until time.Time) {
	if !v.GoesRound(q) {
		return v.limitShare(q, node), time.Time{}
	}
	began := at.Truncate(turnTime)
	if at.Sub(began) < turnQuiet {
		return agenda.NoShare, time.Time{}
	}
	turn, free := v.turn(q, began.Unix()/int64(turnTime/time.Second)), q.Concurrency
	for _, id := range v.sharers(q.Name) {
		n := v.Alive[id]
		holds := n.Serves[q.Name].Running || !Works(n, q.Name) && n.Load.Running > 0
		if holds && !slices.Contains(turn, id) {
			free--
		}
	}
	if at := slices.Index(turn, node); at < 0 || at >= free {
		return agenda.NoShare, time.Time{}
	}
	return 1, began.Add(turnTime)
}

// turn lists the nodes whose turn it is.
func (v *View) turn(q *store.Queue, number int64) []string {
	nodes := slices.DeleteFunc(v.sharers(q.Name), func(id string) bool { return !Works(v.Alive[id], q.Name) })
	if len(nodes) == 0 {
		return nil
	}
	at := int(number * int64(q.Concurrency) % int64(len(nodes)))
	return slices.Concat(nodes[at:], nodes[:at])[:min(q.Concurrency, len(nodes))]
}
