package roster

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/store"
)

const (
	mostTold   = 200 // workers of one node that others are told of
	mostLeases = 20  // leases of one worker that are shown
)

// List returns the workers of this node and of others that live, by name, and how many more
// there are.
func (r *Roster) List(ctx context.Context, living map[string]bool) (all []inspect.WorkerView, more int, err error) {
	objects, err := r.Backend.Objects(ctx, Kind)
	if err != nil {
		return nil, 0, err
	}
	now := time.Now()
	all = r.own(now)
	for i := range objects {
		node := objects[i].Name
		told, err := read(&objects[i])
		if err != nil || node == r.Node() || !living[node] || now.Sub(told.At).Abs() > fresh {
			continue
		}
		for k := range told.Workers {
			told.Workers[k].Nodes = []string{node}
		}
		all, more = append(all, told.Workers...), more+told.More
	}
	return join(all), more, nil
}

// own are the workers of this node, with the first of their leases.
func (r *Roster) own(now time.Time) []inspect.WorkerView {
	known := r.Workers(now)
	out := make([]inspect.WorkerView, len(known))
	for i := range known {
		out[i] = view(&known[i], r.Node())
	}
	return out
}

func view(w *lease.Worker, node string) inspect.WorkerView {
	out := inspect.WorkerView{
		Name: w.Name, Release: w.Release, Queues: w.Queues, Types: w.Types, Nodes: []string{node},
		Since: w.Since.UTC(), LastPoll: w.Polled.UTC(), Waiting: w.Waits, InHand: len(w.InHand),
	}
	for _, has := range w.InHand[:min(len(w.InHand), mostLeases)] {
		t := has.Task
		out.Leases = append(out.Leases, inspect.WorkerLease{Task: t.ID, Claim: t.Claim, Type: t.Type, Queue: t.Queue, Until: has.Until.UTC()})
	}
	return out
}

// join makes one row of those of a worker that several nodes know: what it said last, and
// all that it has in hand.
func join(all []inspect.WorkerView) []inspect.WorkerView {
	slices.SortFunc(all, func(a, b inspect.WorkerView) int {
		if names := strings.Compare(a.Name, b.Name); names != 0 {
			return names
		}
		return b.LastPoll.Compare(a.LastPoll)
	})
	var out []inspect.WorkerView
	for i := range all {
		if len(out) == 0 || out[len(out)-1].Name != all[i].Name {
			out = append(out, all[i])
			continue
		}
		add(&out[len(out)-1], &all[i])
	}
	return out
}

func add(to, of *inspect.WorkerView) {
	to.Nodes = append(to.Nodes, of.Nodes...)
	slices.Sort(to.Nodes)
	if of.Since.Before(to.Since) {
		to.Since = of.Since
	}
	to.Waiting = to.Waiting || of.Waiting
	to.InHand += of.InHand
	to.Leases = append(slices.Clip(to.Leases), of.Leases...)
	slices.SortStableFunc(to.Leases, func(a, b inspect.WorkerLease) int {
		if a.Until.IsZero() != b.Until.IsZero() { // those whose end is not known come last
			return b.Until.Compare(a.Until)
		}
		return a.Until.Compare(b.Until)
	})
	to.Leases = to.Leases[:min(len(to.Leases), mostLeases)]
}

// write is what others are told of the workers: as many of them, and of their leases, as an
// object has room for.
func write(now time.Time, workers []inspect.WorkerView) ([]byte, error) {
	count, leases := min(len(workers), mostTold), mostLeases
	for {
		told := news{At: now, Workers: slices.Clone(workers[:count]), More: len(workers) - count}
		for i := range told.Workers {
			w := &told.Workers[i]
			w.Leases = w.Leases[:min(len(w.Leases), leases)]
		}
		body, err := json.Marshal(told)
		if err != nil || len(body) <= store.MaxObject || count == 0 {
			return body, err
		}
		if leases > 0 {
			leases /= 2
		} else {
			count /= 2
		}
	}
}
