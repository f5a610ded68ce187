package engine

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// guard is what protects one target on this node, and what is known of how it
// fares. It is used under the engine's lock only.
type guard struct {
	breaker *retry.Breaker
	budget  *retry.Budget
	calls   *retry.Limit // nil while nothing but the share of the slots is a limit
	outages *retry.Outages

	settings settings
	policy   *retry.Policy // whose settings they are; nil for the defaults
	chosen   time.Time     // when they were

	state   retry.BreakerState
	vague   bool   // a probe has been answered, but neither well nor badly
	cause   string // of the last change of the breaker
	changed time.Time

	ramp    ramp    // lets out what was held
	retries ramp    // and those retries among it that pay
	fares   fares   // who gives way meanwhile
	pace    pace    // of starts
	normal  float64 // starts a second before the outage

	recent    float64   // share of the last answers that were good, 1 at first
	strain    float64   // share of the last answers that were refusals or timeouts
	refusals  float64   // share of the last answers that refused because of too many calls
	pause     time.Time // the target wants no calls until then
	succeeded time.Time // the last success
	obeyed    time.Time // the operator's last order

	unheld time.Time  // when somebody came who may take tasks
	alone  bool       // nobody took the last task, or none yet: one at a time tries
	fresh  bool       // none yet: nothing has gathered
	held   store.Held // why
	lone   *grant     // of the one that tries; nil while none does
	loneAt time.Time  // when it started
}

// change is a change of a target's breaker that is still to be told.
type change struct {
	target string
	retry.BreakerChange
	also func(retry.BreakerChange) // what the policy wants to be told; may be nil
}

// guarded returns the target's guard, new if need be: closed, unless another
// node or an operator knows better.
func (n *near) guarded(t *target, push bool) *guard {
	if t.guard != nil {
		return t.guard
	}
	t.guard = n.newGuard()
	if push {
		t.guard.calls = newLimit(t.limit, t.limit)
	}
	n.tune(t, usualSettings())
	if order, known := n.orders[t.name]; known && order.Action == store.TargetOpen {
		n.obey(t, order)
	} else {
		t.guard.obeyed = order.At // it has nothing to end or to forget
	}
	if other, known := n.elsewhere[t.name]; known {
		n.adopt(t, other)
	}
	return t.guard
}

// ordered reports whether an operator holds the target.
func (g *guard) ordered(now time.Time) bool {
	return g.state == retry.Open && g.breaker.View(now).Forced
}

// probes reports whether the next start is to tell whether the target is back.
func (g *guard) probes() bool {
	return g != nil && (g.state == retry.Open || g.state == retry.HalfOpen)
}

func (n *near) newGuard() *guard {
	later := func(work func()) { n.later = append(n.later, work) }
	return &guard{outages: retry.NewOutages(retry.OutagesConfig{Defer: later}), recent: 1, fares: fares{good: [...]float64{1, 1}}}
}

// newLimit makes a limit within a target's share of the slots.
func newLimit(now, share int) *retry.Limit {
	limit, err := retry.NewLimit(retry.LimitConfig{Initial: min(max(now, 1), share), Min: 1, Max: share})
	if err != nil {
		panic(err) // every share is a limit
	}
	return limit
}

// changedBreaker follows a change of a target's breaker.
func (n *near) changedBreaker(t *target, c retry.BreakerChange) {
	g := t.guard
	was := g.state
	g.state, g.cause, g.changed, g.vague = c.To, c.Cause, c.At, false
	switch {
	case c.To == retry.Open:
		g.ramp.gate, g.retries.gate = 0, 0
		if was == retry.Closed {
			g.normal = g.pace.perSecond(c.At)
		}
	case c.To == retry.Ramping:
		view := g.breaker.View(c.At)
		g.rampUp(byBreaker, c.At, g.settings.breaker.Ramp, c.At.Sub(view.Opened)/2)
		n.forgive(g, c.At)
		g.fares.trials = 1
	case c.To == retry.Closed && was != retry.Ramping:
		n.forgive(g, c.At)
	}
	n.changes = append(n.changes, change{t.name, c, g.settings.breaker.OnChange})
	n.renew(t, byBreaker|byBudget)
}

// forgive begins a new budget after an outage: what it knows is that every call
// has failed, and with retries alone it would take long to learn better. Instead
// of it, a ramp bounds them: one a second at first, twice as many each second.
func (n *near) forgive(g *guard, at time.Time) {
	budget, err := retry.NewBudget(g.settings.budget)
	if err != nil {
		return // these settings were good before
	}
	budget.Split(n.sharers)
	g.budget, g.recent = budget, 1
	g.retries = ramp{gate: byBudget, began: at, seen: at, length: retriesRamp, credit: 1}
}

// grant is what an entry holds from its choice to the end of its attempt.
type grant struct {
	permit  retry.Permit
	breaker *retry.Breaker // that has given it
	limit   *retry.Limit   // with a place for the attempt
	budget  *retry.Budget  // that has paid
	tokens  float64
	trial   bool // see fares
}

// grantChunk is how many grants are allocated together.
const grantChunk = 32

func (n *near) newGrant() *grant {
	if len(n.grants) == 0 {
		n.grants = make([]grant, grantChunk)
	}
	made := &n.grants[0]
	n.grants = n.grants[1:]
	return made
}

// allow passes an entry through the gates of its target, or shuts the one that
// holds it: breaker, budget, limits. What was granted is given back by
// [near.giveBack], or ended by [near.conclude].
func (n *near) allow(t *target, e *entry) bool {
	g := n.guarded(t, Capability(&e.Entry) == Push)
	if !g.alone && n.untested != nil && n.untested(t.name) {
		g.alone, g.fresh = true, true
	}
	if at, wait := g.tried(n.clock); wait {
		n.hold(t, byLimit, at)
		return false
	}
	if t.running >= t.bound {
		n.hold(t, byLimit, n.clock.Add(boundAgain))
		return false
	}
	e.grant = n.newGrant()
	if e.gates&byBreaker != 0 && (!e.free || g.ordered(n.clock)) && !n.throughBreaker(t, e) {
		e.grant = nil
		return false
	}
	if e.gates&byBudget != 0 && !g.probesFree() {
		ok, wait := n.withdraw(t, e.cost)
		if !ok {
			n.giveBack(e)
			n.hold(t, byBudget, n.clock.Add(wait))
			return false
		}
		e.grant.budget, e.grant.tokens = g.budget, e.cost
	}
	for _, r := range [...]*ramp{&g.ramp, &g.retries} {
		if at, wait := r.wait(e, n.clock); wait {
			n.giveBack(e)
			n.hold(t, r.gate, at)
			return false
		}
	}
	if g.calls != nil && !e.free {
		if !g.calls.Acquire(n.clock) {
			n.giveBack(e)
			n.hold(t, byLimit, time.Time{})
			return false
		}
		e.grant.limit = g.calls
	}
	g.ramp.spend(e)
	g.retries.spend(e)
	k := kindOf(e.gates)
	e.grant.trial = g.tries(k, n.clock)
	g.fares.spend(k, g.probes())
	g.pace.add(n.clock)
	if g.alone {
		g.lone, g.loneAt = e.grant, n.clock
	}
	return true
}

// probesFree reports whether the next start is a probe that costs no token. Once
// a probe has told nothing, the next one must be paid for: what refuses politely
// would else be asked without end.
func (g *guard) probesFree() bool { return g.state == retry.HalfOpen && !g.vague }

// mostAsked is how often a ramping breaker is asked at most; it lets a tenth of
// those pass who ask, or more.
const mostAsked = 20

// withdraw asks the budget. It does not bind as long as nearly all attempts of the
// last ten seconds succeeded, which is too long to look back when a busy target
// fails from one moment to the next, and not enough when an outage is just over
// and first attempts wait in numbers. Then tokens are asked for whatever it says.
func (n *near) withdraw(t *target, cost float64) (ok bool, wait time.Duration) {
	g := t.guard
	failing := g.recent < g.settings.budget.Pressure && g.pace.perSecond(n.clock) >= busyPace
	tight := failing || n.clock.Before(g.retries.ends()) && g.fares.fails() != fresh && t.due(fresh)
	if tight && g.budget.State(n.clock).Tokens < min(cost, 1) {
		return false, shortOfTokens
	}
	return g.budget.Withdraw(n.clock, cost)
}

// busyPace is how many starts a second make a target busy.
const busyPace = 5

// shortOfTokens is when a budget is asked again that would not bind by itself. It
// is asked sooner when an attempt ends.
const shortOfTokens = 100 * time.Millisecond

// throughBreaker asks the breaker. One that ramps turns a share of those who
// ask away; but tasks do not go away, they ask again. So here the ramp is one of
// time, see [ramp], and the breaker is asked until it lets one pass.
func (n *near) throughBreaker(t *target, e *entry) bool {
	g := t.guard
	for range mostAsked {
		permit, err := g.breaker.Acquire(n.clock)
		if err == nil {
			e.grant.permit, e.grant.breaker = permit, g.breaker
			return true
		}
		if g.state != retry.Ramping {
			break
		}
	}
	_, at := g.breaker.Ready(n.clock)
	n.hold(t, byBreaker, at)
	return false
}

// giveBack returns what an entry was granted, if anything: no attempt was made.
func (n *near) giveBack(e *entry) {
	held := e.grant
	if held == nil {
		return
	}
	e.grant = nil
	n.untried(e.stream.target, held)
	held.permit.Cancel(n.clock)
	if held.budget != nil {
		held.budget.Return(n.clock, held.tokens)
	}
	if held.limit != nil {
		held.limit.Release(n.clock, 0, retry.Canceled)
	}
	n.freed(e.stream.target)
}

// freed opens the gates of a target that may be open when something was given
// back to it.
func (n *near) freed(t *target) {
	if t.guard == nil {
		return
	}
	open := byLimit | byBudget
	if t.guard.state == retry.HalfOpen {
		open |= byBreaker
	}
	n.reopen(t, open)
}

// rampUp begins a ramp of a gate. After a short outage the usual rate is reached
// sooner: little has gathered of what came meanwhile.
func (g *guard) rampUp(gate gates, at time.Time, length, full time.Duration) {
	g.ramp = ramp{gate: gate, began: at, seen: at, length: length, full: max(0, min(length, full)), normal: g.normal, credit: 1}
}
