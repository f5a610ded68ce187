package retry

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// The values of a [ThrottleConfig] that does not say otherwise: those of the SRE
// book, chapter "Handling Overload", and a floor that it does not have.
const (
	DefaultThrottleK      = 2.0
	DefaultThrottleWindow = 2 * time.Minute
	DefaultThrottleFloor  = 1.0
)

// ThrottleConfig is the client-side throttle of the SRE book, "Handling
// Overload". Zero fields take the defaults.
type ThrottleConfig struct {
	// K is how many requests are sent for each one accepted, 1.1 to 100. Default 2.
	K float64
	// Window is the time looked at, 1 s to 1 h. Default 120 s. A target that is
	// well again is believed only as the bad time leaves the window: shorter
	// windows recover faster.
	Window time.Duration
	// Floor is how many requests a second are let through whatever happens, so
	// that recovery is noticed: above 0 to 1 000 000. Default 1.
	Floor float64
}

func (c ThrottleConfig) withDefaults() ThrottleConfig {
	c.K = or(c.K, DefaultThrottleK)
	c.Window = or(c.Window, DefaultThrottleWindow)
	c.Floor = or(c.Floor, DefaultThrottleFloor)
	return c
}

func (c ThrottleConfig) check(f *findings) {
	within(f, "throttle.k", c.K, 1.1, 100, true)
	lasting(f, "throttle.window", c.Window, time.Second, time.Hour)
	within(f, "throttle.floor", c.Floor, 0, 1e6, false)
}

// Throttle refuses first attempts locally with probability
// max(0, (requests − K·accepts)/(requests + 1)), where requests are those that
// have ended and those that were refused locally. (The book counts requests when
// they are sent; then a client that begins with many at once would refuse most
// of them before the first answer is there.) Where that would leave fewer than
// Floor a second, that many pass.
//
// Every request that [Throttle.Allow] lets through ends with
// [Throttle.Accepted] or [Throttle.Refused], or neither if it says nothing about
// the target. It is safe for concurrent use: none of them takes a lock, but for
// each tenth of the window.
type Throttle struct {
	config ThrottleConfig
	gap    time.Duration // between requests of the floor
	window window        // of the events below
	passed atomic.Int64  // when a request last passed although some were refused

	mu sync.Mutex
}

// The kinds of events that a throttle counts.
const (
	throttleAccepted = iota
	throttleRefused  // by the target
	throttleRejected // here
)

// NewThrottle makes a throttle. Refused values are joined [FieldError] values on
// "throttle.k" and so on.
func NewThrottle(config ThrottleConfig) (*Throttle, error) {
	config = config.withDefaults()
	var f findings
	if config.check(&f); len(f.errs) > 0 {
		return nil, f.err()
	}
	t := &Throttle{config: config, gap: seconds(1 / config.Floor)}
	t.window.init(config.Window)
	t.passed.Store(math.MinInt64 / 2)
	return t, nil
}

// Allow decides about one request. Refused, the error is [ErrThrottled].
func (t *Throttle) Allow(now time.Time, r Rand) error {
	at := t.turned(now)
	rejects := t.rejects()
	if rejects == 0 {
		return nil
	}
	if uniform(r) >= rejects {
		t.passed.Store(int64(at))
		return nil
	}
	if last := t.passed.Load(); int64(at)-last >= int64(t.gap) && t.passed.CompareAndSwap(last, int64(at)) {
		return nil
	}
	t.window.add(throttleRejected)
	return ErrThrottled
}

// Accepted counts a request that the target accepted, whether or not it
// succeeded.
func (t *Throttle) Accepted(now time.Time) {
	t.turned(now)
	t.window.add(throttleAccepted)
}

// Refused counts a request that the target did not accept: overload, a refusal,
// a timeout, no answer.
func (t *Throttle) Refused(now time.Time) {
	t.turned(now)
	t.window.add(throttleRefused)
}

// Rejects is the present probability of a refusal.
func (t *Throttle) Rejects(now time.Time) float64 {
	t.turned(now)
	return t.rejects()
}

// turned is the time since the first call, after the window has followed it.
func (t *Throttle) turned(now time.Time) time.Duration {
	at := since(now)
	if t.window.over(at) {
		t.mu.Lock()
		t.window.turn(at)
		t.mu.Unlock()
	}
	return at
}

func (t *Throttle) rejects() float64 {
	counts := t.window.counts()
	accepted := float64(counts[throttleAccepted])
	requests := accepted + float64(counts[throttleRefused]+counts[throttleRejected])
	return max(0, (requests-t.config.K*accepted)/(requests+1))
}
