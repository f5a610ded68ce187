package sim

import (
	"bytes"
	_ "embed" // the page
	"html/template"
	"math"
	"slices"
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
	ch.Series = make([]chart.Series, 1) // without the offered load, an empty one keeps the colours of the others
	if offered && len(c.Variants) > 0 {
		s := c.Variants[0].Series
		ch.Series[0] = chart.Series{Name: "offered", Points: s.points(s.Offered, false), Shape: chart.Step, Fill: true}
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		name, first := c.alike(i, values)
		if !first {
			ch.Series = append(ch.Series, chart.Series{}) // keeps the colours of the others
			continue
		}
		ch.Series = append(ch.Series, chart.Series{Name: name, Points: v.Series.points(values(v.Series), !offered), Shape: chart.Step})
	}
	return ch
}

// alike names all variants whose curves lie on that of the given one, which would
// hide each other; first tells whether it is the first of them.
func (c *Comparison) alike(i int, values func(*Series) []float64) (name string, first bool) {
	var names []string
	for j := range c.Variants {
		if !slices.Equal(values(c.Variants[j].Series), values(c.Variants[i].Series)) {
			continue
		}
		if j < i {
			return "", false
		}
		names = append(names, c.Variants[j].Name)
	}
	return strings.Join(names, " = "), true
}

// points are values over time. Where gaps is set, 0 means that there was nothing to
// measure.
func (s *Series) points(values []float64, gaps bool) []chart.Point {
	points := make([]chart.Point, len(values))
	for i, v := range values {
		if gaps && v == 0 {
			v = math.NaN()
		}
		points[i] = chart.Point{X: float64(i) * s.Step, Y: v}
	}
	return points
}
