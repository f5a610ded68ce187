package retry

import (
	"reflect"
	"testing"
	"time"
)

// TestGuardSpecs is the table of accepted guards: what the policy asks for.
func TestGuardSpecs(t *testing.T) {
	budget := BudgetConfig{Ratio: 0.1, Floor: 1, Burst: 10, Pressure: 0.9, Stored: true}
	breaker := BreakerConfig{
		FailureRate: 0.5, SlowRate: 0.5, MinCalls: 20, Window: 30 * time.Second,
		OpenFor: 5 * time.Second, OpenMax: time.Minute, Probes: 1, ProbeTimeout: 10 * time.Second, Ramp: 10 * time.Second,
	}
	changedBudget := func(change func(*BudgetConfig)) *BudgetConfig {
		c := budget
		change(&c)
		return &c
	}
	changedBreaker := func(change func(*BreakerConfig)) *BreakerConfig {
		c := breaker
		change(&c)
		return &c
	}
	for in, want := range map[string]guardConfigs{
		`{}`:                                     {&budget, &breaker},
		`{"preset": "payment"}`:                  {&budget, &breaker},
		`{"budget": {}, "breaker": {}}`:          {&budget, &breaker},
		`{"budget": "none"}`:                     {nil, &breaker},
		`{"breaker": "none"}`:                    {&budget, nil},
		`{"budget": {"ratio": 0.2}}`:             {changedBudget(func(c *BudgetConfig) { c.Ratio = 0.2 }), &breaker},
		`{"budget": {"pressure": 0}}`:            {changedBudget(func(c *BudgetConfig) { c.Pressure = alwaysBinds }), &breaker},
		`{"budget": {"floor": 0.5, "burst": 3}}`: {changedBudget(func(c *BudgetConfig) { c.Floor, c.Burst = 0.5, 3 }), &breaker},
		`{"breaker": {"failure_rate": 0.3, "min_calls": 5, "window": "1m", "open_for": "2s"}}`: {&budget, changedBreaker(func(c *BreakerConfig) {
			c.FailureRate, c.MinCalls, c.Window, c.OpenFor = 0.3, 5, time.Minute, 2*time.Second
		})},
		`{"breaker": {"slow_call": "1s", "slow_rate": 0.8, "consecutive": 4, "probes": 3, "probe_timeout": "2s"}}`: {&budget, changedBreaker(func(c *BreakerConfig) {
			c.SlowCall, c.SlowRate, c.Consecutive, c.Probes, c.ProbeTimeout = time.Second, 0.8, 4, 3, 2*time.Second
		})},
		`{"breaker": {"count": 10}}`: {&budget, changedBreaker(func(c *BreakerConfig) { c.Count, c.MinCalls = 10, 10 })},
		`{"breaker": {"slow_call": "0s", "consecutive": 0, "count": 0, "ramp": "0s"}}`: {&budget, changedBreaker(func(c *BreakerConfig) { c.Ramp = noRamp })},
		`{"breaker": {"open_for": "10m"}}`:                                             {&budget, changedBreaker(func(c *BreakerConfig) { c.OpenFor, c.OpenMax = 10*time.Minute, 10*time.Minute })},
	} {
		spec := must(ParseSpec([]byte(in)))
		policy := must(spec.Policy())
		if !reflect.DeepEqual(policy.wants, want) {
			t.Errorf("%s: %+v, %+v", in, policy.wants.budget, policy.wants.breaker)
		}
		roundTrip(t, spec)
		form, unwritten := policy.Spec()
		if again := must(form.Policy()); len(unwritten) > 0 || !reflect.DeepEqual(again.wants, want) {
			t.Errorf("%s: written as %+v, %+v", in, form.Budget, form.Breaker)
		}
		roundTrip(t, form)
		if c, ok := policy.BudgetConfig(); ok {
			must(NewBudget(c))
		}
		if c, ok := policy.BreakerConfig(); ok {
			must(NewBreaker(c))
		}
	}
}

// TestTaskGuards: the options say what the keys say.
func TestTaskGuards(t *testing.T) {
	p := must(New(TaskBudget(&BudgetConfig{Ratio: 0.2}), TaskBreaker(nil)))
	if c, ok := p.BudgetConfig(); !ok || c != (BudgetConfig{Ratio: 0.2, Floor: 1, Burst: 10, Pressure: 0.9, Stored: true}) {
		t.Errorf("%+v", c)
	}
	if c, ok := p.BreakerConfig(); ok {
		t.Errorf("%+v", c)
	}
	_, err := New(TaskBudget(&BudgetConfig{Burst: -1}), TaskBreaker(&BreakerConfig{Probes: -1}))
	if fields := FieldErrors(err); len(fields) != 2 || fields[0].Field != "budget.burst" || fields[1].Field != "breaker.probes" {
		t.Error(err)
	}
	p = must(New(TaskBudget(nil), TaskBreaker(&BreakerConfig{OnChange: func(BreakerChange) {}})))
	if spec, unwritten := p.Spec(); len(unwritten) != 1 || !spec.Budget.None {
		t.Errorf("a function can be written: %+v", spec)
	}
}
