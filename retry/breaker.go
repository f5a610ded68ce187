package retry

import (
	"cmp"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/line"
	"github.com/outlast-dev/outlast/retry/internal/window"
)

// Breaker stops calls to a target that fails: closed, open, half-open with
// bounded probes, and a ramp after closing.
//
//	closed ──(rate, slow rate, in a row)──▶ open ──(time)──▶ half-open
//	   ▲                                     ▲                │      │
//	   └──(ramp is over)── ramping ──(rate)──┴──(probe failed)┘      │
//	                          ▲                                      │
//	                          └──────────(probes succeeded)──────────┘
//
// An outage begins when a closed breaker opens, and is over when the ramp after
// closing is: a breaker that opens again during the ramp goes on where it was,
// with the next longer open time.
//
// It is safe for concurrent use. A call through a closed breaker costs atomic
// loads and one atomic addition (with [BreakerConfig.Count], a short lock). The
// breaker reads no clock and has no timers: what time alone changes happens at
// the next call of a method.
type Breaker struct {
	config BreakerConfig
	slow   time.Duration // SlowCall, or longer than any call
	word   atomic.Uint64 // a breakerWord
	row    atomic.Int64  // failures in a row
	window window.Window // of calls by kind, when Count is 0

	mu      sync.Mutex
	recent  window.Recent // calls, when Count is above 0
	since   time.Time     // of the last evidence or force; orders views of several nodes
	steered time.Time     // of the last Force or Unforce
	until   time.Time     // when an open breaker probes
	opened  time.Time     // the beginning of the outage
	failed  time.Time     // when the last probe of the outage failed
	closed  time.Time     // when the ramp began
	ramp    time.Duration
	trips   int
	probes  []probe   // under way
	issued  uint32    // number of the last probe
	passed  int       // probes that succeeded in a row
	rowFrom time.Time // the first failure of the row
	credit  float64   // of the ramp

	news    []BreakerChange // not told yet
	ended   []outage        // not observed yet
	telling bool
	stirred bool // callers who wait are to look again
	waiting line.Line
}

// breakerWord is what the fast path needs in one word: an epoch that changes
// with the state, except from ramping to closed; the forced bit; and the state.
type breakerWord uint64

const forcedBit = 4

func (w breakerWord) state() BreakerState { return BreakerState(w & 3) }
func (w breakerWord) forced() bool        { return w&forcedBit != 0 }
func (w breakerWord) epoch() uint64       { return uint64(w >> 3) }

// probe is the place of a half-open call.
type probe struct {
	number  uint32
	expires time.Time
}

// outage is what [Outages.Observe] wants to know.
type outage struct{ after, by time.Duration }

// The kinds of calls that are counted.
const (
	callWorked = iota
	callSlow   // worked, but slowly
	callFailed
	callFailedSlow
)

// NewBreaker makes a closed breaker. Refused values are joined [FieldError]
// values on "breaker.failure_rate" and so on.
func NewBreaker(config BreakerConfig) (*Breaker, error) {
	config = config.withDefaults()
	var f findings
	if config.check(&f); len(f.errs) > 0 {
		return nil, f.err()
	}
	b := &Breaker{config: config, slow: cmp.Or(config.SlowCall, math.MaxInt64)}
	b.window.Init(config.Window)
	b.recent.Init(config.Count)
	b.word.Store(1 << 3)
	return b, nil
}

// Permit is the right to make one call. Exactly one of its methods is to be
// called, once; later calls do nothing to a probe's place. The zero Permit is
// that of no breaker: its methods do nothing.
type Permit struct {
	breaker *Breaker
	epoch   uint64 // of the state in which it was given: outcomes of an older one are ignored
	probe   uint32 // 0 for none
}

// Acquire asks for a call. Refused, the error is [ErrBreakerOpen].
func (b *Breaker) Acquire(now time.Time) (Permit, error) {
	if w := breakerWord(b.word.Load()); w.state() == Closed {
		return Permit{b, w.epoch(), 0}, nil
	}
	return b.acquire(now)
}

// acquire is Acquire when the breaker is not simply closed.
func (b *Breaker) acquire(now time.Time) (Permit, error) {
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	if ok, _ := b.room(now); !ok {
		return Permit{}, ErrBreakerOpen
	}
	if b.state() == Open {
		b.enter(HalfOpen, now, "time")
	}
	permit := Permit{breaker: b, epoch: b.epoch()}
	switch b.state() {
	case HalfOpen:
		b.issued = max(b.issued+1, 1)
		b.probes = append(b.probes, probe{b.issued, now.Add(b.config.ProbeTimeout)})
		permit.probe = b.issued
	case Ramping:
		b.credit += b.admitted(now) - 1
	}
	return permit, nil
}

// Ready reports whether Acquire would give a permit now, without taking one,
// and if not, when to ask again; zero while the breaker is forced open. A place
// may also become free earlier, when a probe ends. During the ramp, a refusal
// counts as one of the calls of which a share is let through, just like that of
// Acquire.
func (b *Breaker) Ready(now time.Time) (ok bool, at time.Time) {
	if breakerWord(b.word.Load()).state() == Closed {
		return true, time.Time{}
	}
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	return b.room(now)
}

func (b *Breaker) line() *line.Line { return &b.waiting }

// due is the time of the first probe. Later, who waits hears of the ends of probes;
// during the ramp it asks again and again, like callers who do not wait.
func (b *Breaker) due(now time.Time, _ int) (at time.Time, sure bool) {
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	switch b.state() {
	case Open:
		return b.until, true
	case HalfOpen:
		if len(b.probes) > 0 {
			return b.firstExpiry(), false
		}
	case Ramping:
		return now.Add(max(b.ramp/rampSteps, time.Millisecond)), false
	}
	return now, false
}

// room reports whether there is room for a call, and if not, when to ask again.
func (b *Breaker) room(now time.Time) (ok bool, at time.Time) {
	switch b.state() {
	case Open:
		ok, at = !b.forced() && !now.Before(b.until), b.until
	case HalfOpen:
		if ok = len(b.probes)+b.passed < b.config.Probes; !ok {
			at = b.firstExpiry()
		}
	case Ramping:
		share := b.admitted(now)
		if ok = b.credit+share+dust >= 1; !ok {
			b.credit += share
			at = now.Add(b.ramp / rampSteps)
		}
	default:
		ok = true
	}
	if ok {
		at = time.Time{}
	}
	return ok, at
}

// Success counts a call that worked. Took is its length, 0 if unknown.
func (p Permit) Success(now time.Time, took time.Duration) {
	b := p.breaker
	if b == nil || breakerWord(b.word.Load()).epoch() != p.epoch {
		return
	}
	if p.probe != 0 || took >= b.slow || b.config.Count > 0 || b.config.JudgeAll {
		b.settle(p, now, callWorked, took)
		return
	}
	if b.row.Load() != 0 {
		b.row.Store(0)
	}
	at := window.Since(now)
	if b.window.Over(at) {
		b.mu.Lock()
		b.window.Turn(at)
		b.mu.Unlock()
	}
	b.window.Add(callWorked)
}

// Failure counts a call that failed with the category. Categories that do not
// count for breakers free a probe's place and nothing else.
func (p Permit) Failure(now time.Time, took time.Duration, c Category) {
	b := p.breaker
	if b == nil || breakerWord(b.word.Load()).epoch() != p.epoch {
		return
	}
	if !c.Advice().Breaker {
		p.Cancel(now)
		return
	}
	b.settle(p, now, callFailed, took)
}

// Cancel gives the permit back: the call was not made, or says nothing.
func (p Permit) Cancel(now time.Time) {
	if p.breaker == nil || p.probe == 0 {
		return
	}
	b := p.breaker
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	if b.epoch() == p.epoch {
		b.free(p.probe)
	}
}

// settle counts the outcome of a call under the lock.
func (b *Breaker) settle(p Permit, now time.Time, kind int, took time.Duration) {
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	if b.epoch() != p.epoch {
		return
	}
	if took >= b.slow {
		kind++
	}
	switch {
	case p.probe == 0:
		b.count(now, kind)
		b.judge(now, kind)
	case !b.free(p.probe):
	case kind != callWorked:
		b.trip(now, "probe_failed")
	default:
		if b.passed++; b.passed >= b.config.Probes {
			b.close(now, now, "probed")
		}
	}
}

// count puts a call into the window.
func (b *Breaker) count(now time.Time, kind int) {
	if kind < callFailed {
		b.row.Store(0)
	} else if b.row.Add(1) == 1 {
		b.rowFrom = now
	}
	if b.config.Count > 0 {
		b.recent.Add(kind)
		return
	}
	b.window.Turn(window.Since(now))
	b.window.Add(kind)
}

// judge opens the breaker if the call was one too many.
func (b *Breaker) judge(now time.Time, kind int) {
	if kind == callWorked && !b.config.JudgeAll || b.forced() {
		return
	}
	row := b.row.Load()
	if b.config.Consecutive > 0 && row >= int64(b.config.Consecutive) ||
		row >= int64(max(b.config.MinCalls, DefaultMinCalls)) && now.Sub(b.rowFrom) >= breakerStandstill {
		b.trip(now, "consecutive")
		return
	}
	calls, failures, slow := b.calls()
	switch {
	case calls < int64(b.config.MinCalls):
	case float64(failures) >= b.config.FailureRate*float64(calls):
		b.trip(now, "failure_rate")
	case b.config.SlowCall > 0 && float64(slow) >= b.config.SlowRate*float64(calls):
		b.trip(now, "slow_rate")
	}
}

// calls returns what the window holds.
func (b *Breaker) calls() (calls, failures, slow int64) {
	counts := b.recent.Counts
	if b.config.Count == 0 {
		counts = b.window.Counts()
	}
	failures = counts[callFailed] + counts[callFailedSlow]
	slow = counts[callSlow] + counts[callFailedSlow]
	return counts[callWorked] + counts[callSlow] + failures, failures, slow
}
