package engine

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// fares is how first attempts and retries of a target fare, each by themselves.
// One of them can fail whatever state the target is in. What a task needs may come
// to be a moment after it was enqueued: then every first attempt fails, and every
// retry works. Or some tasks can never succeed, and are retried beside new ones
// that do. A breaker that the ones open and the others close would let hardly any
// of either through. So its probes take turns; and while it lets out what has
// gathered, attempts that fail give way to those that work, but for trials, which
// tell when that changes. It is guarded by the engine's lock.
type fares struct {
	good   [2]float64 // share of the last answers that were good, by kind; 1 at first
	probed kind       // of the last probe
	trials float64    // that may start now
}

// kind tells retries that pay from all other attempts.
type kind int

const (
	neither kind = iota - 1
	fresh
	retried
)

func (k kind) other() kind { return retried - k }

// kindOf is the kind of entries that have those gates.
func kindOf(of gates) kind {
	if of&byBudget != 0 {
		return retried
	}
	return fresh
}

const (
	// failsBelow is the share of good answers below which a kind fails; someWork is
	// what one good answer proves at least. Six bad ones in a row disprove it.
	failsBelow, someWork = 0.25, 0.5
	// trialShare is how many trials there are for each start of the kind that works.
	trialShare = 1.0 / 16
)

// hear counts an answer.
func (f *fares) hear(k kind, category retry.Category) {
	good := category == "" || !category.Advice().Breaker
	f.good[k] = weighed(f.good[k], good, 8)
	if good {
		f.good[k] = max(f.good[k], someWork)
	}
}

// fails is the kind that fails while the other works.
func (f *fares) fails() kind {
	for _, k := range [...]kind{fresh, retried} {
		if f.good[k] < failsBelow && f.good[k.other()] >= someWork {
			return k
		}
	}
	return neither
}

// spend counts a start.
func (f *fares) spend(k kind, probe bool) {
	if probe {
		f.probed = k
	}
	if k == f.fails() {
		f.trials = max(0, f.trials-1)
	} else {
		f.trials = min(1, f.trials+trialShare)
	}
}

// recovery is until when what gathered in an outage is let out; zero if nothing is.
// It ends by time, whatever starts meanwhile.
func (g *guard) recovery() time.Time {
	switch g.state {
	case retry.Ramping:
		return g.ramp.ends()
	case retry.Closed:
		return g.retries.ends()
	}
	return time.Time{}
}

// recovers reports whether what gathered in an outage is being let out.
func (g *guard) recovers(now time.Time) bool { return now.Before(g.recovery()) }

// tries reports whether the start of an attempt of that kind is a trial.
func (g *guard) tries(k kind, now time.Time) bool { return g.recovers(now) && g.fares.fails() == k }

// yields is the kind that gives way to the other now.
func (t *target) yields(now time.Time) kind {
	g := t.guard
	if g == nil || !g.recovers(now) || g.fares.trials >= 1 {
		return neither
	}
	if k := g.fares.fails(); k != neither && t.due(k.other()) {
		return k
	}
	return neither
}

// askYielding lets those start that have nothing to give way to any more. They are
// asked before each choice, since that for which they wait can end in many ways: by
// the last entry of another queue, a pause of that queue, its limit, or time.
func (n *near) askYielding() {
	for t := range n.yielding {
		if t.refresh(); t.yields(n.clock) == neither {
			delete(n.yielding, t)
		}
	}
}

// nextYielding is when the first of those that give way stops doing so at the
// latest, µs.
func (n *near) nextYielding() int64 {
	at := int64(math.MaxInt64)
	for t := range n.yielding {
		if t.guard != nil {
			at = min(at, max(n.now, micros(t.guard.recovery().Add(time.Microsecond-1))))
		}
	}
	return at
}

// due reports whether entries of that kind are due that nothing but the target's
// gates and free slots can hold.
func (t *target) due(k kind) bool {
	for _, s := range t.streams {
		if s.queue.shut() {
			continue
		}
		for of := range s.ready {
			if kindOf(gates(of)) == k && s.ready[of].len() > 0 {
				return true
			}
		}
	}
	return false
}
