package retry

import (
	"math"
	"time"
)

// Attempt is what a [Backoff] may know about the attempt that failed.
type Attempt struct {
	// Number counts from 1.
	Number  int
	Verdict Verdict
	// Err is nil when only the verdict is known, as in [Policy.Plan].
	Err error
	// PreviousDelay is the wait before this attempt, 0 for the first one.
	PreviousDelay time.Duration
}

// Backoff gives the nominal delay before retry n, n = 1, 2, …, before any jitter.
// Nominal must be a pure function, safe for concurrent use, and never negative;
// a negative result is read as 0.
type Backoff interface {
	Nominal(n int, last Attempt) time.Duration
}

// BackoffOption is a backoff that can be given to [New] as it stands, or used as
// [Rule.Backoff].
type BackoffOption interface {
	Backoff
	Option
}

// capped is implemented by backoffs with a maximum of their own, 0 for none, and a
// first interval that it must not cut.
type capped interface {
	maximum() time.Duration
	start() time.Duration
}

// numbered is implemented by backoffs that look at nothing but the number of the
// retry, so that nobody has to tell them more.
type numbered interface{ at(n int) time.Duration }

func (b exponential) Nominal(n int, _ Attempt) time.Duration { return b.at(n) }
func (b fixed) Nominal(n int, _ Attempt) time.Duration       { return b.at(n) }
func (b linear) Nominal(n int, _ Attempt) time.Duration      { return b.at(n) }
func (b steps) Nominal(n int, _ Attempt) time.Duration       { return b.at(n) }
func (b fibonacci) Nominal(n int, _ Attempt) time.Duration   { return b.at(n) }

type exponential struct {
	initial    time.Duration
	multiplier float64
	max        time.Duration
}

// Exponential waits min(max, initial · multiplier^(n−1)). Initial must be
// positive, multiplier from 1 to 100, max 0 (none) or at least initial. Without
// a maximum n retries take initial · (multiplier^n − 1)/(multiplier − 1).
func Exponential(initial time.Duration, multiplier float64, max time.Duration) BackoffOption {
	return exponential{initial, multiplier, max}
}

func (b exponential) maximum() time.Duration { return b.max }
func (b exponential) start() time.Duration   { return b.initial }

func (b exponential) at(n int) time.Duration {
	return under(b.max, scale(b.initial, math.Pow(b.multiplier, float64(n-1))))
}

type fixed struct{ interval time.Duration }

// Fixed waits the same interval before each retry: never less, and up to a tenth
// more ([IntervalSpread]), unless a jitter is chosen. The interval must not be
// negative, and not 0 when attempts are unlimited.
func Fixed(interval time.Duration) BackoffOption { return fixed{interval} }

func (b fixed) at(int) time.Duration { return b.interval }

type linear struct{ initial, step, max time.Duration }

// Linear waits min(max, initial + (n−1) · step). A step of 0 stands for initial,
// which gives initial · n. Max 0 means none.
func Linear(initial, step, max time.Duration) BackoffOption { return linear{initial, step, max} }

func (b linear) maximum() time.Duration { return b.max }
func (b linear) start() time.Duration   { return b.initial }

func (b linear) at(n int) time.Duration {
	step := b.step
	if step == 0 {
		step = b.initial
	}
	return under(b.max, add(b.initial, times(step, int64(n-1))))
}

type steps []time.Duration

// Steps waits the n-th entry before retry n, and the last one for ever after. At
// least one entry is needed, none negative; see [Max] for a maximum.
func Steps(delays ...time.Duration) BackoffOption {
	return steps(append([]time.Duration(nil), delays...))
}

func (b steps) at(n int) time.Duration {
	if len(b) == 0 {
		return 0
	}
	return b[min(n, len(b))-1]
}

type fibonacci struct{ initial, max time.Duration }

// Fibonacci waits min(max, initial · fib(n)): 1, 1, 2, 3, 5, 8 … times initial.
// Max 0 means none.
func Fibonacci(initial, max time.Duration) BackoffOption { return fibonacci{initial, max} }

func (b fibonacci) maximum() time.Duration { return b.max }
func (b fibonacci) start() time.Duration   { return b.initial }

func (b fibonacci) at(n int) time.Duration {
	previous, current := time.Duration(0), b.initial
	for i := 1; i < n && current < math.MaxInt64; i++ {
		previous, current = current, add(previous, current)
	}
	return under(b.max, current)
}

type custom struct {
	delay func(n int, last Attempt) time.Duration
}

// Custom waits what delay returns, which must be a pure function, safe for
// concurrent use. See [Max] for a maximum.
func Custom(delay func(n int, last Attempt) time.Duration) BackoffOption { return custom{delay} }

func (b custom) Nominal(n int, last Attempt) time.Duration { return b.delay(n, last) }

// under is min(limit, d) where a limit of 0 means none.
func under(limit, d time.Duration) time.Duration {
	if limit > 0 && d > limit {
		return limit
	}
	return d
}

// add is a + b for values that are not negative, at most the largest duration.
func add(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times is d · n for values that are not negative, at most the largest duration.
func times(d time.Duration, n int64) time.Duration {
	if n <= 0 || d <= 0 {
		return 0
	}
	if int64(d) > math.MaxInt64/n {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}

// scale is d · factor rounded to the nearest nanosecond, at most the largest
// duration and never negative. A factor of 1 changes nothing.
func scale(d time.Duration, factor float64) time.Duration {
	if factor == 1 || d <= 0 {
		return max(d, 0)
	}
	product := math.Round(float64(d) * factor)
	switch {
	case product >= math.MaxInt64:
		return math.MaxInt64
	case product > 0:
		return time.Duration(product)
	default: // zero, negative or not a number
		return 0
	}
}
