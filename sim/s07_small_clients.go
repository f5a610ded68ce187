package sim

import (
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// smallClients starts fleets of clients of different size in the middle of an
// outage.
func smallClients() *Scenario {
	return &Scenario{
		ID:     "S7",
		Name:   "Many small clients",
		Shows:  "Floors and first tokens are per client: with many small ones they are the load.",
		Source: "Finagle and Linkerd (10 retries/s at least), AWS SDK (500 tokens, 14 per retry), gRPC proposal A6",
		Parameters: []Parameter{
			{"clients", "500 with 1 call/s each, 100 with 10, 20 with 100; each has a budget of its own"},
			{"server", "refuses everything after 5 ms, 40 s"},
			{"retries", "4, full jitter 50 ms × 2"},
		},
		own:      smallKit("ours").with("ours", withBudget(retry.BudgetConfig{})),
		contrast: smallKit("").with("Finagle budget", withPeer(finagleBudget)),
		storm:    smallStorm(500, 1),
		play:     playSmallClients,
	}
}

func smallKit(name string) kit {
	return plain(name, retry.Attempts(5), retry.Exponential(50*time.Millisecond, 2, 5*time.Second))
}

func smallStorm(clients int, rate float64) storm {
	return func(w *world, k kit) {
		s := &server{latency: 5 * time.Millisecond}
		s.faults.add(outage(0, time.Hour))
		w.end = 40 * time.Second
		(&stream{clients: fleet(w, clients, k, s), rate: rate * float64(clients), until: w.end}).start(w)
	}
}

func playSmallClients(t *trial) {
	const start = 10 * time.Second
	for _, size := range []struct {
		clients int
		rate    float64
		finagle [2]float64 // predicted at the start and later
	}{{500, 1, [2]float64{4.5, 5}}, {100, 10, [2]float64{2.1, 3.3}}, {20, 100, [2]float64{1.25, 1.45}}} {
		storm := smallStorm(size.clients, size.rate)
		label := fmt.Sprintf("%s calls/s, ", figure(size.rate))
		ours := t.run(t.own.with(label+t.own.name), storm)
		t.atMost(label+"first 10 s", ours.amplification(0, start), 1.25, "")
		t.atMost(label+"after", ours.amplification(start, 0), 1.25, "")
		finagle := t.control(smallKit("").with(label+"Finagle budget", withPeer(finagleBudget)), storm)
		t.within("control, "+label+"Finagle: first 10 s", finagle.amplification(0, start), size.finagle[0], size.finagle[1], "")
		aws := t.control(smallKit("").with(label+"AWS quota", withPeer(awsQuota)), storm)
		perClient := float64(aws.retries) / float64(size.clients)
		t.within("control, "+label+"AWS: retries per client before it is spent", perClient, 34, 35, "")
		grpc := t.run(smallKit("").with(label+"gRPC throttling", withPeer(grpcThrottle)), storm)
		grpc.note("retries per client", float64(grpc.retries)/float64(size.clients), "")
	}
}
