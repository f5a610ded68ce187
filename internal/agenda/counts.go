package agenda

// Counts is what there is in memory.
type Counts struct {
	Lanes, Waiting, Ready int
	Queues                map[string]QueueCounts
}

// QueueCounts is what there is of one queue.
type QueueCounts struct{ Lanes, Known, Running, Ready int }

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
