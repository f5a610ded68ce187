package storm

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// hardOutage lets a server refuse everything at once for half a minute.
func hardOutage() *Scenario {
	return &Scenario{
		ID:     "S3",
		Name:   "Hard outage with fast failures",
		Shows:  "A budget counted in calls under way does not see fast failures; one counted in attempts does, also where nothing was sent.",
		Source: "failsafe-go issue 106 and its budget's source; AWS SDK, Finagle and gRPC documentation",
		Parameters: []parameter{
			{"load", "1000 calls/s in the mean, one instance, 90 s"},
			{"outage", "from 10 s to 40 s, answered with an error after 5 ms; or the connection is refused, so that nothing was sent"},
			{"retries", "2, full jitter 100 ms × 2"},
		},
		Own:      outageKit("budget").With("budget and breaker", world.WithBudget(retry.BudgetConfig{}), world.WithBreaker(retry.BreakerConfig{})),
		Contrast: outageKit("no budget"),
		Storm:    outageStorm,
		play:     playHardOutage,
	}
}

func outageKit(name string) world.Kit {
	return world.Plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func outageStorm(w *world.World, k world.Kit) { outageWith(w, k, &world.Unavailable) }

// refusedStorm is the outage of a server that is not there at all.
func refusedStorm(w *world.World, k world.Kit) { outageWith(w, k, &world.Refused) }

func outageWith(w *world.World, k world.Kit, verdict *retry.Verdict) {
	s := &world.Server{Latency: 5 * time.Millisecond}
	down := world.Outage(10*time.Second, 30*time.Second)
	down.Verdict = verdict
	s.Faults.Add(down)
	w.Meter.Trigger = world.Trigger{From: 10 * time.Second, To: 40 * time.Second}
	w.End = 90 * time.Second
	(&world.Stream{Clients: world.Fleet(w, 1, k, s), Rate: 1000, Until: w.End}).Start(w)
}

func playHardOutage(t *trial) {
	from, to := 10*time.Second, 40*time.Second
	for _, k := range []world.Kit{t.own, outageKit("budget").With("budget alone", world.WithBudget(retry.BudgetConfig{}))} {
		r := t.run(k, outageStorm)
		t.atMost(k.Name+": amplification during the outage", r.Amplification(from, to), 1.10, "")
		t.atMost(k.Name+": worst 10 s", r.Peak(10*time.Second, from, to), 1.10, "")
		t.atMost(k.Name+": worst second", r.Peak(time.Second, from, to), 1.25, "")
		t.atMost(k.Name+": last 10 s", r.Amplification(30*time.Second, to), 1.01, "")
	}
	playRefused(t, from, to)
	none := t.control(outageKit("no budget"), outageStorm)
	t.within("control, no budget", none.Amplification(from, to), 2.9, 3.05, "")
	concurrent := t.control(outageKit("").With("budget of concurrency", peer.WithBudget(peer.FailsafeBudget)), outageStorm)
	t.within("control, budget of concurrency", concurrent.Amplification(from, to), 2.9, 3.05, "")
	t.run(outageKit("").With("AWS quota", peer.WithBudget(peer.AWSQuota)), outageStorm)
	t.run(outageKit("").With("gRPC throttling", peer.WithBudget(peer.GRPCThrottle)), outageStorm)
	finagle := t.control(outageKit("").With("Finagle budget", peer.WithBudget(peer.FinagleBudget)), outageStorm)
	t.atLeast("control, Finagle budget: last 10 s", finagle.Amplification(30*time.Second, to), 1.15, "")
}

// playRefused looks at the first retry after a connection that was refused: it
// costs nothing while the budget does not bind.
func playRefused(t *trial, from, to time.Duration) {
	alone := outageKit("").With("refused connections, budget alone", world.WithBudget(retry.BudgetConfig{}))
	for _, k := range []world.Kit{t.own.With("refused connections, " + t.own.Name), alone} {
		r := t.run(k, refusedStorm)
		t.atMost(k.Name+": amplification during the outage", r.Amplification(from, to), 1.10, "")
		t.atMost(k.Name+": worst 10 s", r.Peak(10*time.Second, from, to), 1.10+0.02, "")
		t.atMost(k.Name+": last 10 s", r.Amplification(30*time.Second, to), 1.01, "")
	}
	free := t.control(outageKit("").With("refused connections, first retry always free", withBudgetForTheRest), refusedStorm)
	t.within("control, refused connections, first retry always free", free.Amplification(from, to), 1.95, 2.15, "")
}

// freeFirst is our budget without a look at what a free retry costs now.
type freeFirst struct{ world.Budget }

func withBudgetForTheRest(k *world.Kit) {
	k.Budget = func(*world.World) world.Budget { return freeFirst{world.Must(retry.NewBudget(retry.BudgetConfig{}))} }
}
