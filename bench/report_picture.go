package main

import (
	"time"

	"github.com/outlast-dev/outlast/internal/chart"
)

// picture is a chart of one figure over time, all systems in it.
type picture struct {
	file, bench, title, note, says string
	y                              chart.Axis
	factor                         float64 // from the figure's unit to the axis's
	held                           bool    // marks the time of the old snapshot
}

func pictures() []picture {
	const steady = "2000 tasks/s for ten minutes, 30 % of them fail once, on PostgreSQL"
	return []picture{
		{file: "bench-steady-p99.svg", bench: "B9/start-p99-over-time", title: "Enqueue to start, p99 of each window", note: steady,
			says: "The 99th percentile of the time from the enqueue to the start of the handler.", y: chart.Axis{Label: "p99", Unit: chart.Seconds, Log: true}, factor: 1e-3},
		{file: "bench-steady-dead.svg", bench: "B9/dead-rows-over-time", title: "Dead rows", note: steady,
			says: "Row versions that nobody can see and that are not yet removed.", y: chart.Axis{Label: "rows"}, factor: 1},
		{file: "bench-steady-size.svg", bench: "B9/size-over-time", title: "Size of the database", note: steady,
			says: "What the database occupies, with the history of all tasks.", y: chart.Axis{Label: "bytes"}, factor: 1 << 20},
		{file: "bench-snapshot.svg", bench: "B9x/over-time", title: "Tasks per second while another session holds an old snapshot",
			note: "20 000 tasks are always due, on PostgreSQL; nothing that died since the snapshot can be removed meanwhile",
			says: "How many tasks run in each second.", y: chart.Axis{Label: "tasks/s"}, factor: 1, held: true},
	}
}

// drawAll draws what there are figures for, by the name of the file.
func drawAll(known results) map[string][]byte {
	drawn := make(map[string][]byte)
	for _, p := range barPictures() {
		if picture := p.draw(known); picture != nil {
			drawn[p.file] = picture
		}
	}
	for _, p := range pictures() {
		if known.of(p.bench, outlastName) == nil && known.of(p.bench, riverName) == nil {
			continue
		}
		drawn[p.file] = p.draw(known)
	}
	return drawn
}

func (p picture) draw(known results) []byte {
	c := chart.Chart{Title: p.title, Note: p.note, Description: p.says, X: chart.Axis{Label: "time", Unit: chart.Seconds}, Y: p.y}
	for _, system := range systems() {
		f := known.of(p.bench, system.name())
		if f == nil {
			continue
		}
		line := chart.Series{Name: system.name()}
		for _, at := range f.Series {
			y := at.value * p.factor
			line.Points = append(line.Points, chart.Point{X: at.at, Y: y, Low: y, High: y})
		}
		c.Series = append(c.Series, line)
		if p.held && c.Markers == nil {
			c.Markers = []chart.Marker{{X: f.Settings.seconds("snapshot from"), To: f.Settings.seconds("snapshot to"), Label: "old snapshot held"}}
		}
	}
	return c.SVG()
}

// seconds reads a setting that is a duration.
func (s settings) seconds(name string) float64 {
	text, _ := s[name].(string)
	d, _ := time.ParseDuration(text)
	return d.Seconds()
}
