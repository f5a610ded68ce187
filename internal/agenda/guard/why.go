package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Asks is what the next start of a due task asks of its target.
type Asks struct {
	Breaker, Budget bool
	Free            bool // its handler wants no guards: of the breaker it asks only whether an operator holds it
}

// Why says what of a target, as a node shows it, holds a due task, empty for nothing, and
// when that is asked again: zero where only an event tells. Whoever is asked why a task
// waits goes by these rules, with the target of its own memory, see [Target.Why], or with
// what another node has told.
func Why(t *store.Target, asks Asks, now time.Time) (why task.Waiting, until time.Time) {
	breaker := &t.Breaker
	state, _ := stateOf(breaker.State)
	bound := asks.Breaker && !asks.Free
	switch {
	case asks.Breaker && breaker.Forced && state == retry.Open:
		return task.BreakerOpen, time.Time{}
	case bound && (state == retry.Open || state == retry.HalfOpen):
		return task.BreakerOpen, breaker.Until
	case t.Held.Failures > 0:
		return task.InGroupBackoff, t.Held.Next
	case t.HeldUntil.After(now):
		return task.RateLimited, t.HeldUntil
	case bound && (state == retry.Ramping || t.Waiting.Breaker > 0), t.Waiting.Rate > 0: // by a ramp
		return task.RateLimited, time.Time{}
	case asks.Budget && t.Budget.Until.After(now):
		return task.BudgetSpent, t.Budget.Until
	case t.InFlight >= t.Limit, t.Waiting.Concurrency > 0:
		return task.AtConcurrency, time.Time{}
	}
	return "", time.Time{}
}

// Ordered is a target that an operator holds and of which no more is known.
func Ordered(name string) store.Target {
	return store.Target{Name: name, Limit: 1, Breaker: store.Breaker{State: retry.Open.String(), Forced: true}}
}

// Why says so of this target. Two things are not shown: an order that nothing has met yet,
// and who gives way to others behind an outage. It changes nothing.
func (t *Target) Why(c *Call) (why task.Waiting, until time.Time) {
	shown := t.show()
	if t.guard == nil && t.all.orders[t.Name].Action == store.TargetOpen {
		shown = Ordered(t.Name)
	}
	asks := Asks{Breaker: c.Gates&byBreaker != 0, Budget: c.Gates&byBudget != 0, Free: c.Free}
	if why, until = Why(&shown, asks, t.all.clock.Time); why == "" && c.Gates.Kind() == t.yields() {
		return task.RateLimited, time.Time{}
	}
	return why, until
}
