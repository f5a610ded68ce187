package agenda

import (
	"cmp"
	"slices"
	"time"
)

// Counts is what there is in memory.
type Counts struct {
	Lanes, Waiting, Ready int
	Queues                map[string]QueueCounts
}

// QueueCounts is what there is of one queue.
type QueueCounts struct{ Lanes, Known, Running, Ready int }

// ShareCounts is what there is in memory of one share key of a queue.
type ShareCounts struct {
	Key     string
	Running int
	Ready   int    // due, and not running
	Known   int    // in memory, whenever they are due
	More    bool   // more of it is on disk, due or not
	Held    Reason // by which limit of the key, if one lets nothing start
}

// Shares counts what there is of the share keys of a queue, those first of which the most
// is ready, and how many share keys there are: all if none was seen.
func (a *Agenda) Shares(queue string, at time.Time, most int) (counts []ShareCounts, total int) {
	a.clock.Advance(at)
	q := a.queues.byName[queue]
	if q == nil || !q.keyed {
		return nil, 0
	}
	left := map[string]bool{}
	for _, l := range a.owned {
		for key, p := range l.portions {
			left[key] = left[key] || l.queue == q && p.left
		}
	}
	for key, sh := range q.shares {
		c := ShareCounts{Key: key, Running: sh.running, Ready: sh.ready, More: left[key]}
		for _, s := range sh.streams {
			c.Known += s.count
		}
		if c.Ready > 0 || c.More {
			c.Held = sh.why()
		}
		if c.Known > 0 || c.More {
			counts = append(counts, c)
		}
	}
	slices.SortFunc(counts, func(x, y ShareCounts) int {
		return cmp.Or(cmp.Compare(y.Ready, x.Ready), cmp.Compare(y.Known, x.Known), cmp.Compare(x.Key, y.Key))
	})
	return counts[:min(most, len(counts))], len(counts)
}

// ShareHeld is the limit of a share key that lets nothing of it start, if one does.
func (a *Agenda) ShareHeld(queue, key string, at time.Time) (r Reason) {
	a.clock.Advance(at)
	if q := a.queues.byName[queue]; q != nil && q.shares[key] != nil {
		r = q.shares[key].why()
	}
	return r
}

// Counts counts what there is in memory.
func (a *Agenda) Counts() Counts {
	out := Counts{Lanes: len(a.owned), Waiting: a.waiting.Len(), Ready: a.ready, Queues: map[string]QueueCounts{}}
	for _, l := range a.owned {
		c := out.Queues[l.queue.name]
		c.Lanes++
		c.Known += l.count
		out.Queues[l.queue.name] = c
	}
	for name, q := range a.queues.byName {
		c := out.Queues[name]
		c.Running, c.Ready = q.running, q.ready()
		out.Queues[name] = c
	}
	return out
}
