package sim

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/storm"
	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// Report is what a scenario showed with one seed.
type Report struct {
	Scenario string    `json:"scenario" doc:"Id of the scenario."`
	Name     string    `json:"name" doc:"Name of the scenario."`
	Seed     uint64    `json:"seed" doc:"Of the random numbers."`
	Passed   bool      `json:"passed" doc:"No verdict failed."`
	Verdicts []Verdict `json:"verdicts" doc:"The acceptance numbers."`
	Variants []Variant `json:"variants" doc:"What each kind of client measured."`
	// Events is how many events happened in all runs.
	Events int64 `json:"events" doc:"Events of the simulation."`
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
	Name     string `json:"name" doc:"What is measured."`
	Bound    string `json:"bound" doc:"What it must be."`
	Measured string `json:"measured" doc:"What it was."`
	OK       bool   `json:"ok" doc:"It was kept."`
}

// Variant is what one kind of client measured. Controls are those that theory
// says must fail.
type Variant struct {
	Name    string  `json:"name" doc:"Name of the kind of client."`
	Control bool    `json:"control,omitempty" doc:"Theory says that it must fail."`
	Metrics Metrics `json:"metrics" doc:"The numbers that every run has."`
	// Figures are those that only this scenario has.
	Figures []Figure `json:"figures,omitempty" doc:"Numbers of this scenario."`
	// Series is only there in a [Comparison] and after [Report.Draw].
	Series *Series `json:"series,omitempty" doc:"The run over time."`

	meter *world.Meter
}

// Figure is a number of one scenario.
type Figure struct {
	Name  string  `json:"name" doc:"What it is."`
	Value float64 `json:"value" doc:"The number."`
	Unit  string  `json:"unit,omitempty" doc:"Its unit; absent without one."`
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
	Offered  int64 `json:"offered" doc:"Calls begun."`
	Attempts int64 `json:"attempts" doc:"Attempts that reached the server."`
	Retries  int64 `json:"retries" doc:"Retries among them."`
	Good     int64 `json:"good" doc:"Calls that ended well."`
	Failed   int64 `json:"failed" doc:"Calls that ended badly."`
	// Amplification is attempts at the server over calls offered, in the whole run
	// and in the worst second and ten seconds.
	Amplification float64 `json:"amplification" doc:"Attempts at the server over calls offered."`
	Peak1s        float64 `json:"peak_1s" doc:"The same in the worst second."`
	Peak10s       float64 `json:"peak_10s" doc:"The same in the worst ten seconds."`
	// Recovery is how long after the fault 90 % of the calls end well again, and
	// stay so. It is nil when that never happened, or when there was no fault.
	Recovery *float64 `json:"recovery_s" doc:"Seconds after the fault until 90 % of the calls end well again, and stay so; null if that never happened, or there was no fault."`
	// Fault tells that there was one.
	Fault bool `json:"fault" doc:"The scenario has a fault."`
	// Abandoned are attempts that the server worked on when their caller had gone.
	Abandoned int64   `json:"abandoned" doc:"Attempts that the server worked on after the client had gone."`
	Success   float64 `json:"success" doc:"Share of the ended calls that ended well."`
	P50       float64 `json:"p50_s" doc:"Half of the good calls took no longer, in seconds."`
	P99       float64 `json:"p99_s" doc:"99 of 100 good calls took no longer, in seconds."`
	// MaxInFlight is how many attempts the server held at once at most.
	MaxInFlight int     `json:"max_in_flight" doc:"Attempts at once, at most."`
	Denied      []Count `json:"denied,omitempty" doc:"Calls that ended badly, by reason."`
}

// Count is a number with a name.
type Count struct {
	Name  string `json:"name" doc:"What was counted."`
	Count int64  `json:"count" doc:"How many there were."`
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
