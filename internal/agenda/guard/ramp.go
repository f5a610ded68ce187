package guard

import (
	"math"
	"time"
)

// ramp lets out what has gathered behind a gate ever faster: one start a
// second at first, twice as many each second after. Where it is known what was
// usual before, it grows from a tenth of that to all of it, and then twice as
// much each second.
type ramp struct {
	gate        Gates // that it belongs to; none when there is no ramp
	began, seen time.Time
	length      time.Duration // after which everything may start
	full        time.Duration // after which the usual rate is reached
	normal      float64       // starts a second that were usual
	credit      float64
}

const (
	// rampBatch is how often a ramp lets something out at most: starts share a claim.
	rampBatch = 10 * time.Millisecond
	// rampCredit is the time for which unused credit is kept.
	rampCredit = 100 * time.Millisecond
	// retriesRamp is how long retries are let out by a ramp after an outage.
	retriesRamp = 10 * time.Second
)

// wait reports whether a task with those gates must wait for its turn in the ramp, which
// there must be, and when to ask again. It ends a ramp that is over.
func (r *ramp) wait(of Gates, now time.Time) (at time.Time, wait bool) {
	if now.Sub(r.began) >= r.length {
		r.gate = 0
	}
	if !r.gate.Hold(of) {
		return time.Time{}, false
	}
	rate := r.rate(now)
	if passed := now.Sub(r.seen).Seconds(); passed > 0 {
		r.credit = min(r.credit+passed*rate, max(1, rate*rampCredit.Seconds()))
		r.seen = now
	}
	if r.credit >= 1 {
		return time.Time{}, false
	}
	return now.Add(max(rampBatch, time.Duration((1-r.credit)/rate*float64(time.Second)))), true
}

// ends is when everything may start, zero without a ramp.
func (r *ramp) ends() time.Time {
	if r.gate == 0 {
		return time.Time{}
	}
	return r.began.Add(r.length)
}

// rate is how many starts a second there are at a time.
func (r *ramp) rate(now time.Time) float64 {
	gone, full := max(0, now.Sub(r.began).Seconds()), r.full.Seconds()
	usual := r.normal * math.Exp2(min(max(0, gone-full), 30))
	if gone < full {
		usual *= 0.1 + 0.9*gone/full
	}
	return max(math.Exp2(min(gone, 30)), usual)
}

// weighed is an exponentially weighted share after one more answer, which counts
// one part in so many.
func weighed(share float64, yes bool, parts float64) float64 {
	if yes {
		return share + (1-share)/parts
	}
	return share - share/parts
}

// paceOver is the time over which a pace is weighed.
const paceOver = 10 * time.Second

// pace is how many starts there are a second, exponentially weighted.
type pace struct {
	count float64
	seen  time.Time
}

// fade weighs what was counted until now.
func (p *pace) fade(now time.Time) {
	if passed := now.Sub(p.seen); passed > 0 {
		p.count *= math.Exp(-passed.Seconds() / paceOver.Seconds())
		p.seen = now
	}
}

// perSecond is the pace at a time.
func (p *pace) perSecond(now time.Time) float64 {
	p.fade(now)
	return p.count / paceOver.Seconds()
}
