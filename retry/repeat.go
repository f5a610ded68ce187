package retry

// Repetition is the answer of [Policy.Repeat].
type Repetition struct {
	Decision
	// Cost is how many tokens of the budget the retry takes, before [Budget.Price].
	Cost float64
	// Err is the reason in the form that [Error] carries, nil when Retry is true.
	Err error
}

// Repeat is [Policy.Decide] for calls in this process, as [Do] asks it. Durable
// tasks have a key that makes them idempotent; a call may have nothing, so that
// more is refused:
//
//   - [Bug] always, unless by [OnAny]: the same call meets the same bug;
//   - [Unknown], and an effect other than [NotSent], unless the operation is declared
//     [Idempotent];
//   - everything but [NotSent] inside a repeated attempt of an outer operation
//     ([Failure.Nested]), because the outer one repeats it.
//
// A rule that matches, [On] or [OnAny] waives the second, unless the operation is
// declared [NotIdempotent].
//
// Repeat is a pure function like Decide. The budget of the target is asked after
// it and before the wait, with Cost.
func (p *Policy) Repeat(f Failure, r Rand) Repetition {
	decision, err := p.repeat(&f, p.run.safe, r)
	if err != nil {
		return Repetition{Decision: decision, Err: err}
	}
	return Repetition{Decision: decision, Cost: retryCost(&f)}
}

// repeat is Repeat with what is declared for the call, without the cost.
func (p *Policy) repeat(f *Failure, safe repeatability, r Rand) (Decision, error) {
	decision := p.decide(f, r)
	if decision.Snooze && p.spent(f, nil) {
		return Decision{Reason: ReasonExhausted, Rule: decision.Rule}, reasonError(ReasonExhausted, f.Verdict.Category)
	}
	decision.Snooze = false
	if !decision.Retry {
		return decision, reasonError(decision.Reason, f.Verdict.Category)
	}
	if gate, err := p.gate(f, safe); err != nil {
		return Decision{Reason: ReasonRejected, Rule: gate}, err
	}
	return decision, nil
}

// gate refuses what would not be safe to repeat. It returns its name for
// [Decision.Rule], and the reason, nil to let the retry through.
func (p *Policy) gate(f *Failure, safe repeatability) (string, error) {
	c, sent := f.Verdict.Category, f.Verdict.Effect != NotSent
	switch {
	case c == Bug && !p.run.any:
		return string(Bug), ErrPermanent
	case f.Nested && sent:
		return "nested", ErrNested
	case safe == isIdempotent, !sent && c != Unknown:
		return "", nil
	case safe == undeclared && p.names(f, c):
		return "", nil
	case c == Unknown:
		return "effect", ErrUnknown
	}
	return "effect", ErrUnsafe
}

// names reports whether [On] or a rule names the failure.
func (p *Policy) names(f *Failure, c Category) bool {
	return selected(p.retryOn, &f.Verdict, c) || p.ruleFor(f, c) != nil
}

// retryCost is the price of a retry in tokens. After a first attempt that was not
// sent it is free.
func retryCost(f *Failure) float64 {
	c := f.Verdict.Category
	if c == Unsent && f.Attempt <= 1 {
		return 0
	}
	return c.Advice().Cost
}

// reasonError is the error of a reason of [Policy.Decide].
func reasonError(reason string, c Category) error {
	switch {
	case reason == ReasonPermanent, c == Canceled:
		return ErrPermanent
	case reason == ReasonExhausted:
		return ErrAttempts
	case reason == ReasonExpired:
		return ErrNoTime
	}
	return ErrRejected
}
