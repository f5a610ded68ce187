package worldtest

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/taskgroups"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// worldGroups is how many groups of tasks there are.
const worldGroups = 3

// drawGroups draws which tasks are members of which group.
func (p *plan) drawGroups(r *rand.Rand) {
	for i := range p.groups {
		p.groups[i] = task.NewID(time.UnixMilli(int64(i)+1), r)
	}
	for i := range p.tasks {
		if at := r.IntN(2 * worldGroups); at < worldGroups {
			p.tasks[i].group = p.groups[at]
		}
	}
}

// openGroups makes the groups before anything runs.
func (w *world) openGroups() {
	for i, id := range w.plan.groups {
		w.names[id] = fmt.Sprint("group", i)
		if _, err := w.memory.PutGroup(context.Background(), task.Group{ID: id, Callback: task.Follow{Type: "a", Queue: "wide"}}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// closeGroups closes them, when all that is sent was sent. Some of the members live.
func (w *world) closeGroups() {
	for _, id := range w.plan.groups {
		if _, err := w.memory.CloseGroup(context.Background(), id); err != nil {
			w.t.Fatal(err)
		}
	}
}

// keeper makes what finishes groups on a node, and has it told of ends.
func (w *world) keeper(n *process, way store.Backend, observer *engine.Observer) *taskgroups.Keeper {
	k := taskgroups.New(taskgroups.Config{Store: way, Node: n, Callback: w.callback, Logger: slog.New(slog.DiscardHandler)})
	settled := observer.Settled
	observer.Settled = func(ctx context.Context, o engine.Outcome) {
		if settled != nil {
			settled(ctx, o)
		}
		if o.State.Final() {
			k.Ended(o.Settlement.Task.Spec.Group)
		}
	}
	return k
}

// Node, Topology and Wake implement [taskgroups.Node].
func (n *process) Node() string              { return n.engine.Node() }
func (n *process) Topology() *store.Topology { return n.engine.Topology() }
func (n *process) Wake(lanes ...uint16)      { n.engine.Wake(lanes...) }

// callback makes the callback of a group, and checks that all members have ended.
func (w *world) callback(g *task.Group) (store.Insert, error) {
	made, err := drafts.Callback(g, &store.Queue{Name: "wide", Numbers: w.numbers["wide"]})
	if err != nil {
		return store.Insert{}, err
	}
	made.Target = made.Type
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.names[made.ID]; !known {
		w.names[made.ID] = w.names[g.ID] + "-closing"
		w.sent["wide"].Sending(made.ID)
	}
	return store.Insert{Task: made}, nil
}

// checkGroups checks, when all has ended, that each group is done, with counts that fit, and
// has called back once.
func (w *world) checkGroups(ctx context.Context) {
	calls, live := map[task.ID]int{}, map[task.ID]task.GroupCounts{}
	for _, t := range w.everything(ctx) {
		if t.Spec.Follows == task.FollowGroup {
			calls[t.Spec.Parent]++
		}
		counts := live[t.Spec.Group]
		counts.Add(t.State, 1)
		counts.Members++
		live[t.Spec.Group] = counts
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.plan.groups {
		g, err := w.memory.Group(ctx, id)
		if err != nil {
			w.t.Fatal(err)
		}
		name := w.names[id]
		if g.State != task.GroupDone || g.Counts.Live() != 0 {
			w.fail("%s is %s with %+v when all has ended", name, g.State, g.Counts)
		}
		if calls[id] != 1 {
			w.fail("%s has called back %d times", name, calls[id])
		}
		if have := live[id]; have.Succeeded > g.Counts.Succeeded || have.Dead > g.Counts.Dead || have.Canceled > g.Counts.Canceled {
			w.fail("%s counts %+v; its members are %+v", name, g.Counts, have)
		}
	}
}

// everything is all tasks.
func (w *world) everything(ctx context.Context) (all []*task.Task) {
	for page := (store.Page{Limit: 500}); ; {
		tasks, next, err := w.memory.Find(ctx, store.Filter{}, page)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, tasks...)
		if page.Cursor = next; next == "" {
			return all
		}
	}
}
