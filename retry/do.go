package retry

import (
	"context"
	"time"
)

// Do runs fn until it succeeds, its failure is not worth a retry, or nothing is
// left to try with. The error is then an [*Error] that holds the last real error.
//
// The chain around each attempt, from the outside: deadline, budget (retries
// only), throttle (first attempts only), breaker, limit, per-attempt timeout,
// call. Backoff and jitter lie between attempts. The budget is asked before the
// wait; a retry that the deadline leaves no time for is not waited for.
//
// A failure is repeated if its category allows it and repeating is safe: the
// effect is [NotSent], or the operation is declared [Idempotent], or a rule or
// [On] names it (unless declared [NotIdempotent]). [Bug] is never repeated,
// [Unknown] once and only if idempotent. [Policy.Repeat] is that decision.
//
// Each attempt has a context of its own that ends with it; only the first one of
// a policy without [PerAttempt] and [TTL] gets ctx itself, so that success costs
// no allocation. Inside a retry of an outer Do, only [NotSent] failures are
// repeated: layers do not multiply; see [Outer] and [Independent].
//
// A panic of fn passes through; what the attempt held of the guards is given
// back, and the breaker counts a failure.
func Do(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts ...CallOption) error {
	target, limited, swift := p.swift(ctx, opts)
	if !swift {
		return persist(ctx, p, fn, opts)
	}
	var k ticket
	if limited {
		k.began = clock()
	}
	if target == nil {
		if err := fn(ctx); err != nil {
			return resume(ctx, p, fn, opts, &k, err)
		}
		p.run.sample(k.began)
		return nil
	}
	k.target, k.first = target, true
	if target.Breaker != nil {
		permit, err := target.Breaker.acquireLazily(time.Time{})
		if err != nil {
			return refuse(ctx, p, opts, err)
		}
		k.permit = permit
	}
	if err := k.call(ctx, fn); err != nil {
		return resume(ctx, p, fn, opts, &k, err)
	}
	now := clock()
	k.permit.Success(now, 0)
	if target.Budget != nil {
		target.Budget.Record(now, true, true)
	}
	p.run.sample(k.began)
	return nil
}

// swift reports whether a first attempt needs nothing but its guards: no context
// of its own, nobody to tell how long it took. Most calls are like that and succeed
// at once, so that the state of an operation would be half of their cost. It
// returns the target, nil for one without guards, and whether the caller has a
// deadline.
func (p *Policy) swift(ctx context.Context, opts []CallOption) (target *Target, limited, ok bool) {
	if p.run.timed || p.firstRun > 0 || ctx.Err() != nil {
		return nil, false, false
	}
	target = &p.run.target
	if len(opts) > 0 {
		var t terms
		for _, opt := range opts {
			t = opt.change(t)
		}
		if t.target != nil {
			target = t.target
			if target.measures() {
				return nil, false, false
			}
		}
	}
	if !target.guards() {
		target = nil
	}
	_, limited = ctx.Deadline()
	return target, limited, true
}

// persist is the loop of Do.
func persist(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts []CallOption) error {
	var o operation
	o.open(ctx, p, opts)
	for o.pause() && o.begin() && o.settle(o.call(fn)) {
	}
	o.pace()
	return o.outcome()
}

// resume is persist after a first attempt that failed.
func resume(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts []CallOption, k *ticket, err error) error {
	var o operation
	o.open(ctx, p, opts)
	o.number, o.current, o.ticket = 1, ctx, *k
	if !k.began.IsZero() {
		o.start = k.began
	}
	for again := o.settle(err); again && o.pause() && o.begin(); again = o.settle(o.call(fn)) {
	}
	o.pace()
	return o.outcome()
}

// refuse is persist after a refusal of the first attempt.
func refuse(ctx context.Context, p *Policy, opts []CallOption, err error) error {
	var o operation
	o.open(ctx, p, opts)
	o.refuse(err)
	o.pace()
	return o.outcome()
}
