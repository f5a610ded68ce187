package retry

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/plainfmt"
)

// Spec is a policy as it is written in YAML and JSON: the name of a preset with
// keys that override it, or a policy by itself. What is left out is taken from
// the preset, else from [Default]. Reading is strict: see [ParseSpec].
type Spec struct {
	// Preset is one of [Presets] or "easyjob(30s, 2, 5)".
	Preset string `json:"preset,omitempty" given:"leave it out for none"`
	// MaxAttempts counts the first attempt too, 1 to 1 000 000. 0 is refused.
	MaxAttempts *int `json:"max_attempts,omitempty"`
	// Unlimited removes the limit on attempts. It excludes MaxAttempts.
	Unlimited bool `json:"unlimited,omitempty"`
	// Backoff overrides single keys of the preset's backoff, or replaces it when
	// its kind is another one.
	Backoff *BackoffSpec `json:"backoff,omitempty"`
	// Timeout limits each attempt. "0s" is no limit.
	Timeout *Duration `json:"timeout,omitempty"`
	// TTL limits all attempts and waits together. "0s" is no limit.
	TTL *Duration `json:"ttl,omitempty"`
	// FirstRunAfter delays the first attempt. "0s" is no delay.
	FirstRunAfter *Duration `json:"first_run_after,omitempty"`
	// Rules change what happens by category. The first match decides.
	Rules []RuleSpec `json:"rules,omitempty"`
	// RetryOn and NeverOn are the lists of [On] and [GiveUpOn].
	RetryOn []string `json:"retry_on,omitempty" number:"true"`
	NeverOn []string `json:"never_on,omitempty" number:"true"`
	// MaxCrashes is 3 to 1000.
	MaxCrashes *int `json:"max_crashes,omitempty"`
	// OrderOnDead is block, skip or park.
	OrderOnDead string `json:"order_on_dead,omitempty" given:"leave it out for block"`

	// Budget and Breaker protect the target of tasks. Left out they have defaults.
	Budget  *BudgetSpec  `json:"budget,omitempty"`
	Breaker *BreakerSpec `json:"breaker,omitempty"`

	// Fallback, Alert and Canary belong to the policy but not to this package: they
	// are kept as they were read, and [Spec.Policy] ignores them.
	Fallback json.RawMessage `json:"fallback,omitempty" strict:"true"`
	Alert    json.RawMessage `json:"alert,omitempty" strict:"true"`
	Canary   json.RawMessage `json:"canary,omitempty" strict:"true"`
}

// BackoffSpec is a backoff with its jitter. A key that the kind does not use is
// refused.
type BackoffSpec struct {
	// Kind is exponential (the default), fixed, linear, steps or fibonacci.
	Kind string `json:"kind,omitempty" given:"leave it out for exponential"`
	// Initial is the first interval, default 1s. Not for steps.
	Initial *Duration `json:"initial,omitempty"`
	// Multiplier is 1 to 100, default 2. Only for exponential.
	Multiplier *float64 `json:"multiplier,omitempty"`
	// Max caps the nominal delay. Left out or "0s" it is no cap, except that of the
	// preset. Not for fixed.
	Max *Duration `json:"max,omitempty"`
	// Step is the growth of linear, default Initial.
	Step *Duration `json:"step,omitempty"`
	// Steps are the delays of steps.
	Steps []Duration `json:"steps,omitempty"`
	// Jitter is additive by a tenth for fixed and full for the other kinds; a rule has
	// that of the policy, if the policy names one.
	Jitter *JitterSpec `json:"jitter,omitempty"`
}

// JitterSpec is a jitter: a name (full, equal, decorrelated, none), or an object
// with kind proportional or additive and x, or kind bounded or beta, from and to.
type JitterSpec struct {
	Kind string   `json:"kind"`
	X    *float64 `json:"x,omitempty"`
	From *float64 `json:"from,omitempty"`
	To   *float64 `json:"to,omitempty"`
}

// MarshalJSON writes the name when there is nothing else to say.
func (s JitterSpec) MarshalJSON() ([]byte, error) {
	if s.X == nil && s.From == nil && s.To == nil {
		return json.Marshal(s.Kind)
	}
	type object JitterSpec
	return json.Marshal(object(s))
}

// RuleSpec is a [Rule]. In JSON when is a list of categories or an expression.
type RuleSpec struct {
	When []Category `json:"-"`
	// If is an expression, in place of When; see [RegisterConditions].
	If          string       `json:"-"`
	Backoff     *BackoffSpec `json:"backoff,omitempty"`
	MaxAttempts *int         `json:"max_attempts,omitempty"`
	Then        Action       `json:"then,omitempty"`
}

// MarshalJSON writes the form that [ParseSpec] reads, in which when is a list of
// categories or an expression.
func (s RuleSpec) MarshalJSON() ([]byte, error) {
	type fields RuleSpec
	form := struct {
		When any `json:"when"`
		fields
	}{s.When, fields(s)}
	if s.If != "" {
		form.When = s.If
	}
	return json.Marshal(form)
}

// Policy checks the values and makes the policy. Its errors are joined
// [FieldError] values.
func (s *Spec) Policy() (*Policy, error) {
	whole := s
	if s.Preset != "" {
		base, err := presetSpec(s.Preset)
		if err != nil {
			return nil, s.refusedPreset(err)
		}
		whole = base.overriddenBy(s)
	}
	var f findings
	p := blank()
	whole.fill(p, &f)
	p.finish(&f)
	if len(f.errs) > 0 {
		return nil, f.err()
	}
	return p, nil
}

// refusedPreset is the error of a spec whose preset is refused, together with
// what is wrong with the rest of it.
func (s *Spec) refusedPreset(err error) error {
	var f findings
	for _, e := range FieldErrors(underPreset(err)) {
		f.errs = append(f.errs, e)
	}
	rest := *s
	rest.Preset, rest.Backoff = "", nil // what a backoff means depends on the preset's
	_, err = rest.Policy()
	return errors.Join(f.err(), err)
}

// underPreset puts the path of an error in a preset's parameters under "preset".
func underPreset(err error) error {
	var all []error
	for _, e := range FieldErrors(err) {
		moved := *e
		if moved.Field != "preset" {
			moved.Field = "preset." + moved.Field
		}
		all = append(all, &moved)
	}
	return errors.Join(all...)
}

// overriddenBy returns s with the keys that are present in other.
func (s *Spec) overriddenBy(other *Spec) *Spec {
	merged := *other
	if other.MaxAttempts == nil && !other.Unlimited {
		merged.MaxAttempts, merged.Unlimited = s.MaxAttempts, s.Unlimited
	}
	merged.Backoff = s.Backoff.overriddenBy(other.Backoff)
	if other.FirstRunAfter == nil {
		merged.FirstRunAfter = s.FirstRunAfter
	}
	return &merged
}

// overriddenBy returns s with the keys that are present in other, or other when
// it is of another kind.
func (s *BackoffSpec) overriddenBy(other *BackoffSpec) *BackoffSpec {
	if other == nil {
		return s
	}
	if s == nil || other.Kind != "" && other.Kind != s.Kind {
		return other
	}
	merged := *s
	if other.Initial != nil {
		merged.Initial = other.Initial
	}
	if other.Multiplier != nil {
		merged.Multiplier = other.Multiplier
	}
	if other.Max != nil {
		merged.Max = other.Max
	}
	if other.Step != nil {
		merged.Step = other.Step
	}
	if other.Steps != nil {
		merged.Steps = other.Steps
	}
	if other.Jitter != nil {
		merged.Jitter = other.Jitter
	}
	return &merged
}

// fill sets the policy's fields. Ranges are checked later, by [Policy.check].
func (s *Spec) fill(p *Policy, f *findings) {
	if s.MaxAttempts != nil {
		p.attempts = *s.MaxAttempts
		if s.Unlimited {
			f.refuse("unlimited", "leave one of them out", "true together with max_attempts %d", p.attempts)
		}
	}
	p.unlimited = s.Unlimited && s.MaxAttempts == nil
	if s.Backoff != nil {
		p.backoff, p.max = s.Backoff.backoff(f, "backoff")
		if s.Backoff.Jitter != nil {
			p.choose(s.Backoff.Jitter.jitter(f, "backoff.jitter"))
		}
	}
	p.timeout, p.ttl, p.firstRun = s.Timeout.or(0), s.TTL.or(0), s.FirstRunAfter.or(0)
	for i := range s.Rules {
		made := s.Rules[i].rule(f, plainfmt.Sprintf("rules[%d]", i))
		p.rules = append(p.rules, rule{Rule: made, broken: s.Rules[i].If != "" && made.If == nil})
	}
	p.retryOn, p.neverOn = append(p.retryOn, s.RetryOn...), append(p.neverOn, s.NeverOn...)
	if s.MaxCrashes != nil {
		p.maxCrashes = *s.MaxCrashes
	}
	if s.OrderOnDead != "" {
		p.order = s.OrderOnDead
	}
	if s.Budget != nil {
		p.wants.budget = s.Budget.config(f)
	}
	if s.Breaker != nil {
		p.wants.breaker = s.Breaker.config(f)
	}
}

func (s *RuleSpec) rule(f *findings, path string) Rule {
	r := Rule{When: append([]Category(nil), s.When...), Then: s.Then}
	if s.If != "" {
		r.If = condition(f, path+".when", s.If)
	}
	if s.MaxAttempts != nil {
		r.MaxAttempts = *s.MaxAttempts
		if r.MaxAttempts == 0 {
			f.refuse(path+".max_attempts", "leave it out to keep the policy's limit", "0 is outside 1 to %d", mostAttempts)
		}
	}
	if s.Backoff != nil {
		r.Backoff, r.Max = s.Backoff.backoff(f, path+".backoff")
		if s.Backoff.Jitter != nil {
			r.Jitter = s.Backoff.Jitter.jitter(f, path+".backoff.jitter")
		}
	}
	return r
}

// Spec returns the policy as it would be written, complete: [Spec.Policy] makes
// the same policy of it. What cannot be written is left out and named, by the
// options or keys that it comes from: functions ([Custom], [OnError], [OnType],
// [Classifiers]), backoffs and jitters that are not of this package, and what only
// calls in this process have, see [Policy.CallsOnly]. The caller owns the Spec.
func (p *Policy) Spec() (spec *Spec, unwritten []string) {
	spec = &Spec{
		Unlimited: p.unlimited, Timeout: written(p.timeout), TTL: written(p.ttl), FirstRunAfter: written(p.firstRun),
		RetryOn: append([]string(nil), p.retryOn...), NeverOn: append([]string(nil), p.neverOn...),
		MaxCrashes: new(p.maxCrashes), OrderOnDead: p.order,
	}
	if !p.unlimited {
		spec.MaxAttempts = new(p.attempts)
	}
	spec.Backoff, _ = backoffSpec(p.backoff, p.max)
	spec.Backoff.Jitter, _ = jitterForm(p.jitter, true)
	for i := range p.rules {
		r, _ := p.rules[i].spec()
		spec.Rules = append(spec.Rules, r)
	}
	p.wants.write(spec)
	return spec, partsInCode(p)
}

// partsInCode are those of a policy that cannot be written, nil for none.
func partsInCode(p *Policy) (parts []string) {
	note := func(part string, whole bool) {
		if !whole {
			parts = append(parts, part)
		}
	}
	_, whole := backoffSpec(p.backoff, p.max)
	note("backoff", whole)
	_, whole = jitterForm(p.jitter, true)
	note("jitter", whole)
	for i := range p.byError {
		note("rule for "+p.byError[i].selects+" (OnError, OnType)", false)
	}
	for i := range p.rules {
		_, whole = p.rules[i].spec()
		note(plainfmt.Sprintf("rules[%d]", i), whole)
	}
	_, whole = p.wants.breaker.spec()
	note("breaker", whole)
	note("Once", !p.final)
	note("Classifiers", len(p.run.classifiers) == 0)
	return append(parts, p.CallsOnly()...)
}

func (r *Rule) spec() (spec RuleSpec, whole bool) {
	spec = RuleSpec{When: append([]Category(nil), r.When...), Then: r.Then}
	if r.If != nil {
		spec.If = r.If.String()
	}
	if r.MaxAttempts > 0 {
		spec.MaxAttempts = new(r.MaxAttempts)
	}
	if r.Backoff == nil {
		return spec, r.Jitter == nil && r.Max == 0
	}
	spec.Backoff, whole = backoffSpec(r.Backoff, r.Max)
	if r.Jitter != nil {
		spec.Backoff.Jitter, whole = jitterForm(r.Jitter, whole)
	}
	return spec, whole
}

// Duration is a [time.Duration] that is written as in Go: "1.5s", "200ms".
type Duration time.Duration

// String returns the form that [ParseDuration] reads.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the form that [ParseDuration] reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [ParseDuration] reads.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(string(text))
	if err == nil {
		*d = Duration(parsed)
	}
	return err
}

func (d *Duration) or(other time.Duration) time.Duration {
	if d == nil {
		return other
	}
	return time.Duration(*d)
}

// ParseDuration reads a Go duration such as "1.5s" that is not negative. Its
// error is a [FieldError] without a field.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, &FieldError{
			Message: plainfmt.Sprintf("%.60q is not a duration", text),
			Hint:    "write it with units, such as 1.5s, 200ms or 2h30m, at most 292 years",
		}
	}
	if d < 0 {
		return 0, &FieldError{Message: plainfmt.Sprintf("%.60q is negative", text), Hint: "write 0s or more"}
	}
	return d, nil
}

// written is a duration that is left out when it is 0.
func written(d time.Duration) *Duration {
	if d == 0 {
		return nil
	}
	return duration(d)
}
