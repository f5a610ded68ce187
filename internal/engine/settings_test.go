package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// A target's guards have the settings of the policy under which it was called
// last. What was counted when they change is kept, each holds for a minute, and
// a policy hears of the changes of the breaker that it has asked for.
func TestSettingsOfPolicies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		told := make(chan retry.BreakerChange, 100)
		touchy := policy(t, retry.Attempts(1), retry.TaskBreaker(&retry.BreakerConfig{
			Consecutive: 3, OpenFor: 10 * time.Second, Ramp: -1, OnChange: func(c retry.BreakerChange) { told <- c },
		}))
		patient := policy(t, retry.Attempts(1), retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 50, MinCalls: 1000}))
		r := &registry{policy: touchy, handlers: handlers("t", func(context.Context, *engine.Run) ([]byte, error) { return nil, errDown })}
		e := w.node("a", r, nil)
		fail := func(count int) {
			for range count {
				w.expect(w.enqueue(e, "t", nil), task.Dead, time.Second)
			}
		}
		state := func() string { return known(e, "t").Breaker.State }
		fail(2)
		if got := state(); got != "closed" {
			t.Fatalf("%s after two failures", got)
		}
		fail(1)
		if got := state(); got != "open" {
			t.Fatalf("%s after three failures in a row", got)
		}
		if change := <-told; change.To != retry.Open || change.Cause != "consecutive" || change.Until.Sub(change.At) != 10*time.Second {
			t.Errorf("the policy was told of %+v", change)
		}
		// Another policy does not take over within the minute, and then it does.
		r.mu.Lock()
		r.policy = patient
		r.mu.Unlock()
		waiting := w.enqueue(e, "t", nil)
		w.expect(waiting, task.Dead, 15*time.Second) // as a probe
		if got := known(e, "t").Breaker; got.State != "open" || got.Trips != 2 {
			t.Errorf("after a failed probe: %+v", got)
		}
		time.Sleep(2 * time.Minute)
		w.expect(w.enqueue(e, "t", nil), task.Dead, time.Second) // a probe, and the settings of its policy
		if got := known(e, "t").Breaker; got.State != "open" {
			t.Errorf("an outage ends with a change of settings: %+v", got)
		}
		if got := known(e, "t").Breaker; time.Until(got.Until) > 20*time.Second {
			t.Errorf("open until %s, at %s", got.Until, time.Now())
		}
		w.stop(e)
	})
}
