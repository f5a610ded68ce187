package prove

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"time"

	"github.com/outlast-dev/outlast/internal/chart"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"says": func(k mishap) string { return says[k] }, "span": span,
}).Parse(pageText))

// bar is a fault on the timeline, in shares of its width.
type bar struct {
	Left, Width, Back float64 // Back is where the node is ready again
	Kind              mishap
	Title             string
}

// lane is a node on the timeline.
type lane struct {
	Name string
	Y    int
	Bars []bar
}

// Sizes of the timeline, in pixels.
const (
	timelineWidth = 820
	laneHeight    = 34
)

// page is the report as one file of HTML, with a timeline of faults and recoveries.
func (r *report) page(j *judgement) ([]byte, error) {
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, struct {
		*report
		Summary        [][2]string
		Last           string
		Lanes          []lane
		Width, Height  int
		Waits, Started template.HTML
	}{
		r, r.summary(), r.last(), r.lanes(), timelineWidth, r.Nodes * laneHeight,
		template.HTML(r.waits(j).SVG()), template.HTML(r.started(j).SVG()), //nolint:gosec // chart escapes what it writes
	})
	return out.Bytes(), err
}

func (r *report) lanes() []lane {
	lanes := make([]lane, r.Nodes)
	scale := timelineWidth / r.Seconds
	for i := range lanes {
		lanes[i] = lane{Name: fmt.Sprintf("node %d", i+1), Y: i * laneHeight}
		for _, f := range r.Faults {
			if f.Node == lanes[i].Name {
				lanes[i].Bars = append(lanes[i].Bars, bar{f.At * scale, max(2, f.Lasted/1000*scale), max(2, f.Back/1000*scale), f.Kind,
					fmt.Sprintf("%.1fs: %s for %s, ready %s later; %d runs cut off, work waited %s at most", f.At, says[f.Kind], span(f.Lasted), span(f.Back), f.Cut, span(f.Waited))})
			}
		}
	}
	return lanes
}

func (r *report) markers() (all []chart.Marker) {
	for _, f := range r.Faults {
		all = append(all, chart.Marker{X: f.At, To: f.At + (f.Lasted+f.Back)/1000, Label: string(f.Kind)})
	}
	return all
}

// waits shows, of each task without a key, how late it began.
func (r *report) waits(j *judgement) *chart.Chart {
	var points []chart.Point
	for _, o := range j.orders {
		if calls := j.byTask[o.n]; o.place == 0 && !o.burst && len(calls) > 0 && !o.acked.IsZero() {
			wait := max(100*time.Microsecond, calls[0].start.Sub(o.due()))
			points = append(points, chart.Point{X: o.due().Sub(j.began).Seconds(), Y: wait.Seconds()})
		}
	}
	return &chart.Chart{Title: "From due to start", Note: "Each dot is a task; shaded while a node suffers and comes back.",
		Description: "How late each task began, over the time of the run.", Width: timelineWidth + 80,
		X: chart.Axis{Label: "time of the run", Unit: chart.Seconds, Range: [2]float64{0, r.Seconds}}, Y: chart.Axis{Label: "late by", Unit: chart.Seconds, Log: true},
		Series: []chart.Series{{Points: points, Shape: chart.Dots}}, Markers: r.markers()}
}

// started shows how many calls began in each second.
func (r *report) started(j *judgement) *chart.Chart {
	counts := make([]chart.Point, int(r.Seconds)+1)
	for i := range counts {
		counts[i].X = float64(i)
	}
	for _, c := range j.calls {
		o := j.order(c.n)
		if at := int(c.start.Sub(j.began).Seconds()); at >= 0 && at < len(counts) && o != nil && !o.burst {
			counts[at].Y++
		}
	}
	return &chart.Chart{Title: "Calls that began in each second", Note: "Without those that measure the speed at the end.",
		Description: "How many calls the receiver got in each second of the run.", Width: timelineWidth + 80, Height: 140,
		X: chart.Axis{Label: "time of the run", Unit: chart.Seconds, Range: [2]float64{0, r.Seconds}}, Y: chart.Axis{Unit: chart.Whole},
		Series: []chart.Series{{Points: counts, Shape: chart.Step}}, Markers: r.markers()}
}
