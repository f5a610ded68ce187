package sim

import "testing"

// BenchmarkEngine is B15: events per second of whole storms, policies, guards and
// meter included.
func BenchmarkEngine(b *testing.B) {
	for _, id := range []string{"S2", "S3", "S4", "S7"} {
		b.Run(id, func(b *testing.B) {
			s, events := Find(id), int64(0)
			for b.Loop() {
				w := newWorld(1)
				s.storm(w, s.own)
				w.run()
				events += w.count
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
