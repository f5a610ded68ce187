package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// hardOutage lets a server refuse everything at once for half a minute.
func hardOutage() *Scenario {
	return &Scenario{
		ID:     "S3",
		Name:   "Hard outage with fast failures",
		Shows:  "A budget counted in calls under way does not see fast failures; one counted in attempts does, also where nothing was sent.",
		Source: "failsafe-go issue 106 and its budget's source; AWS SDK, Finagle and gRPC documentation",
		Parameters: []Parameter{
			{"load", "1000 calls/s in the mean, one instance, 90 s"},
			{"outage", "from 10 s to 40 s, answered with an error after 5 ms; or the connection is refused, so that nothing was sent"},
			{"retries", "2, full jitter 100 ms × 2"},
		},
		own:      outageKit("budget").with("budget and breaker", withBudget(retry.BudgetConfig{}), withBreaker(retry.BreakerConfig{})),
		contrast: outageKit("no budget"),
		storm:    outageStorm,
		play:     playHardOutage,
	}
}

func outageKit(name string) kit {
	return plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func outageStorm(w *world, k kit) { outageWith(w, k, &unavailable) }

// refusedStorm is the outage of a server that is not there at all.
func refusedStorm(w *world, k kit) { outageWith(w, k, &refused) }

func outageWith(w *world, k kit, verdict *retry.Verdict) {
	s := &server{latency: 5 * time.Millisecond}
	down := outage(10*time.Second, 30*time.Second)
	down.verdict = verdict
	s.faults.add(down)
	w.meter.trigger = trigger{10 * time.Second, 40 * time.Second}
	w.end = 90 * time.Second
	(&stream{clients: fleet(w, 1, k, s), rate: 1000, until: w.end}).start(w)
}

func playHardOutage(t *trial) {
	from, to := 10*time.Second, 40*time.Second
	for _, k := range []kit{t.own, outageKit("budget").with("budget alone", withBudget(retry.BudgetConfig{}))} {
		r := t.run(k, outageStorm)
		t.atMost(k.name+": amplification during the outage", r.amplification(from, to), 1.10, "")
		t.atMost(k.name+": worst 10 s", r.peak(10*time.Second, from, to), 1.10, "")
		t.atMost(k.name+": worst second", r.peak(time.Second, from, to), 1.25, "")
		t.atMost(k.name+": last 10 s", r.amplification(30*time.Second, to), 1.01, "")
	}
	playRefused(t, from, to)
	none := t.control(outageKit("no budget"), outageStorm)
	t.within("control, no budget", none.amplification(from, to), 2.9, 3.05, "")
	concurrent := t.control(outageKit("").with("budget of concurrency", withPeer(failsafeBudget)), outageStorm)
	t.within("control, budget of concurrency", concurrent.amplification(from, to), 2.9, 3.05, "")
	t.run(outageKit("").with("AWS quota", withPeer(awsQuota)), outageStorm)
	t.run(outageKit("").with("gRPC throttling", withPeer(grpcThrottle)), outageStorm)
	finagle := t.control(outageKit("").with("Finagle budget", withPeer(finagleBudget)), outageStorm)
	t.atLeast("control, Finagle budget: last 10 s", finagle.amplification(30*time.Second, to), 1.15, "")
}

// playRefused looks at the first retry after a connection that was refused: it
// costs nothing while the budget does not bind.
func playRefused(t *trial, from, to time.Duration) {
	alone := outageKit("").with("refused connections, budget alone", withBudget(retry.BudgetConfig{}))
	for _, k := range []kit{t.own.with("refused connections, " + t.own.name), alone} {
		r := t.run(k, refusedStorm)
		t.atMost(k.name+": amplification during the outage", r.amplification(from, to), 1.10, "")
		t.atMost(k.name+": worst 10 s", r.peak(10*time.Second, from, to), 1.10+0.02, "")
		t.atMost(k.name+": last 10 s", r.amplification(30*time.Second, to), 1.01, "")
	}
	free := t.control(outageKit("").with("refused connections, first retry always free", withBudgetForTheRest), refusedStorm)
	t.within("control, refused connections, first retry always free", free.amplification(from, to), 1.95, 2.15, "")
}

// freeFirst is our budget without a look at what a free retry costs now.
type freeFirst struct{ budget }

func withBudgetForTheRest(k *kit) {
	k.budget = func(*world) budget { return freeFirst{must(retry.NewBudget(retry.BudgetConfig{}))} }
}
