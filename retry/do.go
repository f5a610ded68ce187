package retry

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/clock"
)

// Do runs fn until it succeeds, its failure is not worth a retry, or nothing is
// left to try with. The error is then an [*Error] that holds the last real error.
//
// The chain around each attempt, from the outside: deadline, budget (retries
// only), throttle (first attempts only), breaker, limit, rate, per-attempt timeout,
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
		k.began = clock.Now()
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
	now := clock.Now()
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

// swift reports whether a first attempt needs nothing but its guards: no context
// of its own, nobody to tell how long it took. Most calls are like that and succeed
// at once, so that the state of an operation would be half of their cost. It
// returns the target, nil for one without guards, and whether the caller has a
// deadline.
func (p *Policy) swift(ctx context.Context, opts []CallOption) (target *Target, limited, ok bool) {
	if !p.isMade() || p.run.timed || p.firstRun > 0 || ctx.Err() != nil {
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

// sample counts an attempt that began then and has just succeeded, if nobody else
// measures it. Zero counts nothing.
func (r *running) sample(began time.Time) {
	if began.IsZero() {
		return
	}
	if l := r.lengths(); l.Wants(began) {
		l.Add(clock.Now().Sub(began))
	}
}

// Value is [Do] for functions with a result. Together with an error it returns
// what the last attempt returned.
func Value[T any](ctx context.Context, p *Policy, fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	var value T
	err := Do(ctx, p, func(ctx context.Context) (err error) {
		value, err = fn(ctx)
		return err
	}, opts...)
	return value, err
}

// ValueIf is [Value] with a predicate: results for which failed returns true are
// failures with that verdict. When they are not repeated any more, the last
// result is returned together with the error, whose Last is a [*ResultError].
func ValueIf[T any](ctx context.Context, p *Policy, failed func(T) (Verdict, bool), fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	return Value(ctx, p, func(ctx context.Context) (T, error) {
		value, err := fn(ctx)
		if err != nil {
			return value, err
		}
		if verdict, bad := failed(value); bad {
			return value, &ResultError{Value: value, Verdict: verdict}
		}
		return value, nil
	}, opts...)
}

// ResultError is a result that counts as a failure; see [ValueIf].
type ResultError struct {
	Value   any
	Verdict Verdict
}

// Error names the type of the result and the category. It does not show the
// result, which may be large or secret.
func (e *ResultError) Error() string {
	category := e.Verdict.Category
	if category == "" {
		category = Unknown
	}
	return fmt.Sprintf("retry: a result of type %T counts as %s", e.Value, category)
}

// RetryVerdict is the verdict of the predicate.
func (e *ResultError) RetryVerdict() Verdict { return e.Verdict }

// Fallback is an answer for when there is none. It is put around any call that
// returns a value and an error:
//
//	answer, err := retry.Fallback[int]{Value: 7}.Answer(retry.Value(ctx, p, ask))
//
// so that the guards and the observer of the call have seen the failure before. The
// zero Fallback answers with the zero value.
type Fallback[T any] struct {
	// Value is the answer, unless Func is set.
	Value T
	// Func, when not nil, finds the answer. An error of it is joined to that of the
	// call.
	Func func(failed error) (T, error)
	// If, when not nil, chooses the errors for which there is an answer. By default
	// that is all but the end of a context by a cancellation: who has stopped a call
	// waits for none.
	If func(failed error) bool
}

// Answer is what a call has returned, or the fallback.
type Answer[T any] struct {
	Value T
	// Failed is nil for the call's own answer. Otherwise Value is that of the
	// fallback, and Failed is what the call failed with.
	Failed error
}

// Answer takes what a call has returned. Together with an error, which then has that
// of the call in it, Value is what the call has returned. A call without a policy
// (nil, or empty) is a mistake and gets no answer.
func (f Fallback[T]) Answer(value T, err error) (Answer[T], error) {
	if err == nil || errors.Is(err, errNoPolicy) || !f.answers(err) {
		return Answer[T]{Value: value}, err
	}
	if f.Func == nil {
		return Answer[T]{f.Value, err}, nil
	}
	second, failed := f.Func(err)
	if failed != nil {
		return Answer[T]{Value: value}, &fallbackError{err, failed}
	}
	return Answer[T]{second, err}, nil
}

func (f Fallback[T]) answers(err error) bool {
	if f.If != nil {
		return f.If(err)
	}
	return !errors.Is(err, context.Canceled)
}

// fallbackError is the failure of a call and that of its fallback.
type fallbackError struct{ call, fallback error }

func (e *fallbackError) Error() string {
	return e.call.Error() + "; the fallback: " + e.fallback.Error()
}

func (e *fallbackError) Unwrap() []error { return []error{e.call, e.fallback} }

// RetryVerdict is that of the call. The effect is that of both.
func (e *fallbackError) RetryVerdict() Verdict {
	v, second := provenVerdict(e.call), provenVerdict(e.fallback)
	v.Effect = worse(v.Effect, second.Effect)
	return v
}

// Last is the error of the last attempt that [Do] and its kin made, as it was, and
// the reason of an operation that made none. Any other error stays what it is.
func Last(err error) error {
	failed, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return err
	case failed.Last != nil:
		return failed.Last
	case failed.Reason != nil:
		return failed.Reason
	}
	return err
}

// Try is one attempt of the loop form. It is not safe for concurrent use.
type Try struct {
	operation *operation
	ctx       context.Context
	number    int
	done      bool
	next      bool  // Done has begun another attempt
	result    error // of Done
}

// Attempts is the loop form of [Do]:
//
//	for a := range p.Attempts(ctx) {
//		err = a.Done(call(a.Context()))
//	}
//
// A loop that is left early, or whose body ends without Done, gives up. When not
// even the first attempt may be made, because a guard refuses it or ctx has ended,
// the body runs once with a context that has ended, and Done returns the reason.
func (p *Policy) Attempts(ctx context.Context, opts ...CallOption) iter.Seq[*Try] {
	return func(yield func(*Try) bool) {
		var o operation
		o.open(ctx, p, opts)
		if !o.pause() || !o.begin() {
			yield(o.refused())
			return
		}
		var t *Try
		defer func() { t.leave() }()
		for again := true; again; again = t.next {
			t = &Try{operation: &o, ctx: o.current, number: o.number}
			if !yield(t) {
				return
			}
		}
	}
}

// refused is the only attempt of an operation that may not make any.
func (o *operation) refused() *Try {
	ctx, cancel := context.WithCancelCause(o.ctx)
	cancel(o.result.Reason)
	return &Try{operation: o, ctx: ctx, number: 1}
}

// leave ends the operation if its loop was left before that.
func (t *Try) leave() {
	o := t.operation
	switch {
	case t.next: // by a break after Done: the attempt that Done has begun is not made
		o.retract()
		o.stop(errAbandoned)
		o.outcome() //nolint:errcheck // nobody asks any more
	case o.running:
		o.abandon(errAbandoned, Canceled)
	}
}

// Context is the context of the attempt.
func (t *Try) Context() context.Context { return t.ctx }

// Number counts from 1.
func (t *Try) Number() int { return t.number }

// Done ends the attempt. Nil ends the loop. Otherwise Done waits for the next
// attempt and returns err; or, when there is none, an [*Error]. Called again, it
// returns the same.
func (t *Try) Done(err error) error {
	if t.done {
		return t.result
	}
	t.done = true
	o := t.operation
	if o.running && o.settle(err) && o.pause() && o.begin() {
		t.next, t.result = true, err
		return err
	}
	o.pace()
	t.result = o.outcome()
	return t.result
}
