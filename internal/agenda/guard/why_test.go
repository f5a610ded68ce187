package guard

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The first rule that fits answers; what a task does not ask for holds it not.
func TestWhy(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	soon, past := now.Add(time.Second), now.Add(-time.Second)
	all := Asks{Breaker: true, Budget: true}
	first, free, none := Asks{Breaker: true}, Asks{Breaker: true, Free: true}, Asks{}
	for _, c := range []struct {
		name  string
		made  store.Target
		asks  Asks
		why   task.Waiting
		until time.Time
	}{
		{"nothing is wrong", store.Target{Limit: 2, InFlight: 1}, all, "", time.Time{}},
		{"an order", Ordered("t"), all, task.BreakerOpen, time.Time{}},
		{"an order holds what wants no guards", Ordered("t"), free, task.BreakerOpen, time.Time{}},
		{"but not what asks for no breaker", Ordered("t"), none, "", time.Time{}},
		{"an outage before all else", store.Target{Breaker: store.Breaker{State: "open", Until: soon}, HeldUntil: soon}, all, task.BreakerOpen, soon},
		{"probes", store.Target{Breaker: store.Breaker{State: "half_open", Until: soon}}, first, task.BreakerOpen, soon},
		{"an outage of what wants no guards", store.Target{Limit: 1, Breaker: store.Breaker{State: "open", Until: soon}}, free, "", time.Time{}},
		{"nobody takes it, before a pause", store.Target{Held: store.Held{Failures: 1, Next: soon}, HeldUntil: soon}, none, task.InGroupBackoff, soon},
		{"a pause", store.Target{HeldUntil: soon, Budget: store.Budget{Until: soon}}, all, task.RateLimited, soon},
		{"a pause that is over", store.Target{Limit: 1, HeldUntil: past}, all, "", time.Time{}},
		{"a breaker that ramps", store.Target{Limit: 1, Breaker: store.Breaker{State: "ramping"}}, first, task.RateLimited, time.Time{}},
		{"the ramp goes on when the breaker is closed", store.Target{Limit: 1, Waiting: store.TargetWaiting{Breaker: 1}}, first, task.RateLimited, time.Time{}},
		{"and holds what asks for the breaker", store.Target{Limit: 1, Waiting: store.TargetWaiting{Breaker: 1}}, none, "", time.Time{}},
		{"a ramp behind a pause holds all", store.Target{Limit: 1, Waiting: store.TargetWaiting{Rate: 1}}, none, task.RateLimited, time.Time{}},
		{"a budget", store.Target{Limit: 1, Budget: store.Budget{Until: soon}}, all, task.BudgetSpent, soon},
		{"a budget holds no first attempts", store.Target{Limit: 1, Budget: store.Budget{Until: soon}}, first, "", time.Time{}},
		{"a limit", store.Target{Limit: 2, InFlight: 2}, none, task.AtConcurrency, time.Time{}},
		{"no part of a limit", store.Target{}, none, task.AtConcurrency, time.Time{}},
		{"one at a time tries", store.Target{Limit: 2, InFlight: 1, Waiting: store.TargetWaiting{Concurrency: 1}}, none, task.AtConcurrency, time.Time{}},
	} {
		if why, until := Why(&c.made, c.asks, now); why != c.why || !until.Equal(c.until) {
			t.Errorf("%s: %q until %s", c.name, why, until)
		}
	}
}

// waits is a backlog of retries.
type waits struct{}

func (waits) Refresh() {}
func (waits) Due(of Gates) int {
	if of.Kind() == Retries {
		return 1
	}
	return 0
}
func (waits) Held() bool { return false }

// What only this node knows of its target: an order that nothing has met yet, and who
// gives way.
func TestWhyOfThisNode(t *testing.T) {
	clock := &Clock{}
	clock.Advance(time.Unix(1_000_000, 0))
	all := New(Config{Clock: clock, Share: 10})
	target, first, retried := all.Attach("t", waits{}), &Call{}, &Call{}
	first.Require(Usual, false)
	retried.Require(Usual, true)
	all.Follow(clock.Time, Fleet{Position: Position{Of: 1}, Orders: []store.TargetOrder{{Target: "t", Action: store.TargetOpen, At: clock.Time}}})
	if why, _ := target.Why(first); why != task.BreakerOpen {
		t.Errorf("an order: %q", why)
	}
	all.Follow(clock.Time, Fleet{Position: Position{Of: 1}})
	g := target.guarded(false)
	if why, _ := target.Why(first); why != "" {
		t.Errorf("the order has ended: %q", why)
	}
	g.recovery.boundRetries(clock.Time)
	for range 20 {
		g.recovery.mix.hear(First, retry.Unavailable)
	}
	if why, _ := target.Why(first); why != task.RateLimited {
		t.Errorf("first attempts fail and give way: %q", why)
	}
	if why, _ := target.Why(retried); why != "" {
		t.Errorf("retries work: %q", why)
	}
}
