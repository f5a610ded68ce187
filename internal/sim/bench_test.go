package sim

import (
	"testing"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// BenchmarkEngine is B15: events per second of whole storms, policies, guards and
// meter included.
func BenchmarkEngine(b *testing.B) {
	for _, id := range []string{"S2", "S3", "S4", "S7"} {
		b.Run(id, func(b *testing.B) {
			s, events := Find(id), int64(0)
			for b.Loop() {
				w := world.New(1)
				s.made.Storm(w, s.made.Own)
				w.Run()
				events += w.Count
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
