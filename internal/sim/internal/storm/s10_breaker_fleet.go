package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// breakerFleet trips the breakers of two hundred instances together.
func breakerFleet() *Scenario {
	return &Scenario{
		ID:     "S10",
		Name:   "Breakers of a fleet",
		Shows:  "Instances that trip together must not probe together, and a probe that hangs must not keep a breaker open forever.",
		Source: "gobreaker (open time without jitter, probes without expiry); an incident with 17 times the traffic after half-open (2026)",
		Parameters: []parameter{
			{"fleet", "200 instances, 30 calls/s each; one attempt per call"},
			{"outage", "from 5 s to 35 s, refused after 5 ms"},
			{"probes", "attempts from 2 s after the beginning of the outage to its end; 200 first probes over 5 s ± 25 % are 8 in 100 ms in the mean"},
			{"hung", "20 instances with 20 calls/s; refused from 5 s to 15 s, then no answer at all until 45 s; attempts have no timeout"},
		},
		Own:      world.Plain("ours", retry.Attempts(1)).With("ours", world.WithBreaker(retry.BreakerConfig{})),
		Contrast: world.Plain("", retry.Attempts(1)).With("fixed 5 s", peer.WithRigidBreaker(5*time.Second)),
		Storm:    fleetStorm,
		play:     playBreakerFleet,
	}
}

func fleetStorm(w *world.World, k world.Kit) {
	s := &world.Server{Latency: 5 * time.Millisecond}
	s.Faults.Add(world.Outage(5*time.Second, 30*time.Second))
	w.Meter.Trigger = world.Trigger{From: 5 * time.Second, To: 35 * time.Second}
	w.End = 50 * time.Second
	(&world.Stream{Clients: world.Fleet(w, 200, k, s), Rate: 6000, Until: w.End}).Start(w)
}

func hungStorm(w *world.World, k world.Kit) {
	s := &world.Server{Latency: 5 * time.Millisecond}
	s.Faults.Add(world.Outage(5*time.Second, 10*time.Second), &world.Fault{From: 15 * time.Second, To: 45 * time.Second, Ill: world.Hangs})
	w.Meter.Trigger = world.Trigger{From: 5 * time.Second, To: 45 * time.Second}
	w.End = 150 * time.Second
	(&world.Stream{Clients: world.Fleet(w, 20, k, s), Rate: 400, Until: w.End}).Start(w)
}

func playBreakerFleet(t *trial) {
	const from, to = 7 * time.Second, 35 * time.Second
	probes := func(r *run) (tenth, second float64) {
		tenth, second = r.Fullest(100*time.Millisecond, from, to), r.Fullest(time.Second, from, to)
		r.note("probes in the fullest 100 ms", tenth, "")
		r.note("probes in the fullest second", second, "")
		return tenth, second
	}
	ours := t.run(t.own, fleetStorm)
	tenth, second := probes(ours)
	// Eight in the mean cannot stay at ten in all of 25 tenths: 17 is what a Poisson
	// variable exceeds once in 500 such runs.
	t.atMost("probes in the fullest second, per 100 ms", second/10, 10, "")
	t.atMost("probes in the fullest 100 ms", tenth, 17, "")
	t.atMost("worst second", ours.Peak(time.Second, 0, 0), 1.05, "")
	rigid := world.Plain("", retry.Attempts(1)).With("fixed 5 s", peer.WithRigidBreaker(5*time.Second))
	tenth, _ = probes(t.control(rigid, fleetStorm))
	t.atLeast("control, fixed 5 s: probes in the fullest 100 ms", tenth, 60, "")

	ours = t.run(t.own.With("hung, "+t.own.Name), hungStorm)
	t.atMost("hung probes: recovery", ours.recovered(), 60, "s")
	hung := t.control(rigid.With("hung, fixed 5 s"), hungStorm)
	t.stuck("control, hung probes, no expiry", hung, 100*time.Second)
}
