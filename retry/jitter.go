package retry

import (
	"math/rand/v2"
	"time"
)

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

// JitterOption is a jitter that can be given to [New] as it stands, or used as
// [Rule.Jitter].
type JitterOption interface {
	Jitter
	Option
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
	fullJitter     Jitter = FullJitter()
	intervalJitter Jitter = Additive(IntervalSpread)
)

// usualJitter is the jitter of a schedule for which nobody chose one.
func usualJitter(interval bool) Jitter {
	if interval {
		return intervalJitter
	}
	return fullJitter
}

// FullJitter draws U[0, d) for the nominal delay d. It is the default of all
// backoffs but [Fixed], and desynchronizes clients best.
func FullJitter() JitterOption { return spread{"full", 0, 1} }

// EqualJitter draws U[d/2, d).
func EqualJitter() JitterOption { return spread{"equal", 0.5, 1} }

// Proportional draws U[d(1−x), d(1+x)), x above 0 and up to 1. The cap bounds d,
// so that a draw may exceed the cap by the share x.
func Proportional(x float64) JitterOption { return spread{"proportional", 1 - x, 1 + x} }

// Additive draws d + U[0, x·d), x above 0 and up to 1. It is never early. The cap
// bounds d, so that a draw may exceed the cap by the share x.
func Additive(x float64) JitterOption { return spread{"additive", 1, 1 + x} }

// Bounded draws d · U[from, to), where 0 ≤ from < to ≤ 10.
func Bounded(from, to float64) JitterOption { return spread{"bounded", from, to} }

// NoJitter always gives the nominal delay: clients that failed together come
// back together.
func NoJitter() JitterOption { return spread{"none", 1, 1} }

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

// Beta draws d · (from + (to−from) · B), where B has the distribution Beta(2,2)
// and 0 ≤ from < to ≤ 10. B is the median of three uniform numbers, which has
// exactly that distribution. It keeps more of a synchronized crowd together than
// [FullJitter] does.
func Beta(from, to float64) JitterOption { return beta{spread{"beta", from, to}} }

func (j beta) Draw(w Window, r Rand) time.Duration {
	low, high := j.Bounds(w)
	if low >= high {
		return low
	}
	a, b, c := uniform(r), uniform(r), uniform(r)
	return between(low, high, max(min(a, b), min(max(a, b), c)))
}

type decorrelated struct{}

// Decorrelated draws U[F, min(cap, 3·previous)) where F is the first interval and
// previous the delay before the attempt that failed, at least F. It ignores the
// growth of the backoff. At a cap equal to F every delay is F.
func Decorrelated() JitterOption { return decorrelated{} }

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
