package retry

import (
	"strconv"
	"time"
)

// Spec returns the policy as it would be written, complete: [Spec.Policy] makes
// the same policy of it. What cannot be written is left out, and whole is then
// false: functions ([Custom], [OnError], [OnType]), backoffs and jitters that are
// not of this package, and what only calls in this process have, such as guards.
// The caller owns the Spec.
func (p *Policy) Spec() (spec *Spec, whole bool) {
	spec = &Spec{
		Unlimited: p.unlimited, Timeout: written(p.timeout), TTL: written(p.ttl), FirstRunAfter: written(p.firstRun),
		RetryOn: append([]string(nil), p.retryOn...), NeverOn: append([]string(nil), p.neverOn...),
		MaxCrashes: new(p.maxCrashes), OrderOnDead: p.order,
	}
	if !p.unlimited {
		spec.MaxAttempts = new(p.attempts)
	}
	spec.Backoff, whole = backoffSpec(p.backoff, p.max)
	spec.Backoff.Jitter, whole = jitterForm(p.jitter, whole)
	for i := range p.rules {
		r, ok := p.rules[i].spec()
		spec.Rules, whole = append(spec.Rules, r), whole && ok
	}
	whole = p.wants.write(spec) && whole
	return spec, whole && len(p.byError) == 0
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

// written is a duration that is left out when it is 0.
func written(d time.Duration) *Duration {
	if d == 0 {
		return nil
	}
	return duration(d)
}
