package plan

import (
	"math"
	"slices"

	"github.com/outlast-dev/outlast/retry"
)

// Success is the probability that at least one of n independent attempts
// succeeds when each fails with probability f: 1 − f^n.
func Success(f float64, n int) float64 {
	if f >= 1 {
		return 0
	}
	return -math.Expm1(float64(n) * math.Log(f))
}

// Amplification is A(f) = (1 − f^n)/(1 − f), the attempts that a target gets for
// each first attempt when each of at most n attempts fails with probability f.
// It is n at f = 1. An n of 0 stands for no limit, and then it is 1/(1−f).
// Layers of n₁, n₂, … attempts have that of n₁·n₂·… attempts; see [Chain].
func Amplification(f float64, n int) float64 {
	switch {
	case n == 0:
		return 1 / (1 - f)
	case f >= 1:
		return float64(n)
	}
	return Success(f, n) / (1 - f)
}

// Chain is the number of attempts that reach the last of several layers at worst,
// when each layer repeats what the one below has given up: the product of their
// attempts. It is 0, unlimited, if one of them is. It stops at the largest int.
func Chain(attempts ...int) int {
	product := 1
	for _, n := range attempts {
		if n <= 0 {
			return 0
		}
		if product > math.MaxInt/n {
			product = math.MaxInt
			continue
		}
		product *= n
	}
	return product
}

// Load is what a policy does to a target that fails.
type Load struct {
	// Attempts is how many attempts one request makes at worst, through all
	// layers; 0 is unlimited. Layers is the product of the outer attempts alone.
	Attempts, Layers int
	// At lists A(f) over the fail rate, the planned one included.
	At []LoadAt
	// Stable is the largest utilization by first attempts from which the target
	// recovers by itself when all retries are made: 1/A(1). With unlimited attempts
	// it is 0. See Huang et al., "Metastable Failures in the Wild", OSDI 2022,
	// theorem 2.
	Stable float64
	// StableWithBudget is the same under the policy's retry budget, 0 without one:
	// 1/(1 + ratio).
	StableWithBudget float64
	// InFlight is rate · attempt time · A(f) at the planned fail rate, the attempts
	// under way at a time; InFlightWorst the same at f = 1, and InFlightHealthy at
	// f = 0. All are 0 when rate or attempt time is not known.
	InFlight, InFlightWorst, InFlightHealthy float64
}

// LoadAt is the amplification at one fail rate.
type LoadAt struct {
	FailRate      float64
	Amplification float64 // infinite for unlimited attempts at 1
	// WithBudget is the amplification of this layer under the policy's retry budget,
	// 1 + ratio · (1 − f) where that is less: first attempts pay for retries by the
	// share that succeeds. The floor of the budget comes on top. It is 0 without a
	// budget.
	WithBudget float64
}

// failRates are those of the table of loads.
var failRates = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95, 1}

func loadOf(attempts int, budget *retry.BudgetConfig, env Env) Load {
	l := Load{Layers: Chain(env.OuterAttempts...)}
	l.Attempts = Chain(l.Layers, attempts)
	rates := failRates
	if i, listed := slices.BinarySearch(failRates, env.FailRate); !listed {
		rates = slices.Insert(slices.Clone(failRates), i, env.FailRate)
	}
	for _, f := range rates {
		at := LoadAt{FailRate: f, Amplification: Amplification(f, l.Attempts)}
		if budget != nil {
			at.WithBudget = budgeted(f, attempts, budget)
		}
		l.At = append(l.At, at)
	}
	if l.Attempts > 0 {
		l.Stable = 1 / float64(l.Attempts)
	}
	if budget != nil {
		l.StableWithBudget = max(l.Stable, 1/(1+budget.Ratio))
	}
	if l.InFlightHealthy = env.Rate * env.AttemptTime.Seconds(); l.InFlightHealthy > 0 {
		l.InFlight = l.InFlightHealthy * Amplification(env.FailRate, l.Attempts)
		l.InFlightWorst = l.InFlightHealthy * Amplification(1, l.Attempts)
	}
	return l
}

// budgeted is the amplification under a budget, without its floor. It binds under
// pressure only, or always if that is negative.
func budgeted(f float64, attempts int, budget *retry.BudgetConfig) float64 {
	free := Amplification(f, attempts)
	if budget.Pressure > 0 && 1-f >= budget.Pressure {
		return free
	}
	return min(free, 1+budget.Ratio*(1-f))
}
