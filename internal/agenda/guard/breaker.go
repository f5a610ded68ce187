package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// breaker is the breaker of a target, and what is known of its outage.
type breaker struct {
	current *retry.Breaker
	outages *retry.Outages

	state     retry.BreakerState
	vague     bool      // a probe has been answered, but neither well nor badly
	cause     string    // of its last change
	succeeded time.Time // the last success
	obeyed    time.Time // the operator's last order
}

// probes reports whether the next start is to tell whether the target is back.
func (b *breaker) probes() bool { return b.state == retry.Open || b.state == retry.HalfOpen }

// probesFree reports whether the next start is a probe that costs no token. Once
// a probe has told nothing, the next one must be paid for: what refuses politely
// would else be asked without end.
func (b *breaker) probesFree() bool { return b.state == retry.HalfOpen && !b.vague }

// ordered reports whether an operator holds the target.
func (b *breaker) ordered(now time.Time) bool {
	return b.state == retry.Open && b.current.View(now).Forced
}

// mostAsked is how often a ramping breaker is asked at most; it lets a tenth of
// those pass who ask, or more.
const mostAsked = 20

// acquire asks the breaker. One that ramps turns a share of those who
// ask away; but tasks do not go away, they ask again. So here the ramp is one of
// time, see [ramp], and the breaker is asked until it lets one pass.
func (b *breaker) acquire(now time.Time) (permit retry.Permit, ok bool) {
	for range mostAsked {
		permit, err := b.current.Acquire(now)
		if err == nil {
			return permit, true
		}
		if b.state != retry.Ramping {
			break
		}
	}
	return permit, false
}

// saidNothing notes an answer to a probe that is none.
func (b *breaker) saidNothing() { b.vague = b.vague || b.state == retry.HalfOpen }

// adopt follows what another node says, unless an operator has spoken since, or it is
// the other's way to the target that is broken.
func (b *breaker) adopt(now time.Time, other store.Breaker) {
	state, known := stateOf(other.State)
	opens := state == retry.Open || state == retry.HalfOpen
	if !known || !other.Since.After(b.obeyed) || opens && b.knowsBetter(now, other.Opened) {
		return
	}
	b.current.Adopt(now, retry.BreakerView{
		State: state, Since: other.Since, Until: other.Until, Opened: other.Opened, Trips: other.Trips, Admitted: other.Admitted,
	})
}

// knowsBetter reports whether a call of this node has succeeded since another
// node's outage began. While it has only just begun, a recent success is enough:
// there was no time for another.
func (b *breaker) knowsBetter(now, outage time.Time) bool {
	return b.succeeded.After(outage) || now.Sub(outage) < lately && now.Sub(b.succeeded) < lately
}

func stateOf(name string) (retry.BreakerState, bool) {
	for _, state := range []retry.BreakerState{retry.Closed, retry.Open, retry.HalfOpen, retry.Ramping} {
		if state.String() == name {
			return state, true
		}
	}
	return retry.Closed, false
}

// close ends an outage, and what an operator has ordered. One that is well goes on as it
// does: a ramp would hold it back for nothing.
func (b *breaker) close(now time.Time) {
	if view := b.current.View(now); view.Forced || b.probes() {
		b.current.Force(now, retry.Closed)
		b.current.Unforce(now)
	}
}

func (b *breaker) show(now time.Time) store.Breaker {
	view := b.current.View(now)
	out := store.Breaker{
		State: view.State.String(), Forced: view.Forced, Cause: b.cause, Trips: view.Trips, Probing: view.Probing,
		Since: utc(view.Since), Until: utc(view.Until), Opened: utc(view.Opened),
		Calls: view.Calls, Failures: view.Failures, Slow: view.Slow, Admitted: rounded(view.Admitted),
	}
	if view.State == retry.HalfOpen {
		_, at := b.current.Ready(now)
		out.Until = utc(at)
	}
	return out
}
