package engine

import "time"

// aloneAgain is how often it is looked whether the one task that tries has ended.
const aloneAgain = 100 * time.Millisecond

// holdOff starts nothing of a target for a while of which nobody took a task, and
// after that one at a time, until one was taken. Then what has gathered is let out
// ever faster.
func (n *near) holdOff(t *target, a answer) {
	g := t.guard
	switch {
	case a.hold != nil:
		if !g.alone {
			g.normal = g.pace.perSecond(a.at)
		}
		until := a.at.Add(a.hold.After)
		g.alone, g.held, g.changed = true, a.hold.Held, a.at
		if until.After(g.pause) {
			g.pause = until
			n.hold(t, byRate, until)
		}
	case g.alone && !a.silent:
		g.alone, g.changed = false, a.at
		g.held.Failures = 0
		if g.ramp.gate != byBreaker {
			g.rampUp(byRate, a.at, pauseRamp, pauseRamp)
		}
	}
}

// Unhold lets tasks of a target be tried at once: somebody may take them.
func (e *Engine) Unhold(name string) {
	e.lock()
	if t := e.near.targets[name]; t != nil && t.guard != nil && t.guard.alone {
		t.guard.pause = time.Time{}
		e.near.reopen(t, byRate)
	}
	e.unlock()
	signal(e.wake)
}
