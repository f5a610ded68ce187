package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// slowDependency makes one dependency of a gateway slow. It fails nothing.
func slowDependency() *Scenario {
	return &Scenario{
		ID:     "S17",
		Name:   "Slow dependency",
		Shows:  "One slow dependency takes the places of all calls, and its fallback with it, unless attempts have a time limit and both have a limit of places.",
		Source: "retry.md §8; bulkheads in Nygard, Release It!",
		Parameters: []Parameter{
			{"load", "200 calls/s in the mean that need the dependency, 200 that do not; callers wait 1 s and retry 3 times, full jitter 100 ms × 2, no budget"},
			{"gateway", "200 places; 20 ms for calls that need nothing"},
			{"dependency", "answers after 100 ms, from 20 s to 50 s after 2 s"},
			{"second store", "FIFO, 100 requests/s, when the dependency does not answer"},
			{"ours", "attempts 300 ms; adaptive limit on the dependency, 20 places on the second store"},
			{"unaffected", "goodput of the calls that do not need the dependency, from 20 s to 50 s"},
		},
		own:      slowKit("timeout and limits", 300*time.Millisecond).with("timeout and limits", withLimit(retry.LimitConfig{})),
		contrast: plain("no timeout, no limits", retry.Attempts(1)),
		storm:    func(w *world, k kit) { slowStorm(w, k, 20) },
		play:     playSlow,
	}
}

func slowKit(name string, timeout time.Duration) kit {
	return plain(name, retry.Attempts(1), retry.PerAttempt(timeout))
}

const (
	slowFrom = 20 * time.Second
	slowTo   = 50 * time.Second
)

// gateway serves each request by the dependency or the second store, or by itself.
type gateway struct {
	room, busy    int
	first, second *client
}

// errand is one request at the gateway.
type errand struct {
	gateway *gateway
	attempt *attempt
	second  bool // the dependency did not answer
}

const unaffected = 0 // the class of calls that need no dependency

func (g *gateway) take(w *world, a *attempt) {
	a.arrives(w)
	if g.busy >= g.room {
		a.answer(w, &overloaded, time.Millisecond)
		return
	}
	g.busy++
	e := &errand{gateway: g, attempt: a}
	if a.call.class == unaffected {
		w.after(20*time.Millisecond, e, 0)
		return
	}
	e.call(w, g.first)
}

// happen is the end of work that needs nobody else.
func (e *errand) happen(w *world, _ what) { e.done(w, nil) }

func (e *errand) call(w *world, by *client) {
	c := w.calls.next()
	c.client, c.outer, c.owner = by, e.attempt, e
	c.begin(w)
}

func (e *errand) ended(w *world, c *call) {
	switch {
	case c.ok:
		e.done(w, nil)
	case e.second:
		e.done(w, &unavailable)
	default:
		e.second = true
		e.call(w, e.gateway.second)
	}
}

func (e *errand) done(w *world, v *retry.Verdict) {
	e.gateway.busy--
	e.attempt.answer(w, v, 0)
}

// slowStorm has two kinds of calls. Fallback is how many places the second store
// has, 0 for no limit.
func slowStorm(w *world, k kit, fallback int) *meter {
	dependency := &server{latency: 100 * time.Millisecond, quiet: true}
	dependency.faults.add(&fault{from: slowFrom, to: slowTo, ill: slows, latency: 2 * time.Second})
	second := plain("", retry.Attempts(1))
	if fallback > 0 {
		withLimit(retry.LimitConfig{Initial: fallback, Fixed: true})(&second)
	}
	g := &gateway{room: 200, first: newClient(w, k, dependency)}
	g.second = newClient(w, second, &server{rate: 100, quiet: true})
	w.meter.trigger = trigger{slowFrom, slowTo}
	w.end = 80 * time.Second
	upstream := newClient(w, plain("upstream", retry.Attempts(4), retry.Exponential(100*time.Millisecond, 2, time.Second), retry.PerAttempt(time.Second)), g)
	free := newMeter()
	(&stream{clients: []*client{upstream}, rate: 200, until: w.end, meter: free}).start(w)
	(&stream{clients: []*client{upstream}, rate: 200, until: w.end, shape: func(_ *world, c *call) { c.class = unaffected + 1 }}).start(w)
	return free
}

func (t *trial) slow(k kit, fallback int, control bool) float64 {
	var free *meter
	r := t.run(k, func(w *world, k kit) { free = slowStorm(w, k, fallback) })
	t.report.Variants[r.index].Control = control
	good := free.goodput(slowFrom, slowTo)
	r.note("unaffected", good, "")
	r.note("all, from 20 s to 50 s", r.goodput(slowFrom, slowTo), "")
	return good
}

func playSlow(t *trial) {
	t.atLeast("unaffected", t.slow(t.own, 20, false), 0.95, "")
	t.atMost("control, no timeout, no limits: unaffected", t.slow(plain("no timeout, no limits", retry.Attempts(1)), 0, true), 0.7, "")
	t.atMost("control, timeout, fallback without limit: unaffected", t.slow(slowKit("timeout, fallback without limit", 300*time.Millisecond), 0, true), 0.7, "")
}
