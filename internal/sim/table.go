package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/sim/internal/storm"
)

// Columns names the columns of Rows.
func (c *Comparison) Columns() []string { return c.chosen(columns(c.Variants)) }

// Rows are the metrics of the variants, for people.
func (c *Comparison) Rows() [][]string {
	all := rows(c.Variants)
	for i := range all {
		all[i] = c.chosen(all[i])
	}
	return all
}

// whatIfColumns are those that say something about a history, the most important
// ones first: there is no fault to recover from, and nobody gives up.
var whatIfColumns = []string{
	"variant", "calls", "attempts", "wasted", "without evidence", "success", "p50", "p99", "wait p50", "wait p99", "in flight", "not ended", "ended badly",
}

// chosen takes the cells of a row that are shown.
func (c *Comparison) chosen(cells []string) []string {
	if c.Scenario != "" {
		return cells
	}
	all := columns(c.Variants)
	var chosen []string
	for _, name := range whatIfColumns {
		if i := slices.Index(all, name); i >= 0 {
			chosen = append(chosen, cells[i])
		}
	}
	return chosen
}

// Columns names the columns of Rows.
func (r *Report) Columns() []string { return columns(r.Variants) }

// Rows are the metrics of the variants, for people.
func (r *Report) Rows() [][]string { return rows(r.Variants) }

// Missed is how many verdicts failed.
func (r *Report) Missed() int {
	n := 0
	for _, v := range r.Verdicts {
		if !v.OK {
			n++
		}
	}
	return n
}

var metricColumns = []string{
	"variant", "calls", "attempts", "amplification", "worst 10 s", "recovery", "success", "p50", "p99", "in flight", "abandoned",
}

// columns are those of the metrics, then every figure that a variant has.
func columns(variants []Variant) []string {
	return append(append([]string{}, metricColumns...), append(figureNames(variants), "ended badly")...)
}

func figureNames(variants []Variant) []string {
	var names []string
	seen := map[string]bool{}
	for _, v := range variants {
		for _, f := range v.Figures {
			if !seen[f.Name] {
				seen[f.Name] = true
				names = append(names, f.Name)
			}
		}
	}
	return names
}

func rows(variants []Variant) [][]string {
	names := figureNames(variants)
	var all [][]string
	for i := range variants {
		v := &variants[i]
		name := v.Name
		if v.Control {
			name += " (control)"
		}
		row := append([]string{name}, v.Metrics.cells()...)
		for _, n := range names {
			row = append(row, v.figure(n))
		}
		all = append(all, append(row, v.Metrics.endedBadly()))
	}
	return all
}

func (v *Variant) figure(name string) string {
	for _, f := range v.Figures {
		if f.Name == name {
			return storm.Quantity(f.Value, f.Unit)
		}
	}
	return "–"
}

// cells are the metrics for people, in the order of metricColumns.
func (m *Metrics) cells() []string {
	recovery := "–"
	switch {
	case m.Recovery != nil:
		recovery = storm.Quantity(*m.Recovery, "s")
	case m.Fault:
		recovery = "never"
	}
	return []string{
		fmt.Sprint(m.Offered), fmt.Sprint(m.Attempts), storm.Decimal(m.Amplification), storm.Decimal(m.Peak10s), recovery,
		storm.Decimal(100*m.Success) + " %", span(m.P50), span(m.P99), fmt.Sprint(m.MaxInFlight), fmt.Sprint(m.Abandoned),
	}
}

// endedBadly is why calls did.
func (m *Metrics) endedBadly() string {
	var parts []string
	for _, d := range m.Denied {
		parts = append(parts, fmt.Sprintf("%s %d", d.Name, d.Count))
	}
	return strings.Join(parts, ", ")
}

// span is a length of time in seconds, for people.
func span(s float64) string {
	if s < 1 {
		return storm.Decimal(1000*s) + " ms"
	}
	return storm.Decimal(s) + " s"
}
