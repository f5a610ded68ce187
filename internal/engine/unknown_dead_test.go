package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// deadQueue is a world whose queue says that what nobody can start dies.
func deadQueue(t *testing.T) *world {
	w := newWorld(t, 8)
	if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 8, UnknownType: "dead"}); err != nil {
		t.Fatal(err)
	}
	return w
}

func both() *registry { return &registry{handlers: handlers("t", ok, "u", ok)} }

// What was left to the only node that can start it waits for the next one, however that
// goes: a restart of it must cost no task.
func TestWhatWasLeftToANodeThatGoesWaits(t *testing.T) {
	for name, goes := range map[string]func(w *world, a *engine.Engine){
		"it leaves":                 func(w *world, a *engine.Engine) { w.stop(a) },
		"it dies":                   func(_ *world, a *engine.Engine) { a.Kill() },
		"all go, and another first": nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, p := deadQueue(t), &phone{}
				a, b := w.freezable(p, "a", both()), w.phoned(p, "b", &registry{handlers: handlers("u", ok)}, nil)
				time.Sleep(10 * time.Second)
				ids := w.inEachLane(b, "t", 20*time.Second)
				time.Sleep(2 * time.Second)
				for _, id := range ids {
					if got := w.get(id); got.Park == 0 {
						t.Fatalf("it is not left to a: %+v", got)
					}
				}
				if goes == nil {
					w.stop(a.Engine, b)
					b = w.phoned(p, "b2", &registry{handlers: handlers("u", ok)}, nil)
				} else {
					goes(w, a.Engine)
				}
				time.Sleep(40 * time.Second)
				for _, id := range ids {
					if got := w.get(id); got.State != task.Pending {
						t.Fatalf("it is %s while nobody can start it", got.State)
					}
				}
				c := w.phoned(p, "c", both(), nil)
				for _, id := range ids {
					w.expect(id, task.Succeeded, 20*time.Second)
				}
				w.stop(b, c)
			})
		})
	}
}

// What came while nobody could start it runs if somebody can by its time, also where the
// owner of its lane has heard of that only from the list of nodes.
func TestWhatNobodyKnewIsLeftToWhoComes(t *testing.T) {
	for _, lead := range []time.Duration{6 * time.Second, 12 * time.Second, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := deadQueue(t)
			b := w.node("b", &registry{handlers: handlers("u", ok)}, nil)
			time.Sleep(10 * time.Second)
			ids := w.inEachLane(b, "t", lead+5*time.Second)
			time.Sleep(lead)
			c := w.node("c", both(), nil)
			for _, id := range ids {
				w.expect(id, task.Succeeded, 20*time.Second)
			}
			w.stop(b, c)
		})
	}
}

// A row that says of itself that a node can start it, and for which that has nothing to run,
// ends: handed back, it would be claimed again at once, for ever.
func TestARowThatIsNotWhatItSaysEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := deadQueue(t)
		a := w.node("a", &registry{handlers: handlers(engine.Push, ok)}, nil)
		time.Sleep(10 * time.Second)
		id := w.enqueue(a, "t", func(i *store.Insert) { i.Task.Target = "https://example.com" })
		if got := w.expect(id, task.Dead, time.Second); got.DeadReason != task.NoHandler {
			t.Errorf("it is dead as %s", got.DeadReason)
		}
		w.stop(a)
	})
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
