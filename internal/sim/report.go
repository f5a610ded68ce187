package sim

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/storm"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// Report is what a scenario showed with one seed.
type Report struct {
	Scenario string    `json:"scenario"`
	Name     string    `json:"name"`
	Seed     uint64    `json:"seed"`
	Passed   bool      `json:"passed"` // no verdict failed
	Verdicts []Verdict `json:"verdicts"`
	Variants []Variant `json:"variants"`
	// Events is how many events happened in all runs.
	Events int64 `json:"events"`
}

// fill takes over what a scenario showed.
func (r *Report) fill(shown *storm.Report) {
	r.Passed, r.Events = true, shown.Events
	for _, v := range shown.Verdicts {
		r.Verdicts = append(r.Verdicts, Verdict(v))
		r.Passed = r.Passed && v.OK
	}
	for _, v := range shown.Variants {
		made := Variant{Name: v.Name, Control: v.Control, Metrics: metricsOf(v.Meter), meter: v.Meter}
		for _, f := range v.Figures {
			made.Figures = append(made.Figures, Figure(f))
		}
		r.Variants = append(r.Variants, made)
	}
}

// Verdict is one acceptance number.
type Verdict struct {
	Name     string `json:"name"`
	Bound    string `json:"bound"`
	Measured string `json:"measured"`
	OK       bool   `json:"ok"`
}

// Variant is what one kind of client measured. Controls are those that theory
// says must fail.
type Variant struct {
	Name    string  `json:"name"`
	Control bool    `json:"control,omitempty"`
	Metrics Metrics `json:"metrics"`
	// Figures are those that only this scenario has.
	Figures []Figure `json:"figures,omitempty"`
	// Series is only there in a [Comparison] and after [Report.Draw].
	Series *Series `json:"series,omitempty"`

	meter *world.Meter
}

// Figure is a number of one scenario.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
}

// Figure is the value of a figure, 0 when the variant has none of that name.
func (v *Variant) Figure(name string) float64 {
	for _, f := range v.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	return 0
}

// Metrics are the numbers that every run has. Times are in seconds.
type Metrics struct {
	Offered  int64 `json:"offered"`  // calls begun
	Attempts int64 `json:"attempts"` // that reached the server
	Retries  int64 `json:"retries"`  // of them
	Good     int64 `json:"good"`     // calls that ended well
	Failed   int64 `json:"failed"`   // calls that ended badly
	// Amplification is attempts at the server over calls offered, in the whole run
	// and in the worst second and ten seconds.
	Amplification float64 `json:"amplification"`
	Peak1s        float64 `json:"peak_1s"`
	Peak10s       float64 `json:"peak_10s"`
	// Recovery is how long after the fault 90 % of the calls end well again, and
	// stay so. It is nil when that never happened, or when there was no fault.
	Recovery *float64 `json:"recovery_s"`
	// Fault tells that there was one.
	Fault bool `json:"fault"`
	// Abandoned are attempts that the server worked on when their caller had gone.
	Abandoned int64   `json:"abandoned"`
	Success   float64 `json:"success"` // share of the ended calls that ended well
	P50       float64 `json:"p50_s"`   // latency of those
	P99       float64 `json:"p99_s"`
	// MaxInFlight is how many attempts the server held at once at most.
	MaxInFlight int     `json:"max_in_flight"`
	Denied      []Count `json:"denied,omitempty"` // calls that ended badly, by reason
}

// Count is a number with a name.
type Count struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// metricsOf sums a run up.
func metricsOf(m *world.Meter) Metrics {
	sum := m.Total(0, 0)
	out := Metrics{
		Offered: int64(sum.Offered), Attempts: int64(sum.Attempts), Retries: m.Retries,
		Good: int64(sum.Good), Failed: int64(sum.Failed),
		Amplification: storm.Round(m.Amplification(0, 0)),
		Peak1s:        storm.Round(m.Peak(time.Second, 0, 0)),
		Peak10s:       storm.Round(m.Peak(10*time.Second, 0, 0)),
		Abandoned:     m.Abandoned,
		Success:       storm.Round(world.Ratio(sum.Good, sum.Good+sum.Failed)),
		P50:           storm.Round(m.All.Quantile(0.5).Seconds()),
		P99:           storm.Round(m.All.Quantile(0.99).Seconds()),
		MaxInFlight:   m.MostInFlight,
	}
	if out.Fault = m.Trigger.To > 0; out.Fault {
		if after := m.Recovery(); after != world.Never {
			seconds := storm.Round(after.Seconds())
			out.Recovery = &seconds
		}
	}
	for r, n := range m.Denied {
		if n > 0 {
			out.Denied = append(out.Denied, Count{world.Reason(r).String(), n})
		}
	}
	return out
}
