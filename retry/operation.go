package retry

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/clock"
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
	if o.ctx, o.policy = ctx, p; !p.isMade() {
		o.policy, o.target = standIn, &standIn.run.target
		o.stop(errNoPolicy)
		return
	}
	o.target, o.guarded, o.timed = &p.run.target, p.run.guarded, p.run.timed
	o.terms.safe, o.wait = p.run.safe, p.firstRun
	if len(opts) > 0 {
		o.agree(opts)
	}
	if deadline, limited := ctx.Deadline(); limited {
		o.deadline, o.timed = deadline, true
	}
	if o.timed {
		o.start = clock.Now()
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

// standIn is the policy of operations that were given none, which make no attempt.
var standIn = Default()

// errNoPolicy is the reason of such operations.
var errNoPolicy error = &FieldError{
	Field: "policy", Message: "is nil, or empty", Hint: "make it with retry.New, retry.Preset or retry.Default",
}

// isMade reports whether the policy is one that something has made.
func (p *Policy) isMade() bool { return p != nil && p.backoff != nil }

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
		o.target.Budget.Return(clock.Now(), o.paid)
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
	if o.guarded {
		if !o.admit(now) {
			return false
		}
		now = o.ticket.began // after the wait for a guard
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
	return clock.Now()
}

// admit takes what the attempt needs from the guards.
func (o *operation) admit(now time.Time) bool {
	run := &o.policy.run
	err := o.ticket.take(o.target, now, o.number == 0, run.patience > 0, run.random)
	if err == nil {
		return true
	}
	if run.patience > 0 {
		err = o.await(err)
	}
	switch {
	case err == nil:
		return true
	case run.patience > 0 && !o.expires && !o.deadline.IsZero() && !clock.Now().Before(o.deadline):
		o.cut = context.DeadlineExceeded // if not yet, then in a moment
	case run.patience > 0 && o.ctx.Err() != nil:
		o.interrupted()
		return false
	}
	o.refuse(err)
	return false
}

// await waits for the guard that has refused with err, and for others that refuse
// then, up to [MaxWait]. It returns nil when the attempt has what it needs.
func (o *operation) await(err error) error {
	latest := clock.Now().Add(o.policy.run.patience)
	tooLate := latest.Add(1)
	if !o.deadline.IsZero() && o.deadline.Before(tooLate) {
		latest, tooLate = o.deadline, o.deadline // an attempt that begins then has no time
	}
	for more := true; more; {
		g := o.target.awaited(err)
		if g == nil {
			break
		}
		err, more = o.stand(g, err, latest, tooLate)
	}
	return err
}

// stand waits in the line of a guard that has refused. It returns nil, or a refusal
// and whether it is that of another guard, to be waited for instead.
func (o *operation) stand(g queued, refused error, latest, tooLate time.Time) (err error, more bool) {
	place := g.line().Enter()
	defer place.Leave()
	for now := clock.Now(); now.Before(tooLate) && o.ctx.Err() == nil; now = clock.Now() {
		ahead := place.Ahead()
		if ahead == 0 {
			if err := o.ticket.enter(now, true, g); !errors.Is(err, refused) {
				return err, err != nil
			}
		}
		at, sure := g.due(now, ahead)
		switch {
		case sure && (at.IsZero() || !at.Before(tooLate)), !now.Before(latest):
			return refused, false
		case ahead > 0 || at.IsZero() || at.After(latest):
			at = latest
		}
		place.Wait(o.ctx, at.Sub(now))
	}
	return refused, false
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
		o.ticket.cancel(clock.Now())
		if o.target.Rate != nil {
			o.target.Rate.Return()
		}
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
