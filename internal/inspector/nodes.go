package inspector

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Nodes is [inspect.Nodes].
type Nodes struct{ node *node }

func (ns *Nodes) TopologyAt() time.Time {
	if at := ns.node.Fleet.TopologyAt(); !at.IsZero() {
		return at
	}
	return time.Now()
}

func (ns *Nodes) List(ctx context.Context, queues ...string) ([]inspect.NodeView, error) {
	topology, err := ns.node.topology(ctx)
	if err != nil {
		return nil, err
	}
	owned := map[string]int{}
	for n := range topology.Lanes {
		if shownQueue(topology.Lanes[n].Queue, queues) {
			owned[topology.Lanes[n].Owner]++
		}
	}
	started := ns.node.started()
	views := make([]inspect.NodeView, 0, len(topology.Nodes))
	for n := range topology.Nodes {
		node := &topology.Nodes[n]
		view := inspect.NodeView{
			ID: node.ID, Address: node.Address, Version: node.Version, Release: node.Release, Embedded: node.Embedded,
			State: node.State, StartedAt: node.StartedAt, Lanes: owned[node.ID],
		}
		if node.Gone && view.State == store.NodeAlive {
			view.State = store.NodeDead // nobody has marked it yet
		}
		if view.State == store.NodeAlive {
			view.Load = node.Load // what it last said is not true of one that is gone
		}
		serve(&view, node.Serves, queues)
		if len(queues) > 0 {
			view.Load.Running, view.AllowTargets, view.Signs = 0, nil, nil
		}
		if started {
			view.Self = node.ID == ns.node.Fleet.Node()
			if silent, known := ns.node.Fleet.Silent(node.ID); known && view.State == store.NodeAlive {
				view.Silent = &silent
			}
		}
		views = append(views, view)
	}
	slices.SortFunc(views, func(a, b inspect.NodeView) int {
		return cmp.Or(cmp.Compare(ended(a.State), ended(b.State)), b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.ID, b.ID))
	})
	return views, nil
}

func ended(state store.NodeState) int {
	if state == store.NodeAlive {
		return 0
	}
	return 1
}

// serve puts together what a node serves in the queues, with none in all but those of
// alerts.
func serve(v *inspect.NodeView, serves store.Serves, queues []string) {
	types, every, leaving, may := []string{}, false, false, reach.Reach{}
	for queue, s := range serves {
		if !shownQueue(queue, queues) {
			continue
		}
		v.Queues = append(v.Queues, queue)
		every, leaving = every || s.AnyType, leaving || s.Leaving
		types = append(types, s.Types...)
		if s.Requests {
			types = append(types, agenda.Push)
		}
		if s.Reach != "" {
			may = reach.Read(s.Reach)
		}
	}
	slices.Sort(v.Queues)
	types = slices.DeleteFunc(types, alerts.IsType)
	slices.Sort(types)
	if !every {
		v.Types = slices.Compact(types)
	}
	for _, prefix := range may.Allow {
		v.AllowTargets = append(v.AllowTargets, prefix.String())
	}
	v.Signs, v.Leaving = may.Sign, leaving && v.State == store.NodeAlive
}

func (ns *Nodes) Lanes(ctx context.Context, filter inspect.LaneFilter, after, limit int) (lanes []inspect.LaneView, more bool, err error) {
	if limit < 0 || limit > maxPage {
		return nil, false, task.Invalid("limit", "is outside 1 to 500", "0 means 100")
	}
	topology, err := ns.node.topology(ctx)
	if err != nil {
		return nil, false, err
	}
	if err := checkLanes(&filter, topology); err != nil {
		return nil, false, err
	}
	states := make(map[string]store.NodeState, len(topology.Nodes))
	for n := range topology.Nodes {
		states[topology.Nodes[n].ID] = topology.Nodes[n].State
	}
	known := ns.node.Memory.Known()
	limit = cmp.Or(limit, 100)
	for n := range topology.Lanes {
		lane := &topology.Lanes[n]
		if int(lane.Number) <= after || filter.Queue != "" && lane.Queue != filter.Queue || filter.Node != "" && lane.Owner != filter.Node ||
			filter.Queue == "" && !shownQueue(lane.Queue, filter.Queues) {
			continue
		}
		if len(lanes) == limit {
			return lanes, true, nil
		}
		view := inspect.LaneView{Lane: *lane, OwnerState: states[lane.Owner]}
		if count, mine := known[lane.Number]; mine {
			view.Known = &count
		}
		lanes = append(lanes, view)
	}
	return lanes, false, nil
}

func checkLanes(f *inspect.LaneFilter, topology *store.Topology) error {
	if f.Queue != "" && len(f.Queues) > 0 && !slices.Contains(f.Queues, f.Queue) || f.Queue != "" && !slices.ContainsFunc(topology.Queues, func(q store.Queue) bool { return q.Name == f.Queue }) {
		return task.NotFound("queue", f.Queue)
	}
	if f.Node != "" && !slices.ContainsFunc(topology.Nodes, func(n store.Node) bool { return n.ID == f.Node }) {
		return task.NotFound("node", f.Node)
	}
	return nil
}

func (ns *Nodes) Topology(ctx context.Context) (*store.Topology, error) { return ns.node.topology(ctx) }

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
