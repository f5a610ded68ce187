package retry

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/clock"
)

// settle takes the outcome of the attempt; true when there is another one, after
// the wait.
func (o *operation) settle(err error) bool {
	o.paid = 0
	if err == nil && o.policy.run.inTime && o.own != nil && o.own.expired() {
		err = o.own.bounds.cause()
	}
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
	now := clock.Now()
	if o.guarded {
		o.ticket.succeed(now)
	}
	if o.timed {
		o.policy.run.lengths().Add(o.ticket.took(now))
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
		o.failure.Now = clock.Now()
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
			return v.completed(err)
		}
	}
	if v, ok := o.policy.run.classified(err); ok {
		return v
	}
	var v Verdict
	var told bool
	if ended == nil && o.own != nil && o.own.bounds != nil {
		v, told = classifyIn(o.current, err) // its own time may be over
	} else {
		v, told = verdictOf(err)
	}
	if ended != nil && saysEnded(err, &v) { // whatever the cause
		v.Category = counted(Canceled, ended)
	}
	// What repeats no harm, and what is one exchange, need no proof.
	if !told && o.terms.safe != isIdempotent && !o.terms.exchange && !o.policy.run.exchange {
		v.doubt()
	}
	return v
}

// doubt takes back that nothing was sent, where that is known of a part of the
// operation only.
func (v *Verdict) doubt() {
	if v.Effect == NotSent {
		v.Effect = Maybe
	}
}

// classified asks the classifiers of the policy.
func (r *running) classified(err error) (Verdict, bool) {
	for _, c := range r.classifiers {
		if v, ok := c(err); ok {
			return v.completed(err), true
		}
	}
	return Verdict{}, false
}

// Classify says what an error means to the policy: what its classifiers say, else
// what the function [Classify] says, with one difference. That function judges the
// exchange that an error is about. An operation may have done more, such as a charge
// before the audit that was refused: only a classifier, or an error that describes
// itself ([Verdictor]), can know that nothing was sent at all. So [NotSent] is
// [Maybe] here where neither says it, and where an [*Error] says it of an operation
// inside. A nil error is [Unknown].
func (p *Policy) Classify(err error) Verdict {
	if err == nil {
		return Classify(nil)
	}
	if v, ok := p.run.classified(err); ok {
		return v
	}
	return provenVerdict(err)
}

// provenVerdict is a verdict that says only by somebody's word that nothing was sent.
func provenVerdict(err error) Verdict {
	v, told := verdictOf(err)
	if !told {
		v.doubt()
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

// usual is how long an attempt may be expected to take: as long as most have
// taken, else as this one. How long a lost one was waited for tells nothing.
func (o *operation) usual() time.Duration {
	if median, ok := o.policy.run.lengths().Quantile(0.5); ok {
		return median
	}
	if o.failure.Verdict.Category == Timeout || o.own != nil && o.own.expired() {
		return 0
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
		e.Elapsed = clock.Now().Sub(o.start)
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

// observeAttempt tells of an attempt that has ended.
func (o *operation) observeAttempt(now time.Time, err error, v *Verdict) {
	if told := o.policy.run.observer.Attempt; told != nil {
		told(AttemptEvent{
			Target: o.target.Name, Number: o.number, Hedge: o.hedge, Took: o.ticket.took(now), Err: err, Verdict: *v,
		})
	}
}

// observeWait tells of a wait that begins.
func (o *operation) observeWait(next *Decision) {
	if told := o.policy.run.observer.Wait; told != nil {
		told(WaitEvent{Target: o.target.Name, Number: o.number, Delay: next.Delay, Rule: next.Rule})
	}
}

// observeEnd tells of the end of the operation.
func (o *operation) observeEnd() {
	told := o.policy.run.observer.End
	if told == nil {
		return
	}
	told(EndEvent{Target: o.target.Name, Attempts: o.number, Elapsed: clock.Now().Sub(o.start), Err: o.result})
}
