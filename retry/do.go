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
// operation is declared [Idempotent], or a rule, [On] or [OnAny] names the failure
// (unless declared [NotIdempotent]), or nothing was sent. The last is believed of a
// [Classifier], of an error that describes itself ([Verdictor]), and of an error's
// type only in an operation that is [OneExchange]. [Bug] is repeated by [OnAny] only,
// [Unknown] like the others if idempotent. [Policy.Repeat] is that decision.
//
// The context that fn gets belongs to the attempt: from the second attempt on, and
// with [PerAttempt] or [TTL] from the first, it ends with the attempt. Only a first
// attempt without these gets ctx itself, so that success costs no allocation. So what
// fn starts and leaves running must not use fn's context: it would live or end by the
// number of the attempt. Give it ctx, or [context.WithoutCancel]. A p that is nil or
// empty gives an [*Error] with a [FieldError], without an attempt. Inside a retry of an outer Do, only [NotSent] failures are
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

// persist is the loop of Do.
func persist(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts []CallOption) error {
	var o operation
	o.open(ctx, p, opts)
	for o.pause() && o.begin() && o.settle(o.call(fn)) {
	}
	o.pace()
	return o.outcome()
}
