package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// cancelStorm lets half of the callers hang up on a server that is well.
func cancelStorm() *Scenario {
	return &Scenario{
		ID:     "S15",
		Name:   "Callers that hang up",
		Shows:  "What callers cancel says nothing about the target: no breaker trips, no budget pays.",
		Source: "classification: canceled does not count",
		Parameters: []parameter{
			{"load", "200 calls/s in the mean, 30 s, one instance"},
			{"server", "answers after 50 ms; one attempt in fifty fails"},
			{"callers", "half of them hang up after 10 ms"},
		},
		Own: world.Plain("ours", cancelOptions()...).With("ours",
			world.WithBudget(retry.BudgetConfig{}), world.WithBreaker(retry.BreakerConfig{}), world.WithThrottle(retry.ThrottleConfig{})),
		Contrast: world.Plain("", cancelOptions()...).With("breaker that counts cancellations", peer.WithRigidBreaker(5*time.Second)),
		Storm:    cancelingStorm,
		play:     playCancel,
	}
}

func cancelOptions() []retry.Option {
	return []retry.Option{retry.Attempts(3), retry.Exponential(20*time.Millisecond, 2, time.Second)}
}

func cancelingStorm(w *world.World, k world.Kit) {
	s := &world.Server{Latency: 50 * time.Millisecond}
	s.Faults.Add(&world.Fault{To: time.Hour, Ill: world.Fails, Verdict: &world.Unavailable, Latency: 50 * time.Millisecond, Share: 0.02})
	load := &world.Stream{Clients: world.Fleet(w, 1, k, s), Rate: 200, Until: 30 * time.Second}
	load.Shape = func(w *world.World, c *world.Call) {
		if w.Arrivals.IntN(2) == 0 {
			w.After(10*time.Millisecond, c, world.CallIsCanceled)
		}
	}
	load.Start(w)
}

func playCancel(t *trial) {
	ours := t.run(t.own, cancelingStorm)
	t.atMost("refused by the breaker", float64(ours.Denied[world.DenyBreaker]), 0, "calls")
	t.atMost("refused by the budget", float64(ours.Denied[world.DenyBudget]), 0, "calls")
	t.atMost("refused by the throttle", float64(ours.Denied[world.DenyThrottle]), 0, "calls")
	t.within("canceled", float64(ours.Denied[world.DenyCanceled])/float64(ours.Total(0, 0).Offered), 0.47, 0.53, "")
	rigid := t.control(world.Plain("", cancelOptions()...).With("breaker that counts cancellations", peer.WithRigidBreaker(5*time.Second)), cancelingStorm)
	t.atLeast("control, breaker that counts cancellations: refused", float64(rigid.Denied[world.DenyBreaker])/float64(rigid.Total(0, 0).Offered), 0.8, "")
}
