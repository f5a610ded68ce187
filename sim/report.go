package sim

import (
	"fmt"
	"math"
	"strconv"
	"time"
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

	meter *meter
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

// metrics sums a run up.
func (m *meter) metrics() Metrics {
	sum := m.total(0, 0)
	out := Metrics{
		Offered: int64(sum.offered), Attempts: int64(sum.attempts), Retries: m.retries,
		Good: int64(sum.good), Failed: int64(sum.failed),
		Amplification: round(m.amplification(0, 0)),
		Peak1s:        round(m.peak(time.Second, 0, 0)),
		Peak10s:       round(m.peak(10*time.Second, 0, 0)),
		Abandoned:     m.abandoned,
		Success:       round(ratio(sum.good, sum.good+sum.failed)),
		P50:           round(m.all.quantile(0.5).Seconds()),
		P99:           round(m.all.quantile(0.99).Seconds()),
		MaxInFlight:   m.mostInFlight,
	}
	if out.Fault = m.trigger.to > 0; out.Fault {
		if after := m.recovery(); after != never {
			seconds := round(after.Seconds())
			out.Recovery = &seconds
		}
	}
	for r, n := range m.denied {
		if n > 0 {
			out.Denied = append(out.Denied, Count{reason(r).String(), n})
		}
	}
	return out
}

// round keeps four decimals: more would only be noise in a report.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// figure is a number for people: three decimals at most.
func figure(x float64) string {
	if math.Abs(x) >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(math.Round(x*1e3)/1e3+0, 'f', -1, 64) // + 0 turns −0 into 0
}

func quantity(x float64, unit string) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	if unit == "" {
		return figure(x)
	}
	return fmt.Sprintf("%s %s", figure(x), unit)
}
