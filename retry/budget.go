package retry

import "time"

// BudgetConfig says how many retries a target bears. Zero fields take the
// defaults.
type BudgetConfig struct {
	// Ratio is how many retries each first attempt pays for, 0 to 1, scaled by
	// the share of attempts that succeeded lately. Default 0.1.
	Ratio float64
	// Floor is how many retries a second are allowed whatever the load, scaled
	// like Ratio, but never below one in five seconds. Default 1.
	Floor float64
	// Burst is how many tokens can be held. Default 10. A new budget holds one.
	Burst float64
	// Pressure is the success share below which the budget binds; above it every
	// retry is granted (and counted). 0 means that it always binds.
	Pressure float64
}

// Budget bounds retries of one target: in any ten seconds at most
// Ratio · first attempts + Floor · 10 + Burst tokens are spent. It is safe for
// concurrent use; recording a success takes one atomic addition.
type Budget struct{ config BudgetConfig }

// NewBudget makes a budget. Refused values are joined [FieldError] values on
// "budget.ratio" and so on.
func NewBudget(config BudgetConfig) (*Budget, error) { return &Budget{config: config}, nil }

// Record counts an attempt that has ended. First tells that it was no retry.
// Attempts that say nothing about the target (canceled by the caller) are not
// recorded.
func (b *Budget) Record(now time.Time, first, success bool) {}

// Withdraw takes cost tokens for a retry, before its wait. Refused, it says how
// long it takes at the present rates until there are enough.
func (b *Budget) Withdraw(now time.Time, cost float64) (ok bool, wait time.Duration) {
	return true, 0
}

// Return gives tokens back: the retry was not made.
func (b *Budget) Return(now time.Time, cost float64) {}

// Share is the share of attempts that succeeded in the last ten seconds, and
// never fewer than the last five; 1 when there were none.
func (b *Budget) Share(now time.Time) float64 { return 1 }

// Split divides Floor among n nodes that use the same target.
func (b *Budget) Split(n int) {}

// BudgetState is a budget at one moment.
type BudgetState struct {
	Tokens  float64
	Share   float64 // of successes, see [Budget.Share]
	First   int64   // first attempts in the last ten seconds
	Retries int64   // retries in the last ten seconds
	Denied  int64   // refused withdrawals since the start
}

// State returns the budget as it stands.
func (b *Budget) State(now time.Time) BudgetState { return BudgetState{} }
