package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// priorityOverload doubles the load of a server that knows two classes.
func priorityOverload() *Scenario {
	return &Scenario{
		ID:     "S14",
		Name:   "Overload with priorities",
		Shows:  "In an overload the important class is served whole and the rest gets what is left, if server and clients tell the classes apart.",
		Source: "SRE book, Handling Overload (criticality, adaptive throttling); Zhou et al., DAGOR (SoCC 2018)",
		Parameters: []parameter{
			{"load", "130 calls/s in the mean, twice as much from 20 s to 80 s; 70 % important, 30 % sheddable; 10 instances"},
			{"server", "200 requests/s in the mean, exponential; important ones first; refuses what would wait longer than 0.5 s, drops what is past its deadline"},
			{"attempts", "timeout 1 s; 2 retries, full jitter 100 ms × 2, a budget of a tenth"},
			{"important", "share of the important calls of the overload that end well"},
			{"used", "calls that end well in the overload, over the capacity"},
		},
		Own:      priorityKit("").With("budget and throttle", world.WithBudget(retry.BudgetConfig{}), world.WithThrottle(retry.ThrottleConfig{Window: 10 * time.Second})),
		Contrast: priorityKit("no budget"),
		Storm:    func(w *world.World, k world.Kit) { priorityStorm(w, k, true, 500*time.Millisecond) },
		play:     playPriority,
	}
}

func priorityKit(name string) world.Kit {
	return world.Plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second), retry.PerAttempt(time.Second))
}

const (
	overloadFrom = 20 * time.Second
	overloadTo   = 80 * time.Second
)

// classes measures the important calls by themselves.
type classes struct{ important *world.Meter }

// priorityStorm lets the classes have guards and a place in the queue of their own,
// or share both.
func priorityStorm(w *world.World, k world.Kit, apart bool, shed time.Duration) *classes {
	s := &world.Server{Rate: 200, Random: true, Shed: shed, Reads: shed > 0}
	w.Meter.Trigger = world.Trigger{From: overloadFrom, To: overloadTo}
	w.End = 100 * time.Second
	important := world.Fleet(w, 10, k, s)
	rest := important
	if apart {
		rest = world.Fleet(w, 10, k, s)
	}
	surges := []world.Surge{{From: overloadFrom, To: overloadTo, Factor: 2}}
	c := &classes{world.NewMeter()}
	(&world.Stream{Clients: important, Rate: 0.7 * 130, Surges: surges, Until: w.End, Meter: c.important}).Start(w)
	(&world.Stream{Clients: rest, Rate: 0.3 * 130, Surges: surges, Until: w.End, Shape: func(_ *world.World, c *world.Call) {
		if apart {
			c.Class = 1
		}
	}}).Start(w)
	return c
}

func (t *trial) priority(k world.Kit, apart bool, shed time.Duration, control bool) (important, used float64) {
	var c *classes
	r := t.run(k, func(w *world.World, k world.Kit) { c = priorityStorm(w, k, apart, shed) })
	t.report.Variants[r.index].Control = control
	important = c.important.Goodput(overloadFrom, overloadTo)
	used = float64(r.Total(overloadFrom, overloadTo).Good) / (200 * (overloadTo - overloadFrom).Seconds())
	r.note("important", important, "")
	r.note("used", used, "")
	return important, used
}

func playPriority(t *trial) {
	const shed = 500 * time.Millisecond
	important, used := t.priority(t.own, true, shed, false)
	t.atLeast("important", important, 0.98, "")
	t.atLeast("used", used, 0.95, "")
	budget := world.WithBudget(retry.BudgetConfig{})
	important, _ = t.priority(priorityKit("").With("classes not told apart", budget, world.WithThrottle(retry.ThrottleConfig{Window: 10 * time.Second})), false, shed, true)
	t.atMost("control, classes not told apart: important", important, 0.9, "")
	important, _ = t.priority(priorityKit("").With("not told apart, breaker", budget, world.WithBreaker(retry.BreakerConfig{})), false, shed, true)
	t.atMost("control, not told apart, breaker: important", important, 0.9, "")
	important, _ = t.priority(priorityKit("not told apart, nothing shed, no budget"), false, 0, true)
	t.atMost("control, nothing shed, no budget: important", important, 0.1, "")
}
