package retry

import (
	"context"
	"iter"
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
// [Unknown] once and only if idempotent.
//
// Each attempt has a context of its own that ends with it; only the first one of
// a policy without [PerAttempt] gets ctx itself, so that success costs no
// allocation. Inside a retry of an outer Do, only [NotSent] failures are
// repeated: layers do not multiply; see [Outer].
func Do(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts ...CallOption) error {
	return fn(ctx)
}

// Value is [Do] for functions with a result.
func Value[T any](ctx context.Context, p *Policy, fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	return fn(ctx)
}

// ValueIf is [Value] with a predicate: results for which failed returns true are
// failures with that verdict. When they are not repeated any more, the last
// result is returned together with the error, whose Last is a [*ResultError].
func ValueIf[T any](ctx context.Context, p *Policy, failed func(T) (Verdict, bool), fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	return fn(ctx)
}

// Try is one attempt of the loop form.
type Try struct{}

// Attempts is the loop form of [Do]:
//
//	for a := range p.Attempts(ctx) {
//		err = a.Done(call(a.Context()))
//	}
//
// A loop that is left early, or whose body ends without Done, gives up. When a
// guard refuses the first attempt, the body runs once with a context that has
// ended already, and Done returns the refusal.
func (p *Policy) Attempts(ctx context.Context, opts ...CallOption) iter.Seq[*Try] { return nil }

// Context is the context of the attempt.
func (t *Try) Context() context.Context { return nil }

// Number counts from 1.
func (t *Try) Number() int { return 0 }

// Done ends the attempt. Nil ends the loop. Otherwise Done waits for the next
// attempt and returns err; or, when there is none, an [*Error].
func (t *Try) Done(err error) error { return err }

// Handle is an operation that runs in the background; see [Go].
type Handle struct{}

// Go is [Do] in the background. It holds no goroutine while it waits.
func Go(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts ...CallOption) *Handle {
	return nil
}

// Stop cancels the pending wait and the running attempt. After Stop no attempt
// starts.
func (h *Handle) Stop() {}

// Wait returns after the last attempt, with what [Do] would have returned.
func (h *Handle) Wait() error { return nil }

// Done is closed when the operation has ended.
func (h *Handle) Done() <-chan struct{} { return nil }

// Info says which attempt of an outer operation a context belongs to.
type Info struct {
	Attempt     int // from 1
	MaxAttempts int // 0 for unlimited
	Deadline    time.Time
}

// Outer returns the attempt that ctx belongs to; false for the first attempt of
// an operation without a per-attempt timeout, which needs no protection.
func Outer(ctx context.Context) (Info, bool) { return Info{}, false }

// WithOuter marks ctx as belonging to an attempt, for adapters that learn of it
// from a header.
func WithOuter(ctx context.Context, info Info) context.Context { return ctx }
