package retry

import (
	"context"
	"time"
)

// HedgeConfig starts a second copy of an attempt beside a slow first one (Dean
// and Barroso, "The Tail at Scale", 2013). Only operations that are declared
// [Idempotent] are hedged, and only by [Hedged].
type HedgeConfig struct {
	// After is how long to wait before a hedge. With Quantile above 0, at most
	// 0.99, it is that quantile of the recent lengths of successful attempts of
	// the policy, and After until enough are known: at least ten, of which two are
	// longer than the quantile.
	After    time.Duration
	Quantile float64
	// Most is how many hedges one attempt may have. Default 1, at most 4.
	Most int
	// Discard, when not nil, is given the results of copies that succeeded too
	// late, to release what they hold. It is called from their own goroutines.
	Discard func(result any)
}

// Hedge says when [Hedged] starts a second copy of an attempt. A hedge needs what
// a retry needs of the guards that the operation has: one token of its budget, also
// while that does not bind, and permits of its breaker and its limit. The one that
// is refused is not started.
// Without a budget nothing bounds hedges but Most. Package retryhttp hedges too;
// retrygrpc, retrysql and retrypgx do not, as [Do] does not.
func Hedge(c HedgeConfig) Option {
	return runOption(func(r *running) {
		if c.Most == 0 {
			c.Most = 1
		}
		r.hedge, r.hedged = c, true
	})
}

// Hedged is [Value] with hedging as the policy's [Hedge] says. Fn may run several
// times at once, and so must return what it finds rather than assign it. The first
// success decides; the contexts of the other copies end then, with a cause that
// says so, and their outcomes count for nothing. A copy that fails waits for the
// others.
//
// Without Hedge, without [Idempotent], and inside a repeated attempt of an outer
// operation, Hedged is Value. [Do], [Value], [Attempts] and [Go] do not hedge,
// because they promise to run one attempt at a time.
//
// A panic of a copy goes on in the caller, unless the outcome is decided already.
func Hedged[T any](ctx context.Context, p *Policy, fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	var o operation
	o.open(ctx, p, opts)
	if !o.policy.run.hedged || o.terms.safe != isIdempotent || o.isNested() {
		return Value(ctx, p, fn, opts...)
	}
	var value T
	copies := func(context.Context) (err error) {
		value, err = race(&o, fn)
		return err
	}
	for o.pause() && o.begin() && o.settle(o.call(copies)) {
	}
	o.pace()
	return value, o.outcome()
}

// mostHedges bounds the copies of one attempt.
const mostHedges = 4

// check refuses what makes no sense.
func (c *HedgeConfig) check(f *findings) {
	if c.After <= 0 {
		f.refuse("hedge.after", "", "%v is not longer than 0", c.After)
	}
	if !(c.Quantile >= 0 && c.Quantile <= mostQuantile) {
		f.refuse("hedge.quantile", "", "%v is outside 0 to %v", c.Quantile, mostQuantile)
	}
	if c.Most < 1 || c.Most > mostHedges {
		f.refuse("hedge.most", "", "%d is outside 1 to %d", c.Most, mostHedges)
	}
}

// hedgeDelay is how long a copy runs alone.
func (r *running) hedgeDelay() time.Duration {
	if r.hedge.Quantile > 0 {
		if d, ok := r.lengths().quantile(r.hedge.Quantile); ok {
			return d
		}
	}
	return r.hedge.After
}
