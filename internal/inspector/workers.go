package inspector

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
)

// Workers is [inspect.Workers].
type Workers struct{ node *node }

func (ws *Workers) List(ctx context.Context, queues ...string) (workers []inspect.WorkerView, more int, err error) {
	topology, err := ws.node.topology(ctx)
	if err != nil {
		return nil, 0, err
	}
	living := map[string]bool{}
	for n := range topology.Nodes {
		living[topology.Nodes[n].ID] = topology.Nodes[n].State == store.NodeAlive && !topology.Nodes[n].Gone
	}
	workers, more, err = ws.node.Roster.List(ctx, living)
	if err != nil || len(queues) == 0 {
		return workers, more, err
	}
	workers = slices.DeleteFunc(workers, func(w inspect.WorkerView) bool {
		return !slices.ContainsFunc(w.Queues, func(queue string) bool { return slices.Contains(queues, queue) })
	})
	for i := range workers {
		within(&workers[i], queues)
	}
	return workers, 0, nil // of the others it is not known which queues they ask for
}

// within leaves of a worker what it has to do with the queues.
func within(w *inspect.WorkerView, queues []string) {
	others := func(queue string) bool { return !slices.Contains(queues, queue) }
	w.Queues = slices.DeleteFunc(slices.Clone(w.Queues), others)
	w.Leases = slices.DeleteFunc(w.Leases, func(l inspect.WorkerLease) bool { return others(l.Queue) })
	w.InHand = 0
}
