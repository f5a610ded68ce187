package engine_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// crew is a worker group that can be away: its handler counts the tries.
type crew struct {
	mu       sync.Mutex
	away     bool
	tries    int
	done     int
	late     time.Duration // of the last task
	failures int
	until    time.Time
	steps    []time.Duration
}

var errAway = errors.New("away")

func (c *crew) run(_ context.Context, run *engine.Run) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.away {
		c.done++
		c.failures = 0
		c.late = time.Since(run.Task.CreatedAt)
		return nil, nil
	}
	c.tries++
	if now := time.Now(); !now.Before(c.until) {
		c.failures++
		c.until = now.Add(c.steps[min(c.failures, len(c.steps))-1])
	}
	return nil, holds{engine.HandlerOutcome{Action: engine.ActionHold, Since: time.Now(), After: time.Until(c.until), Held: store.Held{Failures: c.failures, Error: "away"}}}
}

type holds struct{ asks engine.HandlerOutcome }

func (holds) Error() string                           { return errAway.Error() }
func (h holds) HandlerOutcome() engine.HandlerOutcome { return h.asks }

var usualSteps = []time.Duration{time.Second, 5 * time.Second, 10 * time.Second, time.Minute}

// 10 000 tasks for a group that nobody answers for over five minutes, beside a healthy
// one. The control puts them back at once.
func TestDeadGroupIsTriedRarely(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	for _, c := range []struct {
		name        string
		steps       []time.Duration
		most, least int
	}{{"steps", usualSteps, 10, 5}, {"put back at once", []time.Duration{10 * time.Millisecond}, 1 << 30, 1000}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 8)
				dead, fine := &crew{away: true, steps: c.steps}, &crew{}
				e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("dead", dead.run, "fine", fine.run)}, nil)
				warm := w.enqueue(e, "dead", nil) // the first burst is over before the others come
				time.Sleep(10 * time.Millisecond)
				inserts := make([]store.Insert, 10_000)
				for i := range inserts {
					inserts[i] = w.insert("dead", nil)
				}
				for len(inserts) > 0 {
					if _, err := e.Enqueue(t.Context(), inserts[:500]); err != nil {
						t.Fatal(err)
					}
					inserts = inserts[500:]
				}
				var worst time.Duration
				for range 300 {
					w.enqueue(e, "fine", nil)
					time.Sleep(time.Second)
					fine.mu.Lock()
					worst = max(worst, fine.late)
					fine.mu.Unlock()
				}
				synctest.Wait()
				if dead.tries > c.most || dead.tries < c.least {
					t.Errorf("%d tries of a group that is away", dead.tries)
				}
				if fine.done != 300 || worst > 10*time.Millisecond {
					t.Errorf("the healthy group did %d of 300 tasks, the latest %v after its enqueue", fine.done, worst)
				}
				if target, _ := e.Target("dead"); target.Held.Failures == 0 || target.Held.Error != "away" {
					t.Errorf("shown as %+v", target.Held)
				}
				if got := w.get(warm); c.most == 10 && (got.State != task.Pending || got.Attempt != 0 || got.Crashes != 0) {
					t.Errorf("a task that waits is %s after %d attempts", got.State, got.Attempt)
				}
				dead.mu.Lock()
				dead.away = false
				dead.mu.Unlock()
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if dead.done != 10_001 {
					t.Errorf("%d of 10001 tasks are done after the group came back", dead.done)
				}
				stop(t, e)
			})
		})
	}
}

// What has gathered behind a group that was away is let out ever faster: twice as many
// each second.
func TestRecoveredGroupRampsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		c := &crew{away: true, steps: usualSteps}
		e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", c.run)}, nil)
		inserts := make([]store.Insert, 500)
		for i := range inserts {
			inserts[i] = w.insert("g", nil)
		}
		if _, err := e.Enqueue(t.Context(), inserts); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		c.mu.Lock()
		c.away = false
		c.mu.Unlock()
		count := func() int {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.done
		}
		for count() == 0 { // the next try is up to a minute away
			time.Sleep(10 * time.Millisecond)
		}
		most := 10 // one a second, or a tenth of what was usual before, and the try itself
		for second := range 8 {
			before := count()
			time.Sleep(time.Second)
			if started := count() - before; started > most {
				t.Errorf("%d started in second %d after the group came back, want %d at most", started, second+1, most)
			}
			most *= 2
		}
		time.Sleep(10 * time.Second)
		if count() != len(inserts) {
			t.Errorf("%d of %d tasks are done", count(), len(inserts))
		}
		stop(t, e)
	})
}

// Tasks that wait for a group keep their order by priority; a call of Unhold lets
// them try at once.
func TestHeldTasksKeepTheirPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var order []int
		away := true
		e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", func(_ context.Context, run *engine.Run) ([]byte, error) {
			if away {
				return nil, holds{engine.HandlerOutcome{Action: engine.ActionHold, Since: time.Now(), After: time.Minute, Held: store.Held{Failures: 1}}}
			}
			order = append(order, run.Task.Priority)
			return nil, nil
		})}, nil)
		for _, priority := range []int{5, 1, 9, 3} {
			w.enqueue(e, "g", func(in *store.Insert) { in.Task.Priority = priority })
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		away = false
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(order) != 0 {
			t.Fatalf("%v started while the group was left alone", order)
		}
		e.Unhold("g")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(order) != 4 || order[0] != 9 || order[1] != 5 || order[2] != 3 || order[3] != 1 {
			t.Errorf("order %v", order)
		}
		stop(t, e)
	})
}

// A group that has never taken a task of this node is tried by one at a time, whatever
// its members have room for. Once one was taken, the others start at once.
func TestUntestedGroupIsTriedByOne(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, away := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w, capacity, tasks := newWorld(t, 8), 20, 600
			if away {
				capacity, tasks = 200, 10_000
			}
			var tested atomic.Bool
			c, runs := &crew{away: away, steps: usualSteps}, gauge{}
			run := runs.run(20 * time.Millisecond)
			e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", func(ctx context.Context, r *engine.Run) ([]byte, error) {
				result, err := c.run(ctx, r)
				if err == nil {
					_, _ = run(ctx, r)
					tested.Store(true)
				}
				return result, err
			})}, func(config *engine.Config) {
				config.TargetLimit = func(string) int { return capacity }
				config.Untested = func(string) bool { return !tested.Load() }
			})
			time.Sleep(2 * time.Second)
			began := time.Now()
			for range tasks / 100 {
				inserts := make([]store.Insert, 100)
				for i := range inserts {
					inserts[i] = w.insert("g", nil)
				}
				if _, err := e.Enqueue(t.Context(), inserts); err != nil {
					t.Fatal(err)
				}
			}
			if away {
				time.Sleep(5*time.Minute - time.Since(began))
				synctest.Wait()
				if c.tries > 10 || c.tries < 5 {
					t.Errorf("%d tries of a group that is away", c.tries)
				}
				if target, _ := e.Target("g"); target.Held.Failures == 0 {
					t.Errorf("shown as %+v", target.Held)
				}
			} else {
				for runs.done.Load() < int64(tasks) {
					time.Sleep(time.Millisecond)
				}
				if took := time.Since(began); took > 700*time.Millisecond || runs.most.Load() != int64(capacity) {
					t.Errorf("%d tasks of 20 ms took %v, %d at once", tasks, took, runs.most.Load())
				}
				if target, _ := e.Target("g"); target.Held.Failures != 0 {
					t.Errorf("shown as %+v", target.Held)
				}
			}
			stop(t, e)
		})
	}
}

// Somebody comes who may take tasks, between the failure of a try and its end: the next
// try does not wait.
func TestUnholdBeforeTheHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var e *engine.Engine
		tries := 0
		e = w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", func(context.Context, *engine.Run) ([]byte, error) {
			if tries++; tries == 1 {
				found := time.Now()
				time.Sleep(time.Millisecond)
				e.Unhold("g")
				return nil, holds{engine.HandlerOutcome{Action: engine.ActionHold, Since: found, After: time.Minute, Held: store.Held{Failures: 1}}}
			}
			return nil, nil
		})}, nil)
		w.expect(w.enqueue(e, "g", nil), task.Succeeded, time.Second)
		w.stop(e)
	})
}
