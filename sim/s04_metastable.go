package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// metastable is the textbook case: a short outage leaves a server at 93 % of its
// capacity overloaded for ever, because of retries.
func metastable() *Scenario {
	return &Scenario{
		ID:     "S4",
		Name:   "Metastable overload",
		Shows:  "At 93 % utilisation a budget bounds the load, but only clients that also hold back first attempts let the server recover.",
		Source: "Bronson et al., Metastable Failures in Distributed Systems (HotOS 2021), section 2.1",
		Parameters: []Parameter{
			{"load", "280 calls/s in the mean, 10 instances, 120 s"},
			{"server", "FIFO, 300 requests/s in the mean, exponential; does not know whose caller has gone"},
			{"attempts", "timeout 1 s; 2 retries, full jitter 100 ms × 2"},
			{"outage", "from 20 s to 30 s; held: its packets arrive when it ends; lost: they never do"},
		},
		own:      metastableKit("budget and breaker").with("budget and breaker", withBudget(retry.BudgetConfig{}), withBreaker(retry.BreakerConfig{})),
		contrast: metastableKit("no budget"),
		storm:    metastableStorm(holds, 0),
		play:     playMetastable,
	}
}

func metastableKit(name string) kit {
	return plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second), retry.PerAttempt(time.Second))
}

func metastableStorm(kind ill, shed time.Duration) storm {
	return func(w *world, k kit) {
		s := &server{rate: 300, random: true, shed: shed}
		s.faults.add(&fault{from: 20 * time.Second, to: 30 * time.Second, ill: kind})
		w.meter.trigger = trigger{20 * time.Second, 30 * time.Second}
		w.end = 120 * time.Second
		(&stream{clients: fleet(w, 10, k, s.start(w)), rate: 280, until: w.end}).start(w)
	}
}

func playMetastable(t *trial) {
	const late = 100 * time.Second
	held, dropped := metastableStorm(holds, 0), metastableStorm(hangs, 0)
	budget := withBudget(retry.BudgetConfig{})

	ours := t.run(t.own.with("held, "+t.own.name), held)
	t.atMost("held: recovery", ours.recovered(), 15, "s")
	t.atMost("held: worst 10 s", ours.peak(10*time.Second, 0, 0), 1.2, "")
	ours = t.run(t.own.with("lost, "+t.own.name), dropped)
	t.atMost("lost: recovery", ours.recovered(), 15, "s")
	t.atMost("lost: worst 10 s", ours.peak(10*time.Second, 0, 0), 1.2, "")

	fixed := plain("", retry.Attempts(3), retry.Fixed(100*time.Millisecond), retry.NoJitter(), retry.PerAttempt(time.Second))
	full := metastableKit("")
	once := plain("", retry.Attempts(1), retry.PerAttempt(time.Second))
	t.stuck("control, held, no retries", t.control(once.with("held, no retries"), held), late)
	t.stuck("control, held, no budget", t.control(full.with("held, no budget"), held), late)
	t.stuck("control, lost, no budget", t.control(full.with("lost, no budget"), dropped), late)
	t.stuck("control, lost, fixed 100 ms", t.control(fixed.with("lost, fixed 100 ms"), dropped), late)
	t.stuck("control, held, budget alone", t.control(full.with("held, budget alone", budget), held), late)

	alone := t.run(full.with("lost, budget alone", budget), dropped)
	t.atMost("lost, budget alone: recovery", alone.recovered(), 30, "s")
	t.run(full.with("held, budget and throttle", budget, withThrottle(retry.ThrottleConfig{Window: 10 * time.Second})), held)
	shed := t.run(full.with("held, no budget, server sheds at 0.5 s"), metastableStorm(holds, 500*time.Millisecond))
	t.atLeast("server sheds, no budget: worst second", shed.peak(time.Second, 0, 0), 2, "")
	both := t.run(full.with("held, budget, server sheds at 0.5 s", budget), metastableStorm(holds, 500*time.Millisecond))
	t.atMost("server sheds, budget: recovery", both.recovered(), 15, "s")
}
