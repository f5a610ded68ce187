package sim

import "time"

// Series is what a run did over time, one value per step.
type Series struct {
	// Step is the time between two values, in seconds.
	Step float64 `json:"step_s"`
	// Offered, Attempts and Good are per second: calls begun, attempts that reached
	// the server, calls that ended well.
	Offered  []float64 `json:"offered"`
	Attempts []float64 `json:"attempts"`
	Good     []float64 `json:"good"`
	// P50 and P99 are latencies of calls that ended well, in seconds; 0 where none
	// did.
	P50 []float64 `json:"p50_s"`
	P99 []float64 `json:"p99_s"`
	// InFlight is how many attempts the server held at most.
	InFlight []float64 `json:"in_flight"`
}

// Draw gives each variant of a report the series of its run, of at most so many steps.
func (r *Report) Draw(steps int) {
	for i := range r.Variants {
		v := &r.Variants[i]
		v.meter.fit(steps)
		v.Series = v.meter.series()
	}
}

// fit makes the bins so wide that a series has at most so many steps.
func (m *meter) fit(steps int) {
	for m.length > time.Duration(steps)*perSpan*m.width {
		m.coarsen()
	}
}

// series sums the bins up to steps as long as those of the latencies.
func (m *meter) series() *Series {
	s := &Series{Step: (m.width * perSpan).Seconds()}
	for at := 0; at < len(m.bins); at += perSpan {
		var sum bin
		for _, b := range m.bins[at:min(at+perSpan, len(m.bins))] {
			sum.add(b)
		}
		long := min(m.width*perSpan, max(m.width, m.length-time.Duration(at)*m.width)).Seconds() // the last may have begun with the end
		per := func(n int32) float64 { return round(float64(n) / long) }
		s.Offered = append(s.Offered, per(sum.offered))
		s.Attempts = append(s.Attempts, per(sum.attempts))
		s.Good = append(s.Good, per(sum.good))
		s.InFlight = append(s.InFlight, float64(sum.inFlight))
		var latency histogram
		if span := at / perSpan; span < len(m.spans) {
			latency = m.spans[span]
		}
		s.P50 = append(s.P50, latency.quantile(0.5).Seconds())
		s.P99 = append(s.P99, latency.quantile(0.99).Seconds())
	}
	return s
}
