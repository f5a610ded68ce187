package guard

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// recovery lets out what has gathered while a target was not called, see [ramp].
type recovery struct {
	ramp    ramp     // lets out what was held
	retries ramp     // and those retries among it that pay
	mix     retryMix // who gives way meanwhile
	pace    pace     // of starts
	normal  float64  // starts a second before the outage
}

// begin begins a ramp of a gate. After a short outage the usual rate is reached
// sooner: little has gathered of what came meanwhile.
func (r *recovery) begin(gate Gates, at time.Time, length, full time.Duration) {
	r.ramp = ramp{gate: gate, began: at, seen: at, length: length, full: max(0, min(length, full)), normal: r.normal, credit: 1}
}

// afterPause begins the ramp behind a pause, but not within that behind an outage.
func (r *recovery) afterPause(at time.Time) {
	if r.ramp.gate != byBreaker {
		r.begin(byRate, at, pauseRamp, pauseRamp)
	}
}

// boundRetries lets retries out by a ramp of their own.
func (r *recovery) boundRetries(at time.Time) {
	r.retries = ramp{gate: byBudget, began: at, seen: at, length: retriesRamp, credit: 1}
}

// stop ends both ramps.
func (r *recovery) stop() { r.ramp.gate, r.retries.gate = 0, 0 }

// interrupted notes what is usual before a target is left alone.
func (r *recovery) interrupted(at time.Time) { r.normal = r.pace.perSecond(at) }

// spend counts a start.
func (r *recovery) spend(of Gates, probe bool, now time.Time) {
	for _, one := range [...]*ramp{&r.ramp, &r.retries} {
		if one.gate != 0 && one.gate.Hold(of) {
			one.credit--
		}
	}
	if probe {
		r.mix.probed = of.Kind()
	}
	if of.Kind() == r.mix.fails() {
		r.mix.trials = max(0, r.mix.trials-1)
	} else {
		r.mix.trials = min(1, r.mix.trials+trialShare)
	}
	r.pace.fade(now)
	r.pace.count++
}

// retryMix is how first attempts and retries of a target fare, each by themselves.
// One of them can fail whatever state the target is in. What a task needs may come
// to be a moment after it was enqueued: then every first attempt fails, and every
// retry works. Or some tasks can never succeed, and are retried beside new ones
// that do. A breaker that the ones open and the others close would let hardly any
// of either through. So its probes take turns; and while it lets out what has
// gathered, attempts that fail give way to those that work, but for trials, which
// tell when that changes.
type retryMix struct {
	good   [2]float64 // share of the last answers that were good, by kind; 1 at first
	probed Kind       // of the last probe
	trials float64    // that may start now
}

const (
	// failsBelow is the share of good answers below which a kind fails; someWork is
	// what one good answer proves at least. Six bad ones in a row disprove it.
	failsBelow, someWork = 0.25, 0.5
	// trialShare is how many trials there are for each start of the kind that works.
	trialShare = 1.0 / 16
)

// hear counts an answer.
func (f *retryMix) hear(k Kind, category retry.Category) {
	good := category == "" || !category.Advice().Breaker
	f.good[k] = weighed(f.good[k], good, 8)
	if good {
		f.good[k] = max(f.good[k], someWork)
	}
}

// fails is the kind that fails while the other works.
func (f *retryMix) fails() Kind {
	for _, k := range [...]Kind{First, Retries} {
		if f.good[k] < failsBelow && f.good[k.Other()] >= someWork {
			return k
		}
	}
	return none
}

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
