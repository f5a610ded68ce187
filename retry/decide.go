package retry

import "time"

// Why a task is not retried; see [Decision.Reason].
const (
	// ReasonExhausted means that the attempts are used up.
	ReasonExhausted = "exhausted"
	// ReasonPermanent means that the failure is [Permanent], also when a rule had
	// granted it more attempts.
	ReasonPermanent = "permanent"
	// ReasonExpired means that no time is left for another attempt.
	ReasonExpired = "expired"
	// ReasonRejected means that the receiver, a rule or [GiveUpOn] forbids a retry, or
	// that the caller canceled.
	ReasonRejected = "rejected"
)

// Constants of the advice on delays that categories carry.
const (
	// ThrottledFloor is the least wait after [Throttled] without a hint.
	ThrottledFloor = time.Second
	// HintSpread is how far delays are spread above a floor: U[1, 1.25) times it.
	HintSpread = 1.25
	// HintCap bounds the receiver's hints when the policy has no cap.
	HintCap = 24 * time.Hour
	// UnsentDivisor: the fast retry after [Unsent] is drawn from U[0, d/4).
	UnsentDivisor = 4
	// ConflictInitial, ConflictMultiplier and ConflictMax are the backoff after
	// [Conflict], with full jitter. It is fast because the database has already
	// chosen its victim.
	ConflictInitial    = 50 * time.Millisecond
	ConflictMultiplier = 2.0
	ConflictMax        = time.Second
)

// conflictBackoff is the backoff of the constants above.
var conflictBackoff = exponential{ConflictInitial, ConflictMultiplier, ConflictMax}

// Decision is the answer of [Policy.Decide].
type Decision struct {
	// Retry tells whether there is another attempt.
	Retry bool
	// Snooze tells, beside Retry, that the failed attempt does not count; see
	// [SnoozeTask].
	Snooze bool
	// Delay is the wait before it, counted from [Failure.Now].
	Delay time.Duration
	// Reason is one of the Reason constants, empty when Retry is true.
	Reason string
	// Rule names what decided, for log lines: "policy", "hint", "never_on",
	// "retry_on", "rule 2: network,timeout", "error rule 1: …", or the category
	// whose advice decided: "unsent", "conflict", "throttled".
	Rule string
}

// Decide says whether and when the attempt after a failed one runs. It is a pure
// function of its arguments and the numbers that it draws from r (nil for the
// global generator), and allocates nothing unless a custom part does.
//
// Whether: a receiver's "never" comes first, then [GiveUpOn], then the first rule
// that matches ([OnError] and [OnType] before [Rules]), then [On], then the
// category's advice, then the number of attempts. [Bug] and [Unknown] are retried
// like [Unavailable].
//
// When: the backoff's nominal delay is capped, then jittered. Three categories
// carry advice on delays, followed unless the matching rule has a backoff of its
// own. After the first attempt [Unsent] waits U[0, d/4), later as usual; but
// only where nobody chose a backoff: a schedule that somebody wrote down is
// kept to the letter.
// [Conflict] uses the Conflict constants, or the backoff's delay where that is
// shorter; an interval ([Fixed]) is kept. [Throttled] without a hint waits at least [ThrottledFloor].
//
// A hint is a floor: cut to the cap, then spread upwards by [HintSpread]; it never
// shortens the delay. A retry that would not start before the deadline, or not end
// by it if it takes as long as usual, is not made: starting exactly at the
// deadline leaves no time, ending exactly at it fits. Delays are never shortened
// to fit, because that would line clients up.
func (p *Policy) Decide(f Failure, r Rand) Decision { return p.decide(&f, r) }

// decide is Decide. It completes what the failure leaves open.
func (p *Policy) decide(f *Failure, r Rand) Decision {
	f.Attempt = max(f.Attempt, 1)
	if f.Verdict.Category == "" {
		f.Verdict.Category = Unknown
	}
	category := f.Verdict.Category
	rule, name, reason := p.judge(f, category)
	snooze := reason == "" && rule != nil && rule.Then == SnoozeTask && !p.final
	if reason == "" && !snooze && p.spent(f, rule) {
		reason = stopReason(category, ReasonExhausted)
	}
	if reason != "" {
		return Decision{Reason: reason, Rule: name}
	}
	delay, name := p.delay(f, category, rule, name, r)
	if f.late(delay) {
		return Decision{Reason: ReasonExpired, Rule: name}
	}
	return Decision{Retry: true, Snooze: snooze, Delay: delay, Rule: name}
}

// judge applies everything but limits. It returns the matching rule, if any, the
// name of what decided, and the reason not to retry, empty to retry.
func (p *Policy) judge(f *Failure, c Category) (matched *rule, name, reason string) {
	if f.Verdict.Hint.GiveUp {
		return nil, "hint", ReasonRejected
	}
	if selected(p.neverOn, &f.Verdict, c) {
		return nil, "never_on", stopReason(c, ReasonRejected)
	}
	if r := p.ruleFor(f, c); r != nil {
		if r.Then.GivesUp() {
			return r, r.name, stopReason(c, ReasonRejected)
		}
		return r, r.name, ""
	}
	if c.Advice().Retry {
		return nil, "policy", ""
	}
	if selected(p.retryOn, &f.Verdict, c) {
		return nil, "retry_on", ""
	}
	if c == Deadline {
		return nil, "policy", ReasonExpired
	}
	return nil, "policy", stopReason(c, ReasonRejected)
}

// stopReason is ReasonPermanent for permanent failures, else the given one.
func stopReason(c Category, reason string) string {
	if c == Permanent {
		return ReasonPermanent
	}
	return reason
}

// spent reports whether the failed attempt was the last one.
func (p *Policy) spent(f *Failure, matched *rule) bool {
	if p.final {
		return true
	}
	limit := p.MaxAttempts()
	if f.MaxAttempts > 0 {
		limit = f.MaxAttempts
	}
	if matched != nil && matched.MaxAttempts > 0 && (limit == 0 || matched.MaxAttempts < limit) {
		limit = matched.MaxAttempts
	}
	return limit > 0 && f.Attempt >= limit
}

// delay draws the wait and returns it with the name of what decided it.
func (p *Policy) delay(f *Failure, c Category, matched *rule, name string, r Rand) (time.Duration, string) {
	source := &p.schedule
	if matched != nil {
		source = &matched.schedule
	}
	window, jitter := source.window(f), source.jitter
	advised := matched == nil || matched.Rule.Backoff == nil
	switch {
	case advised && c == Conflict && !source.exact:
		window.Nominal = min(window.Nominal, conflictBackoff.at(f.Attempt))
		jitter, name = fullJitter, string(Conflict)
	case advised && c == Unsent && f.Attempt == 1 && source.builtIn:
		window.Nominal /= UnsentDivisor
		jitter, name = fullJitter, string(Unsent)
	}
	delay := max(0, jitter.Draw(window, r))

	floor := hintFloor(f.Verdict.Hint.After, source.max)
	if floor > delay {
		return above(floor, r), "hint"
	}
	if floor == 0 && advised && c == Throttled && delay < ThrottledFloor {
		return above(ThrottledFloor, r), string(Throttled)
	}
	return delay, name
}

// hintFloor is the hint under the cap, 0 when there is none.
func hintFloor(hint, limit time.Duration) time.Duration {
	if limit == 0 {
		limit = HintCap
	}
	return max(0, min(hint, limit))
}

// above spreads a floor upwards.
func above(floor time.Duration, r Rand) time.Duration {
	high := scale(floor, HintSpread)
	if high <= floor {
		return floor
	}
	return between(floor, high, uniform(r))
}

// late reports whether an attempt after the delay has no time to run.
func (f *Failure) late(delay time.Duration) bool {
	if f.Deadline.IsZero() {
		return false
	}
	start := f.Now.Add(delay)
	return !start.Before(f.Deadline) || start.Add(f.Usual).After(f.Deadline)
}

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
