package chart

import (
	"math"
	"strings"
)

// describe is the description of the chart in words: what its author says, and
// what each series ranges over.
func (c *Chart) describe(l *layout) string {
	var parts []string
	for _, text := range []string{c.Description, c.Note} {
		if text != "" {
			parts = append(parts, strings.TrimRight(text, ". ")+".")
		}
	}
	axes := "Line chart"
	if c.Y.Label != "" {
		axes += " of " + c.Y.Label
	}
	if c.X.Label != "" {
		axes += " over " + c.X.Label
	}
	parts = append(parts, axes+" from "+c.X.Unit.write(l.x.min, c.X.widest(l.x.min, l.x.max))+" to "+c.X.Unit.write(l.x.max, c.X.widest(l.x.min, l.x.max))+".")
	for _, s := range c.Series {
		parts = append(parts, s.summary(c.Y.Unit))
	}
	for _, m := range c.Markers {
		if m.Label != "" {
			parts = append(parts, "Marked at "+c.X.Unit.write(m.X, 0)+": "+m.Label+".")
		}
	}
	return strings.Join(parts, " ")
}

// summary is the range and the last value of a series.
func (s *Series) summary(unit Unit) string {
	low, high, last := math.Inf(1), math.Inf(-1), math.NaN()
	for _, p := range s.Points {
		if !math.IsNaN(p.Y) && !math.IsInf(p.Y, 0) {
			low, high, last = min(low, p.Y), max(high, p.Y), p.Y
		}
	}
	name := s.Name
	if name == "" {
		name = "The line"
	}
	if low > high {
		return name + ": no values."
	}
	return name + ": from " + unit.write(low, 0) + " to " + unit.write(high, 0) + ", last " + unit.write(last, 0) + "."
}
