package chart_test

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/chart"
)

func race() *chart.Bars {
	return &chart.Bars{
		Title: "Race", Note: "three runs", Description: "Who is faster.", Names: []string{"outlast", "<peer>"},
		Groups: []chart.Group{
			{Label: "tasks/s", Bars: []chart.Bar{{0, 100, 80, 120, "100"}, {1, 60, 60, 60, "60"}}},
			{Label: "ms late", Bars: []chart.Bar{{0, 2, 2, 2, "2 ms"}, {1, -4, -5, -3, "−4 ms, too early"}}},
			{Label: "nothing", Bars: []chart.Bar{{0, 0, 0, 0, "0"}}},
		},
	}
}

// Each group fills the same width by its largest bound, and what is below zero has
// no length.
func TestBars(t *testing.T) {
	root := parse(t, race().SVG())
	var bars []element
	for _, rect := range root.all("rect") {
		if rect.attr("stroke") == "none" {
			bars = append(bars, rect)
		}
	}
	if len(bars) != 5 {
		t.Fatalf("%d bars", len(bars))
	}
	if first, second := bars[0].number(t, "width"), bars[1].number(t, "width"); first <= second || first/second < 1.6 || first/second > 1.7 {
		t.Errorf("the bars of 100 and 60 are %v and %v wide", first, second)
	}
	if width := bars[3].number(t, "width"); width != 0 {
		t.Errorf("a value below zero is %v wide", width)
	}
	paths := root.all("path")
	if len(paths) != 1 {
		t.Errorf("%d bars have bounds", len(paths))
	}
	width, height := root.number(t, "width"), root.number(t, "height")
	for _, text := range root.all("text") {
		if x, y := text.number(t, "x"), text.number(t, "y"); x < 0 || x > width || y < 0 || y > height {
			t.Errorf("%q is at %v, %v of %v × %v", text.Text, x, y, width, height)
		}
	}
	if said := root.all("desc")[0].Text; !strings.Contains(said, "tasks/s: outlast 100, <peer> 60.") {
		t.Error(said)
	}
}
