package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// priorityOverload doubles the load of a server that knows two classes.
func priorityOverload() *Scenario {
	return &Scenario{
		ID:     "S14",
		Name:   "Overload with priorities",
		Shows:  "In an overload the important class is served whole and the rest gets what is left, if server and clients tell the classes apart.",
		Source: "SRE book, Handling Overload (criticality, adaptive throttling); Zhou et al., DAGOR (SoCC 2018)",
		Parameters: []Parameter{
			{"load", "130 calls/s in the mean, twice as much from 20 s to 80 s; 70 % important, 30 % sheddable; 10 instances"},
			{"server", "200 requests/s in the mean, exponential; important ones first; refuses what would wait longer than 0.5 s, drops what is past its deadline"},
			{"attempts", "timeout 1 s; 2 retries, full jitter 100 ms × 2, a budget of a tenth"},
			{"important", "share of the important calls of the overload that end well"},
			{"used", "calls that end well in the overload, over the capacity"},
		},
		own:      priorityKit("").with("budget and throttle", withBudget(retry.BudgetConfig{}), withThrottle(retry.ThrottleConfig{Window: 10 * time.Second})),
		contrast: priorityKit("no budget"),
		storm:    func(w *world, k kit) { priorityStorm(w, k, true, 500*time.Millisecond) },
		play:     playPriority,
	}
}

func priorityKit(name string) kit {
	return plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second), retry.PerAttempt(time.Second))
}

const (
	overloadFrom = 20 * time.Second
	overloadTo   = 80 * time.Second
)

// classes measures the important calls by themselves.
type classes struct{ important *meter }

// priorityStorm lets the classes have guards and a place in the queue of their own,
// or share both.
func priorityStorm(w *world, k kit, apart bool, shed time.Duration) *classes {
	s := &server{rate: 200, random: true, shed: shed, reads: shed > 0}
	w.meter.trigger = trigger{overloadFrom, overloadTo}
	w.end = 100 * time.Second
	important := fleet(w, 10, k, s)
	rest := important
	if apart {
		rest = fleet(w, 10, k, s)
	}
	surges := []surge{{overloadFrom, overloadTo, 2}}
	c := &classes{newMeter()}
	(&stream{clients: important, rate: 0.7 * 130, surges: surges, until: w.end, meter: c.important}).start(w)
	(&stream{clients: rest, rate: 0.3 * 130, surges: surges, until: w.end, shape: func(_ *world, c *call) {
		if apart {
			c.class = 1
		}
	}}).start(w)
	return c
}

func (t *trial) priority(k kit, apart bool, shed time.Duration, control bool) (important, used float64) {
	var c *classes
	r := t.run(k, func(w *world, k kit) { c = priorityStorm(w, k, apart, shed) })
	t.report.Variants[r.index].Control = control
	important = c.important.goodput(overloadFrom, overloadTo)
	used = float64(r.total(overloadFrom, overloadTo).good) / (200 * (overloadTo - overloadFrom).Seconds())
	r.note("important", important, "")
	r.note("used", used, "")
	return important, used
}

func playPriority(t *trial) {
	const shed = 500 * time.Millisecond
	important, used := t.priority(t.own, true, shed, false)
	t.atLeast("important", important, 0.98, "")
	t.atLeast("used", used, 0.95, "")
	budget := withBudget(retry.BudgetConfig{})
	important, _ = t.priority(priorityKit("").with("classes not told apart", budget, withThrottle(retry.ThrottleConfig{Window: 10 * time.Second})), false, shed, true)
	t.atMost("control, classes not told apart: important", important, 0.9, "")
	important, _ = t.priority(priorityKit("").with("not told apart, breaker", budget, withBreaker(retry.BreakerConfig{})), false, shed, true)
	t.atMost("control, not told apart, breaker: important", important, 0.9, "")
	important, _ = t.priority(priorityKit("not told apart, nothing shed, no budget"), false, 0, true)
	t.atMost("control, nothing shed, no budget: important", important, 0.1, "")
}
