package storm

import (
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/peer"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
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
		Parameters: []parameter{
			{"clients", "500 with 1 call/s each, 100 with 10, 20 with 100; each has a budget of its own"},
			{"server", "refuses everything after 5 ms, 40 s"},
			{"retries", "4, full jitter 50 ms × 2"},
		},
		Own:      smallKit("ours").With("ours", world.WithBudget(retry.BudgetConfig{})),
		Contrast: smallKit("").With("Finagle budget", peer.WithBudget(peer.FinagleBudget)),
		Storm:    smallStorm(500, 1),
		play:     playSmallClients,
	}
}

func smallKit(name string) world.Kit {
	return world.Plain(name, retry.Attempts(5), retry.Exponential(50*time.Millisecond, 2, 5*time.Second))
}

func smallStorm(clients int, rate float64) storm {
	return func(w *world.World, k world.Kit) {
		s := &world.Server{Latency: 5 * time.Millisecond}
		s.Faults.Add(world.Outage(0, time.Hour))
		w.End = 40 * time.Second
		(&world.Stream{Clients: world.Fleet(w, clients, k, s), Rate: rate * float64(clients), Until: w.End}).Start(w)
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
		label := fmt.Sprintf("%s calls/s, ", Decimal(size.rate))
		ours := t.run(t.own.With(label+t.own.Name), storm)
		t.atMost(label+"first 10 s", ours.Amplification(0, start), 1.25, "")
		t.atMost(label+"after", ours.Amplification(start, 0), 1.25, "")
		finagle := t.control(smallKit("").With(label+"Finagle budget", peer.WithBudget(peer.FinagleBudget)), storm)
		t.within("control, "+label+"Finagle: first 10 s", finagle.Amplification(0, start), size.finagle[0], size.finagle[1], "")
		aws := t.control(smallKit("").With(label+"AWS quota", peer.WithBudget(peer.AWSQuota)), storm)
		perClient := float64(aws.Retries) / float64(size.clients)
		t.within("control, "+label+"AWS: retries per client before it is spent", perClient, 34, 35, "")
		grpc := t.run(smallKit("").With(label+"gRPC throttling", peer.WithBudget(peer.GRPCThrottle)), storm)
		grpc.note("retries per client", float64(grpc.Retries)/float64(size.clients), "")
	}
}
