package guard

import (
	"reflect"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// guard is what protects one target on this node, and what is known of how it
// fares.
type guard struct {
	breaker     breaker
	budget      budget
	concurrency concurrency
	recovery    recovery
	pause       pause
	holdOff     holdOff
	latency     latency
	inForce     inForce
	changed     time.Time // when the breaker last changed, or a hold-off began or ended
}

const (
	// settled is how long the settings of a policy hold for a target before those
	// of another may: a change begins new windows.
	settled = time.Minute
	// freshTokens is what a budget of which nothing is known holds at least, as far
	// as its burst allows: a few tasks that fail keep to their schedules.
	freshTokens = retry.DefaultBurst
)

// settings is what policies say about the guards of their targets.
type settings struct {
	breaker retry.BreakerConfig
	budget  retry.BudgetConfig
}

// inForce is the settings that hold for a target.
type inForce struct {
	settings
	policy *retry.Policy // whose they are; nil for the defaults
	chosen time.Time     // when they were
}

// same reports whether the settings mean the same.
func (s settings) same(other settings) bool {
	hooks := s.breaker.OnChange == nil && other.breaker.OnChange == nil
	s.breaker.OnChange, other.breaker.OnChange = nil, nil // functions cannot be compared
	return hooks && reflect.DeepEqual(s, other)
}

// under is the settings under a policy. Of a guard that it does without, they
// stay as they are.
func (s settings) under(policy *retry.Policy) settings {
	if breaker, wants := policy.BreakerConfig(); wants {
		s.breaker = breaker
	}
	if budget, wants := policy.BudgetConfig(); wants {
		s.budget = budget
	}
	return s
}

// healthy reports whether nothing is held for the target's sake.
func (g *guard) healthy(now time.Time) bool {
	return g.breaker.state == retry.Closed && !now.Before(g.pause.until) && (!g.holdOff.on || g.holdOff.untested)
}

// recoversUntil is until when what gathered in an outage is let out; zero if nothing is.
// It ends by time, whatever starts meanwhile.
func (g *guard) recoversUntil() time.Time {
	switch g.breaker.state {
	case retry.Ramping:
		return g.recovery.ramp.ends()
	case retry.Closed:
		return g.recovery.retries.ends()
	}
	return time.Time{}
}

// forgive begins a new budget after an outage: what it knows is that every call
// has failed, and with retries alone it would take long to learn better. Instead
// of it, a ramp bounds them: one a second at first, twice as many each second.
func (g *guard) forgive(at time.Time, sharers int) {
	fresh, err := retry.NewBudget(g.inForce.budget)
	if err != nil {
		return // these settings were good before
	}
	fresh.Split(sharers)
	g.budget = budget{fresh, 1}
	g.recovery.boundRetries(at)
}

// taken ends a hold-off: somebody takes tasks. What was not held back needs no ramp.
func (g *guard) taken(at time.Time) {
	if g.holdOff.end() {
		g.changed = at
		g.recovery.afterPause(at)
	}
}

// guarded returns the target's guard, new if need be: closed, unless another
// node or an operator knows better.
func (t *Target) guarded(push bool) *guard {
	if t.guard != nil {
		return t.guard
	}
	t.guard = t.all.newGuard(t.share, push)
	t.tune(settings{}.under(retry.Default()))
	order, known := t.all.orders[t.Name]
	if known && order.Action == store.TargetOpen {
		t.obey(order)
	} else {
		t.guard.breaker.obeyed = order.At // it has nothing to end or to forget
	}
	if other, known := t.all.remote[t.Name]; known {
		t.guard.breaker.adopt(t.all.clock.Time, other)
	}
	return t.guard
}

// newGuard makes a guard that knows nothing and has neither breaker nor budget, see
// [Target.tune].
func (ts *Targets) newGuard(share int, limited bool) *guard {
	later := func(work func()) { ts.later = append(ts.later, work) }
	g := &guard{recovery: recovery{mix: retryMix{good: [...]float64{1, 1}}}}
	g.breaker.outages = retry.NewOutages(retry.OutagesConfig{Defer: later})
	if g.budget.recent = 1; limited {
		g.concurrency.limit = newLimit(share, share)
	}
	return g
}

// retune takes over the settings of the policy under which an attempt on the
// target was made: those of the last one hold. Each holds for a minute at least,
// so that policies that take turns do not keep the windows empty.
func (t *Target) retune(policy *retry.Policy) {
	in, now := &t.guard.inForce, t.all.clock.Time
	if policy == in.policy || in.policy != nil && now.Sub(in.chosen) < settled {
		return
	}
	in.policy, in.chosen = policy, now
	if next := in.under(policy); !next.same(in.settings) {
		t.tune(next)
	}
}

// tune makes guards by the settings. What an outage has come to goes on.
func (t *Target) tune(s settings) {
	g, config, now := t.guard, s.breaker, t.all.clock.Time
	if config.Outages == nil {
		config.Outages = g.breaker.outages
	}
	if config.Rand == nil {
		config.Rand = t.all.config.Rand
	}
	var made *retry.Breaker
	config.OnChange = func(c retry.BreakerChange) {
		if t.guard.breaker.current == made { // attempts that began with another settle with that one
			t.changed(c)
		}
	}
	made, breakerErr := retry.NewBreaker(config)
	paying, budgetErr := retry.NewBudget(s.budget)
	if breakerErr != nil || budgetErr != nil {
		return // policies check what they say; should one not, what holds goes on
	}
	if t.all.sharers > 1 {
		paying.Split(t.all.sharers)
	}
	before := g.breaker.current
	if before == nil {
		paying.Return(now, freshTokens)
	} else {
		made.Adopt(now, before.View(now)) // nothing of it is told: nothing has happened
	}
	g.inForce.settings, g.breaker.current, g.budget.current = s, made, paying
	if before == nil {
		return // closed, as a guard is at first
	}
	if state := made.View(now).State; state != g.breaker.state { // a ramp needs no breaker to go on here
		t.changed(retry.BreakerChange{From: g.breaker.state, To: state, At: now, Cause: "settings"})
	}
}

// changed follows a change of the breaker.
func (t *Target) changed(c retry.BreakerChange) {
	g := t.guard
	was := g.breaker.state
	g.breaker.state, g.breaker.cause, g.breaker.vague, g.changed = c.To, c.Cause, false, c.At
	switch {
	case c.To == retry.Open:
		g.recovery.stop()
		if was == retry.Closed {
			g.recovery.interrupted(c.At)
		}
	case c.To == retry.Ramping:
		view := g.breaker.current.View(c.At)
		g.recovery.begin(byBreaker, c.At, g.inForce.breaker.Ramp, c.At.Sub(view.Opened)/2)
		g.forgive(c.At, t.all.sharers)
		g.recovery.mix.trials = 1
	case c.To == retry.Closed && was != retry.Ramping:
		g.forgive(c.At, t.all.sharers)
	}
	t.all.changes = append(t.all.changes, Change{t.Name, c, g.inForce.breaker.OnChange})
	t.renew(byBreaker | byBudget)
}

// obey does what an operator ordered, once.
func (t *Target) obey(order store.TargetOrder) {
	b := &t.guard.breaker
	if !order.At.After(b.obeyed) {
		return
	}
	b.obeyed = order.At
	switch order.Action {
	case store.TargetOpen:
		b.current.Force(t.all.clock.Time, retry.Open)
	case store.TargetClose:
		t.close()
	case store.TargetReset:
		t.reset()
	}
}

// close ends an outage, what held it open, and a pause.
func (t *Target) close() {
	g, now := t.guard, t.all.clock.Time
	g.breaker.close(now)
	if g.recovery.ramp.gate == byRate && now.Before(g.recovery.ramp.began) {
		g.recovery.begin(byRate, now, pauseRamp, pauseRamp) // that of the pause begins now
	}
	g.pause.until = time.Time{}
	t.reopen(anyGate)
}

// reset forgets what was learned of a target. Attempts that are under way
// report to what they began with.
func (t *Target) reset() {
	old, now := t.guard, t.all.clock.Time
	t.guard = t.all.newGuard(t.share, old.concurrency.limit != nil)
	t.guard.breaker.obeyed = old.breaker.obeyed
	t.tune(settings{}.under(retry.Default()))
	if was := old.breaker.state; was != retry.Closed {
		t.guard.changed, t.guard.breaker.cause = now, "reset"
		c := retry.BreakerChange{From: was, To: retry.Closed, At: now, Cause: "reset"}
		t.all.changes = append(t.all.changes, Change{t.Name, c, old.inForce.breaker.OnChange})
	}
	t.renew(anyGate)
}
