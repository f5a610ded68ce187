package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// cancelStorm lets half of the callers hang up on a server that is well.
func cancelStorm() *Scenario {
	return &Scenario{
		ID:     "S15",
		Name:   "Callers that hang up",
		Shows:  "What callers cancel says nothing about the target: no breaker trips, no budget pays.",
		Source: "classification: canceled does not count",
		Parameters: []Parameter{
			{"load", "200 calls/s in the mean, 30 s, one instance"},
			{"server", "answers after 50 ms; one attempt in fifty fails"},
			{"callers", "half of them hang up after 10 ms"},
		},
		own: plain("ours", cancelOptions()...).with("ours",
			withBudget(retry.BudgetConfig{}), withBreaker(retry.BreakerConfig{}), withThrottle(retry.ThrottleConfig{})),
		contrast: plain("", cancelOptions()...).with("breaker that counts cancellations", withRigidBreaker(5*time.Second)),
		storm:    cancelingStorm,
		play:     playCancel,
	}
}

func cancelOptions() []retry.Option {
	return []retry.Option{retry.Attempts(3), retry.Exponential(20*time.Millisecond, 2, time.Second)}
}

func cancelingStorm(w *world, k kit) {
	s := &server{latency: 50 * time.Millisecond}
	s.faults.add(&fault{to: time.Hour, ill: fails, verdict: &unavailable, latency: 50 * time.Millisecond, share: 0.02})
	load := &stream{clients: fleet(w, 1, k, s), rate: 200, until: 30 * time.Second}
	load.shape = func(w *world, c *call) {
		if w.arrivals.IntN(2) == 0 {
			w.after(10*time.Millisecond, c, callIsCanceled)
		}
	}
	load.start(w)
}

func playCancel(t *trial) {
	ours := t.run(t.own, cancelingStorm)
	t.atMost("refused by the breaker", float64(ours.denied[denyBreaker]), 0, "calls")
	t.atMost("refused by the budget", float64(ours.denied[denyBudget]), 0, "calls")
	t.atMost("refused by the throttle", float64(ours.denied[denyThrottle]), 0, "calls")
	t.within("canceled", float64(ours.denied[denyCanceled])/float64(ours.total(0, 0).offered), 0.47, 0.53, "")
	rigid := t.control(plain("", cancelOptions()...).with("breaker that counts cancellations", withRigidBreaker(5*time.Second)), cancelingStorm)
	t.atLeast("control, breaker that counts cancellations: refused", float64(rigid.denied[denyBreaker])/float64(rigid.total(0, 0).offered), 0.8, "")
}
