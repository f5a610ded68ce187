package lease

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Worker is a remote worker that polls a node, or has polled it and runs tasks that it got there.
type Worker struct {
	Name, Release string
	Queues        []string
	Types         []string // nil for all that are no HTTP requests
	Since         time.Time
	Polled        time.Time // when it waited for tasks last
	Waits         bool      // it waits for tasks now
	InHand        []InHand  // tasks of this node's leases, the earliest end first
}

// InHand is a task that a worker runs.
type InHand struct {
	Task  *task.Task
	Until time.Time // zero where another node may have extended the lease
}

// Workers lists the remote workers that this node knows, by name.
func (k *Keeper) Workers(now time.Time) []Worker {
	k.mu.Lock()
	defer k.mu.Unlock()
	waits := map[string]bool{}
	for _, p := range k.polls {
		waits[p.Worker] = true
	}
	leases := k.byWorker()
	out := make([]Worker, 0, len(k.workers))
	for _, name := range slices.Sorted(maps.Keys(k.workers)) {
		w := k.workers[name]
		row := Worker{Name: name, Release: w.release, Queues: w.queues, Types: w.types, Since: w.since, Polled: w.polled, Waits: waits[name]}
		if row.Waits {
			row.Polled = now
		}
		for _, l := range leases[name] {
			row.InHand = append(row.InHand, InHand{l.Task, l.known(now)})
		}
		out = append(out, row)
	}
	return out
}

// byWorker are the leases of attempts whose end was not handed in, the earliest end first.
func (k *Keeper) byWorker() map[string][]*Lease {
	out := map[string][]*Lease{}
	for l := range k.held {
		out[l.Worker] = append(out[l.Worker], l)
	}
	for _, leases := range out {
		slices.SortFunc(leases, func(a, b *Lease) int { return cmp.Or(a.until.Compare(b.until), a.Task.ID.Compare(b.Task.ID)) })
	}
	return out
}
