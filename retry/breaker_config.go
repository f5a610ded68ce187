package retry

import (
	"cmp"
	"math"
	"time"
)

// The values of a [BreakerConfig] that does not say otherwise.
const (
	DefaultFailureRate  = 0.5
	DefaultSlowRate     = 0.5
	DefaultMinCalls     = 20
	DefaultWindow       = 30 * time.Second
	DefaultOpenFor      = 5 * time.Second
	DefaultOpenMax      = time.Minute
	DefaultProbes       = 1
	DefaultProbeTimeout = 10 * time.Second
	DefaultRamp         = 10 * time.Second

	// openSpread spreads open times by ±25 %, openGrowth lengthens them.
	openSpread = 0.25
	openGrowth = 1.5
	// breakerStandstill is how long nothing may work. A total outage would else go
	// unnoticed for half of the window, in which whole queues fill; and a shorter
	// one is a hiccup, however many calls it hits.
	breakerStandstill = time.Second
	// rampLeast is the share that a ramp begins with, rampSteps in how many parts
	// of it refused callers are told to come back.
	rampLeast = 0.1
	rampSteps = 100
)

// BreakerConfig says when a breaker opens and how it closes again. Zero fields
// take the defaults.
type BreakerConfig struct {
	// FailureRate opens at this share of failures in the window, above 0 to 1.
	// Default 0.5. Which failures count is [Advice.Breaker]. The share is looked at
	// after each call that failed or was slow: a call that worked never opens, even
	// if it is the one with which the window holds MinCalls, because a target that
	// has just answered is no reason to stop calling. With JudgeAll it is looked at
	// after every call.
	FailureRate float64
	JudgeAll    bool
	// SlowCall is the length from which a call is slow, SlowRate the share of slow
	// calls that opens, above 0 to 1. Calls that succeeded count too; a slow probe
	// has failed. SlowCall 0 (the default) turns it off; SlowRate defaults to 0.5.
	SlowCall time.Duration
	SlowRate float64
	// Consecutive opens after so many failures in a row, whatever MinCalls. 0 turns
	// it off. At most 1 000 000. In any case twenty failures in a row (MinCalls where
	// that is more) that span a second open, whatever the window holds.
	Consecutive int
	// MinCalls is how many calls the window must hold for a rate to open, 1 to
	// 1 000 000. Default 20, or Count where that is less.
	MinCalls int
	// Window is the time that rates look at, 100 ms to 24 h, default 30 s; it slides
	// in tenths. With Count above 0, to 100 000, they look at the last Count calls
	// instead.
	Window time.Duration
	Count  int
	// OpenFor is how long the breaker stays open at first, from 1 ms, spread by
	// ±25 %; each failed probe lengthens it by half, up to OpenMax, at most 24 h.
	// Defaults 5 s, and 60 s or OpenFor where that is longer. What Outages has
	// learned comes first.
	OpenFor, OpenMax time.Duration
	// Outages, when not nil, learns how long outages last and says when to probe.
	Outages *Outages
	// Probes is how many calls half-open lets through at once, 1 to 1000, and how
	// many must succeed in a row for it to close. Default 1.
	Probes int
	// ProbeTimeout frees the place of a probe that never ends, from 1 ms to 24 h; it
	// counts as failed. Default 10 s.
	ProbeTimeout time.Duration
	// Ramp is how long admission grows from a tenth to everything after closing, at
	// most 1 h. Default 10 s; negative is none. It is never longer than half of the
	// outage: after a short one little has piled up, and a long ramp would cost
	// more than the outage did.
	Ramp time.Duration
	// OnChange is called after each change of state, outside locks, in the order of
	// the changes. It may call the breaker.
	OnChange func(BreakerChange)
	// Rand spreads open times; nil is the global generator. It is used under the
	// breaker's lock.
	Rand Rand
}

// withDefaults fills the zero fields.
func (c BreakerConfig) withDefaults() BreakerConfig {
	c.FailureRate = cmp.Or(c.FailureRate, DefaultFailureRate)
	c.SlowRate = cmp.Or(c.SlowRate, DefaultSlowRate)
	c.Window = cmp.Or(c.Window, DefaultWindow)
	minCalls := DefaultMinCalls
	if c.Count > 0 {
		minCalls = min(minCalls, c.Count)
	}
	c.MinCalls = cmp.Or(c.MinCalls, minCalls)
	c.OpenFor = cmp.Or(c.OpenFor, DefaultOpenFor)
	c.OpenMax = cmp.Or(c.OpenMax, max(DefaultOpenMax, c.OpenFor))
	c.Probes = cmp.Or(c.Probes, DefaultProbes)
	c.ProbeTimeout = cmp.Or(c.ProbeTimeout, DefaultProbeTimeout)
	c.Ramp = cmp.Or(c.Ramp, DefaultRamp)
	return c
}

// check refuses what no breaker may contain, after the defaults.
func (c BreakerConfig) check(f *findings) {
	const day = 24 * time.Hour
	within(f, "breaker.failure_rate", c.FailureRate, 0, 1, false)
	lasting(f, "breaker.slow_call", c.SlowCall, 0, day)
	within(f, "breaker.slow_rate", c.SlowRate, 0, 1, false)
	countWithin(f, "breaker.consecutive", c.Consecutive, 0, 1_000_000)
	countWithin(f, "breaker.min_calls", c.MinCalls, 1, 1_000_000)
	lasting(f, "breaker.window", c.Window, 100*time.Millisecond, day)
	countWithin(f, "breaker.count", c.Count, 0, 100_000)
	if c.Count > 0 && c.MinCalls > c.Count {
		f.refuse("breaker.min_calls", "no rate would ever open it", "%d is above count %d", c.MinCalls, c.Count)
	}
	lasting(f, "breaker.open_for", c.OpenFor, time.Millisecond, day)
	if c.OpenMax < c.OpenFor || c.OpenMax > day {
		f.refuse("breaker.open_max", "", "%v is outside open_for %v to %v", c.OpenMax, c.OpenFor, day)
	}
	countWithin(f, "breaker.probes", c.Probes, 1, 1000)
	lasting(f, "breaker.probe_timeout", c.ProbeTimeout, time.Millisecond, day)
	if c.Ramp > time.Hour {
		f.refuse("breaker.ramp", "negative is none", "%v is above %v", c.Ramp, time.Hour)
	}
}

// openTime draws how long the breaker stays open after so many trips, the last
// one after the outage had lasted for elapsed.
func (c *BreakerConfig) openTime(trips int, elapsed time.Duration) time.Duration {
	if c.Outages != nil {
		if wait, ok := c.Outages.Next(elapsed, c.Rand); ok {
			return max(wait, time.Millisecond)
		}
	}
	nominal := min(float64(c.OpenMax), float64(c.OpenFor)*math.Pow(openGrowth, float64(trips-1)))
	return scale(time.Duration(nominal), 1-openSpread+2*openSpread*uniform(c.Rand))
}

// BreakerState is what a breaker lets through.
type BreakerState uint8

// The states. Ramping is closed, with admission growing.
const (
	Closed BreakerState = iota
	Open
	HalfOpen
	Ramping
)

// String is closed, open, half_open or ramping.
func (s BreakerState) String() string {
	return [...]string{"closed", "open", "half_open", "ramping"}[s&3]
}

// BreakerChange is a change of state.
type BreakerChange struct {
	From, To BreakerState
	At       time.Time
	// Until is when an open breaker probes.
	Until time.Time
	// Cause is "failure_rate", "slow_rate", "consecutive", "probe_failed",
	// "probe_expired", "probed", "ramped", "time", "forced", "unforced", "adopted".
	Cause string
}
