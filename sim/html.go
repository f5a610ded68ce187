package sim

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"strings"

	"github.com/outlast-dev/outlast/internal/chart"
)

//go:embed page.html.tmpl
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML is the comparison as one page that needs nothing else: tables, and charts
// of load, goodput, latency and attempts in flight. It reads on light and dark
// screens.
func (c *Comparison) HTML() ([]byte, error) {
	var out bytes.Buffer
	err := page.Execute(&out, struct {
		*Comparison
		Title   string
		Columns []string
		Rows    [][]string
		Charts  []template.HTML
	}{c, c.String(), c.Columns(), c.Rows(), c.charts()})
	return out.Bytes(), err
}

// charts draws everything over time.
func (c *Comparison) charts() []template.HTML {
	var drawn []template.HTML
	for _, ch := range []*chart.Chart{
		c.chart("Offered load and attempts", "per second", chart.Number, func(s *Series) []float64 { return s.Attempts }, true),
		c.chart("Goodput", "calls per second that ended well", chart.Number, func(s *Series) []float64 { return s.Good }, true),
		c.chart("Latency", "99 % of the calls that ended well took less", chart.Seconds, func(s *Series) []float64 { return s.P99 }, false),
		c.chart("In flight", "attempts that the server holds, at most", chart.Number, func(s *Series) []float64 { return s.InFlight }, false),
	} {
		drawn = append(drawn, template.HTML(ch.SVG())) //nolint:gosec // the chart escapes its texts
	}
	return drawn
}

func (c *Comparison) chart(title, note string, unit chart.Unit, values func(*Series) []float64, offered bool) *chart.Chart {
	ch := &chart.Chart{
		Title: title, Note: note, Description: title + " of each policy over time.",
		X: chart.Axis{Label: "time", Unit: chart.Seconds}, Y: chart.Axis{Unit: unit}, Width: 860,
	}
	if c.FaultTo > c.FaultFrom {
		ch.Markers = []chart.Marker{{X: c.FaultFrom, To: c.FaultTo, Label: "fault"}}
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		ch.Series = append(ch.Series, chart.Series{Name: v.Name, Points: v.Series.points(values(v.Series)), Shape: chart.Step})
	}
	if offered && len(c.Variants) > 0 {
		s := c.Variants[0].Series
		ch.Series = append(ch.Series, chart.Series{Name: "offered", Points: s.points(s.Offered), Shape: chart.Step})
	}
	return ch
}

func (s *Series) points(values []float64) []chart.Point {
	points := make([]chart.Point, len(values))
	for i, v := range values {
		points[i] = chart.Point{X: float64(i) * s.Step, Y: v}
	}
	return points
}

// Columns names the columns of Rows.
func (c *Comparison) Columns() []string {
	columns := []string{"policy", "attempts", "amplification", "worst 10 s", "recovery", "success", "p50", "p99", "in flight", "abandoned"}
	if len(c.Variants) > 0 {
		for _, f := range c.Variants[0].Figures {
			columns = append(columns, f.Name)
		}
	}
	return append(columns, "not made or ended badly")
}

// Rows are the metrics of the variants, for people.
func (c *Comparison) Rows() [][]string {
	var rows [][]string
	for i := range c.Variants {
		v := &c.Variants[i]
		row := append([]string{v.Name}, v.Metrics.cells(c.FaultTo > 0)...)
		for _, f := range v.Figures {
			row = append(row, quantity(f.Value, f.Unit))
		}
		rows = append(rows, append(row, v.Metrics.refusals()))
	}
	return rows
}

// cells are the metrics for people, in the order of Columns.
func (m *Metrics) cells(fault bool) []string {
	recovery := "–"
	switch {
	case m.Recovery != nil:
		recovery = quantity(*m.Recovery, "s")
	case fault:
		recovery = "never"
	}
	return []string{
		fmt.Sprint(m.Attempts), figure(m.Amplification), figure(m.Peak10s), recovery,
		figure(100*m.Success) + " %", span(m.P50), span(m.P99), fmt.Sprint(m.MaxInFlight), fmt.Sprint(m.Abandoned),
	}
}

// refusals are the reasons why calls ended badly.
func (m *Metrics) refusals() string {
	var parts []string
	for _, d := range m.Denied {
		parts = append(parts, fmt.Sprintf("%s %d", d.Name, d.Count))
	}
	return strings.Join(parts, ", ")
}

// span is a length of time in seconds, for people.
func span(s float64) string {
	if s < 1 {
		return figure(1000*s) + " ms"
	}
	return figure(s) + " s"
}
