package sim

import (
	"fmt"
	"math"
	"time"

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
		Parameters: []Parameter{
			{"load", "1000 calls/s in the mean, 12 s"},
			{"server", "answers after 5 ms; each attempt fails with probability f"},
			{"f", "1, 5, 10, 25, 50, 75, 95, 100 %"},
			{"retries", "N = 2 and 3, full jitter 100 ms × 2"},
		},
		own:      brownoutKit(3).with("ours", withBudget(retry.BudgetConfig{})),
		contrast: brownoutKit(3),
		storm:    brownoutStorm(0.5),
		play:     playBrownout,
	}
}

func brownoutKit(retries int) kit {
	return plain("no budget", retry.Attempts(retries+1), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func brownoutStorm(f float64) storm {
	return func(w *world, k kit) {
		s := &server{latency: 5 * time.Millisecond}
		s.faults.add(brownout(0, time.Hour, f))
		(&stream{clients: fleet(w, 1, k, s), rate: 1000, until: 12 * time.Second}).start(w)
	}
}

func playBrownout(t *trial) {
	worstOwn, worstForm, worstLoss := math.Inf(-1), 0.0, 0.0
	for _, retries := range []int{2, 3} {
		for _, f := range []float64{0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.95, 1} {
			storm := brownoutStorm(f)
			label := func(name string) string { return fmt.Sprintf("f %s %%, N %d, %s", figure(100*f), retries, name) }
			none := t.control(brownoutKit(retries).with(label("no budget")), storm)
			own := t.own.with(label(t.own.name))
			if own.name = label(t.own.name); retries == 2 {
				own.policy = brownoutKit(2).policy
			}
			ours := t.run(own, storm)
			form := worstCaseLoad(f, retries)
			worstForm = max(worstForm, math.Abs(none.amplification(0, 0)/form-1))
			worstOwn = max(worstOwn, ours.amplification(0, 0)-min(form, 1.10))
			if f <= 0.05 {
				worstLoss = max(worstLoss, 1-ours.goodput(0, 0)/none.goodput(0, 0))
			}
			if retries == 3 {
				t.run(brownoutKit(3).with(label("pays per request"), withPeer(requestDeposit)), storm)
				t.run(brownoutKit(3).with(label("pays per success"), withPeer(successDeposit)), storm)
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
