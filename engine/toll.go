package engine

import (
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// toll is what the next start of a task needs of its target's guards.
type toll struct {
	breaker, budget bool
	cost            float64 // tokens of a retry
}

// usualToll is that of rows which were read from disk: neither their policy nor
// their last failure is known before the claim.
var usualToll = toll{breaker: true, budget: true, cost: 1}

// tollAfter is the toll of a task after an attempt under a policy.
func tollAfter(policy *retry.Policy, s *store.Settlement) toll {
	next := usualToll
	next.breaker, next.budget = guardsOf(policy)
	if s.Failure == nil {
		return next
	}
	category := known(retry.Category(s.Failure.Category))
	if next.cost = category.Advice().Cost; s.Task.Target == s.Task.Type && !ofDependency(category) {
		next.cost = 0
	}
	return next
}

// ofDependency reports whether a failure is one of something that was called. Where
// nobody has said what a handler calls, its target is its type, which is nothing
// that could be down: other failures are those of a task, and hold no other one.
func ofDependency(c retry.Category) bool {
	switch c {
	case retry.Unsent, retry.Network, retry.Timeout, retry.Throttled, retry.Unavailable:
		return true
	}
	return false
}

// pays sets the gates that an entry must pass. Tasks that have not failed yet
// pay nothing.
func (e *entry) pays(t toll) {
	if e.gates&byBudget != 0 {
		e.stream.retries--
	}
	if e.gates, e.cost = 0, t.cost; t.breaker {
		e.gates |= byBreaker
	}
	if e.Attempt > 0 && t.budget && t.cost > 0 && !e.free {
		e.gates |= byBudget
		e.stream.retries++
	}
}
