package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// layers puts services with the same policy on top of each other.
func layers() *Scenario {
	return &Scenario{
		ID:     "S6",
		Name:   "Layers",
		Shows:  "Retries of layers multiply, unless inner layers see that they serve a retry, or have budgets.",
		Source: "SRE book, Addressing Cascading Failures (4³ = 64); Amazon Builders' Library, Timeouts, retries, and backoff with jitter (3⁵ = 243)",
		Parameters: []Parameter{
			{"load", "50 calls/s in the mean, 60 s; the leaf refuses everything after 5 ms"},
			{"layers", "3 that each try 4 times, full jitter 20 ms × 2"},
			{"control", "also 5 that each try 3 times, at 5 calls/s"},
		},
		own:      layerKit("inherit and budget", 4).with("inherit and budget", withBudget(retry.BudgetConfig{}), inherits),
		contrast: layerKit("naive", 4),
		storm:    layerStorm(3, 50),
		play:     playLayers,
	}
}

func layerKit(name string, attempts int) kit {
	return plain(name, retry.Attempts(attempts), retry.Exponential(20*time.Millisecond, 2, time.Second))
}

func inherits(k *kit) { k.inherits = true }

func layerStorm(depth int, rate float64) storm {
	return func(w *world, k kit) {
		s := &server{latency: 5 * time.Millisecond}
		s.faults.add(outage(0, time.Hour))
		top := chain(w, depth, k, s)
		(&stream{clients: []*client{top}, rate: rate, until: 60 * time.Second}).start(w)
	}
}

func playLayers(t *trial) {
	ours := t.run(t.own, layerStorm(3, 50))
	t.atMost("leaf attempts per call", ours.amplification(0, 0), 1.10, "")
	budget := t.run(layerKit("", 4).with("budget in each layer", withBudget(retry.BudgetConfig{})), layerStorm(3, 50))
	t.atMost("budget in each layer", budget.amplification(0, 0), 1.33, "")
	inherit := t.run(layerKit("", 4).with("inherit, no budget", inherits), layerStorm(3, 50))
	t.within("inherit, no budget: 4 + 3 + 3 attempts", inherit.amplification(0, 0), 9.99, 10.01, "")
	naive := t.control(layerKit("naive", 4), layerStorm(3, 50))
	t.within("control, naive, 3 layers of 4", naive.amplification(0, 0), 63.99, 64.01, "")
	deep := t.control(layerKit("naive, 5 layers of 3", 3), layerStorm(5, 5))
	t.within("control, naive, 5 layers of 3", deep.amplification(0, 0), 242.9, 243.1, "")
}
