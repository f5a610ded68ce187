package retry

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// backoffKinds lists the keys that each kind of backoff uses.
var backoffKinds = []struct {
	kind string
	keys []string
}{
	{"exponential", []string{"initial", "multiplier", "max"}},
	{"fixed", []string{"initial"}},
	{"linear", []string{"initial", "step", "max"}},
	{"steps", []string{"steps", "max"}},
	{"fibonacci", []string{"initial", "max"}},
}

// backoff makes the backoff and its maximum, which is 0 when the backoff has it
// already.
func (s *BackoffSpec) backoff(f *findings, path string) (Backoff, time.Duration) {
	kind := s.Kind
	if kind == "" {
		kind = "exponential"
	}
	s.refuseUnused(f, path, kind)
	initial, limit := s.Initial.or(DefaultInitial), s.Max.or(0)
	switch kind {
	case "fixed":
		return fixed{initial}, 0
	case "linear":
		return linear{initial, s.Step.or(0), limit}, 0
	case "steps":
		delays := make([]time.Duration, len(s.Steps))
		for i, d := range s.Steps {
			delays[i] = time.Duration(d)
		}
		return Steps(delays...), limit
	case "fibonacci":
		return fibonacci{initial, limit}, 0
	default:
		multiplier := DefaultMultiplier
		if s.Multiplier != nil {
			multiplier = *s.Multiplier
		}
		return exponential{initial, multiplier, limit}, 0
	}
}

// refuseUnused refuses an unknown kind and keys that the kind does not use.
func (s *BackoffSpec) refuseUnused(f *findings, path, kind string) {
	var kinds []string
	for _, known := range backoffKinds {
		kinds = append(kinds, known.kind)
		if known.kind == kind {
			present := []struct {
				key string
				set bool
			}{
				{"initial", s.Initial != nil}, {"multiplier", s.Multiplier != nil}, {"max", s.Max != nil},
				{"step", s.Step != nil}, {"steps", s.Steps != nil},
			}
			for _, p := range present {
				if p.set && !strings.Contains(" "+strings.Join(known.keys, " ")+" ", " "+p.key+" ") {
					f.refuse(path+"."+p.key, "it uses "+strings.Join(known.keys, ", "), "kind %s does not use it", kind)
				}
			}
			return
		}
	}
	f.refuse(path+".kind", didYouMean(kind, kinds), "%q is none of %s", kind, strings.Join(kinds, ", "))
}

// jitter makes the jitter.
func (s *JitterSpec) jitter(f *findings, path string) Jitter {
	unused := func(key string, value *float64) {
		if value != nil {
			f.refuse(path+"."+key, "", "kind %s does not use it", s.Kind)
		}
	}
	wanted := func(key string, value *float64) float64 {
		if value == nil {
			f.refuse(path+"."+key, "for instance {kind: proportional, x: 0.1} or {kind: beta, from: 0.3, to: 0.7}",
				"is missing for kind %s", s.Kind)
			return 0.5
		}
		return *value
	}
	switch s.Kind {
	case "proportional", "additive":
		unused("from", s.From)
		unused("to", s.To)
		x := wanted("x", s.X)
		if s.Kind == "additive" {
			return Additive(x)
		}
		return Proportional(x)
	case "bounded", "beta":
		unused("x", s.X)
		from, to := wanted("from", s.From), wanted("to", s.To)
		if s.From == nil || s.To == nil {
			return FullJitter()
		}
		if s.Kind == "beta" {
			return Beta(from, to)
		}
		return Bounded(from, to)
	}
	unused("x", s.X)
	unused("from", s.From)
	unused("to", s.To)
	return plainJitter(f, path, s.Kind)
}

// plainJitter makes a jitter that has a name and no numbers.
func plainJitter(f *findings, path, kind string) Jitter {
	kinds := []string{"full", "equal", "decorrelated", "none", "proportional", "additive", "bounded", "beta"}
	switch kind {
	case "full":
		return FullJitter()
	case "equal":
		return EqualJitter()
	case "decorrelated":
		return Decorrelated()
	case "none":
		return NoJitter()
	}
	f.refuse(path, didYouMean(kind, kinds), "%q is none of %s", kind, strings.Join(kinds, ", "))
	return FullJitter()
}

// backoffSpec is the form of a backoff under a maximum, 0 for none. It is empty
// for one that is not of this package.
func backoffSpec(b Backoff, limit time.Duration) (spec *BackoffSpec, whole bool) {
	if own, ok := b.(capped); ok && (limit == 0 || own.maximum() > 0) {
		limit = under(limit, own.maximum())
	}
	spec = &BackoffSpec{Max: written(limit)}
	switch b := b.(type) {
	case exponential:
		spec.Kind, spec.Initial, spec.Multiplier = "exponential", duration(b.initial), number(b.multiplier)
	case linear:
		spec.Kind, spec.Initial, spec.Step = "linear", duration(b.initial), written(b.step)
	case fibonacci:
		spec.Kind, spec.Initial = "fibonacci", duration(b.initial)
	case fixed:
		spec.Kind, spec.Initial, spec.Max = "fixed", duration(b.interval), nil
		return spec, limit == 0
	case steps:
		spec.Kind, spec.Steps = "steps", make([]Duration, len(b))
		for i, d := range b {
			spec.Steps[i] = Duration(d)
		}
	default:
		return &BackoffSpec{}, false
	}
	return spec, true
}

// jitterForm is the form of a jitter, nil for one that is not of this package.
// So far says whether everything before could be written.
func jitterForm(j Jitter, soFar bool) (*JitterSpec, bool) {
	var s spread
	switch j := j.(type) {
	case spread:
		s = j
	case beta:
		s = j.spread
	case decorrelated:
		return &JitterSpec{Kind: "decorrelated"}, soFar
	default:
		return nil, false
	}
	spec := &JitterSpec{Kind: s.name}
	switch s.name {
	case "proportional":
		spec.X = number(share(s, func(x float64) JitterOption { return Proportional(x) }))
	case "additive":
		spec.X = number(share(s, func(x float64) JitterOption { return Additive(x) }))
	case "bounded", "beta":
		spec.From, spec.To = number(s.from), number(s.to)
	}
	return spec, soFar
}

// share is the shortest x from which the jitter can be made again, since its
// bounds have been rounded.
func share(s spread, again func(x float64) JitterOption) float64 {
	for digits := 1; digits < 17; digits++ {
		x, err := strconv.ParseFloat(strconv.FormatFloat(s.to-1, 'g', digits, 64), 64)
		if err == nil && again(x) == JitterOption(s) {
			return x
		}
	}
	return s.to - 1
}

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

// write puts the guards into a spec, those that are not the default's.
func (g guardConfigs) write(to *Spec) {
	budget := g.budget.spec()
	breaker, _ := g.breaker.spec()
	usual := defaultGuards()
	usualBreaker, _ := usual.breaker.spec()
	if !reflect.DeepEqual(budget, usual.budget.spec()) {
		to.Budget = budget
	}
	if !reflect.DeepEqual(breaker, usualBreaker) {
		to.Breaker = breaker
	}
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
	}, c.OnChange == nil && c.Outages == nil && c.Rand == nil && !c.JudgeAll
}
