package guard

import (
	"cmp"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// Target is what is known of one target.
func (ts *Targets) Target(name string, now time.Time) (target store.Target, known bool) {
	ts.clock.Advance(now)
	t := ts.byName[name]
	if t == nil {
		return store.Target{}, false
	}
	return t.show(), true
}

// Troubled is what the node tells others of its targets: those that something is
// wrong with, or was a moment ago, the last changed first.
func (ts *Targets) Troubled(now time.Time) []store.Target {
	ts.clock.Advance(now)
	var troubled []*Target
	for _, t := range ts.byName {
		g := t.guard
		if g != nil && (!g.healthy(ts.clock.Time) || t.Blocked(ts.clock.Micros) != 0 || !g.changed.IsZero() && ts.clock.Time.Sub(g.changed) < shown) {
			troubled = append(troubled, t)
		}
	}
	slices.SortFunc(troubled, func(x, y *Target) int {
		return cmp.Or(y.guard.changed.Compare(x.guard.changed), cmp.Compare(x.Name, y.Name))
	})
	out := make([]store.Target, min(len(troubled), store.MostTargets))
	for i := range out {
		out[i] = troubled[i].show()
	}
	return out
}

// show is a target as people and other nodes see it. Figures are rounded, so
// that what does not matter does not make a row be written.
func (t *Target) show() store.Target {
	out := store.Target{Name: t.Name, InFlight: t.running, Limit: t.allowed(), Waiting: t.waiting()}
	out.Breaker = store.Breaker{State: retry.Closed.String(), Admitted: 1}
	unguarded := t.all.config.Unguarded
	out.Unguarded = unguarded != nil && unguarded(t.Name)
	out.Budget.Share = 1
	g, now := t.guard, t.all.clock.Time
	if g == nil {
		return out
	}
	out.Breaker = g.breaker.show(now)
	tokens := g.budget.current.State(now)
	out.Budget = store.Budget{Tokens: rounded(tokens.Tokens), Share: rounded(tokens.Share), First: tokens.First, Retries: tokens.Retries, Denied: tokens.Denied}
	if t.shut&byBudget != 0 {
		out.Budget.Until = time.UnixMicro(t.until[1]).UTC()
	}
	if now.Before(g.pause.until) {
		out.HeldUntil = utc(g.pause.until)
	}
	if g.holdOff.holds() {
		out.Held = g.holdOff.why
		out.Held.Next = utc(g.pause.until)
	}
	return out
}

// waiting counts what is due by the first gate that holds it.
func (t *Target) waiting() (out store.TargetWaiting) {
	for _, b := range t.due {
		for of := range Gates(Sets) {
			count := b.Due(of)
			switch shut := t.shut; {
			case shut&of&byBreaker != 0:
				out.Breaker += count
			case shut&of&byBudget != 0:
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
