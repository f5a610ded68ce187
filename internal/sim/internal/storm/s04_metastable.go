package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
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
		Parameters: []parameter{
			{"load", "280 calls/s in the mean, 10 instances, 120 s"},
			{"server", "FIFO, 300 requests/s in the mean, exponential; does not know whose caller has gone"},
			{"attempts", "timeout 1 s; 2 retries, full jitter 100 ms × 2"},
			{"outage", "from 20 s to 30 s; held: its packets arrive when it ends; lost: they never do"},
		},
		Own:      metastableKit("budget and breaker").With("budget and breaker", world.WithBudget(retry.BudgetConfig{}), world.WithBreaker(retry.BreakerConfig{})),
		Contrast: metastableKit("no budget"),
		Storm:    metastableStorm(world.Holds, 0),
		play:     playMetastable,
	}
}

func metastableKit(name string) world.Kit {
	return world.Plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second), retry.PerAttempt(time.Second))
}

func metastableStorm(kind world.Ill, shed time.Duration) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Rate: 300, Random: true, Shed: shed}
		s.Faults.Add(&world.Fault{From: 20 * time.Second, To: 30 * time.Second, Ill: kind})
		w.Meter.Trigger = world.Trigger{From: 20 * time.Second, To: 30 * time.Second}
		w.End = 120 * time.Second
		(&world.Stream{Clients: world.Fleet(w, 10, k, s.Start(w)), Rate: 280, Until: w.End}).Start(w)
	}
}

func playMetastable(t *trial) {
	const late = 100 * time.Second
	held, dropped := metastableStorm(world.Holds, 0), metastableStorm(world.Hangs, 0)
	budget := world.WithBudget(retry.BudgetConfig{})

	ours := t.run(t.own.With("held, "+t.own.Name), held)
	t.atMost("held: recovery", ours.recovered(), 15, "s")
	t.atMost("held: worst 10 s", ours.Peak(10*time.Second, 0, 0), 1.2, "")
	ours = t.run(t.own.With("lost, "+t.own.Name), dropped)
	t.atMost("lost: recovery", ours.recovered(), 15, "s")
	t.atMost("lost: worst 10 s", ours.Peak(10*time.Second, 0, 0), 1.2, "")

	fixed := world.Plain("", retry.Attempts(3), retry.Fixed(100*time.Millisecond), retry.NoJitter(), retry.PerAttempt(time.Second))
	full := metastableKit("")
	once := world.Plain("", retry.Attempts(1), retry.PerAttempt(time.Second))
	t.stuck("control, held, no retries", t.control(once.With("held, no retries"), held), late)
	t.stuck("control, held, no budget", t.control(full.With("held, no budget"), held), late)
	t.stuck("control, lost, no budget", t.control(full.With("lost, no budget"), dropped), late)
	t.stuck("control, lost, fixed 100 ms", t.control(fixed.With("lost, fixed 100 ms"), dropped), late)
	t.stuck("control, held, budget alone", t.control(full.With("held, budget alone", budget), held), late)

	alone := t.run(full.With("lost, budget alone", budget), dropped)
	t.atMost("lost, budget alone: recovery", alone.recovered(), 30, "s")
	t.run(full.With("held, budget and throttle", budget, world.WithThrottle(retry.ThrottleConfig{Window: 10 * time.Second})), held)
	shed := t.run(full.With("held, no budget, server sheds at 0.5 s"), metastableStorm(world.Holds, 500*time.Millisecond))
	t.atLeast("server sheds, no budget: worst second", shed.Peak(time.Second, 0, 0), 2, "")
	both := t.run(full.With("held, budget, server sheds at 0.5 s", budget), metastableStorm(world.Holds, 500*time.Millisecond))
	t.atMost("server sheds, budget: recovery", both.recovered(), 15, "s")
}
