package outlast

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// aMoment is for how long a due task that nothing holds up needs no
// explanation.
const aMoment = time.Second

// whyWaiting answers why pending tasks are not running, from rows that any
// node can read. One value serves one page: what it reads is kept.
type whyWaiting struct {
	client   *Client
	now      time.Time
	topology *store.Topology
	keys     map[laneKey]*store.KeyState
	targets  map[laneKey]*knownTarget // by name
	// rough leaves out what only the database can tell: what is ahead of a key, and
	// how many run.
	rough bool
}

// knownTarget is what is known of a target where a task of it is to run.
type knownTarget struct {
	store.Target
	known   bool
	ordered bool // to be open
}

type laneKey struct {
	lane uint16
	key  string
}

// reason is why a task waits, and when that is looked at again; zero where
// nobody can know.
type reason struct {
	why  task.Waiting
	next time.Time
	key  string // of encryption, where it is that which is missing
}

// of gives the first answer that fits: the queue is paused, another task of the
// key is first, it is not yet time, nobody can run it, the target may not be
// called, all who can are busy. None for a task that is not pending, and for one
// that starts at any moment.
func (w *whyWaiting) of(ctx context.Context, t *Task) (reason, error) {
	if t.State != task.Pending {
		return reason{}, nil
	}
	if err := w.readTopology(ctx); err != nil {
		return reason{}, err
	}
	queue := w.queue(t.Queue)
	if queue != nil && queue.Paused {
		return reason{why: task.QueuePaused}, nil
	}
	if t.Key != "" && !w.rough {
		answer, err := w.behind(ctx, t)
		if answer != "" || err != nil {
			return reason{why: answer}, err
		}
	}
	key, lacks := sealed.WaitsForKey(t)
	if sealed.WaitsForProof(t) {
		return reason{why: task.Unproven, next: t.RunAt}, nil
	}
	if t.RunAt.After(w.now) {
		if lacks {
			return reason{task.NoKey, t.RunAt, key}, nil
		}
		if t.Attempt+t.Crashes > 0 {
			return reason{why: task.InBackoff, next: t.RunAt}, nil
		}
		return reason{why: task.DueLater, next: t.RunAt}, nil
	}
	if answer := w.worker(t); answer != "" {
		return reason{why: answer}, nil
	}
	if held := w.held(t); held.why != "" {
		return held, nil
	}
	if w.now.Sub(t.RunAt) < aMoment {
		return reason{}, nil
	}
	if lacks {
		return reason{why: task.NoKey, key: key}, nil
	}
	if w.rough {
		return reason{}, nil
	}
	answer, err := w.busy(ctx, t, queue)
	return reason{why: answer}, err
}

// readTopology takes what the engine read last, or reads it where no engine
// runs.
func (w *whyWaiting) readTopology(ctx context.Context) error {
	if w.topology != nil {
		return nil
	}
	if w.topology = w.client.engine.Topology(); w.topology != nil && len(w.topology.Queues) > 0 {
		return nil
	}
	topology, err := w.client.backend.Topology(ctx)
	w.topology = topology
	return err
}

func (w *whyWaiting) queue(name string) *store.Queue {
	for i := range w.topology.Queues {
		if w.topology.Queues[i].Name == name {
			return &w.topology.Queues[i]
		}
	}
	return nil
}

// behind says whether another task of the key is ahead.
func (w *whyWaiting) behind(ctx context.Context, t *Task) (task.Waiting, error) {
	place := laneKey{t.ID.Lane(), t.Key}
	state := w.keys[place]
	if state == nil {
		var err error
		if state, err = w.client.backend.Key(ctx, place.lane, place.key); err != nil {
			return "", err
		}
		if w.keys == nil {
			w.keys = make(map[laneKey]*store.KeyState)
		}
		w.keys[place] = state
	}
	switch {
	case state.Held:
		return task.KeyBlocked, nil
	case !state.Running.IsZero() && state.Running != t.ID, !state.First.IsZero() && state.First != t.ID:
		return task.BehindKey, nil
	}
	return "", nil
}

// worker says whether a living node works on the queue and can start the
// task.
func (w *whyWaiting) worker(t *Task) task.Waiting {
	need := t.Type
	if t.Spec.HTTP != nil {
		need = engine.Push
	}
	served, able := false, false
	for _, node := range w.topology.Nodes {
		s, serves := node.Serves[t.Queue]
		if node.State != store.NodeAlive || !serves {
			continue
		}
		served = true
		able = able || s.Can(need)
	}
	switch {
	case !served:
		return task.Unowned
	case !able:
		return task.NoWorker
	}
	return ""
}

// held says whether the target may be called, as far as the lane's owner, or
// else another node, knows something of it.
func (w *whyWaiting) held(t *Task) reason {
	target := w.targetOf(t)
	switch {
	case target.ordered:
		return reason{why: task.BreakerOpen}
	case !target.known:
		return reason{}
	}
	held := heldBy(&target.Target, t, w.now)
	if held.why == task.AtConcurrency && w.now.Sub(t.RunAt) < aMoment {
		return reason{}
	}
	return held
}

// heldBy is what holds a due task of the target.
func heldBy(target *store.Target, t *Task, now time.Time) reason {
	switch breaker := &target.Breaker; {
	case breaker.State == "open" || breaker.State == "half_open":
		return reason{why: task.BreakerOpen, next: breaker.Until}
	case target.Held.Failures > 0:
		return reason{why: task.InGroupBackoff, next: target.Held.Next}
	case target.HeldUntil.After(now):
		return reason{why: task.RateLimited, next: target.HeldUntil}
	case breaker.State == "ramping":
		return reason{why: task.RateLimited}
	case t.Attempt > 0 && target.Budget.Until.After(now):
		return reason{why: task.BudgetSpent, next: target.Budget.Until}
	case target.Limit > 0 && target.InFlight >= target.Limit:
		return reason{why: task.AtConcurrency}
	}
	return reason{}
}

// targetOf looks at a task's target once for all tasks of its lane.
func (w *whyWaiting) targetOf(t *Task) *knownTarget {
	place := laneKey{t.ID.Lane(), t.Target}
	found := w.targets[place]
	if found != nil {
		return found
	}
	found = &knownTarget{ordered: slices.ContainsFunc(w.topology.Orders, func(order store.TargetOrder) bool {
		return order.Target == t.Target && order.Action == store.TargetOpen
	})}
	found.Target, found.known = w.target(t)
	if w.targets == nil {
		w.targets = make(map[laneKey]*knownTarget)
	}
	w.targets[place] = found
	return found
}

// target is what is known of a task's target where the task is to run.
func (w *whyWaiting) target(t *Task) (target store.Target, known bool) {
	owner := ""
	for _, lane := range w.topology.Lanes {
		if lane.Number == t.ID.Lane() {
			owner = lane.Owner
		}
	}
	if w.client.state.Load() == started && owner == w.client.engine.Node() {
		return w.client.engine.Target(t.Target)
	}
	for n := range w.topology.Nodes {
		node := &w.topology.Nodes[n]
		at := slices.IndexFunc(node.Targets, func(of store.Target) bool { return of.Name == t.Target })
		if at >= 0 && node.State == store.NodeAlive && !node.Gone && (node.ID == owner || !known) {
			target, known = node.Targets[at], true
		}
	}
	return target, known
}

// serving is how many living nodes serve the queue.
func (w *whyWaiting) serving(queue string) (count int) {
	for _, node := range w.topology.Nodes {
		if _, serves := node.Serves[queue]; serves && node.State == store.NodeAlive && !node.Gone {
			count++
		}
	}
	return count
}

// busy is what is left: a limit of the queue, a lane between two owners, or
// no free slot.
func (w *whyWaiting) busy(ctx context.Context, t *Task, queue *store.Queue) (task.Waiting, error) {
	if queue != nil && queue.Concurrency > 0 {
		filter := store.Filter{Queue: queue.Name, State: task.Running}
		running, err := w.client.backend.Count(ctx, filter, queue.Concurrency)
		if err != nil {
			return "", err
		}
		if running >= queue.Concurrency {
			return task.AtConcurrency, nil
		}
	}
	for _, lane := range w.topology.Lanes {
		if lane.Number == t.ID.Lane() && !w.alive(lane.Owner) {
			return task.Unowned, nil
		}
	}
	if queue != nil && queue.Concurrency > 0 && queue.Concurrency < w.serving(queue.Name) {
		return task.AtConcurrency, nil // not every node has a place
	}
	return task.NoSlot, nil
}

func (w *whyWaiting) alive(id string) bool {
	return slices.ContainsFunc(w.topology.Nodes, func(n store.Node) bool { return n.ID == id && n.State == store.NodeAlive })
}
