package guard

import (
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
