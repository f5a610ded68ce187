package inspect

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Nodes shows who there is, and who owns what.
type Nodes struct{ node *node }

// NodeView is a node as people look at it.
type NodeView struct {
	ID, Address, Version, Release string
	Embedded                      bool // an application with the library inside, not a server
	State                         store.NodeState
	StartedAt                     time.Time
	Self                          bool // the node that was asked
	Lanes                         int  // that it owns
	Load                          store.Load
	// Silent is for how long the asked node has read the same counter of a
	// living one; nil where it does not judge others (of itself, before the
	// start, of a node that only enqueues). A node is dead after 5 s.
	Silent *time.Duration
	// Queues that it takes part in, and Types that it can start in them; a nil
	// list of types is every one, and [engine.Push] the requests of tasks with a
	// target.
	Queues, Types []string
	// AllowTargets are the address ranges that it may call beside public ones, and
	// Signs the hosts that it has a secret for.
	AllowTargets, Signs []string
	// Leaving says that it stops, and starts nothing more.
	Leaving bool
}

// LaneView is a lane as people look at it.
type LaneView struct {
	store.Lane
	OwnerState store.NodeState // of the owner; "" without one
	// Known is how many tasks of the lane are in memory, running ones included;
	// nil where another node than the asked one owns it.
	Known *int
}

// LaneFilter selects lanes; zero fields do not filter. With Queues, others are as if
// there were none.
type LaneFilter struct {
	Queue, Node string
	Queues      []string
}

// TopologyAt is when the node has read what [Nodes.List] and
// [Nodes.Lanes] tell: about a second ago, longer ago while the store does not
// answer, and now where no engine runs.
func (ns *Nodes) TopologyAt() time.Time {
	if at := ns.node.Fleet.TopologyAt(); !at.IsZero() {
		return at
	}
	return time.Now()
}

// List returns the nodes, living ones first, then those that left or died
// within the last hour; among these the youngest first. With queues, they tell of these
// alone, and not how many tasks run there and whom they call.
func (ns *Nodes) List(ctx context.Context, queues ...string) ([]NodeView, error) {
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
	views := make([]NodeView, 0, len(topology.Nodes))
	for n := range topology.Nodes {
		node := &topology.Nodes[n]
		view := NodeView{
			ID: node.ID, Address: node.Address, Version: node.Version, Release: node.Release, Embedded: node.Embedded,
			State: node.State, StartedAt: node.StartedAt, Lanes: owned[node.ID],
		}
		if node.Gone && view.State == store.NodeAlive {
			view.State = store.NodeDead // nobody has marked it yet
		}
		if view.State == store.NodeAlive {
			view.Load = node.Load // what it last said is not true of one that is gone
		}
		view.serves(node.Serves, queues)
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
	slices.SortFunc(views, func(a, b NodeView) int {
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

// serves puts together what a node serves in the queues, with none in all but those of
// alerts.
func (v *NodeView) serves(serves store.Serves, queues []string) {
	types, every, leaving, may := []string{}, false, false, reach.Reach{}
	for queue, s := range serves {
		if !shownQueue(queue, queues) {
			continue
		}
		v.Queues = append(v.Queues, queue)
		every, leaving = every || s.AnyType, leaving || s.Leaving
		types = append(types, s.Types...)
		if s.Requests {
			types = append(types, engine.Push)
		}
		if s.Reach != "" {
			may = reach.Read(s.Reach)
		}
	}
	slices.Sort(v.Queues)
	types = slices.DeleteFunc(types, alert.IsType)
	slices.Sort(types)
	if !every {
		v.Types = slices.Compact(types)
	}
	for _, prefix := range may.Allow {
		v.AllowTargets = append(v.AllowTargets, prefix.String())
	}
	v.Signs, v.Leaving = may.Sign, leaving && v.State == store.NodeAlive
}

// Lanes returns a page of lanes by number, at most limit of them (1 to 500, 100
// when 0), from the one after the given number on, and whether there are more.
// Those of alerts are listed when asked for by their queue. Code "not_found" for
// a queue or node that is not there.
func (ns *Nodes) Lanes(ctx context.Context, filter LaneFilter, after, limit int) (lanes []LaneView, more bool, err error) {
	if limit < 0 || limit > maxPage {
		return nil, false, task.Invalid("limit", "is outside 1 to 500", "0 means 100")
	}
	topology, err := ns.node.topology(ctx)
	if err != nil {
		return nil, false, err
	}
	if err := filter.check(topology); err != nil {
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
		view := LaneView{Lane: *lane, OwnerState: states[lane.Owner]}
		if count, mine := known[lane.Number]; mine {
			view.Known = &count
		}
		lanes = append(lanes, view)
	}
	return lanes, false, nil
}

func (f *LaneFilter) check(topology *store.Topology) error {
	if f.Queue != "" && len(f.Queues) > 0 && !slices.Contains(f.Queues, f.Queue) || f.Queue != "" && !slices.ContainsFunc(topology.Queues, func(q store.Queue) bool { return q.Name == f.Queue }) {
		return task.NotFound("queue", f.Queue)
	}
	if f.Node != "" && !slices.ContainsFunc(topology.Nodes, func(n store.Node) bool { return n.ID == f.Node }) {
		return task.NotFound("node", f.Node)
	}
	return nil
}

// Topology returns who there is and who owns what, as read within the last
// second. Callers must not change it.
func (ns *Nodes) Topology(ctx context.Context) (*store.Topology, error) { return ns.node.topology(ctx) }
