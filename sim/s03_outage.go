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
		Shows:  "A budget counted in calls under way does not see fast failures; one counted in attempts does.",
		Source: "failsafe-go issue 106 and its budget's source; AWS SDK, Finagle and gRPC documentation",
		Parameters: []Parameter{
			{"load", "1000 calls/s in the mean, one instance, 60 s"},
			{"outage", "from 10 s to 40 s, refused after 5 ms"},
			{"retries", "2, full jitter 100 ms × 2"},
		},
		own:   outageKit("budget").with("budget and breaker", withBudget(retry.BudgetConfig{}), withBreaker(retry.BreakerConfig{})),
		storm: outageStorm,
		play:  playHardOutage,
	}
}

func outageKit(name string) kit {
	return plain(name, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, 10*time.Second))
}

func outageStorm(w *world, k kit) {
	s := &server{latency: 5 * time.Millisecond}
	s.faults.add(outage(10*time.Second, 30*time.Second))
	w.meter.trigger = trigger{10 * time.Second, 40 * time.Second}
	w.end = 60 * time.Second
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
	none := t.control(outageKit("no budget"), outageStorm)
	t.within("control, no budget", none.amplification(from, to), 2.9, 3.05, "")
	concurrent := t.control(outageKit("").with("budget of concurrency", withPeer(failsafeBudget)), outageStorm)
	t.within("control, budget of concurrency", concurrent.amplification(from, to), 2.9, 3.05, "")
	t.run(outageKit("").with("AWS quota", withPeer(awsQuota)), outageStorm)
	t.run(outageKit("").with("gRPC throttling", withPeer(grpcThrottle)), outageStorm)
	finagle := t.control(outageKit("").with("Finagle budget", withPeer(finagleBudget)), outageStorm)
	t.atLeast("control, Finagle budget: last 10 s", finagle.amplification(30*time.Second, to), 1.15, "")
}
