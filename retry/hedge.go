package retry

import (
	"time"

	"github.com/outlast-dev/outlast/retry/internal/lengths"
)

// HedgeConfig starts a second copy of an attempt beside a slow first one (Dean
// and Barroso, "The Tail at Scale", 2013). Only operations that are declared
// [Idempotent] are hedged, and only by [Hedged].
type HedgeConfig struct {
	// After is how long to wait before a hedge, not 0; negative starts it beside the
	// first copy. With Quantile above 0, at most 0.99, it is that quantile of the
	// recent lengths of successful attempts of the policy, and After until enough are
	// known: at least ten, of which two are longer than the quantile.
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
// while that does not bind, and permits of its breaker, its limit and its rate. The one that
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

// mostHedges bounds the copies of one attempt.
const mostHedges = 4

// check refuses what makes no sense.
func (c *HedgeConfig) check(f *findings) {
	if c.After == 0 {
		f.refuse("hedge.after", "negative starts hedges at once", "is 0")
	}
	if !(c.Quantile >= 0 && c.Quantile <= lengths.MostQuantile) {
		f.refuse("hedge.quantile", "", "%v is outside 0 to %v", c.Quantile, lengths.MostQuantile)
	}
	if c.Most < 1 || c.Most > mostHedges {
		f.refuse("hedge.most", "", "%d is outside 1 to %d", c.Most, mostHedges)
	}
}

// hedgeDelay is how long a copy runs alone.
func (r *running) hedgeDelay() time.Duration {
	if r.hedge.Quantile > 0 {
		if d, ok := r.lengths().Quantile(r.hedge.Quantile); ok {
			return d
		}
	}
	return r.hedge.After
}
