package storm

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// capacityStep halves the capacity of a server for half a minute.
func capacityStep() *Scenario {
	return &Scenario{
		ID:     "S16",
		Name:   "Capacity step",
		Shows:  "An adaptive limit finds the new capacity within seconds, in both directions, and keeps latency near what it was.",
		Source: "Netflix concurrency-limits (Vegas, Gradient2)",
		Parameters: []parameter{
			{"load", "800 calls/s in the mean, one instance (or 4, each with a limit of its own), one attempt per call"},
			{"server", "FIFO, 1000 requests/s in the mean, exponential, and 50 ms; half of it from 20 s to 50 s"},
			{"base", "99 % of the calls from 10 s to 20 s take less"},
			{"settled", "when each of the seconds until the next step has p99 ≤ 3 × base (down), or 90 % goodput (up)"},
		},
		Own:      world.Plain("ours", retry.Attempts(1)).With("ours", world.WithLimit(retry.LimitConfig{})),
		Contrast: world.Plain("no limit", retry.Attempts(1)),
		Storm:    capacityStorm(1),
		play:     playCapacity,
	}
}

const (
	stepDown = 20 * time.Second
	stepUp   = 50 * time.Second
	stepEnd  = 80 * time.Second
)

func capacityStorm(instances int) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Rate: 1000, Random: true, Latency: 50 * time.Millisecond}
		s.Faults.Add(world.Step(stepDown, stepUp-stepDown, 0.5))
		w.Meter.Trigger = world.Trigger{From: stepDown, To: stepUp}
		w.End = stepEnd
		(&world.Stream{Clients: world.Fleet(w, instances, k, s), Rate: 800, Until: w.End}).Start(w)
	}
}

// settling is how the limit took the steps, in seconds; infinite for never.
type settling struct{ base, down, up, p99 float64 }

func (t *trial) capacity(k world.Kit, instances int, control bool) settling {
	r := t.run(k, capacityStorm(instances))
	t.report.Variants[r.index].Control = control
	got := settling{base: r.Latency(10*time.Second, stepDown), down: math.Inf(1), up: math.Inf(1)}
	for at := stepUp - time.Second; at >= stepDown && r.Latency(at, at+time.Second) <= 3*got.base; at -= time.Second {
		got.down = (at - stepDown).Seconds()
	}
	for at := stepEnd - time.Second; at >= stepUp && r.Goodput(at, at+time.Second) >= 0.9; at -= time.Second {
		got.up = (at - stepUp).Seconds()
	}
	got.p99 = r.Latency(stepDown+10*time.Second, stepUp)
	r.note("base", got.base, "s")
	r.noteTime("settled down", got.down)
	r.noteTime("settled up", got.up)
	r.note("p99 with half, from 10 s on", got.p99, "s")
	r.note("goodput with half, over capacity", float64(r.Total(stepDown+10*time.Second, stepUp).Good)/(500*(stepUp-stepDown-10*time.Second).Seconds()), "")
	return got
}

func playCapacity(t *trial) {
	ours := t.capacity(t.own, 1, false)
	t.atMost("settled down", ours.down, 10, "s")
	t.atMost("settled up", ours.up, 10, "s")
	t.atMost("p99 with half the capacity, over base", ours.p99/ours.base, 3, "")
	// Limits that do not know of each other each see the others' queue, and may take
	// it for the latency of the server: the price of having no coordination.
	many := t.capacity(t.own.With("4 instances, "+t.own.Name), 4, false)
	t.atMost("4 instances: p99 with half the capacity, over base", many.p99/many.base, 6, "")
	once := world.Plain("", retry.Attempts(1))
	t.capacity(once.With("Vegas", peer.WithSampled(peer.Vegas)), 1, false)
	t.capacity(once.With("Gradient2", peer.WithSampled(peer.Gradient)), 1, false)
	t.capacity(once.With("4 instances, Vegas", peer.WithSampled(peer.Vegas)), 4, false)
	t.capacity(once.With("4 instances, Gradient2", peer.WithSampled(peer.Gradient)), 4, false)
	none := t.capacity(once.With("no limit"), 1, true)
	t.atLeast("control, no limit: p99 with half the capacity, over base", none.p99/none.base, 20, "")
}
