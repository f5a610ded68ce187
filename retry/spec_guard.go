package retry

import (
	"encoding/json"
	"reflect"
	"time"
)

// BudgetSpec is the budget that a policy wants for its target: "none", or an
// object with keys of [BudgetConfig]. A key that is left out has its default, and
// pressure [TaskPressure]; pressure 0 always binds.
type BudgetSpec struct {
	None     bool     `json:"-"`
	Ratio    *float64 `json:"ratio,omitempty"`
	Floor    *float64 `json:"floor,omitempty"`
	Burst    *float64 `json:"burst,omitempty"`
	Pressure *float64 `json:"pressure,omitempty"`
}

// MarshalJSON writes "none" or an object.
func (s BudgetSpec) MarshalJSON() ([]byte, error) {
	if s.None {
		return json.Marshal(none)
	}
	type object BudgetSpec
	return json.Marshal(object(s))
}

// BreakerSpec is the breaker that a policy wants for its target: "none", or an
// object with keys of [BreakerConfig]. A key that is left out has its default.
// With slow_call "0s", consecutive 0, count 0 and ramp "0s" there is none of that.
type BreakerSpec struct {
	None         bool      `json:"-"`
	FailureRate  *float64  `json:"failure_rate,omitempty"`
	SlowCall     *Duration `json:"slow_call,omitempty"`
	SlowRate     *float64  `json:"slow_rate,omitempty"`
	Consecutive  *int      `json:"consecutive,omitempty"`
	MinCalls     *int      `json:"min_calls,omitempty"`
	Window       *Duration `json:"window,omitempty"`
	Count        *int      `json:"count,omitempty"`
	OpenFor      *Duration `json:"open_for,omitempty"`
	OpenMax      *Duration `json:"open_max,omitempty"`
	Probes       *int      `json:"probes,omitempty"`
	ProbeTimeout *Duration `json:"probe_timeout,omitempty"`
	Ramp         *Duration `json:"ramp,omitempty"`
}

// MarshalJSON writes "none" or an object.
func (s BreakerSpec) MarshalJSON() ([]byte, error) {
	if s.None {
		return json.Marshal(none)
	}
	type object BreakerSpec
	return json.Marshal(object(s))
}

// none is the form of a guard that is not wanted.
const none = "none"

// guardConfigs holds what a policy wants for its target; nil is none.
type guardConfigs struct {
	budget  *BudgetConfig
	breaker *BreakerConfig
}

// defaultGuards are those of a policy that says nothing about them.
func defaultGuards() guardConfigs {
	budget, breaker := BudgetConfig{Stored: true}.withDefaults(), BreakerConfig{}.withDefaults()
	return guardConfigs{&budget, &breaker}
}

func (g guardConfigs) check(f *findings) {
	if g.budget != nil {
		g.budget.check(f)
	}
	if g.breaker != nil {
		g.breaker.check(f)
	}
}

// TaskBudget sets the budget that a policy asks for the target of its tasks; nil
// asks for none. It is always Stored. See [Policy.BudgetConfig].
func TaskBudget(c *BudgetConfig) Option {
	return option(func(p *Policy) {
		if p.wants.budget = c; c != nil {
			whole := *c
			whole.Stored = true
			whole = whole.withDefaults()
			p.wants.budget = &whole
		}
	})
}

// TaskBreaker sets the breaker that a policy asks for the target of its tasks;
// nil asks for none. See [Policy.BreakerConfig].
func TaskBreaker(c *BreakerConfig) Option {
	return option(func(p *Policy) {
		if p.wants.breaker = c; c != nil {
			whole := c.withDefaults()
			p.wants.breaker = &whole
		}
	})
}

// config makes the budget's settings.
func (s *BudgetSpec) config(f *findings) *BudgetConfig {
	if s.None {
		return nil
	}
	c := BudgetConfig{
		Ratio:  given(f, "budget.ratio", s.Ratio),
		Floor:  given(f, "budget.floor", s.Floor),
		Burst:  given(f, "budget.burst", s.Burst),
		Stored: true,
	}
	if p := s.Pressure; p != nil {
		if c.Pressure = *p; c.Pressure == 0 {
			c.Pressure = alwaysBinds
		} else if c.Pressure < 0 {
			f.refuse("budget.pressure", "0 always binds", "%v is outside 0 to 1", c.Pressure)
		}
	}
	c = c.withDefaults()
	return &c
}

// config makes the breaker's settings.
func (s *BreakerSpec) config(f *findings) *BreakerConfig {
	if s.None {
		return nil
	}
	c := BreakerConfig{
		FailureRate:  given(f, "breaker.failure_rate", s.FailureRate),
		SlowCall:     s.SlowCall.or(0),
		SlowRate:     given(f, "breaker.slow_rate", s.SlowRate),
		MinCalls:     given(f, "breaker.min_calls", s.MinCalls),
		Window:       time.Duration(given(f, "breaker.window", s.Window)),
		OpenFor:      time.Duration(given(f, "breaker.open_for", s.OpenFor)),
		OpenMax:      time.Duration(given(f, "breaker.open_max", s.OpenMax)),
		Probes:       given(f, "breaker.probes", s.Probes),
		ProbeTimeout: time.Duration(given(f, "breaker.probe_timeout", s.ProbeTimeout)),
		Ramp:         s.Ramp.or(0),
	}
	if s.Consecutive != nil {
		c.Consecutive = *s.Consecutive
	}
	if s.Count != nil {
		c.Count = *s.Count
	}
	if s.Ramp != nil && c.Ramp == 0 {
		c.Ramp = noRamp
	}
	c = c.withDefaults()
	return &c
}

const (
	// noRamp is a Ramp that is written as 0s.
	noRamp = time.Duration(-1)
	// alwaysBinds is a Pressure that is written as 0.
	alwaysBinds = -1.0
)

// given is the value of a key that must not be 0, 0 if it was left out.
func given[T int | float64 | Duration](f *findings, path string, value *T) T {
	if value == nil {
		return 0
	}
	if *value == 0 {
		f.refuse(path, "leave it out for the default", "is 0")
	}
	return *value
}

// write puts the guards into a spec, those that are not the default's, and reports
// whether they could be written.
func (g guardConfigs) write(to *Spec) (whole bool) {
	budget := g.budget.spec()
	breaker, whole := g.breaker.spec()
	usual := defaultGuards()
	usualBreaker, _ := usual.breaker.spec()
	if !reflect.DeepEqual(budget, usual.budget.spec()) {
		to.Budget = budget
	}
	if !reflect.DeepEqual(breaker, usualBreaker) {
		to.Breaker = breaker
	}
	return whole
}

// spec is the form of a budget.
func (c *BudgetConfig) spec() *BudgetSpec {
	if c == nil {
		return &BudgetSpec{None: true}
	}
	return &BudgetSpec{Ratio: new(c.Ratio), Floor: new(c.Floor), Burst: new(c.Burst), Pressure: new(max(c.Pressure, 0))}
}

// spec is the form of a breaker; whole is false if it has parts that cannot be
// written.
func (c *BreakerConfig) spec() (s *BreakerSpec, whole bool) {
	if c == nil {
		return &BreakerSpec{None: true}, true
	}
	return &BreakerSpec{
		FailureRate: new(c.FailureRate), SlowCall: written(c.SlowCall), SlowRate: new(c.SlowRate),
		Consecutive: new(c.Consecutive), MinCalls: new(c.MinCalls), Window: duration(c.Window), Count: new(c.Count),
		OpenFor: duration(c.OpenFor), OpenMax: duration(c.OpenMax),
		Probes: new(c.Probes), ProbeTimeout: duration(c.ProbeTimeout), Ramp: duration(max(c.Ramp, 0)),
	}, c.OnChange == nil && c.Outages == nil && c.Rand == nil
}
