package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Conclude tells the guards how an attempt has ended, and opens the
// gates that may be open now. Guards that the policy does without hear nothing, and
// none hears of a failure that is the task's own, see [ofDependency].
func (t *Target) Conclude(c *Call, f Feedback) {
	held := c.grant
	if held == nil {
		return // its task was handed back meanwhile
	}
	c.grant = nil
	g := t.guard
	if g == nil {
		return // nobody wants to know any more
	}
	if g.holdOff.lone == held {
		g.holdOff.lone = nil
	}
	t.all.clock.Advance(f.At)
	if f.Category == retry.Timeout && !g.latency.fair(&f, g.inForce.policy) {
		f.Silent, t.used = true, t.all.clock.Micros // what is known of the target is still wanted
		g.breaker.saidNothing()
	}
	if !f.Silent && !c.Free && !f.OwnPolicy {
		t.retune(f.Policy)
	}
	own := c.Free || c.Local && f.Category != "" && f.Category != retry.Permanent && !ofDependency(f.Category)
	g.tell(held, &f, own)
	if !f.Silent {
		if !own {
			g.recovery.mix.hear(c.Gates.Kind(), f.Category)
		}
		t.used = t.all.clock.Micros
		if f.Category != retry.Timeout { // how long it was waited for
			t.learn(f.Took)
		}
	}
	if !f.Silent && !c.Free {
		if f.Category == "" {
			g.breaker.succeeded = f.At
		}
		if before := g.pause.until; g.pause.hear(&f) {
			t.leaveAlone(f.At, before)
		}
	}
	if f.Hold != nil || g.holdOff.on {
		t.holdOff(&f)
	}
	if !c.Free {
		g.concurrency.hear(held.limit, &f, c.Push, t.running, t.share)
	}
	if t.shut != 0 {
		t.freed()
	}
	if t.all.clock.Time.Before(g.recoversUntil()) {
		t.refresh() // others may have to give way now
	}
}

// tell tells breaker and budget of an attempt; own says that its failure is the task's.
func (g *guard) tell(held *grant, f *Feedback, own bool) {
	if held.breaker != nil && held.breaker != g.breaker.current {
		// Other settings hold by now; what has happened counts under them.
		held.permit.Cancel(f.At)
		held.permit, _ = g.breaker.current.Acquire(f.At)
	}
	breaker, budget := wanted(f.Policy)
	switch {
	case f.Silent || !breaker:
		held.permit.Cancel(f.At)
	case own:
		held.permit.Cancel(f.At)
		g.breaker.saidNothing()
	case f.Category == "":
		g.latency.add(f.Took)
		held.permit.Success(f.At, f.Took)
	default:
		held.permit.Failure(f.At, f.Took, f.Category)
		if !f.Category.Advice().Breaker {
			g.breaker.saidNothing()
		}
	}
	switch {
	case !budget && held.budget != nil:
		held.budget.Return(f.At, held.tokens)
	case budget && !f.Silent && !own:
		// What has been answered well or wrongly for good shows no distress, and a
		// trial that fails shows what was known.
		if good := f.Category == "" || f.Category == retry.Permanent; good || !held.trial {
			g.budget.current.Record(f.At, f.First, good)
			g.budget.recent = weighed(g.budget.recent, good, 16)
		}
	}
}

// leaveAlone pauses a target that mostly refuses and says for how long. After the pause it
// is called again ever faster.
func (t *Target) leaveAlone(at, before time.Time) {
	g := t.guard
	if at.After(before) {
		g.recovery.interrupted(at)
	}
	t.hold(byRate, g.pause.until)
	g.recovery.afterPause(g.pause.until)
}

// holdOff follows what an attempt says of whether anybody takes tasks of the target.
func (t *Target) holdOff(f *Feedback) {
	g := t.guard
	switch {
	case f.Hold != nil:
		if !g.holdOff.holds() {
			g.recovery.interrupted(f.At)
		}
		until := g.holdOff.begin(f.At, f.Hold)
		if g.changed = f.At; until.After(g.pause.until) {
			g.pause.until = until
			t.hold(byRate, until)
		}
	case g.holdOff.on && f.HandedOn: // what was found here does not count
		g.holdOff.end()
		g.changed = f.At
	case g.holdOff.on && !f.Silent:
		g.taken(f.At)
	}
}

// Taken lets further tasks of a target start, ever faster, before the one that tries
// has ended.
func (ts *Targets) Taken(name string, now time.Time) {
	if t := ts.byName[name]; t != nil && t.guard != nil && t.guard.holdOff.on {
		ts.clock.Advance(now)
		t.guard.taken(now)
		t.guard.pause.until = time.Time{}
		t.reopen(byRate | byLimit)
	}
}

// Unhold lets tasks of a target be tried at once.
func (ts *Targets) Unhold(name string, now time.Time) {
	if t := ts.byName[name]; t != nil && t.guard != nil {
		t.guard.holdOff.ended = now // an attempt may be about to say the contrary
		if t.guard.holdOff.on {
			t.guard.pause.until = time.Time{}
			t.reopen(byRate)
		}
	}
}
