package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// A node that does not reach the store (a cut network, a suspended machine) for more than an hour misses
// the order that ends another.
func TestOrderEndsWhileANodeIsAway(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		r := &receiver{takes: time.Millisecond}
		var faults *faulty.Faults
		a := w.node("a", &registry{policy: policy(t, retry.Attempts(100), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)}, func(c *engine.Config) {
			backend, f := faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1})
			f.Heal()
			faults, c.Store = f, mute{backend}
		})
		order := func(action store.TargetAction) {
			if _, err := w.store.PutTargetOrder(t.Context(), store.TargetOrder{Target: "t", Action: action}); err != nil {
				t.Fatal(err)
			}
		}
		order(store.TargetOpen)
		time.Sleep(2 * time.Second)
		ids := w.fill(a, "t", 20)
		time.Sleep(2 * time.Minute)
		if r.count() > 0 {
			t.Fatal("called")
		}
		faults.Resume()
		time.Sleep(time.Minute)
		order(store.TargetClose)
		time.Sleep(2 * time.Hour)
		faults.Heal()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("%d of %d ran: %+v", n, len(ids), known(a, "t").Breaker)
		}
		w.stop(a)
	})
}

// An order to close a target that is well changes nothing; nor does it hold back one that
// comes back already.
func TestOrderToCloseATargetThatIsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		r := &receiver{takes: time.Millisecond}
		e := w.node("n", &registry{policy: policy(t, retry.Attempts(100), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)}, nil)
		time.Sleep(2 * time.Second)
		flow := func(seconds int) (late int) { // a hundred tasks a second
			for range seconds * 10 {
				ids := w.fill(e, "t", 10)
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
				late += len(ids) - w.countDone(ids)
			}
			return late
		}
		flow(10)
		for _, action := range []store.TargetAction{store.TargetClose, store.TargetReset, store.TargetClose} {
			if _, err := w.store.PutTargetOrder(t.Context(), store.TargetOrder{Target: "t", Action: action}); err != nil {
				t.Fatal(err)
			}
			if late := flow(5); late > 0 {
				t.Errorf("%d tasks of a healthy target were late after the order to %s: %+v", late, action, known(e, "t"))
			}
		}
		w.stop(e)
	})
}
