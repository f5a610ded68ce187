package agenda

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/racetest"
)

// What waits says for what, also where targets and share keys are at their limits in turn: a
// stream that sleeps is woken although the share of the one woken before it has closed.
func TestNothingReadyWaitsForNothing(t *testing.T) {
	racetest.WithoutDetector(t)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := &bench{Agenda: New(Config{NearFuture: 100_000, Slots: 40, Share: 0.05}), t: t, at: time.Unix(1_000_000, 0)}
		b.Own(0, 1, "q")
		b.horizon = 1 << 60
		b.SetQueue("q", QueueSettings{Weight: 1, Each: EachShare{Most: 1 + int(seed%2)}})
		var running []*Entry
		for range 60 {
			for range rng.IntN(4) {
				b.of(fmt.Sprint("s", rng.IntN(8)), fmt.Sprint("t", rng.IntN(4)), 1)
			}
			running = append(running, b.start(40)...)
			for e := range b.Entries {
				if why, _ := b.Explain(e.ID, b.at); e.where == isReady && why.Why == "" && b.running < 20 {
					t.Fatalf("one of %s for %s waits for nothing, seed %d", e.Share, e.Target, seed)
				}
			}
			for range rng.IntN(3) {
				if len(running) > 0 {
					at := rng.IntN(len(running))
					b.over(running[at])
					running = append(running[:at], running[at+1:]...)
				}
			}
		}
	}
}
