package engine

import "time"

// trialOver is after how long the next task may try although the one before has not
// ended. Who refuses does so sooner, but for addresses that never answer.
const trialOver = 30 * time.Second

// holdOff starts nothing of a target for a while of which nobody took a task, and
// after that one at a time, until one was taken. Then what has gathered is let out
// ever faster.
func (n *near) holdOff(t *target, a answer) {
	g := t.guard
	switch {
	case a.hold != nil:
		if !g.alone || g.fresh {
			g.normal = g.pace.perSecond(a.at)
		}
		until := a.at.Add(a.hold.After)
		if !g.unheld.IsZero() && !g.unheld.Before(a.hold.Since) {
			until = a.at
		}
		g.alone, g.fresh, g.held, g.changed = true, false, a.hold.Held, a.at
		if until.After(g.pause) {
			g.pause = until
			n.hold(t, byRate, until)
		}
	case g.alone && a.moved: // what was found here does not count
		g.alone, g.lone, g.held.Failures, g.changed = false, nil, 0, a.at
	case g.alone && !a.silent:
		g.taken(a.at)
	}
}

// taken ends the trials: somebody takes tasks. What was not held back needs no ramp.
func (g *guard) taken(at time.Time) {
	g.alone, g.lone = false, nil
	if g.fresh {
		g.fresh = false
		return
	}
	g.changed = at
	g.held.Failures = 0
	if g.ramp.gate != byBreaker {
		g.rampUp(byRate, at, pauseRamp, pauseRamp)
	}
}

// tried reports whether the next start must wait for the end of a trial, and until
// when. Tasks that were taken before the trials began say nothing: they may run for
// hours.
func (g *guard) tried(now time.Time) (until time.Time, wait bool) {
	until = g.loneAt.Add(trialOver)
	return until, g.alone && g.lone != nil && now.Before(until)
}

// untried notes that what was granted has ended, and with it the trial, if it was that.
func (n *near) untried(t *target, held *grant) {
	if t.guard != nil && t.guard.lone == held {
		t.guard.lone = nil
	}
}

// Taken lets further tasks of a target start, ever faster, before the one that tries
// has ended: it is known that somebody has taken it.
func (e *Engine) Taken(name string) {
	e.lock()
	if t := e.near.targets[name]; t != nil && t.guard != nil && t.guard.alone {
		now := time.Now()
		e.near.reads(now)
		t.guard.taken(now)
		t.guard.pause = time.Time{}
		e.near.reopen(t, byRate|byLimit)
	}
	e.unlock()
	signal(e.wake)
}

// Unhold lets tasks of a target be tried at once: somebody may take them.
func (e *Engine) Unhold(name string) {
	e.lock()
	if t := e.near.targets[name]; t != nil && t.guard != nil {
		t.guard.unheld = time.Now() // an attempt may be about to say the contrary
		if t.guard.alone {
			t.guard.pause = time.Time{}
			e.near.reopen(t, byRate)
		}
	}
	e.unlock()
	signal(e.wake)
}
