package retry

import (
	"context"
	"errors"
	"time"
)

// operation is one call of [Do] or its kin: the steps of the chain, without the
// loop around them. Each form of Do is a loop of
//
//	pause → begin → the attempt → settle
//
// in which a step that returns false ends the operation, then pace and outcome.
// It is used by one goroutine at a time.
type operation struct {
	ctx    context.Context
	policy *Policy
	target *Target
	terms  terms

	number  int             // of attempts made, the one under way included
	current context.Context // of the attempt under way
	own     *attemptContext // current, when it is not the caller's
	ticket  ticket
	paid    float64       // tokens withdrawn for the attempt to come
	wait    time.Duration // before the attempt to come, or before the outcome
	pacing  bool          // wait is one before the outcome

	start    time.Time // zero until somebody needed a clock
	deadline time.Time // of all attempts, zero for none
	expires  bool      // the deadline is that of the TTL
	timed    bool      // attempts are measured
	guarded  bool      // the target has guards
	running  bool      // an attempt has begun and is not settled
	over     bool      // the outcome has been told
	hedge    bool      // a hedge decided the attempt
	nested   nesting

	failure Failure // the last one
	effect  Effect  // of all attempts
	last    error   // the last real error
	aside   bool    // failure is about another error than last, whose verdict is this
	verdict Verdict
	cut     error  // how a context cut the last attempt short, if last does not say it
	result  *Error // nil for a success
}

// nesting is whether the operation runs inside a repeated attempt, which is
// looked up after the first failure only.
type nesting uint8

const (
	notLookedUp nesting = iota
	outermost
	nested
)

// open starts the operation. Until an attempt fails it reads a clock only where
// something is measured.
func (o *operation) open(ctx context.Context, p *Policy, opts []CallOption) {
	o.ctx, o.policy = ctx, p
	o.target, o.guarded, o.timed = &p.run.target, p.run.guarded, p.run.timed
	o.terms.safe, o.wait = p.run.safe, p.firstRun
	if len(opts) > 0 {
		o.agree(opts)
	}
	if deadline, limited := ctx.Deadline(); limited {
		o.deadline, o.timed = deadline, true
	}
	if o.timed {
		o.start = clock()
	}
	if p.ttl > 0 {
		if end := o.start.Add(p.ttl); o.deadline.IsZero() || end.Before(o.deadline) {
			o.deadline, o.expires = end, true
		}
	}
	if o.wait > 0 && !o.deadline.IsZero() && !o.start.Add(o.wait).Before(o.deadline) {
		o.stop(ErrNoTime)
	}
}

// agree applies the options of the call.
func (o *operation) agree(opts []CallOption) {
	for _, opt := range opts {
		o.terms = opt.change(o.terms)
	}
	if t := o.terms.target; t != nil {
		o.target, o.guarded = t, t.guards()
		o.timed = o.timed || t.measures()
	}
}

// pause waits before the attempt to come; false when the caller's context ends
// first, or the operation was over before it began.
func (o *operation) pause() bool {
	if o.result != nil {
		return false
	}
	if o.wait > 0 && !sleep(o.ctx, o.wait) || o.ctx.Err() != nil {
		o.interrupted()
		return false
	}
	return true
}

// sleep waits for d; false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// interrupted ends the operation because the caller's context has ended.
func (o *operation) interrupted() {
	o.refund()
	o.stop(context.Cause(o.ctx))
}

// refund gives back the tokens of an attempt that is not made.
func (o *operation) refund() {
	if o.paid > 0 {
		o.target.Budget.Return(clock(), o.paid)
		o.paid = 0
	}
}

// begin asks the guards and makes the context of the attempt; false when a guard
// refuses.
func (o *operation) begin() bool {
	var now time.Time
	if o.timed {
		now = o.beginning()
	}
	if o.guarded && !o.admit(now) {
		return false
	}
	o.number++
	o.running, o.hedge, o.ticket.began, o.current, o.own = true, false, now, o.ctx, nil
	if o.number > 1 || o.policy.run.bounded {
		o.derive(now)
	}
	return true
}

// beginning is the time at which the attempt begins.
func (o *operation) beginning() time.Time {
	if o.number == 0 && o.policy.firstRun == 0 {
		return o.start
	}
	return clock()
}

// admit takes what the attempt needs from the guards.
func (o *operation) admit(now time.Time) bool {
	if err := o.ticket.take(o.target, now, o.number == 0, o.policy.run.random); err != nil {
		o.refuse(err)
		return false
	}
	return true
}

// refuse ends the operation because a guard refuses the attempt.
func (o *operation) refuse(err error) {
	o.refund()
	if o.number == 0 { // a later attempt has waited already
		o.wait, o.pacing = o.policy.usualDelay(), true
	}
	o.stop(err)
}

// usualDelay draws the delay before retry 1.
func (p *Policy) usualDelay() time.Duration {
	return max(0, p.jitter.Draw(p.window(&Failure{Attempt: 1}), p.run.random))
}

// derive makes a context that ends with the attempt. Its time is the per-attempt
// timeout or what is left of the TTL; the parent sees to the caller's deadline.
func (o *operation) derive(now time.Time) {
	number, most := int32(o.number), int32(o.policy.MaxAttempts())
	if limit := o.limit(now); limit.IsZero() {
		o.own = &attemptContext{parent: o.ctx, number: number, most: most}
	} else {
		c := &boundedContext{attemptContext{parent: o.ctx, number: number, most: most}, bounds{limit, o.deadline}}
		c.bounds = &c.times
		o.own = &c.attemptContext
	}
	o.current = o.own
}

// limit is when the time of an attempt that begins now is over by the policy's
// limits, zero for never before the caller's deadline.
func (o *operation) limit(now time.Time) time.Time {
	var limit time.Time
	if o.expires {
		limit = o.deadline
	}
	if o.policy.timeout > 0 {
		if own := now.Add(o.policy.timeout); o.deadline.IsZero() || own.Before(o.deadline) {
			limit = own
		}
	}
	return limit
}

// retract undoes begin: the attempt is not made.
func (o *operation) retract() {
	if o.guarded {
		o.ticket.cancel(clock())
	}
	if o.own != nil {
		o.own.end()
	}
	o.refund()
	o.running = false
	o.number--
}

// call makes the attempt. A panic or the end of the goroutine passes through, but
// what the attempt holds is given back.
func (o *operation) call(fn func(ctx context.Context) error) error {
	if !o.guarded && o.own == nil && !o.timed {
		return fn(o.current)
	}
	returned := false
	defer func() {
		if !returned {
			o.abandon(errAborted, Bug)
		}
	}()
	err := fn(o.current)
	returned = true
	return err
}

// abandon ends the operation in the middle of an attempt.
func (o *operation) abandon(reason error, c Category) {
	o.end(reason, &Verdict{Category: c, Effect: Maybe}, c)
	o.stop(reason)
	o.outcome() //nolint:errcheck // there is nobody to return it to
}

// settle takes the outcome of the attempt; true when there is another one, after
// the wait.
func (o *operation) settle(err error) bool {
	o.paid = 0
	if err != nil {
		return o.fail(err)
	}
	if o.guarded || o.timed {
		o.succeed()
	}
	if o.own != nil {
		o.own.end()
	}
	o.running = false
	return false
}

// succeed tells everybody about a success.
func (o *operation) succeed() {
	now := clock()
	if o.guarded {
		o.ticket.succeed(now)
	}
	if o.timed {
		o.policy.run.lengths().add(o.ticket.took(now))
		o.observeAttempt(now, nil, &Verdict{})
	}
}

// fail settles a failure.
func (o *operation) fail(err error) bool {
	ended := o.ctx.Err()
	v := o.judged(err, ended)
	o.end(err, &v, counted(v.Category, ended))
	return o.decide(ended)
}

// counted is the category that the guards are told: when the caller has hung up,
// whatever came back says nothing about the target.
func counted(c Category, ended error) Category {
	switch {
	case ended == nil:
		return c
	case errors.Is(ended, context.DeadlineExceeded):
		return Deadline
	}
	return Canceled
}

// end tells everybody how a failed attempt ended. Counted is the category that
// the guards are told.
func (o *operation) end(err error, v *Verdict, counted Category) {
	if o.guarded || o.timed || o.start.IsZero() {
		o.failure.Now = clock()
		if o.start.IsZero() {
			o.start = o.failure.Now
		}
	}
	if o.guarded {
		o.ticket.fail(o.failure.Now, counted)
	}
	if o.own != nil {
		o.own.end()
	}
	o.running = false
	o.remember(err, v)
	o.observeAttempt(o.failure.Now, err, v)
}

// remember keeps the failure and the last real error, which one that only says
// that a context ended does not replace.
func (o *operation) remember(err error, v *Verdict) {
	o.effect, o.cut = worse(o.effect, v.Effect), nil
	real := true
	switch v.Category {
	case Canceled, Deadline, Timeout:
		if !saysEnded(err, v) {
			break
		}
		if real = v.Category == Timeout || o.last == nil; !real {
			o.cut = err
		} else if o.own != nil {
			o.cut = o.own.limitCause()
		}
	}
	if real {
		o.last = err
	} else if !o.aside {
		o.verdict = o.failure.Verdict
	}
	o.aside = !real
	o.failure.Err, o.failure.Verdict = err, *v
}

// judged is classify. A panic of a classifier or of the error's own methods passes
// through, but what the attempt holds is given back; what it meant is not known.
func (o *operation) judged(err, ended error) Verdict {
	known := false
	defer func() {
		if !known {
			o.abandon(errAborted, Canceled)
		}
	}()
	v := o.classify(err, ended)
	known = true
	return v
}

// classify asks the call's classifier, those of the policy, and the tables. Ended
// is how the caller's context ended.
func (o *operation) classify(err, ended error) Verdict {
	if c := o.terms.classify; c != nil {
		if v, ok := c(err); ok {
			return completed(v, errorTypeOf(err))
		}
	}
	for _, c := range o.policy.run.classifiers {
		if v, ok := c(err); ok {
			return completed(v, errorTypeOf(err))
		}
	}
	if ended == nil && o.own != nil && o.own.bounds != nil {
		return ClassifyIn(o.current, err) // its own time may be over
	}
	v := Classify(err)
	if ended != nil && saysEnded(err, &v) { // whatever the cause
		v.Category = counted(Canceled, ended)
	}
	return v
}

// saysEnded reports whether an error says no more than that a context ended.
func saysEnded(err error, v *Verdict) bool { return isContextEnd(err) || isCancellation(v) }

// decide asks the policy and then the budget about a retry.
func (o *operation) decide(ended error) bool {
	f := &o.failure
	f.Attempt, f.Nested = o.number, o.isNested()
	if !o.deadline.IsZero() {
		f.Deadline, f.Usual = o.deadline, o.usual()
	}
	decision, reason := o.policy.repeat(f, o.terms.safe, o.policy.run.random)
	switch {
	case ended != nil && (reason == nil || saysEnded(f.Err, &f.Verdict)):
		o.stop(context.Cause(o.ctx))
		return false
	case reason != nil:
		o.stop(reason)
		return false
	}
	o.wait, f.PreviousDelay = decision.Delay, decision.Delay
	if !o.withdraw() {
		o.pacing = true
		o.stop(ErrBudget)
		return false
	}
	if f.Verdict.Category == Unknown {
		f.Unknowns++
	}
	o.observeWait(&decision)
	return true
}

// withdraw pays for the attempt to come.
func (o *operation) withdraw() bool {
	b := o.target.Budget
	if b == nil {
		return true
	}
	cost := b.Price(o.failure.Now, retryCost(&o.failure))
	ok, _ := b.Withdraw(o.failure.Now, cost)
	if ok {
		o.paid = cost
	}
	return ok
}

// usual is how long an attempt may be expected to take.
func (o *operation) usual() time.Duration {
	if median, ok := o.policy.run.lengths().quantile(0.5); ok {
		return median
	}
	return o.ticket.took(o.failure.Now)
}

// isNested reports whether the operation runs inside a repeated attempt.
func (o *operation) isNested() bool {
	if o.nested == notLookedUp {
		o.nested = outermost
		if o.terms.independent || o.policy.run.independent {
			return false
		}
		if isRepeated(o.ctx) {
			o.nested = nested
		}
	}
	return o.nested == nested
}

// stop ends the operation without success.
func (o *operation) stop(reason error) {
	e := &Error{Attempts: o.number, Reason: reason, Last: o.last, context: o.cut}
	if !o.start.IsZero() {
		e.Elapsed = clock().Sub(o.start)
	}
	if o.last != nil {
		if e.verdict = o.failure.Verdict; o.aside {
			e.verdict = o.verdict
		}
		e.verdict.Effect = o.effect
	}
	if end := o.ctx.Err(); e.context == nil && end != nil && !errors.Is(e, end) {
		e.context = end
	}
	o.result = e
}

// pace waits before the outcome where a guard refused and the policy wants that.
func (o *operation) pace() {
	if o.paces() {
		sleep(o.ctx, o.wait)
	}
}

// paces reports whether pace waits.
func (o *operation) paces() bool { return o.pacing && o.policy.run.exhausted == Pace }

// outcome is the error of the operation. Called again, it returns the same.
func (o *operation) outcome() error {
	if !o.over {
		o.over = true
		o.observeEnd()
	}
	if o.result == nil {
		return nil
	}
	return o.result
}
