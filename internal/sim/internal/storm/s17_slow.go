package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// slowDependency makes one dependency of a gateway slow. It fails nothing.
func slowDependency() *Scenario {
	return &Scenario{
		ID:     "S17",
		Name:   "Slow dependency",
		Shows:  "One slow dependency takes the places of all calls, and its fallback with it, unless attempts have a time limit and both have a limit of places.",
		Source: "retry.md §8; bulkheads in Nygard, Release It!",
		Parameters: []parameter{
			{"load", "200 calls/s in the mean that need the dependency, 200 that do not; callers wait 1 s and retry 3 times, full jitter 100 ms × 2, no budget"},
			{"gateway", "200 places; 20 ms for calls that need nothing"},
			{"dependency", "answers after 100 ms, from 20 s to 50 s after 2 s"},
			{"second store", "FIFO, 100 requests/s, when the dependency does not answer"},
			{"ours", "attempts 300 ms; adaptive limit on the dependency, 20 places on the second store"},
			{"unaffected", "goodput of the calls that do not need the dependency, from 20 s to 50 s"},
		},
		Own:      slowKit("timeout and limits", 300*time.Millisecond).With("timeout and limits", world.WithLimit(retry.LimitConfig{})),
		Contrast: world.Plain("no timeout, no limits", retry.Attempts(1)),
		Storm:    func(w *world.World, k world.Kit) { slowStorm(w, k, 20) },
		play:     playSlow,
	}
}

func slowKit(name string, timeout time.Duration) world.Kit {
	return world.Plain(name, retry.Attempts(1), retry.PerAttempt(timeout))
}

const (
	slowFrom = 20 * time.Second
	slowTo   = 50 * time.Second
)

// gateway serves each request by the dependency or the second store, or by itself.
type gateway struct {
	room, busy    int
	first, second *world.Client
}

// errand is one request at the gateway.
type errand struct {
	gateway *gateway
	attempt *world.Attempt
	second  bool // the dependency did not answer
}

const unaffected = 0 // the class of calls that need no dependency

func (g *gateway) Take(w *world.World, a *world.Attempt) {
	a.Arrives(w)
	if g.busy >= g.room {
		a.Answer(w, &world.Overloaded, time.Millisecond)
		return
	}
	g.busy++
	e := &errand{gateway: g, attempt: a}
	if a.Call.Class == unaffected {
		w.After(20*time.Millisecond, e, 0)
		return
	}
	e.call(w, g.first)
}

// Happen is the end of work that needs nobody else.
func (e *errand) Happen(w *world.World, _ world.What) { e.done(w, nil) }

func (e *errand) call(w *world.World, by *world.Client) {
	c := w.Calls.Next()
	c.Client, c.Outer, c.Owner = by, e.attempt, e
	c.Begin(w)
}

func (e *errand) Ended(w *world.World, c *world.Call) {
	switch {
	case c.OK:
		e.done(w, nil)
	case e.second:
		e.done(w, &world.Unavailable)
	default:
		e.second = true
		e.call(w, e.gateway.second)
	}
}

func (e *errand) done(w *world.World, v *retry.Verdict) {
	e.gateway.busy--
	e.attempt.Answer(w, v, 0)
}

// slowStorm has two kinds of calls. Fallback is how many places the second store
// has, 0 for no limit.
func slowStorm(w *world.World, k world.Kit, fallback int) *world.Meter {
	dependency := &world.Server{Latency: 100 * time.Millisecond, Quiet: true}
	dependency.Faults.Add(&world.Fault{From: slowFrom, To: slowTo, Ill: world.Slows, Latency: 2 * time.Second})
	second := world.Plain("", retry.Attempts(1))
	if fallback > 0 {
		world.WithLimit(retry.LimitConfig{Initial: fallback, Fixed: true})(&second)
	}
	g := &gateway{room: 200, first: world.NewClient(w, k, dependency)}
	g.second = world.NewClient(w, second, &world.Server{Rate: 100, Quiet: true})
	w.Meter.Trigger = world.Trigger{From: slowFrom, To: slowTo}
	w.End = 80 * time.Second
	upstream := world.NewClient(w, world.Plain("upstream", retry.Attempts(4), retry.Exponential(100*time.Millisecond, 2, time.Second), retry.PerAttempt(time.Second)), g)
	free := world.NewMeter()
	(&world.Stream{Clients: []*world.Client{upstream}, Rate: 200, Until: w.End, Meter: free}).Start(w)
	(&world.Stream{Clients: []*world.Client{upstream}, Rate: 200, Until: w.End, Shape: func(_ *world.World, c *world.Call) { c.Class = unaffected + 1 }}).Start(w)
	return free
}

func (t *trial) slow(k world.Kit, fallback int, control bool) float64 {
	var free *world.Meter
	r := t.run(k, func(w *world.World, k world.Kit) { free = slowStorm(w, k, fallback) })
	t.report.Variants[r.index].Control = control
	good := free.Goodput(slowFrom, slowTo)
	r.note("unaffected", good, "")
	r.note("all, from 20 s to 50 s", r.Goodput(slowFrom, slowTo), "")
	return good
}

func playSlow(t *trial) {
	t.atLeast("unaffected", t.slow(t.own, 20, false), 0.95, "")
	t.atMost("control, no timeout, no limits: unaffected", t.slow(world.Plain("no timeout, no limits", retry.Attempts(1)), 0, true), 0.7, "")
	t.atMost("control, timeout, fallback without limit: unaffected", t.slow(slowKit("timeout, fallback without limit", 300*time.Millisecond), 0, true), 0.7, "")
}
