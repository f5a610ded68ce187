package retry

import (
	"cmp"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/inspection"
	"github.com/outlast-dev/outlast/retry/internal/window"
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
	c.K = cmp.Or(c.K, DefaultThrottleK)
	c.Window = cmp.Or(c.Window, DefaultThrottleWindow)
	c.Floor = cmp.Or(c.Floor, DefaultThrottleFloor)
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
	window window.Window // of the events below
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
	t.window.Init(config.Window)
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
	t.window.Add(throttleRejected)
	return ErrThrottled
}

// Accepted counts a request that the target accepted, whether or not it
// succeeded.
func (t *Throttle) Accepted(now time.Time) {
	t.turned(now)
	t.window.Add(throttleAccepted)
}

// Refused counts a request that the target did not accept: overload, a refusal,
// a timeout, no answer.
func (t *Throttle) Refused(now time.Time) {
	t.turned(now)
	t.window.Add(throttleRefused)
}

// Rejects is the present probability of a refusal.
func (t *Throttle) Rejects(now time.Time) float64 {
	t.turned(now)
	return t.rejects()
}

// turned is the time since the first call, after the window has followed it.
func (t *Throttle) turned(now time.Time) time.Duration {
	at := window.Since(now)
	if t.window.Over(at) {
		t.mu.Lock()
		t.window.Turn(at)
		t.mu.Unlock()
	}
	return at
}

func (t *Throttle) rejects() float64 {
	counts := t.window.Counts()
	accepted := float64(counts[throttleAccepted])
	requests := accepted + float64(counts[throttleRefused]+counts[throttleRejected])
	return max(0, (requests-t.config.K*accepted)/(requests+1))
}

// outageSpread draws each wait from ±10 % around the plan.
const outageSpread = 0.1

// Outages learns how long the outages of one target last, and says when a probe
// is worth it. It keeps a histogram of 304 cells in which old outages fade. It
// is safe for concurrent use.
//
// Probes are an inspection plan in the sense of Barlow, Hunter and Proschan
// ("Optimum Checking Procedures", 1963): each failed probe costs a price, each
// second for which an ended outage is not noticed costs one. The plan with the
// least expected cost is found by dynamic programming over the cells, and the
// price is the highest at which the expected delay stays within
// [OutagesConfig.Delay] + [OutagesConfig.Share] · mean length. So probes stand
// where outages tend to end. Where lengths are memoryless (exponential), history
// says nothing, and the plan is one of even steps.
type Outages struct {
	config OutagesConfig

	mu      sync.Mutex
	history inspection.History
}

// OutagesConfig says how late the end of an outage may be noticed, in the mean.
// Zero fields take the defaults.
type OutagesConfig struct {
	// Delay is allowed whatever the length. Default 3 s, a little more than what
	// probes every five seconds take.
	Delay time.Duration
	// Share of the mean length is allowed in addition. Default 0.0225.
	Share float64
	// Allowed, when not nil, says it for an outage of each length instead of Delay and
	// Share: in the mean over the outages that were seen.
	Allowed func(length time.Duration) time.Duration
	// Defer, when not nil, is handed the work of [Outages.Observe], to be done soon
	// and elsewhere: an engine that uses breakers under a lock of its own has it done
	// outside.
	Defer func(work func())
}

// NewOutages makes an empty history.
func NewOutages(config OutagesConfig) *Outages {
	if config.Delay <= 0 {
		config.Delay = 3 * time.Second
	}
	if config.Share <= 0 {
		config.Share = 0.0225
	}
	return &Outages{config: config}
}

// Observe adds an outage that is over: it had lasted longer than after when the
// last probe failed (0 if none did), and had ended when a probe succeeded after
// by. It takes some hundred microseconds and is not to be called under a lock.
func (o *Outages) Observe(after, by time.Duration) {
	if o.config.Defer != nil {
		o.config.Defer(func() { o.observe(after, by) })
		return
	}
	o.observe(after, by)
}

func (o *Outages) observe(after, by time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.history.Observe(after.Seconds(), by.Seconds(), o.allowed)
}

// Next says how long to wait before the next probe of an outage that has lasted
// for elapsed already; false when too little is known. It is a pure function of
// what was observed and of r.
func (o *Outages) Next(elapsed time.Duration, r Rand) (time.Duration, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.history.Ready() {
		return 0, false
	}
	wait, planned := o.history.Next(elapsed.Seconds())
	if !planned {
		return time.Duration(o.config.Share * float64(elapsed)), true
	}
	wait *= 1 - outageSpread + 2*outageSpread*uniform(r)
	return time.Duration(wait * float64(time.Second)), true
}

// Known is how many outages have been observed.
func (o *Outages) Known() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.history.Known()
}

// allowed is how late the end of an outage of so many seconds may be noticed.
func (o *Outages) allowed(length float64) float64 {
	if o.config.Allowed != nil {
		return o.config.Allowed(time.Duration(length * float64(time.Second))).Seconds()
	}
	return o.config.Delay.Seconds() + o.config.Share*length
}
