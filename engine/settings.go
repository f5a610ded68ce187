package engine

import (
	"reflect"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

const (
	// settled is how long the settings of a policy hold for a target before those
	// of another may: a change begins new windows.
	settled = time.Minute
	// freshTokens is what a budget of which nothing is known holds at least, as far
	// as its burst allows: a few tasks that fail keep to their schedules.
	freshTokens = retry.DefaultBurst
)

// settings is what policies say about the guards of their targets.
type settings struct {
	breaker retry.BreakerConfig
	budget  retry.BudgetConfig
}

// usualSettings are those of the default policy.
func usualSettings() (s settings) {
	s.breaker, _ = retry.Default().BreakerConfig()
	s.budget, _ = retry.Default().BudgetConfig()
	return s
}

// same reports whether the settings mean the same.
func (s settings) same(other settings) bool {
	hooks := s.breaker.OnChange == nil && other.breaker.OnChange == nil
	s.breaker.OnChange, other.breaker.OnChange = nil, nil // functions cannot be compared
	return hooks && reflect.DeepEqual(s, other)
}

// guardsOf says which guards a policy wants at all.
func guardsOf(policy *retry.Policy) (breaker, budget bool) {
	_, breaker = policy.BreakerConfig()
	_, budget = policy.BudgetConfig()
	return breaker, budget
}

// under is the settings under a policy. Of a guard that it does without, they
// stay as they are.
func (s settings) under(policy *retry.Policy) settings {
	if breaker, wanted := policy.BreakerConfig(); wanted {
		s.breaker = breaker
	}
	if budget, wanted := policy.BudgetConfig(); wanted {
		s.budget = budget
	}
	return s
}

// retune takes over the settings of the policy under which an attempt on the
// target was made: those of the last one hold. Each holds for a minute at least,
// so that policies that take turns do not keep the windows empty.
func (n *near) retune(t *target, policy *retry.Policy) {
	g := t.guard
	if policy == g.policy || g.policy != nil && n.clock.Sub(g.chosen) < settled {
		return
	}
	g.policy, g.chosen = policy, n.clock
	if next := g.settings.under(policy); !next.same(g.settings) {
		n.tune(t, next)
	}
}

// tune makes guards by the settings. What an outage has come to goes on.
func (n *near) tune(t *target, s settings) {
	g, breaker := t.guard, s.breaker
	if breaker.Outages == nil {
		breaker.Outages = g.outages
	}
	if breaker.Rand == nil {
		breaker.Rand = n.random
	}
	var made *retry.Breaker
	breaker.OnChange = func(c retry.BreakerChange) {
		if t.guard.breaker == made { // attempts that began with another settle with that one
			n.changedBreaker(t, c)
		}
	}
	made, breakerErr := retry.NewBreaker(breaker)
	paying, budgetErr := retry.NewBudget(s.budget)
	if breakerErr != nil || budgetErr != nil {
		return // policies check what they say; should one not, what holds goes on
	}
	if paying.Split(n.sharers); g.breaker == nil {
		paying.Return(n.clock, freshTokens)
	} else {
		made.Adopt(n.clock, g.breaker.View(n.clock)) // nothing of it is told: nothing has happened
	}
	g.settings, g.breaker, g.budget = s, made, paying
	if now := made.View(n.clock).State; now != g.state { // a ramp needs no breaker to go on here
		n.changedBreaker(t, retry.BreakerChange{From: g.state, To: now, At: n.clock, Cause: "settings"})
	}
}
