package retry

import (
	"time"
)

// BreakerConfig says when a breaker opens and how it closes again. Zero fields
// take the defaults.
type BreakerConfig struct {
	// FailureRate opens at this share of failures in the window, above 0 to 1.
	// Default 0.5. Which failures count is [Advice.Breaker].
	FailureRate float64
	// SlowCall is the length from which a call is slow, SlowRate the share of slow
	// calls that opens. SlowCall 0 (the default) turns it off; SlowRate defaults
	// to 0.5.
	SlowCall time.Duration
	SlowRate float64
	// Consecutive opens after so many failures in a row. 0 turns it off.
	Consecutive int
	// MinCalls is how many calls the window must hold for a rate to open. Default 20.
	MinCalls int
	// Window is the time that rates look at, default 30 s. With Count above 0 they
	// look at the last Count calls instead.
	Window time.Duration
	Count  int
	// OpenFor is how long the breaker stays open at first, spread by ±25 %; each
	// failed probe lengthens it by half, up to OpenMax. Defaults 5 s and 60 s.
	// What Outages has learned comes first.
	OpenFor, OpenMax time.Duration
	// Outages, when not nil, learns how long outages last and says when to probe.
	Outages *Outages
	// Probes is how many calls half-open lets through at once, and how many must
	// succeed in a row for it to close. Default 1.
	Probes int
	// ProbeTimeout frees the place of a probe that never ends; it counts as failed.
	// Default 10 s.
	ProbeTimeout time.Duration
	// Ramp is how long admission grows from a tenth to everything after closing.
	// Default 10 s; negative is none.
	Ramp time.Duration
	// OnChange is called after each change of state, outside locks.
	OnChange func(BreakerChange)
	// Rand spreads open times; nil is the global generator. It is used under the
	// breaker's lock.
	Rand Rand
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
	// "probe_expired", "probed", "ramped", "time", "forced", "adopted".
	Cause string
}

// Breaker stops calls to a target that fails: closed, open, half-open with
// bounded probes, and a ramp after closing. It is safe for concurrent use. A call
// through a closed breaker costs an atomic load and an atomic addition.
type Breaker struct{ config BreakerConfig }

// NewBreaker makes a closed breaker. Refused values are joined [FieldError]
// values on "breaker.failure_rate" and so on.
func NewBreaker(config BreakerConfig) (*Breaker, error) { return &Breaker{config: config}, nil }

// Permit is the right to make one call. Exactly one of its methods is to be
// called, once; later calls do nothing to a probe's place.
type Permit struct {
	breaker *Breaker
	epoch   uint64 // of the state in which it was given: outcomes of an older one are ignored
	probe   uint32 // 0 for none
}

// Acquire asks for a call. Refused, the error is [ErrBreakerOpen].
func (b *Breaker) Acquire(now time.Time) (Permit, error) { return Permit{breaker: b}, nil }

// Ready reports whether Acquire would give a permit now, without taking one,
// and if not, when to ask again; zero when only the end of a probe changes it.
func (b *Breaker) Ready(now time.Time) (ok bool, at time.Time) { return true, time.Time{} }

// Success counts a call that worked. Took is its length, 0 if unknown.
func (p Permit) Success(now time.Time, took time.Duration) {}

// Failure counts a call that failed with the category. Categories that do not
// count for breakers free a probe's place and nothing else.
func (p Permit) Failure(now time.Time, took time.Duration, c Category) {}

// Cancel gives the permit back: the call was not made, or says nothing.
func (p Permit) Cancel(now time.Time) {}

// Force opens or closes the breaker until Unforce. A forced-open one lets nothing
// through and sends no probes; a forced-closed one lets everything through.
func (b *Breaker) Force(now time.Time, to BreakerState) {}

// Unforce gives the breaker back to itself: closed, with a ramp.
func (b *Breaker) Unforce(now time.Time) {}

// Adopt takes over what another node knows of the same target: a state that is
// newer than the breaker's own last change. It reports whether it did. Adopted
// open times are drawn anew, so that nodes do not probe in step.
func (b *Breaker) Adopt(now time.Time, other BreakerView) bool { return false }

// BreakerView is a breaker at one moment, as it is shown and shared.
type BreakerView struct {
	State    BreakerState
	Forced   bool
	Since    time.Time // of the last change
	Until    time.Time // when an open breaker probes
	Opened   time.Time // the beginning of the outage; zero when closed
	Trips    int       // failed probes of this outage, plus one
	Calls    int64     // in the window
	Failures int64
	Slow     int64
	Probing  int     // probes under way
	Admitted float64 // share of calls let through: 1 closed, 0 open
}

// View returns the breaker as it stands.
func (b *Breaker) View(now time.Time) BreakerView { return BreakerView{} }
