package inspector

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// aMoment is for how long a due task that only waits for others to end needs no
// explanation.
const aMoment = time.Second

// whyWaiting answers why pending tasks are not running: by the agenda of this node where
// that has the task in memory, and by the same rules from what any node can read where it
// has not. One value serves one page: what it reads is kept.
type whyWaiting struct {
	node *node
	now  time.Time
	view *topology.View
	keys map[laneKey]*store.KeyState
	// rough leaves out what only the database can tell: what is ahead of a key, and
	// how many run.
	rough bool
}

type laneKey struct {
	lane uint16
	key  string
}

// reason is why a task waits, with more of it where there is more to say.
type reason struct {
	agenda.Reason
	key  string      // of encryption, where it is that which is missing
	held *store.Held // where nobody takes the tasks of its group
}

// of is why a task waits: empty for one that is not pending, and for one that starts at any
// moment.
func (w *whyWaiting) of(ctx context.Context, t *task.Task) (r reason, err error) {
	if t.State != task.Pending {
		return r, nil
	}
	if err := w.readTopology(ctx); err != nil {
		return r, err
	}
	f := &facts{whyWaiting: w, ctx: ctx, task: t, queue: w.view.Queues[t.Queue], young: w.now.Sub(t.RunAt) < aMoment}
	if f.queue == nil {
		f.queue = &store.Queue{Name: t.Queue}
	}
	if w.node.started() {
		f.memory, f.remembered = w.node.Memory.Explain(t.ID)
	}
	r.Reason, err = agenda.Why(f)
	switch r.Why {
	case task.NoKey:
		r.key, _ = sealed.WaitsForKey(t)
	case task.InGroupBackoff:
		if target := f.target(); target != nil {
			r.held = &target.Held
		}
	}
	return r, err
}

// readTopology makes sure that there is one, the same for the whole page.
func (w *whyWaiting) readTopology(ctx context.Context) error {
	if w.view != nil {
		return nil
	}
	read, err := w.node.topology(ctx)
	if err != nil {
		return err
	}
	w.view, w.keys = topology.New(read), map[laneKey]*store.KeyState{}
	return nil
}

// facts is what is known of one pending task.
type facts struct {
	*whyWaiting
	ctx        context.Context
	task       *task.Task
	queue      *store.Queue
	young      bool // since it was due, what runs need not have ended
	remembered bool // this node has it in memory
	memory     agenda.Reason
}

func (f *facts) Paused() (agenda.Reason, error) {
	return agenda.Whether(f.queue.Paused, task.QueuePaused)
}

// Key asks the store: memory need not have heard of another node's dead letter.
func (f *facts) Key() (r agenda.Reason, err error) {
	if f.task.Key == "" || f.rough {
		return r, nil
	}
	id, place := f.task.ID, laneKey{f.task.ID.Lane(), f.task.Key}
	state := f.keys[place]
	if state == nil {
		if state, err = f.node.Backend.Key(f.ctx, place.lane, place.key); err != nil {
			return r, err
		}
		f.keys[place] = state
	}
	if state.Held {
		r.Why = task.KeyBlocked
	} else if !state.Running.IsZero() && state.Running != id || !state.First.IsZero() && state.First != id {
		r.Why = task.BehindKey
	}
	return r, nil
}

// Time is that of the row, which may have been handed back until then for what it needs.
func (f *facts) Time() (agenda.Reason, error) {
	t, r := f.task, agenda.Reason{Until: f.task.RunAt}
	switch {
	case sealed.WaitsForProof(t):
		r.Why = task.Unproven
	case !t.RunAt.After(f.now):
	case f.lacksKey():
		r.Why = task.NoKey
	case t.Attempt+t.Crashes > 0:
		r.Why = task.InBackoff
	default:
		r.Why = task.DueLater
	}
	return r, nil
}

func (f *facts) lacksKey() bool {
	_, lacks := sealed.WaitsForKey(f.task)
	return lacks
}

// Worker is a living node that works on the queue and can start the task. What nobody can
// start is in nobody's memory.
func (f *facts) Worker() (agenda.Reason, error) {
	if !f.remembered && f.view.Serving(f.queue.Name) == 0 {
		return agenda.Reason{Why: task.Unowned}, nil
	}
	return agenda.Whether(!f.remembered && !f.view.CanStart(f.queue.Name, f.capability()), task.NoWorker)
}

func (f *facts) capability() string {
	if f.task.Spec.HTTP != nil {
		return agenda.Push
	}
	return f.task.Type
}

// Target is all that memory says of a task but that no slot is free for it; else what
// holds its target, where somebody has told.
func (f *facts) Target() (r agenda.Reason, err error) {
	if f.remembered {
		r = f.memory
	} else if target := f.target(); target != nil {
		free := target.Unguarded && f.task.Target == f.task.Type
		r.Why, r.Until = guard.Why(target, guard.Asks{Breaker: true, Budget: f.task.Attempt > 0 && !free, Free: free}, f.now)
	}
	if r.Why == task.NoSlot || f.young && (r.Why == task.AtConcurrency || r.Why == task.AtShareLimit) {
		return agenda.Reason{}, nil
	}
	return r, nil
}

// target is what is known of the task's target where it is to run, nil for nothing.
func (f *facts) target() *store.Target {
	if f.here() && !f.view.Ordered(f.task.Target) {
		if target, known := f.node.Memory.Target(f.task.Target); known {
			return &target
		}
	}
	return f.view.Target(f.task.ID.Lane(), f.capability(), f.task.Target)
}

// here reports whether this node owns the lane of the task.
func (f *facts) here() bool {
	owner := f.view.Owner(f.task.ID.Lane())
	return f.remembered || owner != nil && owner.ID == f.node.Fleet.Node() && f.node.started()
}

// Limit is that of the queue or of the share key; before it comes what a task that is due was handed back for.
func (f *facts) Limit() (r agenda.Reason, err error) {
	if f.here() && !f.remembered && !f.young { // it is on disk, behind others of its share key
		if r = f.node.Memory.ShareHeld(f.queue.Name, f.task.Spec.ShareKey); r.Why != "" {
			return r, nil
		}
	}
	switch most := f.queue.Concurrency; {
	case f.young:
	case f.lacksKey():
		r.Why = task.NoKey
	case most > 0 && !f.rough && !f.remembered:
		running, err := f.node.Backend.Count(f.ctx, store.Filter{Queue: f.queue.Name, State: task.Running}, most)
		if err != nil {
			return r, err
		}
		return agenda.Whether(running >= most, task.AtConcurrency)
	}
	return r, nil
}

// Slot is what is left: a lane between two owners, a limit of which not every node has a
// place, or no free slot.
func (f *facts) Slot() (r agenda.Reason, err error) {
	switch most := f.queue.Concurrency; {
	case f.young:
	case f.remembered:
		r = f.memory
	case f.rough:
	case f.view.Owner(f.task.ID.Lane()) == nil:
		r.Why = task.Unowned
	case most > 0 && most < f.view.Serving(f.queue.Name):
		r.Why = task.AtConcurrency
	default:
		r.Why = task.NoSlot
	}
	return r, nil
}
