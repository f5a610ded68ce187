package storm

import (
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// stability looks for the highest utilisation from which a server gets back by
// itself after a trigger of ten seconds.
func stability() *Scenario {
	return &Scenario{
		ID:     "S5",
		Name:   "Stable utilisation",
		Shows:  "Without a budget only 1/attempts of the capacity is safe; with a tenth of retries, nine tenths are.",
		Source: "Huang et al., Metastable Failures in the Wild (OSDI 2022), theorem 2: C_stable = C/A",
		Parameters: []parameter{
			{"server", "FIFO, 100 requests/s in the mean, exponential; does not know whose caller has gone"},
			{"attempts", "timeout 1 s, full jitter 100 ms × 2"},
			{"triggers", "10 s without capacity; half the capacity; twice the load"},
			{"stable", "90 % goodput in each of ten seconds in a row, within 150 s after the trigger"},
			{"search", "bisection between 0.15 and 0.98 to 0.01"},
		},
		Own:      stabilityKit(3, "").With("ours", world.WithBudget(retry.BudgetConfig{}), world.WithBreaker(retry.BreakerConfig{})),
		Contrast: stabilityKit(3, "no budget"),
		Storm:    stabilityStorm(standstill, 0.9),
		play:     playStability,
	}
}

func stabilityKit(attempts int, name string) world.Kit {
	return world.Plain(name, retry.Attempts(attempts), retry.Exponential(100*time.Millisecond, 2, 10*time.Second), retry.PerAttempt(time.Second))
}

const stabilityRate = 100

// disturbance is what happens to a server for ten seconds.
type disturbance struct {
	name     string
	capacity float64
	load     float64
}

var (
	standstill   = disturbance{"no capacity", 0, 1}
	halfCapacity = disturbance{"half the capacity", 0.5, 1}
	twiceTheLoad = disturbance{"twice the load", 1, 2}
)

// patience is how long after the trigger goodput must be back.
const patience = 150 * time.Second

func stabilityStorm(d disturbance, utilisation float64) storm {
	const rate, from, length = stabilityRate, 5 * time.Second, 10 * time.Second
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Rate: rate, Random: true}
		s.Faults.Add(world.Step(from, length, d.capacity))
		load := &world.Stream{Clients: world.Fleet(w, 1, k, s.Start(w)), Rate: utilisation * rate}
		load.Surges = []world.Surge{{From: from, To: from + length, Factor: d.load}}
		w.Meter.Trigger = world.Trigger{From: from, To: from + length}
		w.End = from + length + patience
		load.Until = w.End
		load.Start(w)
	}
}

func playStability(t *trial) {
	const ours, strong = 0.90, "no capacity"
	theory := map[int]float64{2: 0.50, 3: 0.33, 4: 0.25}
	for _, d := range []disturbance{standstill, halfCapacity, twiceTheLoad} {
		own := t.highest(t.own, d)
		t.atLeast(d.name+": ours", own, ours, "")
		for _, ratio := range []float64{0.1, 0.2} {
			k := stabilityKit(3, "").With(fmt.Sprintf("budget %s alone", Decimal(ratio)), world.WithBudget(retry.BudgetConfig{Ratio: ratio}))
			t.atLeast(d.name+": "+k.Name+", about C/(1 + r)", t.highest(k, d), 0.97/(1+ratio), "")
		}
		for attempts := 2; attempts <= 4; attempts++ {
			if d.name != strong && attempts == 3 {
				continue
			}
			got := t.highest(stabilityKit(attempts, fmt.Sprintf("%d attempts, no budget", attempts)), d)
			c := theory[attempts]
			if d.name == strong {
				t.report.Variants[len(t.report.Variants)-1].Control = true
				t.within(fmt.Sprintf("control, %s: %d attempts, no budget", d.name, attempts), got, 0.85*c, 1.08*c, "")
			} else {
				t.atLeast(fmt.Sprintf("%s: %d attempts, no budget, at least C/A", d.name, attempts), got, 0.92*c, "")
			}
		}
	}
}

// highest is the highest utilisation that is stable.
func (t *trial) highest(k world.Kit, d disturbance) float64 {
	low, high := 0.15, 0.98
	if t.stable(k, d, high) {
		low = high
	}
	for high-low > 0.01 {
		middle := (low + high) / 2
		if t.stable(k, d, middle) {
			low = middle
		} else {
			high = middle
		}
	}
	r := t.run(k.With(d.name+", "+k.Name), stabilityStorm(d, low))
	highest := (low + high) / 2 // it lies between them
	r.note("highest stable utilisation", highest, "")
	return highest
}

// stable plays the storm until it is clear whether it ends well: ten good seconds
// in a row, or more work at the server than it can do until the end.
func (t *trial) stable(k world.Kit, d disturbance, utilisation float64) bool {
	w := world.New(t.seed)
	w.Over = t.over
	stabilityStorm(d, utilisation)(w, k)
	stable := false
	w.RunUntil(func() bool {
		if w.Now < w.Meter.Trigger.To {
			return false
		}
		stable = w.Meter.GoodFor(w.Now, 10*time.Second)
		return stable || float64(w.Meter.InFlight) > (w.End-w.Now).Seconds()*stabilityRate
	})
	t.report.Events += w.Count
	return stable
}
