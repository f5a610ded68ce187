package storm

import (
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// brownoutSweep goes through failure rates and compares the load that retries make
// with its closed form.
func brownoutSweep() *Scenario {
	return &Scenario{
		ID:     "S2",
		Name:   "Brownout sweep",
		Shows:  "Without a budget, retries multiply the load by (1 − f^(N+1))/(1 − f); with one, never by more than 1.10, and rare failures are still repaired.",
		Source: "closed form of independent failures; SRE book, Handling Overload",
		Parameters: []parameter{
			{"load", "1000 calls/s in the mean, 12 s"},
			{"server", "answers after 5 ms; each attempt fails with probability f"},
			{"f", "1, 5, 10, 25, 50, 75, 95, 100 %"},
			{"retries", "N = 2 and 3, full jitter 100 ms × 2"},
		},
		Own:      brownoutKit(3).With("ours", world.WithBudget(retry.BudgetConfig{})),
		Contrast: brownoutKit(3),
		Storm:    brownoutStorm(0.5),
		play:     playBrownout,
	}
}

func brownoutKit(retries int) world.Kit {
	return world.Plain("no budget", retry.Attempts(retries+1), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func brownoutStorm(f float64) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Latency: 5 * time.Millisecond}
		s.Faults.Add(world.Brownout(0, time.Hour, f))
		(&world.Stream{Clients: world.Fleet(w, 1, k, s), Rate: 1000, Until: 12 * time.Second}).Start(w)
	}
}

func playBrownout(t *trial) {
	worstOwn, worstForm, worstLoss := math.Inf(-1), 0.0, 0.0
	for _, retries := range []int{2, 3} {
		for _, f := range []float64{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.95, 1} {
			storm := brownoutStorm(f)
			label := func(name string) string { return fmt.Sprintf("f %s %%, N %d, %s", Decimal(100*f), retries, name) }
			none := t.control(brownoutKit(retries).With(label("no budget")), storm)
			own := t.own.With(label(t.own.Name))
			if own.Name = label(t.own.Name); retries == 2 {
				own.Policy = brownoutKit(2).Policy
			}
			ours := t.run(own, storm)
			form := worstCaseLoad(f, retries)
			worstForm = max(worstForm, math.Abs(none.Amplification(0, 0)/form-1))
			worstOwn = max(worstOwn, ours.Amplification(0, 0)-min(form, 1.10))
			if f <= 0.05 {
				worstLoss = max(worstLoss, 1-ours.Goodput(0, 0)/none.Goodput(0, 0))
			}
			if retries == 3 {
				t.run(brownoutKit(3).With(label("pays per request"), peer.WithBudget(peer.RequestDeposit)), storm)
				t.run(brownoutKit(3).With(label("pays per success"), peer.WithBudget(peer.SuccessDeposit)), storm)
			}
		}
	}
	t.atMost("amplification over min(A(f), 1.10), worst f and N", worstOwn, 0.02, "")
	t.atMost("success lost at f ≤ 5 % by the budget", worstLoss, 0.001, "")
	t.atMost("control, no budget: distance from A(f), worst f and N", worstForm, 0.02, "")
}

// worstCaseLoad is the attempts per call when each fails with probability f:
// (1 − f^(N+1))/(1 − f).
func worstCaseLoad(f float64, retries int) float64 {
	sum, power := 0.0, 1.0
	for range retries + 1 {
		sum += power
		power *= f
	}
	return sum
}
