package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// exhaustedLoop puts a loop around calls whose budget is spent.
func exhaustedLoop() *Scenario {
	return &Scenario{
		ID:     "S13",
		Name:   "Loops around an exhausted budget",
		Shows:  "A budget that fails fast removes the pace of a loop around it; Pace keeps it.",
		Source: "aws-sdk-go-v2 issue 3413",
		Parameters: []parameter{
			{"workers", "256, each in a loop without a wait (1 ms of its own)"},
			{"server", "refuses everything after 5 ms, 10 s"},
			{"waits", "full jitter up to 1 s, 500 ms in the mean: d̄"},
			{"calls/s", "in the last 5 s"},
		},
		Own:      exhaustedKit("").With("pace", world.WithBudget(retry.BudgetConfig{}), paces),
		Contrast: exhaustedKit("").With("fail fast", world.WithBudget(retry.BudgetConfig{})),
		Storm:    exhaustedStorm(10 * time.Second),
		play:     playExhausted,
	}
}

func exhaustedKit(name string) world.Kit {
	return world.Plain(name, retry.Attempts(3), retry.Fixed(time.Second), retry.FullJitter())
}

func paces(k *world.Kit) { k.Paced = true }

func exhaustedStorm(end time.Duration) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Latency: 5 * time.Millisecond}
		s.Faults.Add(world.Outage(0, time.Hour))
		w.End = end
		one := world.NewClient(w, k, s) // one process: all share the budget
		clients := make([]*world.Client, 256)
		for i := range clients {
			clients[i] = one
		}
		(&world.Crowd{Clients: clients, Think: time.Millisecond}).Start(w)
	}
}

func playExhausted(t *trial) {
	pace := t.run(t.own, exhaustedStorm(10*time.Second))
	rate := func(r *run, from, to time.Duration) float64 {
		perSecond := float64(r.Total(from, to).Attempts) / (to - from).Seconds()
		r.note("calls/s", perSecond, "")
		return perSecond
	}
	const mean = 0.5
	t.within("calls/s", rate(pace, 5*time.Second, 10*time.Second), 0.9*256/mean, 1.1*256/mean, "")
	fast := t.control(exhaustedKit("").With("fail fast", world.WithBudget(retry.BudgetConfig{})), exhaustedStorm(3*time.Second))
	t.atLeast("control, fail fast: calls/s", rate(fast, 2*time.Second, 3*time.Second), 20_000, "")
	aws := t.control(exhaustedKit("").With("AWS quota", peer.WithBudget(peer.AWSQuota)), exhaustedStorm(3*time.Second))
	t.atLeast("control, AWS quota: calls/s", rate(aws, 2*time.Second, 3*time.Second), 20_000, "")
}
