package retry

import (
	"cmp"
	"math"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/line"
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
	// measure the latency without queue. It does so at whole multiples of the time of
	// day, so that those who share a target make room together: one alone would
	// only see the queue of the others. probePart is how much lower it goes than where
	// there should be no queue.
	probeEvery = 5 * time.Second
	probePart  = 0.9
	// doubtful is the part of the long-term latency below which a latency puts it in
	// doubt; roomless is the part of a latency that must be left when there is room, for
	// there to have been no queue.
	doubtful = 0.9
	roomless = 0.85
	// probeAgain is how soon that is done when a latency is in doubt.
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
	c.Min = cmp.Or(c.Min, DefaultLimitMin)
	c.Max = cmp.Or(c.Max, max(DefaultLimitMax, c.Min, c.Initial))
	c.Initial = cmp.Or(c.Initial, min(max(DefaultLimitInitial, c.Min), c.Max))
	c.Tolerance = cmp.Or(c.Tolerance, DefaultLimitTolerance)
	c.Backoff = cmp.Or(c.Backoff, DefaultLimitBackoff)
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
//     When it has sunk by three tenths and latency did not follow, it sinks no
//     further until it is known why.
//   - Throttled answers or timeouts: times Backoff, once a round (AIMD).
//   - Less than half of the tolerated rise, and the limit was used: it grows by its
//     square root.
//
// The long-term latency believes what is lower at once, and follows what is higher
// over half a minute. A limit that is always used makes room for a round every
// five seconds, to see the latency without a queue, as BBR does ("BBR:
// Congestion-Based Congestion Control", 2016): if that changes nothing, there was
// no queue, and the target is slower than it was. Limits on several nodes do so at
// the same time of day, since each alone would see the queue of the others. A
// round after the limit has sunk
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
	base    float64 // long-term latency in seconds, 0 before the first rounds
	rounds  int     // that have been learned from
	round   round
	held    float64   // the limit to go back to after a round that makes room, else 0
	probeAt time.Time // when to make room next, if need be
	roomy   bool      // whether there was room since the last probeAt
	cut     cut       // where the limit began to sink because of latency
	// roomless is the latency of a round that made room when that changed nothing,
	// else 0. It is in doubt until the room has been filled again.
	roomless float64
	drains   bool    // whether more is in flight than the limit that has sunk
	latency  float64 // of the last round
	waiting  line.Line
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
		l.round.began, l.probeAt = now, multiple(now, probeEvery)
	}
	return true
}

// Release gives the place back after a call of that length, 0 if unknown.
// Category is empty for a success; [Throttled] and [Timeout] lower the limit,
// others say nothing.
func (l *Limit) Release(now time.Time, took time.Duration, c Category) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.waiting.Stir()
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
		l.begin(now.Add(seconds(l.latency)))
	}
	if !now.Before(l.probeAt) {
		l.probe(now)
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
	r, before := l.round, l.latency
	mean, off := r.mean()
	if r.n > 0 {
		l.latency = mean
	}
	if l.held > 0 {
		l.restore(now, mean, off, before)
		l.begin(now.Add(seconds(before)))
		return
	}
	used := float64(r.peak) >= usedPart*math.Floor(l.limit)
	l.learn(passed, mean, off, !used)
	l.adjust(now, mean, off, used)
	l.begin(now)
}

// probe makes room for a round, if there has been none.
func (l *Limit) probe(now time.Time) {
	l.probeAt = multiple(now, probeEvery)
	roomy := l.roomy
	if l.roomy = false; roomy || l.held > 0 {
		return
	}
	l.held = l.limit
	l.set(l.limit * probePart / l.config.Tolerance)
	l.begin(now)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// multiple is the next whole multiple of d.
func multiple(now time.Time, d time.Duration) time.Time { return now.Truncate(d).Add(d) }

// begin begins a round, which has to wait if more is in flight than the limit
// allows.
func (l *Limit) begin(now time.Time) {
	l.round = round{began: now, peak: l.taken}
	l.drains = l.taken > int(l.limit)
}

// restore ends a round that made room. Before is the latency without room.
func (l *Limit) restore(now time.Time, mean, off, before float64) {
	held := l.held
	l.held, l.cut = 0, cut{}
	switch lower := mean + off; {
	case lower < doubtful*l.base:
		// There was a queue where none was thought to be, and may be still.
		held *= lower / l.base
		l.base, l.probeAt = lower, multiple(now, probeAgain)
	case lower < l.base:
		l.base = lower
	case mean-off/2 > roomless*before:
		l.roomless = mean
	}
	l.set(held)
}

// learn lets the long-term latency follow a round.
func (l *Limit) learn(passed time.Duration, mean, off float64, roomy bool) {
	l.roomy = l.roomy || roomy
	if l.round.n < roundSamples {
		return
	}
	l.rounds++
	switch {
	case l.rounds == 1:
		return // only the short ones of the calls that began together have ended
	case mean+off < l.base:
		l.base = mean + off
	case l.roomless > roomless*mean:
		// Room changed nothing, neither when it was made nor when it was filled: there
		// is no queue, and the target is slower than it was.
		l.base = max(l.base, l.roomless)
	}
	l.roomless = 0
	weight := max(passed.Seconds()/baseFor.Seconds(), 1/float64(l.rounds-1))
	l.base += (mean - l.base) * min(1, weight)
}

// adjust changes the limit after a round.
func (l *Limit) adjust(now time.Time, mean, off float64, used bool) {
	flight := min(l.limit, float64(l.round.peak))
	if l.base > 0 && l.round.n >= roundSamples {
		switch tolerance := l.config.Tolerance; {
		case mean-off < (1+tolerance)/2*l.base:
			l.cut = cut{}
			if used && !l.round.refused {
				l.set(l.limit + math.Sqrt(l.limit))
			}
		case l.inVain(mean):
			l.probeAt = earlier(l.probeAt, multiple(now, probeAgain))
		case mean-off > tolerance*l.base:
			if l.cut.limit == 0 {
				l.cut = cut{flight, mean}
			}
			l.set(flight * max(sinkMost, tolerance*l.base/mean))
		}
	}
	if l.round.refused {
		l.set(min(l.limit, flight*l.config.Backoff))
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

func (l *Limit) line() *line.Line { return &l.waiting }

// due is never: who waits hears of the ends of calls.
func (l *Limit) due(time.Time, int) (at time.Time, sure bool) { return time.Time{}, false }

// Now is the present limit and how many places are taken, which may be more
// just after it has sunk.
func (l *Limit) Now() (limit, taken int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.limit), l.taken
}

// DefaultRateBurst is the burst of a [RateConfig] that does not say otherwise.
const DefaultRateBurst = 1

// RateConfig says how many calls a second a target is sent.
type RateConfig struct {
	// PerSecond is the rate in calls a second, above 0 to 1 000 000; 0.1 is one call
	// in ten seconds. It has no default.
	PerSecond float64
	// Burst is how many calls may be made at once after a time without calls, 1 to
	// 1 000 000. Default 1: calls are spread evenly.
	Burst int
}

func (c RateConfig) withDefaults() RateConfig {
	c.Burst = cmp.Or(c.Burst, DefaultRateBurst)
	return c
}

func (c RateConfig) check(f *findings) {
	within(f, "rate.per_second", c.PerSecond, 0, 1e6, false)
	countWithin(f, "rate.burst", c.Burst, 1, 1_000_000)
}

// Rate bounds the calls to a target in time, first attempts and retries alike: in any
// time t at most PerSecond · t + Burst. It is a token bucket in the form of the
// generic cell rate algorithm (ITU-T I.371), and starts full.
//
// In calls, [MaxWait] says how long an attempt waits for it; without it, an attempt
// above the rate is refused with [ErrRate]. It is safe for concurrent use; each
// method takes a short lock. It reads no clock.
type Rate struct {
	gap   time.Duration // between calls
	ahead time.Duration // how far next may be ahead of a call

	mu      sync.Mutex
	next    time.Time // when the bucket is full again
	waiting line.Line
}

// NewRate makes a rate. Refused values are joined [FieldError] values on
// "rate.per_second" and "rate.burst".
func NewRate(config RateConfig) (*Rate, error) {
	config = config.withDefaults()
	var f findings
	if config.check(&f); len(f.errs) > 0 {
		return nil, f.err()
	}
	gap := seconds(math.Ceil(1e9/config.PerSecond) / 1e9)
	return &Rate{gap: gap, ahead: scale(gap, float64(config.Burst-1))}, nil
}

// Acquire asks for a call. Refused, it says how long it takes until there is one, if
// nobody else asks.
func (r *Rate) Acquire(now time.Time) (ok bool, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	full := now
	if r.next.After(now) {
		full = r.next
	}
	if wait = full.Sub(now) - r.ahead; wait > 0 {
		return false, wait
	}
	r.next = full.Add(r.gap)
	return true, 0
}

// Return gives a call back: it was not made.
func (r *Rate) Return() {
	r.mu.Lock()
	r.next = r.next.Add(-r.gap)
	r.mu.Unlock()
	r.waiting.Stir()
}

func (r *Rate) line() *line.Line { return &r.waiting }

// due is the turn of the caller, if nobody ahead of it gives up.
func (r *Rate) due(_ time.Time, ahead int) (at time.Time, sure bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next.Add(scale(r.gap, float64(ahead)) - r.ahead), true
}
