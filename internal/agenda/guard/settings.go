package guard

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

// inForce is the settings that hold for a target.
type inForce struct {
	settings
	policy *retry.Policy // whose they are; nil for the defaults
	chosen time.Time     // when they were
}

// same reports whether the settings mean the same.
func (s settings) same(other settings) bool {
	hooks := s.breaker.OnChange == nil && other.breaker.OnChange == nil
	s.breaker.OnChange, other.breaker.OnChange = nil, nil // functions cannot be compared
	return hooks && reflect.DeepEqual(s, other)
}

// wanted says which guards a policy wants at all.
func wanted(policy *retry.Policy) (breaker, budget bool) {
	_, breaker = policy.BreakerConfig()
	_, budget = policy.BudgetConfig()
	return breaker, budget
}

// under is the settings under a policy. Of a guard that it does without, they
// stay as they are.
func (s settings) under(policy *retry.Policy) settings {
	if breaker, wants := policy.BreakerConfig(); wants {
		s.breaker = breaker
	}
	if budget, wants := policy.BudgetConfig(); wants {
		s.budget = budget
	}
	return s
}
