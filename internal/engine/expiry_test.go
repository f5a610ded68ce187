package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tasks that wait for a group that is away end at their own deadlines: the one that
// has tried and those behind it, never before, and nothing is called for it.
func TestTasksExpireAtTheirDeadlineWhileTheirGroupIsAway(t *testing.T) {
	for name, byPolicy := range map[string]bool{"deadline of the task": false, "ttl of the policy": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, c := newWorld(t, 4), &crew{away: true, steps: usualSteps}
				options := []retry.Option{retry.Attempts(3)}
				if byPolicy {
					options = append(options, retry.TTL(100*time.Second))
				}
				e := w.node("n", &registry{policy: unguarded(t, options...), handlers: handlers("g", c.run)}, func(config *engine.Config) {
					config.Untested = func(string) bool { return true }
				})
				deadlines := map[task.ID]time.Duration{}
				began := time.Now()
				for i := range 40 {
					after := 30*time.Second + time.Duration(i)*5*time.Second
					id := w.enqueue(e, "g", func(in *store.Insert) {
						if !byPolicy {
							in.Task.Spec.Deadline = began.Add(after)
						}
					})
					if deadlines[id] = after; byPolicy {
						deadlines[id] = 100 * time.Second
					}
				}
				time.Sleep(4 * time.Minute)
				synctest.Wait()
				for id, deadline := range deadlines {
					got := w.get(id)
					if took := got.FinishedAt.Sub(began); got.DeadReason != task.Expired || took < deadline || took > deadline+time.Second || got.Attempt != 0 {
						t.Errorf("%s %s after %v, %d attempts, want expired at %v", got.State, got.DeadReason, took, got.Attempt, deadline)
					}
					if got.LastError == nil || got.LastError.Category != "deadline" || !strings.Contains(got.LastError.Message, "away") {
						t.Errorf("last error %+v", got.LastError)
					}
				}
				if c.tries > 8 || c.done != 0 {
					t.Errorf("%d tries of a group that is away", c.tries)
				}
				w.stop(e)
			})
		})
	}
}

// A task whose group comes back before its deadline runs, although the next try was to
// be after it.
func TestTaskOfARecoveredGroupRunsBeforeItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := newWorld(t, 1), &crew{away: true, steps: []time.Duration{time.Minute}}
		e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", c.run)}, nil)
		id := w.enqueue(e, "g", func(in *store.Insert) { in.Task.Spec.Deadline = time.Now().Add(20 * time.Second) })
		time.Sleep(10 * time.Second)
		c.mu.Lock()
		c.away = false
		c.mu.Unlock()
		e.Unhold("g")
		if done := w.expect(id, task.Succeeded, time.Second); done.Attempt != 1 {
			t.Errorf("attempt %d", done.Attempt)
		}
		w.stop(e)
	})
}

// Tasks that were there before the node's start, and one that waits in a paused queue.
func TestDeadlinesOfTasksThatANodeHasReadFromDisk(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w, c := newWorld(t, 2), &crew{away: true, steps: []time.Duration{5 * time.Minute}}
		r := &registry{policy: unguarded(t), handlers: handlers("g", c.run)}
		first := w.node("first", &registry{}, func(config *engine.Config) { config.EnqueueOnly = true })
		began, deadline := time.Now(), time.Now().Add(time.Minute)
		var ids []task.ID
		for range 2000 {
			ids = append(ids, w.enqueue(first, "g", func(in *store.Insert) { in.Task.Spec.Deadline = deadline }))
		}
		e := w.node("n", r, nil)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for _, id := range ids {
			got := w.get(id)
			if took := got.FinishedAt.Sub(began); got.DeadReason != task.Expired || took < time.Minute || took > time.Minute+time.Second {
				t.Fatalf("%s %s after %v", got.State, got.DeadReason, took)
			}
		}
		w.stop(first, e)
	})
}

// A policy that has got more time meanwhile: the task goes on waiting.
func TestDeadlineThatHasMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := newWorld(t, 1), &crew{away: true, steps: []time.Duration{5 * time.Minute}}
		r := &registry{policy: unguarded(t, retry.TTL(time.Minute)), handlers: handlers("g", c.run)}
		e := w.node("n", r, func(config *engine.Config) {
			config.Registry = &moving{registry: r, later: unguarded(t, retry.TTL(2*time.Minute)), at: time.Now().Add(30 * time.Second)}
		})
		began := time.Now()
		id := w.enqueue(e, "g", nil)
		dead := w.expect(id, task.Dead, time.Hour)
		if took := time.Since(began); took < 2*time.Minute || took > 2*time.Minute+time.Second || dead.DeadReason != task.Expired || c.tries != 1 {
			t.Errorf("%s after %v and %d tries", dead.DeadReason, took, c.tries)
		}
		w.stop(e)
	})
}

// In a paused queue nothing is claimed; what is overdue ends when it goes on.
func TestPausedQueueKeepsWhatIsOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, c := newWorld(t, 1), &crew{away: true, steps: []time.Duration{10 * time.Minute}}
		e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", c.run)}, nil)
		began := time.Now()
		id := w.enqueue(e, "g", func(in *store.Insert) { in.Task.Spec.Deadline = began.Add(time.Minute) })
		time.Sleep(10 * time.Second)
		if _, err := w.store.PauseQueue(t.Context(), "default", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(70 * time.Second)
		if got := w.get(id); got.State != task.Pending {
			t.Errorf("%s in a paused queue", got.State)
		}
		if _, err := w.store.PauseQueue(t.Context(), "default", false); err != nil {
			t.Fatal(err)
		}
		if dead := w.expect(id, task.Dead, 3*time.Second); dead.DeadReason != task.Expired || c.tries != 1 {
			t.Errorf("%s after %d tries", dead.DeadReason, c.tries)
		}
		w.stop(e)
	})
}

// moving is a registry whose policy is another one from a time on.
type moving struct {
	*registry
	later *retry.Policy
	at    time.Time
}

func (m *moving) Policy(t *task.Task) (*retry.Policy, error) {
	if !time.Now().Before(m.at) {
		return m.later, nil
	}
	return m.registry.Policy(t)
}
