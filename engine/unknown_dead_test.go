package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What was left to the node that could start it dies at its time when that has gone, where
// the queue says that tasks which nobody can start die. It runs if another one has come.
func TestWhatWasLeftToANodeThatGoesDies(t *testing.T) {
	leaves := func(w *world, a *engine.Engine) { w.stop(a) }
	for name, c := range map[string]struct {
		goes  func(w *world, a *engine.Engine) // nil for one that stays
		comes bool                             // another one, before the task is due
		want  task.State
	}{
		"it leaves":                    {leaves, false, task.Dead},
		"it dies":                      {func(_ *world, a *engine.Engine) { a.Kill() }, false, task.Dead},
		"it leaves, and another comes": {leaves, true, task.Succeeded},
		"it stays":                     {nil, false, task.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := newWorld(t, 8), &phone{}
				if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 8, UnknownType: "dead"}); err != nil {
					t.Fatal(err)
				}
				both := func() *registry { return &registry{handlers: handlers("t", ok, "u", ok)} }
				a, b := w.freezable(p, "a", both()), w.phoned(p, "b", &registry{handlers: handlers("u", ok)}, nil)
				time.Sleep(10 * time.Second)
				ids, live := w.inEachLane(b, "t", 20*time.Second), []*engine.Engine{b}
				time.Sleep(2 * time.Second)
				for _, id := range ids {
					if got := w.get(id); got.Park == 0 {
						t.Fatalf("it is not left to a: %+v", got)
					}
				}
				if c.goes == nil {
					live = append(live, a.Engine)
				} else {
					c.goes(w, a.Engine)
				}
				time.Sleep(10 * time.Second)
				if c.comes {
					live = append(live, w.phoned(p, "c", both(), nil))
				}
				time.Sleep(7 * time.Second)
				for _, id := range ids {
					if got := w.get(id); got.State != task.Pending {
						t.Fatalf("it is %s before its time", got.State)
					}
				}
				for _, id := range ids {
					if got := w.expect(id, c.want, 5*time.Second); c.want == task.Dead && got.DeadReason != task.NoHandler {
						t.Errorf("it is dead as %s", got.DeadReason)
					}
				}
				w.stop(live...)
			})
		})
	}
}

// inEachLane enqueues a task that is due in a while in each lane of a node.
func (w *world) inEachLane(e *engine.Engine, taskType string, in time.Duration) (ids []task.ID) {
	w.t.Helper()
	topology, err := w.store.Topology(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, lane := range topology.Lanes {
		if lane.Owner == e.Node() {
			ids = append(ids, w.enqueue(e, taskType, func(i *store.Insert) { i.Delay, i.Task.ID = in, i.Task.ID.WithLane(lane.Number) }))
		}
	}
	return ids
}
