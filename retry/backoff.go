package retry

import (
	"math"
	"math/rand/v2"
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

// The kinds of backoffs. The options that make them say what they wait.

type exponential struct {
	initial    time.Duration
	multiplier float64
	max        time.Duration
}

func (b exponential) maximum() time.Duration { return b.max }
func (b exponential) start() time.Duration   { return b.initial }

func (b exponential) at(n int) time.Duration {
	return under(b.max, scale(b.initial, math.Pow(b.multiplier, float64(n-1))))
}

type fixed struct{ interval time.Duration }

func (b fixed) at(int) time.Duration { return b.interval }

type linear struct{ initial, step, max time.Duration }

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

func (b steps) at(n int) time.Duration {
	if len(b) == 0 {
		return 0
	}
	return b[min(n, len(b))-1]
}

type fibonacci struct{ initial, max time.Duration }

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

// seconds is a duration of so many seconds, at most the longest there is.
func seconds(s float64) time.Duration {
	if s >= math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	return time.Duration(s * 1e9)
}

// dust covers rounding: five accruals of 0.2 are one token.
const dust = 1e-9

// Rand is a source of random numbers, uniform in [0, 1). *rand.Rand of
// math/rand/v2 is one; it is not safe for concurrent use, and then neither is a
// call that gets it. Where a Rand is asked for, nil means the global generator of
// math/rand/v2, which has no lock to contend for.
type Rand interface{ Float64() float64 }

// Window is what a [Jitter] draws from. The cap of a policy has been applied to
// Nominal already: the window is capped, a draw never is, so that clients stay
// spread out at the cap.
type Window struct {
	// Nominal is the capped delay before jitter.
	Nominal time.Duration
	// First is the nominal delay of the first retry.
	First time.Duration
	// Previous is the delay before the attempt that failed, 0 for the first one.
	Previous time.Duration
	// Max is the cap, 0 for none.
	Max time.Duration
}

// Jitter draws a delay from a window.
type Jitter interface {
	// Draw returns a delay within Bounds. It is a pure function of its arguments;
	// r may be nil.
	Draw(w Window, r Rand) time.Duration
	// Bounds returns the lowest delay and the one that no draw reaches. They are
	// equal when there is nothing to draw. The mean of every jitter of this
	// package lies in the middle.
	Bounds(w Window) (low, high time.Duration)
}

// spread draws d · U[from, to) around the nominal delay d.
type spread struct {
	name     string
	from, to float64
}

// IntervalSpread is how far waits of [Fixed] are spread upwards when nobody chooses
// a jitter: an interval is never cut short.
const IntervalSpread = 0.1

// fullJitter and intervalJitter are made once so that Decide does not allocate.
var (
	fullJitter     Jitter = spread{"full", 0, 1}
	intervalJitter Jitter = additive(IntervalSpread)
)

// usualJitter is the jitter of a schedule for which nobody chose one.
func usualJitter(interval bool) Jitter {
	if interval {
		return intervalJitter
	}
	return fullJitter
}

// additive is d + U[0, x·d).
func additive(x float64) spread { return spread{"additive", 1, 1 + x} }

func (j spread) Bounds(w Window) (low, high time.Duration) {
	return scale(w.Nominal, j.from), scale(w.Nominal, j.to)
}

func (j spread) Draw(w Window, r Rand) time.Duration {
	low, high := j.Bounds(w)
	if low >= high {
		return low
	}
	return between(low, high, uniform(r))
}

// beta draws d · (from + (to−from) · Beta(2,2)).
type beta struct{ spread }

func (j beta) Draw(w Window, r Rand) time.Duration {
	low, high := j.Bounds(w)
	if low >= high {
		return low
	}
	a, b, c := uniform(r), uniform(r), uniform(r)
	return between(low, high, max(min(a, b), min(max(a, b), c)))
}

type decorrelated struct{}

func (decorrelated) Bounds(w Window) (low, high time.Duration) {
	return w.First, max(w.First, under(w.Max, times(max(w.Previous, w.First), 3)))
}

func (j decorrelated) Draw(w Window, r Rand) time.Duration {
	low, high := j.Bounds(w)
	if low >= high {
		return low
	}
	return between(low, high, uniform(r))
}

// uniform returns a number in [0, 1) from r, whatever an injected r returns.
func uniform(r Rand) float64 {
	u := 0.0
	if r == nil {
		u = rand.Float64()
	} else {
		u = r.Float64()
	}
	if u >= 0 && u < 1 {
		return u
	}
	return 0
}

// between returns the point u of the way from low to high, below high. It wants
// low < high.
func between(low, high time.Duration, u float64) time.Duration {
	width := high - low
	// The product can round up to width when it has more than 53 bits.
	return low + min(time.Duration(float64(width)*u), width-1)
}
