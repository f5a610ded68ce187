package sim

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/storm"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// Series is what a run did over time, one value per step.
type Series struct {
	// Step is the time between two values, in seconds.
	Step float64 `json:"step_s" doc:"Seconds from one value to the next."`
	// Offered, Attempts and Good are per second: calls begun, attempts that reached
	// the server, calls that ended well.
	Offered  []float64 `json:"offered" doc:"Calls begun per second."`
	Attempts []float64 `json:"attempts" doc:"Attempts that reached the server, per second."`
	Good     []float64 `json:"good" doc:"Calls that ended well, per second."`
	// P50 and P99 are latencies of calls that ended well, in seconds; 0 where none
	// did.
	P50 []float64 `json:"p50_s" doc:"Half of the good calls took no longer, in seconds; 0 where there are none."`
	P99 []float64 `json:"p99_s" doc:"99 of 100 good calls took no longer, in seconds; 0 where there are none."`
	// InFlight is how many attempts the server held at most.
	InFlight []float64 `json:"in_flight" doc:"Attempts at once, at most."`
}

// Draw gives each variant of a report the series of its run, of at most so many steps.
func (r *Report) Draw(steps int) {
	for i := range r.Variants {
		v := &r.Variants[i]
		v.meter.Fit(steps)
		v.Series = seriesOf(v.meter)
	}
}

// seriesOf sums the bins up to steps as long as those of the latencies.
func seriesOf(m *world.Meter) *Series {
	s := &Series{Step: (m.Width * world.PerSpan).Seconds()}
	for at := 0; at < len(m.Bins); at += world.PerSpan {
		var sum world.Bin
		for _, b := range m.Bins[at:min(at+world.PerSpan, len(m.Bins))] {
			sum.Add(b)
		}
		long := min(m.Width*world.PerSpan, max(m.Width, m.Length-time.Duration(at)*m.Width)).Seconds() // the last may have begun with the end
		per := func(n int32) float64 { return storm.Round(float64(n) / long) }
		s.Offered = append(s.Offered, per(sum.Offered))
		s.Attempts = append(s.Attempts, per(sum.Attempts))
		s.Good = append(s.Good, per(sum.Good))
		s.InFlight = append(s.InFlight, float64(sum.InFlight))
		var latency world.Histogram
		if span := at / world.PerSpan; span < len(m.Spans) {
			latency = m.Spans[span]
		}
		s.P50 = append(s.P50, latency.Quantile(0.5).Seconds())
		s.P99 = append(s.P99, latency.Quantile(0.99).Seconds())
	}
	return s
}
