package guard

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// boundAgain is how often a target at its limit is asked again where no attempt ends.
const boundAgain = time.Second

// Allow passes a task through the gates of its target, or shuts the one that
// holds it: breaker, budget, limits. What was granted is given back by
// [Target.GiveBack], or ended by [Target.Conclude].
func (t *Target) Allow(c *Call) bool {
	g, now := t.guarded(c.Push), t.all.clock.Time
	if untested := t.all.config.Untested; !g.holdOff.on && untested != nil && untested(t.Name) {
		g.holdOff.on, g.holdOff.untested = true, true
	}
	if g.holdOff.on && g.holdOff.lone != nil && now.Before(g.holdOff.began.Add(turnOver)) {
		t.hold(byLimit, g.holdOff.began.Add(turnOver))
		return false
	}
	if t.running >= t.bound {
		t.hold(byLimit, now.Add(boundAgain))
		return false
	}
	c.grant = t.all.grants.take()
	if c.Gates&byBreaker != 0 && (!c.Free || g.breaker.ordered(now)) {
		permit, ok := g.breaker.acquire(now)
		if !ok {
			_, at := g.breaker.current.Ready(now)
			t.hold(byBreaker, at)
			c.grant = nil
			return false
		}
		c.grant.permit, c.grant.breaker = permit, g.breaker.current
	}
	if shut, until := t.ask(g, c, now); shut != 0 {
		t.GiveBack(c)
		t.hold(shut, until)
		return false
	}
	c.grant.trial = now.Before(g.recoversUntil()) && g.recovery.mix.fails() == c.Gates.Kind()
	g.recovery.spend(c.Gates, g.breaker.probes(), now)
	if g.holdOff.on {
		g.holdOff.lone, g.holdOff.began = c.grant, now
	}
	return true
}

// ask asks all but the breaker. It returns the gate to shut, and until when: zero for
// until an attempt ends.
func (t *Target) ask(g *guard, c *Call, now time.Time) (shut Gates, until time.Time) {
	if c.Gates&byBudget != 0 && !g.breaker.probesFree() {
		if ok, wait := g.budget.withdraw(now, c.cost, t.tight(g, now)); !ok {
			return byBudget, now.Add(wait)
		}
		c.grant.budget, c.grant.tokens = g.budget.current, c.cost
	}
	for _, r := range [...]*ramp{&g.recovery.ramp, &g.recovery.retries} {
		if r.gate == 0 {
			continue
		}
		if at, wait := r.wait(c.Gates, now); wait {
			return r.gate, at
		}
	}
	if limit := g.concurrency.limit; limit != nil && !c.Free {
		if !limit.Acquire(now) {
			return byLimit, time.Time{}
		}
		c.grant.limit = limit
	}
	return 0, time.Time{}
}

// busyPace is how many starts a second make a target busy.
const busyPace = 5

// tight reports whether the budget binds whatever it says. It does not bind as long as
// nearly all attempts of the last ten seconds succeeded, which is too long to look back
// when a busy target fails from one moment to the next, and not enough when an outage is
// just over and first attempts wait in numbers.
func (t *Target) tight(g *guard, now time.Time) bool {
	failing := g.budget.recent < g.inForce.budget.Pressure && g.recovery.pace.perSecond(now) >= busyPace
	return failing || now.Before(g.recovery.retries.ends()) && g.recovery.mix.fails() != First && t.anyDue(First)
}

// GiveBack returns what a task was granted, if anything: no attempt was made.
func (t *Target) GiveBack(c *Call) {
	held, now := c.grant, t.all.clock.Time
	if held == nil {
		return
	}
	c.grant = nil
	if t.guard != nil && t.guard.holdOff.lone == held {
		t.guard.holdOff.lone = nil
	}
	held.permit.Cancel(now)
	if held.budget != nil {
		held.budget.Return(now, held.tokens)
	}
	if held.limit != nil {
		held.limit.Release(now, 0, retry.Canceled)
	}
	t.freed()
}

// freed opens the gates that may be open when something was given back.
func (t *Target) freed() {
	if t.guard == nil {
		return
	}
	open := byLimit | byBudget
	if t.guard.breaker.state == retry.HalfOpen {
		open |= byBreaker
	}
	t.reopen(open)
}
