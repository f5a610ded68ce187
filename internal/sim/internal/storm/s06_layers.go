package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// layers puts services with the same policy on top of each other.
func layers() *Scenario {
	return &Scenario{
		ID:     "S6",
		Name:   "Layers",
		Shows:  "Retries of layers multiply, unless inner layers see that they serve a retry, or have budgets.",
		Source: "SRE book, Addressing Cascading Failures (4³ = 64); Amazon Builders' Library, Timeouts, retries, and backoff with jitter (3⁵ = 243)",
		Parameters: []parameter{
			{"load", "50 calls/s in the mean, 60 s; the leaf refuses everything after 5 ms"},
			{"layers", "3 that each try 4 times, full jitter 20 ms × 2"},
			{"control", "also 5 that each try 3 times, at 5 calls/s"},
		},
		Own:      layerKit("inherit and budget", 4).With("inherit and budget", world.WithBudget(retry.BudgetConfig{}), inherits),
		Contrast: layerKit("naive", 4),
		Storm:    layerStorm(3, 50),
		play:     playLayers,
	}
}

func layerKit(name string, attempts int) world.Kit {
	return world.Plain(name, retry.Attempts(attempts), retry.Exponential(20*time.Millisecond, 2, time.Second))
}

func inherits(k *world.Kit) { k.Inherits = true }

func layerStorm(depth int, rate float64) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Latency: 5 * time.Millisecond}
		s.Faults.Add(world.Outage(0, time.Hour))
		top := world.Chain(w, depth, k, s)
		(&world.Stream{Clients: []*world.Client{top}, Rate: rate, Until: 60 * time.Second}).Start(w)
	}
}

func playLayers(t *trial) {
	ours := t.run(t.own, layerStorm(3, 50))
	t.atMost("leaf attempts per call", ours.Amplification(0, 0), 1.10, "")
	budget := t.run(layerKit("", 4).With("budget in each layer", world.WithBudget(retry.BudgetConfig{})), layerStorm(3, 50))
	t.atMost("budget in each layer", budget.Amplification(0, 0), 1.33, "")
	inherit := t.run(layerKit("", 4).With("inherit, no budget", inherits), layerStorm(3, 50))
	t.within("inherit, no budget: 4 + 3 + 3 attempts", inherit.Amplification(0, 0), 9.99, 10.01, "")
	naive := t.control(layerKit("naive", 4), layerStorm(3, 50))
	t.within("control, naive, 3 layers of 4", naive.Amplification(0, 0), 63.99, 64.01, "")
	deep := t.control(layerKit("naive, 5 layers of 3", 3), layerStorm(5, 5))
	t.within("control, naive, 5 layers of 3", deep.Amplification(0, 0), 242.9, 243.1, "")
}
