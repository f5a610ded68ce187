package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/chart"
	"github.com/outlast-dev/outlast/retry"
)

// What the pictures show.
const (
	fixedRetry      = 8   // of the picture over M
	fixedMultiplier = 4.0 // of the picture over n
	mostDrawn       = 200 // retries
	pictureWidth    = 560
)

// Picture is one plot of a plan as an SVG file. It reads on light and dark pages.
type Picture struct {
	// Name is delays, multiplier, growth, success or load.
	Name string
	SVG  []byte
}

// Pictures draws each plot by itself: the waits and their sum over the number of
// retries, the waits before retries 3, 5 and 8 over the multiplier, the waits over
// the number of retries for several multipliers, the success over the number of attempts, and
// the load over the share of failing attempts. Equal reports give equal bytes.
func (r *Report) Pictures() []Picture {
	names := []string{"delays", "multiplier", "growth", "success", "load"}
	pictures := make([]Picture, 0, len(names))
	for i, c := range r.charts() {
		pictures = append(pictures, Picture{names[i], c.SVG()})
	}
	return pictures
}

// SVG draws all pictures on one sheet.
func (r *Report) SVG() []byte {
	return chart.Sheet("Retry plan: "+r.Summary(), 2, r.charts()...)
}

func (r *Report) charts() []*chart.Chart {
	return []*chart.Chart{r.delayChart(), r.multiplierChart(), r.growthChart(), r.successChart(), r.loadChart()}
}

// Summary is the schedule in one line: "exponential 1s × 2, cap 30s, full jitter,
// 4 retries".
func (r *Report) Summary() string {
	b, text := r.Policy.Backoff, ""
	switch b.Kind {
	case "":
		text = "a schedule in code"
	case "exponential":
		text = fmt.Sprintf("exponential %s × %.4g", Short(time.Duration(*b.Initial)), *b.Multiplier)
	case "steps":
		text = plural(len(b.Steps), "step", "steps")
	default:
		text = fmt.Sprintf("%s %s", b.Kind, Short(time.Duration(*b.Initial)))
	}
	if b.Max != nil {
		text += ", cap " + Short(time.Duration(*b.Max))
	}
	if b.Jitter != nil {
		name := b.Jitter.Kind
		if name == "none" {
			name = "no"
		}
		text += ", " + name + " jitter"
	}
	return text + ", " + r.retries()
}

func whole(label string) chart.Axis { return chart.Axis{Label: label, Unit: chart.Whole} }

// durations is an axis of time, logarithmic where a linear one would hide what is
// small.
func durations(label string, points ...[]chart.Point) chart.Axis {
	low, high := math.Inf(1), 0.0
	for _, list := range points {
		for _, p := range list {
			if p.Y > 0 {
				low, high = min(low, p.Y), max(high, p.Y)
			}
		}
	}
	return chart.Axis{Label: label, Unit: chart.Seconds, Log: high > 30*low}
}

// delayChart draws d and the total over n.
func (r *Report) delayChart() *chart.Chart {
	var waits, totals []chart.Point
	var low, mean, high time.Duration
	for _, d := range r.Delays[:min(len(r.Delays), mostDrawn)] {
		n := float64(d.Retry)
		low, mean, high = add(low, d.Min), add(mean, d.Mean), add(high, d.Max)
		waits = append(waits, chart.Point{X: n, Y: d.Mean.Seconds(), Low: d.Min.Seconds(), High: d.Max.Seconds()})
		totals = append(totals, chart.Point{X: n, Y: mean.Seconds(), Low: low.Seconds(), High: high.Seconds()})
	}
	shape := chart.Marked
	if len(waits) > 40 {
		shape = chart.Line
	}
	c := &chart.Chart{
		Title: "Wait before each retry, and all waits so far", Note: "mean under the jitter; the band reaches from the shortest to the longest",
		X: whole("retry"), Y: durations("time", waits, totals), Width: pictureWidth,
		Series: []chart.Series{{Name: "wait", Points: waits, Shape: shape}, {Name: "total", Points: totals, Shape: shape}},
	}
	if r.Limit > 0 {
		c.Levels = []chart.Level{{Y: r.Limit.Seconds(), Label: "time limit " + Short(r.Limit)}}
	}
	return c
}

// model is an exponential schedule like that of the report: its own where it has
// one, else one that begins with its first wait.
func (r *Report) model() (f, m float64, note string) {
	if f, m, ok := r.schedule.exponential(); ok {
		return f / 1e9, m, "before jitter and cap"
	}
	return max(r.schedule.first, 1).Seconds(), 2, "of an exponential schedule with the same first wait, before jitter and cap"
}

// multiplierChart draws d over M at n = 8, with its neighbours.
func (r *Report) multiplierChart() *chart.Chart {
	f, own, note := r.model()
	c := &chart.Chart{
		Title: fmt.Sprintf("Waits before retries 3, 5 and %d over the multiplier", fixedRetry), Note: note,
		X: chart.Axis{Label: "multiplier M"}, Y: chart.Axis{Label: "wait", Unit: chart.Seconds, Log: true}, Width: pictureWidth,
		Markers: []chart.Marker{{X: own, Label: fmt.Sprintf("M = %.4g", own)}},
	}
	for _, n := range []float64{3, 5, fixedRetry} {
		s := chart.Series{Name: fmt.Sprintf("retry %g", n)}
		for i := range 71 {
			m := 1 + float64(i)/10
			s.Points = append(s.Points, chart.Point{X: m, Y: f * math.Pow(m, n-1)})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// growthChart draws d over n at M = 4, with other multipliers.
func (r *Report) growthChart() *chart.Chart {
	f, own, note := r.model()
	c := &chart.Chart{
		Title: "Wait before each retry for several multipliers M", Note: note,
		X: whole("retry"), Y: chart.Axis{Label: "wait", Unit: chart.Seconds, Log: true}, Width: pictureWidth,
	}
	multipliers := []float64{1.5, 2, fixedMultiplier}
	if own != 1.5 && own != 2 && own != fixedMultiplier {
		multipliers = append(multipliers, own)
	}
	for _, m := range multipliers {
		s := chart.Series{Name: fmt.Sprintf("M = %.4g", m), Shape: chart.Marked}
		for n := range 10 {
			s.Points = append(s.Points, chart.Point{X: float64(n + 1), Y: f * math.Pow(m, float64(n))})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// successChart draws the success over n, at the planned fail rate and others.
func (r *Report) successChart() *chart.Chart {
	c := &chart.Chart{
		Title: "Success over the number of attempts", Note: "if attempts fail independently, which those of an outage do not",
		X: whole("attempts"), Y: chart.Axis{Unit: chart.Percent, Range: [2]float64{0, 1}}, Width: pictureWidth,
	}
	attempts := min(max(r.Retries+1, 6), 30)
	for _, f := range others(r.Env.FailRate, 0.2, 0.8) {
		s := chart.Series{Name: fmt.Sprintf("%.3g %% fail", 100*f), Shape: chart.Marked}
		for n := 1; n <= attempts; n++ {
			s.Points = append(s.Points, chart.Point{X: float64(n), Y: Success(f, n)})
		}
		c.Series = append(c.Series, s)
	}
	if r.Attempts > 0 && r.Attempts <= attempts {
		c.Markers = []chart.Marker{{X: float64(r.Attempts), Label: plural(r.Attempts, "attempt", "attempts")}}
	}
	return c
}

// others is the first value and those that differ from it.
func others(first float64, more ...float64) []float64 {
	all := []float64{first}
	for _, v := range more {
		if v != first {
			all = append(all, v)
		}
	}
	return all
}

// loadChart draws A over f.
func (r *Report) loadChart() *chart.Chart {
	c := &chart.Chart{
		Title: "Load over the share of attempts that fail", Note: "attempts that reach the target, per first attempt",
		X: chart.Axis{Label: "fail rate", Unit: chart.Percent, Range: [2]float64{0, 1}}, Y: chart.Axis{Unit: chart.Times}, Width: pictureWidth,
		Markers: []chart.Marker{{X: r.Env.FailRate, Label: "planned"}},
	}
	for _, n := range others(float64(r.Load.Attempts), 3) {
		name := plural(int(n), "attempt", "attempts")
		if n == 0 {
			name = "unlimited attempts"
		}
		s := chart.Series{Name: name}
		for i := range 101 {
			f := float64(i) / 100
			if load := Amplification(f, int(n)); load <= 50 || n > 0 {
				s.Points = append(s.Points, chart.Point{X: f, Y: load})
			}
		}
		c.Series = append(c.Series, s)
	}
	budget, limited := &retry.BudgetConfig{Ratio: retry.DefaultRatio, Pressure: retry.DefaultPressure}, chart.Series{}
	if r.budget != nil {
		budget = r.budget
	}
	limited.Name = fmt.Sprintf("with a budget of %.3g %%", 100*budget.Ratio)
	for i := range 101 {
		f := float64(i) / 100
		limited.Points = append(limited.Points, chart.Point{X: f, Y: budgeted(f, r.Attempts, budget)})
	}
	c.Series = append(c.Series, limited)
	return c
}
