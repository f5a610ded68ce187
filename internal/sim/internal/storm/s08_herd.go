package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// recoveryHerd lets a thousand clients wait for the end of an outage.
func recoveryHerd() *Scenario {
	return &Scenario{
		ID:     "S8",
		Name:   "Recovery herd",
		Shows:  "After an outage, waits with full jitter bring clients back as fast as the server can take them: without idle gaps, and without thousands of calls before.",
		Source: "arithmetic: 1000 clients at 200/s take 5 s; a Go article on retry herds (January 2026)",
		Parameters: []parameter{
			{"clients", "1000, each with one request that it repeats until it is served"},
			{"server", "FIFO, 200 requests/s, every 5 ms; until 10 s it refuses everything after 5 ms"},
			{"waits", "100 ms × 2 up to 10 s"},
			{"drained", "time from the end of the outage until 99 % are served"},
			{"idle", "longest time without anything served, until then"},
		},
		Own:      herdKit("full", retry.Exponential(100*time.Millisecond, 2, 10*time.Second)),
		Contrast: herdKit("no jitter", retry.Exponential(100*time.Millisecond, 2, 10*time.Second), retry.NoJitter()),
		Storm:    herd,
		play:     playHerd,
	}
}

func herdKit(name string, opts ...retry.Option) world.Kit {
	return world.Plain(name, append(opts, retry.Attempts(100_000))...)
}

const (
	herdSize   = 1000
	herdOutage = 10 * time.Second
)

func herd(w *world.World, k world.Kit) {
	s := &world.Server{Rate: 200}
	s.Faults.Add(world.Outage(0, herdOutage))
	w.Meter.Trigger = world.Trigger{From: 0, To: herdOutage}
	w.End = 60 * time.Second
	(&world.Crowd{Clients: world.Fleet(w, herdSize, k, s), Each: 1}).Start(w)
}

// herdResult is how the clients came through.
type herdResult struct{ drained, idle, calls float64 }

func (t *trial) herd(k world.Kit, control bool) herdResult {
	var served []time.Duration
	r := t.run(k, func(w *world.World, k world.Kit) {
		herd(w, k)
		w.OnEnd = func(c *world.Call) { served = append(served, w.Now) }
	})
	t.report.Variants[r.index].Control = control
	got := herdResult{calls: r.Amplification(0, 0)}
	last := herdOutage
	for _, at := range served[:len(served)*99/100] {
		got.idle = max(got.idle, (at - last).Seconds())
		last = at
	}
	got.drained = (last - herdOutage).Seconds()
	r.note("drained", got.drained, "s")
	r.note("idle", got.idle, "s")
	r.note("calls per client", got.calls, "")
	return got
}

func playHerd(t *trial) {
	ours := t.herd(t.own, false)
	t.atMost("drained", ours.drained, 12, "s")
	t.atMost("idle", ours.idle, 1, "s")
	t.atMost("calls per client", ours.calls, 12, "")
	growing := retry.Exponential(100*time.Millisecond, 2, 10*time.Second)
	t.herd(herdKit("equal", growing, retry.EqualJitter()), false)
	t.herd(herdKit("decorrelated", growing, retry.Decorrelated()), false)
	none := t.herd(herdKit("no jitter", growing, retry.NoJitter()), true)
	t.atLeast("control, no jitter: idle", none.idle, 2, "s")
	constant := t.herd(herdKit("every 10 ms", retry.Fixed(10*time.Millisecond), retry.NoJitter()), true)
	t.atLeast("control, every 10 ms: calls per client", constant.calls, 600, "")
}
