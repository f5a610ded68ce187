package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// shown is how long a target is reported after its breaker has changed: long
// enough for every node to hear that an outage is over.
const shown = time.Minute

// healthy reports whether nothing is held for the target's sake.
func (g *guard) healthy(now time.Time) bool {
	return g.state == retry.Closed && !now.Before(g.pause) && (!g.alone || g.fresh)
}

// report is what the node tells others of its targets: those that something is
// wrong with, or was a moment ago, the last changed first.
func (n *near) report() []store.Target {
	var troubled []*target
	for _, t := range n.targets {
		g := t.guard
		if g != nil && (!g.healthy(n.clock) || n.stuck(t, n.now) != 0 || !g.changed.IsZero() && n.clock.Sub(g.changed) < shown) {
			troubled = append(troubled, t)
		}
	}
	slices.SortFunc(troubled, func(a, b *target) int {
		return cmp.Or(b.guard.changed.Compare(a.guard.changed), cmp.Compare(a.name, b.name))
	})
	out := make([]store.Target, min(len(troubled), store.MostTargets))
	for i := range out {
		out[i] = n.show(troubled[i])
	}
	return out
}

// show is a target as people and other nodes see it. Figures are rounded, so
// that what does not matter does not make a row be written.
func (n *near) show(t *target) store.Target {
	out := store.Target{Name: t.name, InFlight: t.running, Limit: t.allowed(), Waiting: t.waiting()}
	out.Breaker = store.Breaker{State: retry.Closed.String(), Admitted: 1}
	out.Unguarded = n.unguarded != nil && n.unguarded(t.name)
	out.Budget.Share = 1
	g := t.guard
	if g == nil {
		return out
	}
	out.Breaker = g.showBreaker(n.clock)
	budget := g.budget.State(n.clock)
	out.Budget = store.Budget{Tokens: rounded(budget.Tokens), Share: rounded(budget.Share), First: budget.First, Retries: budget.Retries, Denied: budget.Denied}
	if t.shut&byBudget != 0 {
		out.Budget.Until = time.UnixMicro(t.until[1]).UTC()
	}
	if n.clock.Before(g.pause) {
		out.HeldUntil = utc(g.pause)
	}
	if g.alone && !g.fresh {
		out.Held = g.held
		out.Held.Next = utc(g.pause)
	}
	return out
}

func (g *guard) showBreaker(now time.Time) store.Breaker {
	view := g.breaker.View(now)
	out := store.Breaker{
		State: view.State.String(), Forced: view.Forced, Cause: g.cause, Trips: view.Trips, Probing: view.Probing,
		Since: utc(view.Since), Until: utc(view.Until), Opened: utc(view.Opened),
		Calls: view.Calls, Failures: view.Failures, Slow: view.Slow, Admitted: rounded(view.Admitted),
	}
	if view.State == retry.HalfOpen {
		_, at := g.breaker.Ready(now)
		out.Until = utc(at)
	}
	return out
}

// waiting counts what is due by the first gate that holds it.
func (t *target) waiting() (out store.TargetWaiting) {
	for _, s := range t.streams {
		for of := range s.ready {
			count := s.ready[of].len()
			switch shut := t.shut; {
			case shut&gates(of)&byBreaker != 0:
				out.Breaker += count
			case shut&gates(of)&byBudget != 0:
				out.Budget += count
			case shut&byRate != 0:
				out.Rate += count
			case t.full():
				out.Concurrency += count
			}
		}
	}
	return out
}

func rounded(x float64) float64 { return math.Round(x*100) / 100 }

// utc is a time as it is told to others: without a monotonic reading.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Round(0)
}

// listen takes over what other nodes and operators say of targets.
func (n *near) listen(v *view, self string) {
	before := n.orders
	n.elsewhere, n.orders = v.heard(self), map[string]store.TargetOrder{}
	for _, order := range v.topology.Orders {
		n.orders[order.Target] = order
		if t := n.targets[order.Target]; t != nil && t.guard != nil {
			n.obey(t, order)
		}
	}
	n.missed(before)
	for name, other := range n.elsewhere {
		if t := n.targets[name]; t != nil && t.guard != nil {
			n.adopt(t, other)
		}
	}
	if sharers := max(1, v.workers()); sharers != n.sharers {
		n.sharers = sharers
		for _, t := range n.targets {
			if t.guard != nil {
				t.guard.budget.Split(sharers)
			}
		}
	}
}

// missed ends the orders to stay open that nobody shows any more. One that holds is
// always shown; what ended it was forgotten while this node was away.
func (n *near) missed(before map[string]store.TargetOrder) {
	for name, order := range before {
		_, known := n.orders[name]
		if t := n.targets[name]; order.Action == store.TargetOpen && !known && t != nil && t.guard != nil {
			n.unforce(t)
		}
	}
}

// heard is the last thing that happened to each breaker on the other living
// nodes.
func (v *view) heard(self string) map[string]store.Breaker {
	last := map[string]store.Breaker{}
	for id, node := range v.alive {
		if id == self {
			continue
		}
		for _, t := range node.Targets {
			if known, ok := last[t.Name]; !t.Breaker.Forced && (!ok || t.Breaker.Since.After(known.Since)) {
				last[t.Name] = t.Breaker
			}
		}
	}
	return last
}

// workers is the number of living nodes that run tasks.
func (v *view) workers() (count int) {
	for _, node := range v.alive {
		if len(node.Serves) > 0 {
			count++
		}
	}
	return count
}

// adopt lets a breaker follow what another node says, unless an operator has
// spoken since, or it is the other's way to the target that is broken.
func (n *near) adopt(t *target, other store.Breaker) {
	g := t.guard
	state, known := breakerState(other.State)
	opens := state == retry.Open || state == retry.HalfOpen
	if !known || !other.Since.After(g.obeyed) || opens && g.knowsBetter(n.clock, other.Opened) {
		return
	}
	g.breaker.Adopt(n.clock, retry.BreakerView{
		State: state, Since: other.Since, Until: other.Until, Opened: other.Opened, Trips: other.Trips, Admitted: other.Admitted,
	})
}

// knowsBetter reports whether a call of this node has succeeded since another
// node's outage began. While it has only just begun, a recent success is enough:
// there was no time for another.
func (g *guard) knowsBetter(now, outage time.Time) bool {
	return g.succeeded.After(outage) || now.Sub(outage) < lately && now.Sub(g.succeeded) < lately
}

func breakerState(name string) (retry.BreakerState, bool) {
	for _, state := range []retry.BreakerState{retry.Closed, retry.Open, retry.HalfOpen, retry.Ramping} {
		if state.String() == name {
			return state, true
		}
	}
	return retry.Closed, false
}

// obey does what an operator ordered, once.
func (n *near) obey(t *target, order store.TargetOrder) {
	g := t.guard
	if !order.At.After(g.obeyed) {
		return
	}
	g.obeyed = order.At
	switch order.Action {
	case store.TargetOpen:
		g.breaker.Force(n.clock, retry.Open)
	case store.TargetClose:
		n.unforce(t)
	case store.TargetReset:
		n.reset(t)
	}
}

// unforce ends an outage, what held it open, and a pause. A target that is well goes on
// as it does: a ramp would hold it back for nothing.
func (n *near) unforce(t *target) {
	g := t.guard
	if view := g.breaker.View(n.clock); view.Forced || g.probes() {
		g.breaker.Force(n.clock, retry.Closed)
		g.breaker.Unforce(n.clock)
	}
	if g.ramp.gate == byRate && n.clock.Before(g.ramp.began) {
		g.rampUp(byRate, n.clock, pauseRamp, pauseRamp) // that of the pause begins now
	}
	g.pause = time.Time{}
	n.reopen(t, anyGate)
}

// reset forgets what was learned of a target. Attempts that are under way
// report to what they began with.
func (n *near) reset(t *target) {
	old := t.guard
	t.guard = n.newGuard()
	t.guard.obeyed = old.obeyed
	if old.calls != nil {
		t.guard.calls = newLimit(t.limit, t.limit)
	}
	n.tune(t, usualSettings())
	if old.state != retry.Closed {
		t.guard.changed, t.guard.cause = n.clock, "reset"
		n.changes = append(n.changes, change{t.name, retry.BreakerChange{From: old.state, To: retry.Closed, At: n.clock, Cause: "reset"}, old.settings.breaker.OnChange})
	}
	n.renew(t, anyGate)
}
