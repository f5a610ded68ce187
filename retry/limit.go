package retry

import (
	"math"
	"sync"
	"time"
)

// The values of a [LimitConfig] that does not say otherwise.
const (
	DefaultLimitInitial   = 20
	DefaultLimitMin       = 1
	DefaultLimitMax       = 1000
	DefaultLimitTolerance = 1.5
	DefaultLimitBackoff   = 0.9

	// A round takes twice the usual latency, within these bounds, and until there
	// are enough samples.
	roundLeast   = 100 * time.Millisecond
	roundMost    = 5 * time.Second
	roundSamples = 8
	// usedPart is the part of the limit that must have been taken for it to be
	// called used.
	usedPart = 0.9
	// baseFor is how slowly the long-term latency follows.
	baseFor = 30 * time.Second
	// probeEvery is how often a limit that is always used makes room for a round, to
	// measure the latency without queue; probePart is how much lower it goes than
	// where there should be no queue.
	probeEvery = 5 * time.Second
	probePart  = 0.9
	// roomless is the part of the latency that must be left when there is room, for
	// there to have been no queue.
	roomless = 0.85
	// probeAgain is how soon that is done again when the latency was lower.
	probeAgain = time.Second
	// meanErrors is how many standard errors a mean must be off to count.
	meanErrors = 2
	// sinkMost is how much the limit sinks at once; cutEnough is how far it must
	// have sunk for latency to have to follow.
	sinkMost  = 0.5
	cutEnough = 0.7
)

// LimitConfig bounds the calls in flight to a target, adapted to its latency and
// its refusals. Zero fields take the defaults.
type LimitConfig struct {
	// Initial, Min and Max bound the limit, 1 to 1 000 000. Defaults 20, 1, 1000;
	// Initial within Min and Max.
	Initial, Min, Max int
	// Tolerance is how far latency may rise above its long-term value before the
	// limit sinks, 1.1 to 10. Default 1.5 (Netflix concurrency-limits, Gradient2).
	Tolerance float64
	// Backoff is the factor after a throttled answer or a timeout, 0.5 to 0.99.
	// Default 0.9 (AIMD).
	Backoff float64
	// Fixed keeps the limit at Initial.
	Fixed bool
}

func (c LimitConfig) withDefaults() LimitConfig {
	c.Min = or(c.Min, DefaultLimitMin)
	c.Max = or(c.Max, max(DefaultLimitMax, c.Min, c.Initial))
	c.Initial = or(c.Initial, min(max(DefaultLimitInitial, c.Min), c.Max))
	c.Tolerance = or(c.Tolerance, DefaultLimitTolerance)
	c.Backoff = or(c.Backoff, DefaultLimitBackoff)
	return c
}

func (c LimitConfig) check(f *findings) {
	countWithin(f, "limit.min", c.Min, 1, 1_000_000)
	countWithin(f, "limit.max", c.Max, max(c.Min, 1), 1_000_000)
	if c.Initial < c.Min || c.Initial > c.Max {
		f.refuse("limit.initial", "", "%d is outside min %d to max %d", c.Initial, c.Min, c.Max)
	}
	within(f, "limit.tolerance", c.Tolerance, 1.1, 10, true)
	within(f, "limit.backoff", c.Backoff, 0.5, 0.99, true)
}

// Limit is an adaptive concurrency limit. It works in rounds of about two
// latencies, and compares the mean latency of the calls that succeeded in a
// round with the long-term one:
//
//   - Above Tolerance times as long: the limit sinks in proportion, at most to
//     half of what was in flight (the gradient of Netflix's concurrency-limits).
//     If it has sunk by three tenths and latency did not follow, it is not this
//     side's calls that make it: it becomes the long-term one.
//   - Throttled answers or timeouts: times Backoff, once a round (AIMD).
//   - Less than half of the tolerated rise, and the limit was used: it grows by its
//     square root.
//
// The long-term latency believes what is lower at once, and follows what is higher
// over half a minute. A limit that is always used makes room for a round every
// five seconds, to see the latency without a queue, as BBR does ("BBR:
// Congestion-Based Congestion Control", 2016): if that changes nothing, there was
// no queue, and what is higher is believed at once, too. A round after the limit has sunk
// begins when the calls above it have ended, and one latency later. Means count
// as different only by two standard errors, so that few and varying samples
// change little.
//
// It is safe for concurrent use; each method takes a short lock.
type Limit struct {
	config LimitConfig

	mu      sync.Mutex
	limit   float64
	taken   int
	base    float64 // long-term latency in seconds, 0 before the first round
	round   round
	held    float64   // the limit to go back to after a round that makes room, else 0
	roomy   time.Time // when the latency was last seen without a queue
	cut     cut       // where the limit began to sink because of latency
	drains  bool      // whether more is in flight than the limit that has sunk
	latency float64   // of the last round
}

// round is what is seen between two decisions.
type round struct {
	began       time.Time
	n           int     // calls that succeeded
	sum, square float64 // of their latencies in seconds
	peak        int     // most calls in flight
	refused     bool    // by the target
}

// cut is the limit and the latency when the limit began to sink.
type cut struct{ limit, latency float64 }

// NewLimit makes a limit. Refused values are joined [FieldError] values on
// "limit.min" and so on.
func NewLimit(config LimitConfig) (*Limit, error) {
	config = config.withDefaults()
	var f findings
	if config.check(&f); len(f.errs) > 0 {
		return nil, f.err()
	}
	return &Limit{config: config, limit: float64(config.Initial)}, nil
}

// Acquire takes a place; false when all are taken.
func (l *Limit) Acquire(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken >= int(l.limit) {
		l.round.peak = max(l.round.peak, int(l.limit))
		return false
	}
	l.taken++
	l.round.peak = max(l.round.peak, l.taken)
	if l.round.began.IsZero() {
		l.round.began, l.roomy = now, now
	}
	return true
}

// Release gives the place back after a call of that length, 0 if unknown.
// Category is empty for a success; [Throttled] and [Timeout] lower the limit,
// others say nothing.
func (l *Limit) Release(now time.Time, took time.Duration, c Category) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken = max(l.taken-1, 0)
	if l.config.Fixed {
		return
	}
	r := &l.round
	switch {
	case c == Throttled || c == Timeout:
		r.refused = true
	case c == "" && took > 0 && !now.Before(r.began):
		s := took.Seconds()
		r.n, r.sum, r.square = r.n+1, r.sum+s, r.square+s*s
	}
	if l.drains && l.taken <= int(l.limit) {
		l.drains = false
		l.begin(now.Add(seconds(l.latency)))
	}
	if passed := now.Sub(r.began); passed >= l.length() && (r.refused || r.n >= roundSamples) {
		l.decide(now, passed)
	}
}

// length is how long a round lasts at least.
func (l *Limit) length() time.Duration {
	return min(max(seconds(2*l.latency), roundLeast), roundMost)
}

// mean returns the mean latency of a round and how far it may be off.
func (r *round) mean() (mean, off float64) {
	if r.n == 0 {
		return 0, math.Inf(1)
	}
	n := float64(r.n)
	mean = r.sum / n
	return mean, meanErrors * math.Sqrt(max(0, r.square/n-mean*mean)/n)
}

// decide ends a round.
func (l *Limit) decide(now time.Time, passed time.Duration) {
	r := l.round
	mean, off := r.mean()
	if l.held > 0 {
		l.restore(now, mean, off)
	} else {
		used := float64(r.peak) >= usedPart*math.Floor(l.limit)
		l.learn(now, passed, mean, off, !used)
		l.adjust(mean, off, used)
	}
	if r.n > 0 {
		l.latency = mean
	}
	if now.Sub(l.roomy) >= probeEvery && l.cut.limit == 0 {
		l.held = l.limit
		l.set(l.limit * probePart / l.config.Tolerance)
	}
	l.begin(now)
	l.drains = l.taken > int(l.limit)
}

// begin begins a round.
func (l *Limit) begin(at time.Time) { l.round = round{began: at, peak: l.taken} }

// restore ends a round that made room.
func (l *Limit) restore(now time.Time, mean, off float64) {
	held := l.held
	l.held, l.roomy = 0, now
	switch {
	case mean+off < l.base:
		// There was a queue where none was thought to be, and may be still.
		held *= mean / l.base
		l.base, l.roomy = mean, now.Add(probeAgain-probeEvery)
	case mean-off/2 > roomless*l.latency:
		l.base = mean // room changes nothing: there is no queue
	}
	l.set(held)
}

// learn lets the long-term latency follow a round.
func (l *Limit) learn(now time.Time, passed time.Duration, mean, off float64, roomy bool) {
	if l.round.n < roundSamples {
		return
	}
	if l.base == 0 || mean+off < l.base {
		l.base = mean
	}
	l.base += (mean - l.base) * min(1, passed.Seconds()/baseFor.Seconds())
	if roomy {
		l.roomy = now
	}
}

// adjust changes the limit after a round.
func (l *Limit) adjust(mean, off float64, used bool) {
	flight := min(l.limit, float64(l.round.peak))
	slow := l.round.n >= roundSamples && mean-off > l.config.Tolerance*l.base
	switch {
	case slow && l.inVain(mean):
		l.base, l.cut = mean, cut{}
	case slow:
		if l.cut.limit == 0 {
			l.cut = cut{flight, mean}
		}
		l.set(flight * max(sinkMost, l.config.Tolerance*l.base/mean))
	default:
		l.cut = cut{}
	}
	switch {
	case l.round.refused:
		l.set(min(l.limit, flight*l.config.Backoff))
	case used && l.round.n >= roundSamples && mean-off < (1+l.config.Tolerance)/2*l.base:
		l.set(l.limit + math.Sqrt(l.limit))
	}
}

// inVain reports whether the limit has sunk by much and latency did not follow.
func (l *Limit) inVain(mean float64) bool {
	if l.cut.limit == 0 || l.limit > l.cut.limit*cutEnough {
		return false
	}
	part := l.limit / l.cut.limit
	if mean > l.cut.latency*(1-(1-part)/4) {
		return true
	}
	l.cut = cut{}
	return false
}

// set changes the limit within its bounds.
func (l *Limit) set(limit float64) {
	l.limit = min(max(limit, float64(l.config.Min)), float64(l.config.Max))
}

// Now is the present limit and how many places are taken, which may be more
// just after it has sunk.
func (l *Limit) Now() (limit, taken int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.limit), l.taken
}
