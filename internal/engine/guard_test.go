package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// errDown is what a target answers that is down.
var errDown = &downError{}

type downError struct{}

func (*downError) Error() string { return "down" }

func (*downError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Unavailable, Effect: retry.Done}
}

// receiver is a target that can be down, and counts its calls.
type receiver struct {
	mu    sync.Mutex
	down  bool
	takes time.Duration
	calls []call
	now   int // under way
	most  int // under way at once, since the last look
}

type call struct {
	at     time.Time
	first  bool
	failed bool
}

func (r *receiver) handle(ctx context.Context, run *engine.Run) ([]byte, error) {
	r.mu.Lock()
	down := r.down
	r.calls = append(r.calls, call{time.Now(), run.Task.Attempt == 1, down})
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	select {
	case <-time.After(r.takes):
	case <-ctx.Done():
	}
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
	if down {
		return nil, errDown
	}
	return nil, nil
}

func (r *receiver) set(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down, r.most = down, r.now
}

// between counts the calls that began in a time.
func (r *receiver) between(from, until time.Time) (first, retries int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.calls {
		if c.at.Before(from) || !c.at.Before(until) {
			continue
		}
		if c.first {
			first++
		} else {
			retries++
		}
	}
	return first, retries
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// known is what a node knows of a target.
func known(e *engine.Engine, name string) store.Target {
	target, _ := e.Target(name)
	return target
}

// fill enqueues tasks of a type that are due at once.
func (w *world) fill(e *engine.Engine, taskType string, count int) (ids []task.ID) {
	w.t.Helper()
	for len(ids) < count {
		inserts := make([]store.Insert, min(1000, count-len(ids)))
		for i := range inserts {
			inserts[i] = w.insert(taskType, nil)
			ids = append(ids, inserts[i].Task.ID)
		}
		if _, err := e.EnqueueEach(w.t.Context(), inserts); err != nil {
			w.t.Fatal(err)
		}
	}
	return ids
}

// A backlog of a target that is down costs one batch of attempts and a probe
// now and then, takes no memory beyond its part, and delays nobody.
func TestBacklogOfADeadTarget(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		dead := &receiver{down: true, takes: 10 * time.Millisecond}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(100)), handlers: handlers("dead", dead.handle, "fine", ok)},
			func(c *engine.Config) { c.NearFuture = 10_000 })
		began := time.Now()
		ids := w.fill(e, "dead", 100_000)
		for range 60 {
			time.Sleep(time.Until(began.Add(time.Second)))
			began = began.Add(time.Second)
			w.expect(w.enqueue(e, "fine", nil), task.Succeeded, 50*time.Millisecond)
		}
		if calls := dead.count(); calls > 500+20+15 {
			t.Errorf("%d calls in a minute to a target that is down", calls)
		}
		if known := e.Stats().Queues["default"].Known; known > 10_000+1000 {
			t.Errorf("%d entries in memory", known)
		}
		spent := 0
		for _, id := range ids {
			spent += w.get(id).Attempt
		}
		if spent != dead.count() {
			t.Errorf("%d attempts are spent, %d were made", spent, dead.count())
		}
		w.stop(e)
	})
}

// When the target is back, its backlog is let out by a ramp, all of it, and
// nothing runs twice.
func TestRecoveryRampsUp(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		r := &receiver{down: true, takes: 10 * time.Millisecond}
		var mu sync.Mutex
		var changes []string
		var closed time.Time
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(100), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)},
			func(c *engine.Config) {
				c.NearFuture = 4000
				c.Observer.BreakerChanged = func(_ string, change retry.BreakerChange) {
					mu.Lock()
					defer mu.Unlock()
					changes = append(changes, change.To.String())
					if change.To == retry.Ramping {
						closed = change.At
					}
				}
			})
		w.fill(e, "t", 20_000)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if state := known(e, "t").Breaker; state.State != "open" && state.State != "half_open" {
			t.Fatalf("after 30 s of failures: %+v", state)
		}
		r.set(false)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(changes, "ramping") || changes[len(changes)-1] != "closed" {
			t.Fatalf("changes %v", changes)
		}
		total := 0
		for second := range 10 {
			first, retries := r.between(closed.Add(time.Duration(second)*time.Second), closed.Add(time.Duration(second+1)*time.Second))
			total += first + retries
			if most := 2*(1<<second) + 60; first+retries > most {
				t.Errorf("%d starts in second %d of the ramp, more than %d", first+retries, second, most)
			}
		}
		if total < 500 {
			t.Errorf("%d starts in the ramp", total)
		}
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 30_000); n != 20_000 {
			t.Errorf("three minutes after the recovery %d of 20000 have succeeded; %+v\n%+v", n, e.Stats(), known(e, "t"))
		}
		w.stop(e)
	})
}

// While a breaker is half-open, one attempt at a time is made, and none while
// it is open.
func TestProbesAreBounded(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		r := &receiver{down: true, takes: 300 * time.Millisecond}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(1000), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)}, nil)
		w.fill(e, "t", 2000)
		time.Sleep(5 * time.Second)
		r.set(true)
		before := r.count()
		for range 3000 {
			time.Sleep(200 * time.Millisecond)
			if state := known(e, "t").Breaker; state.Probing > 1 || state.State == "open" && state.Probing > 0 {
				t.Fatalf("%+v", state)
			}
		}
		if probes := r.count() - before; r.most > 1 || probes < 8 || probes > 25 {
			t.Errorf("%d probes in ten minutes, %d at once", probes, r.most)
		}
		w.stop(e)
	})
}

// A probe that never ends gives up its place, and its node's death spends
// nothing.
func TestHungProbeGivesUpItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		r := &receiver{down: true, takes: time.Millisecond}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(1000), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)}, nil)
		w.fill(e, "t", 100)
		time.Sleep(time.Second)
		r.mu.Lock()
		r.takes = time.Hour
		r.mu.Unlock()
		before := r.count()
		time.Sleep(2 * time.Minute)
		if hung := r.count() - before; hung < 2 || hung > 8 {
			t.Errorf("%d probes in two minutes, each hanging", hung)
		}
		e.Kill()
		r.set(false)
		r.mu.Lock()
		r.takes = time.Millisecond
		r.mu.Unlock()
		b := w.node("b", &registry{policy: policy(t, retry.Attempts(1000), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)}, nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 1000); n != 100 {
			t.Errorf("%d of 100 have succeeded after the restart", n)
		}
		w.stop(b)
	})
}

// A spent budget delays retries and no first attempts, and first attempts do
// not starve retries. Over any ten seconds retries stay within the bound.
func TestBudgetDelaysRetriesOnly(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		r := &receiver{takes: time.Millisecond}
		var mu sync.Mutex
		seen := map[task.ID]int{}
		flaky := func(ctx context.Context, run *engine.Run) ([]byte, error) {
			_, _ = r.handle(ctx, run)
			mu.Lock()
			defer mu.Unlock()
			if seen[run.Task.ID]++; seen[run.Task.ID] <= 3 && run.Task.ID[13]%10 < 2 {
				return nil, errDown
			}
			return nil, nil
		}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(100), retry.Fixed(100*time.Millisecond)), handlers: handlers("t", flaky)},
			func(c *engine.Config) { c.NearFuture = 1000 })
		began := time.Now()
		var late time.Duration
		var ids []task.ID
		for range 100 * 60 {
			id := w.enqueue(e, "t", nil)
			ids = append(ids, id)
			time.Sleep(10 * time.Millisecond)
			if got := w.get(id); got.Attempt == 0 && got.State == task.Pending {
				late = max(late, 10*time.Millisecond)
			}
		}
		if late > 0 {
			t.Error("first attempts wait")
		}
		for second := range 51 {
			from := began.Add(time.Duration(second) * time.Second)
			first, retries := r.between(from, from.Add(10*time.Second))
			if bound := first/10 + 10 + 10; retries > bound {
				t.Errorf("seconds %d to %d: %d retries beside %d first attempts", second, second+10, retries, first)
			}
			if retries < first/30 {
				t.Errorf("seconds %d to %d: only %d retries beside %d first attempts", second, second+10, retries, first)
			}
		}
		if state := known(e, "t"); state.Budget.Denied == 0 || state.Breaker.State != "closed" {
			t.Errorf("%+v", state)
		}
		// The trouble is over: what waits is let out, ever faster.
		mu.Lock()
		for _, id := range ids {
			seen[id] = 3
		}
		mu.Unlock()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("three minutes later %d of %d tasks are done; %+v", n, len(ids), known(e, "t"))
		}
		w.stop(e)
	})
}

// Guards that a policy does without neither hear of its tasks nor hold them.
func TestPolicyWithoutGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		r := &receiver{down: true, takes: time.Millisecond}
		e := w.node("a", &registry{policy: unguarded(t, retry.Attempts(50), retry.Fixed(time.Second), retry.NoJitter()),
			handlers: handlers("t", r.handle)}, nil)
		w.fill(e, "t", 100)
		time.Sleep(20500 * time.Millisecond)
		if calls := r.count(); calls != 2100 {
			t.Errorf("%d calls in 20 s of 100 tasks that fail every second", calls)
		}
		if state := known(e, "t"); state.Breaker.State != "closed" || state.Breaker.Calls != 0 || state.Budget.First != 0 {
			t.Errorf("%+v", state)
		}
		w.stop(e)
	})
}

// What an operator cancels, and what a handler puts off, says nothing of the
// target.
func TestSilentOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("a", &registry{handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
			if run.Task.Priority == 0 {
				return nil, snooze{}
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})}, nil)
		for range 50 {
			w.enqueue(e, "t", func(in *store.Insert) { in.Task.Priority = 0 })
			id := w.enqueue(e, "t", nil)
			time.Sleep(time.Millisecond)
			if _, err := w.store.Cancel(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			e.Canceled(id)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if state := known(e, "t"); state.Breaker.Calls != 0 || state.Budget.First+state.Budget.Retries != 0 || state.InFlight != 0 {
			t.Errorf("%+v", state)
		}
		w.stop(e)
	})
}

type snooze struct{}

func (snooze) Error() string { return "later" }
func (snooze) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionSnooze, After: time.Hour}
}

// errBusy refuses because of too many calls, with a hint.
type errBusy struct{ after time.Duration }

func (errBusy) Error() string { return "too many requests" }

func (e errBusy) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: e.after}}
}

// A target that mostly answers that it wants a pause gets it, for all of its
// tasks, and then more and more calls. One refusal among many answers delays
// its own task only.
func TestThrottledTargetIsPaused(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		r := &receiver{takes: time.Millisecond}
		var quiet time.Time
		var share float64
		n := 0
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(100)), handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
			_, _ = r.handle(ctx, run)
			r.mu.Lock()
			defer r.mu.Unlock()
			if n++; time.Now().Before(quiet) && float64(n%10) < 10*share {
				return nil, errBusy{time.Until(quiet)}
			}
			return nil, nil
		})}, nil)
		set := func(s float64, d time.Duration) {
			r.mu.Lock()
			defer r.mu.Unlock()
			quiet, share = time.Now().Add(d), s
		}
		set(0.1, 20*time.Second)
		w.fill(e, "t", 500)
		time.Sleep(5 * time.Second)
		w.expect(w.enqueue(e, "t", nil), task.Succeeded, time.Second)
		time.Sleep(30 * time.Second)

		set(1, 20*time.Second)
		began := time.Now()
		w.fill(e, "t", 5000)
		time.Sleep(10 * time.Second)
		if held := known(e, "t").HeldUntil; held.Before(began.Add(19*time.Second)) || held.After(began.Add(21*time.Second)) {
			t.Errorf("held until %s, asked for %s", held, began.Add(20*time.Second))
		}
		if first, retries := r.between(began.Add(time.Second), began.Add(19*time.Second)); first+retries > 0 {
			t.Errorf("%d calls in the pause", first+retries)
		}
		time.Sleep(11 * time.Second)
		if first, retries := r.between(began.Add(20*time.Second), began.Add(21*time.Second)); first+retries > 200 {
			t.Errorf("%d calls in the first second after the pause", first+retries)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 10_000); n != 5501 {
			t.Errorf("%d of 5501 succeeded; %+v", n, known(e, "t"))
		}
		w.stop(e)
	})
}

// Two nodes: what one learns the other obeys, without failures of its own.
func TestNodesShareBreakers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		var at [2]receiver
		var nodes []*engine.Engine
		for i := range at {
			at[i].takes = 5 * time.Millisecond
			nodes = append(nodes, w.node(fmt.Sprint("n", i), &registry{
				policy: policy(t, retry.Attempts(100), retry.Fixed(time.Second)), handlers: handlers("t", at[i].handle),
			}, nil))
		}
		time.Sleep(5 * time.Second)
		mine := func(node int) func(*store.Insert) {
			return func(in *store.Insert) {
				for _, lane := range nodes[node].Topology().Lanes {
					if lane.Owner == fmt.Sprint("n", node) {
						in.Task.ID = in.Task.ID.WithLane(lane.Number)
					}
				}
			}
		}
		for i := range at {
			at[i].set(true)
		}
		for range 100 {
			w.enqueue(nodes[0], "t", mine(0))
		}
		time.Sleep(3 * time.Second)
		for range 100 {
			w.enqueue(nodes[1], "t", mine(1))
		}
		time.Sleep(time.Minute)
		if own := at[1].count(); own > 8 {
			t.Errorf("the second node made %d attempts of its own to learn what the first knew", own)
		}
		probes := at[0].count() + at[1].count() - 100
		if probes > 16 {
			t.Errorf("%d probes of two nodes in a minute", probes)
		}
		for i := range at {
			at[i].set(false)
		}
		recovered := time.Now()
		for range 90 {
			time.Sleep(time.Second)
			if known(nodes[0], "t").Breaker.State == "ramping" || known(nodes[1], "t").Breaker.State == "ramping" {
				break
			}
		}
		t.Logf("one node found the recovery after %s", time.Since(recovered))
		time.Sleep(2500 * time.Millisecond)
		for i := range nodes {
			if state := known(nodes[i], "t").Breaker; state.State != "ramping" && state.State != "closed" {
				t.Errorf("node %d: %+v", i, state)
			}
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 1000); n != 200 {
			t.Errorf("%d of 200 succeeded", n)
		}
		w.stop(nodes...)
	})
}

// A node whose own way to the target is broken does not stop the others.
func TestHealthyNodeTrustsItself(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		var at [2]receiver
		var nodes []*engine.Engine
		for i := range at {
			at[i].takes = 5 * time.Millisecond
			nodes = append(nodes, w.node(fmt.Sprint("n", i), &registry{
				policy: policy(t, retry.Attempts(100), retry.Fixed(time.Second)), handlers: handlers("t", at[i].handle),
			}, nil))
		}
		time.Sleep(5 * time.Second)
		at[0].set(true)
		for range 6000 {
			w.enqueue(nodes[0], "t", nil)
			time.Sleep(10 * time.Millisecond)
		}
		if state := known(nodes[1], "t").Breaker; state.State != "closed" {
			t.Errorf("the healthy node's breaker: %+v", state)
		}
		if first, retries := at[1].between(time.Now().Add(-50*time.Second), time.Now()); first+retries < 1800 { // it owns three of the eight lanes at least
			t.Errorf("the healthy node made %d calls in 50 s", first+retries)
		}
		w.stop(nodes...)
	})
}

// What an operator orders holds on every node, for targets that nobody has
// called yet too, and after a restart.
func TestOrdersAboutTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		r := &receiver{takes: time.Millisecond}
		make := func() *registry {
			return &registry{policy: policy(t, retry.Attempts(100), retry.Fixed(time.Second)), handlers: handlers("t", r.handle)}
		}
		a, b := w.node("a", make(), nil), w.node("b", make(), nil)
		time.Sleep(3 * time.Second)
		order := func(action store.TargetAction) {
			if _, err := w.store.PutTargetOrder(t.Context(), store.TargetOrder{Target: "t", Action: action}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(1100 * time.Millisecond)
		}
		order(store.TargetOpen)
		ids := w.fill(a, "t", 100)
		time.Sleep(10 * time.Minute)
		if r.count() > 0 {
			t.Fatalf("%d calls of a target that is ordered open", r.count())
		}
		w.stop(a, b)
		a = w.node("c", make(), nil)
		time.Sleep(10 * time.Minute)
		if r.count() > 0 {
			t.Fatalf("%d calls of a target that is ordered open, after a restart", r.count())
		}
		if state := known(a, "t").Breaker; state.State != "open" || !state.Forced {
			t.Errorf("%+v", state)
		}
		order(store.TargetClose)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("%d of %d ran after the order to close", n, len(ids))
		}
		// An outage that the breaker found can be declared over as well.
		r.set(true)
		w.fill(a, "t", 100)
		time.Sleep(2 * time.Minute)
		r.set(false)
		before := r.count()
		order(store.TargetReset)
		time.Sleep(5 * time.Second)
		if r.count()-before < 100 {
			t.Errorf("%d calls within 5 s of a reset; %+v", r.count()-before, known(a, "t"))
		}
		w.stop(a)
	})
}

// Tasks that can never succeed stand before others of the same target, and
// open its breaker. Probes are drawn among all that are ready, so that those in
// front do not keep it open for ever.
func TestProbesAreDrawnAmongAll(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		bad := map[task.ID]bool{}
		handler := func(_ context.Context, run *engine.Run) ([]byte, error) {
			if bad[run.Task.ID] {
				return nil, errDown
			}
			return nil, nil
		}
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(8), retry.Fixed(time.Second)), handlers: handlers("t", handler)},
			func(c *engine.Config) { c.Slots, c.Rand = 40, nil })
		inserts := make([]store.Insert, 400)
		for i := range inserts {
			inserts[i] = w.insert("t", nil)
			bad[inserts[i].Task.ID] = i < 300
		}
		if _, err := e.EnqueueEach(t.Context(), inserts); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Hour)
		synctest.Wait()
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 1000); n != 100 {
			t.Errorf("after six hours %d of 100 good tasks have succeeded: %+v", n, known(e, "t"))
		}
		w.stop(e)
	})
}

// 500 tasks a second, and the target fails for ten seconds. In no ten seconds
// it gets more than its first attempts, a tenth of them, and the floor. Fifteen
// seconds after it is back, everything that waited has run.
func TestOutageUnderLoad(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		r := &receiver{takes: 20 * time.Millisecond}
		var mu sync.Mutex
		var changes []retry.BreakerChange
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(100)), handlers: handlers("t", r.handle)}, func(c *engine.Config) {
			c.Observer.BreakerChanged = func(_ string, change retry.BreakerChange) {
				mu.Lock()
				defer mu.Unlock()
				changes = append(changes, change)
			}
		})
		began := time.Now()
		go func() {
			for range 500 * 50 {
				w.enqueue(e, "t", nil)
				time.Sleep(2 * time.Millisecond)
			}
		}()
		time.Sleep(10 * time.Second)
		r.set(true)
		time.Sleep(10 * time.Second)
		r.set(false)
		for range 20 {
			time.Sleep(time.Second)
			first, retries := r.between(time.Now().Add(-time.Second), time.Now())
			t.Logf("%2.0f s: %4d first attempts, %3d retries, %s, %d wait",
				time.Since(began).Seconds(), first, retries, known(e, "t").Breaker.State, e.Stats().Ready)
		}
		if first, _ := r.between(began.Add(34*time.Second), began.Add(35*time.Second)); first < 500 {
			t.Errorf("%d first attempts in the fifteenth second after the outage", first)
		}
		time.Sleep(40 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for i, change := range changes[:len(changes)-1] {
			if change.To != retry.Open {
				continue
			}
			if first, retries := r.between(change.At.Add(1), changes[i+1].At); first+retries > 0 {
				t.Errorf("%d attempts began while the breaker was open, from %s to %s", first+retries, change.At, changes[i+1].At)
			}
		}
		for second := range 70 {
			from := began.Add(time.Duration(second) * time.Second)
			first, retries := r.between(from, from.Add(10*time.Second))
			if retries > first/10+10+10 {
				t.Errorf("from second %d on: %d first attempts and %d retries in 10 s", second, first, retries)
			}
		}
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 30_000); n != 25_000 {
			t.Errorf("%d of 25000 succeeded", n)
		}
		w.stop(e)
	})
}

// A type of tasks keeps its whole share of the slots while a few of its attempts
// time out; when many are refused, fewer run at once, and all again afterwards.
func TestLimitOfAType(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		var mu sync.Mutex
		now, capacity, seen := 0, 1000, 0
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(1000), retry.Fixed(time.Second)), handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
			mu.Lock()
			now++
			seen++
			over, late := now > capacity, capacity == 1000 && seen%20 == 0
			mu.Unlock()
			time.Sleep(100 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			switch now--; {
			case late:
				return nil, retry.ErrAttemptTimeout
			case over:
				return nil, errBusy{}
			}
			return nil, nil
		})}, func(c *engine.Config) { c.Slots = 200 })
		w.fill(e, "t", 2000)
		time.Sleep(10 * time.Second)
		if limit := known(e, "t").Limit; limit != 100 {
			t.Errorf("limit %d of 100 with one timeout in twenty", limit)
		}
		mu.Lock()
		capacity = 30
		mu.Unlock()
		w.fill(e, "t", 5000)
		time.Sleep(10 * time.Second)
		if limit := known(e, "t").Limit; limit < 15 || limit > 60 {
			t.Errorf("limit %d of a target with 30 places", limit)
		}
		mu.Lock()
		capacity = 999
		mu.Unlock()
		w.fill(e, "t", 20_000)
		time.Sleep(70 * time.Second)
		synctest.Wait()
		if limit := known(e, "t").Limit; limit != 100 {
			t.Errorf("limit %d of 100 afterwards", limit)
		}
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 30_000); n != 27_000 {
			t.Errorf("%d of 27000 succeeded; %+v", n, known(e, "t"))
		}
		w.stop(e)
	})
}
