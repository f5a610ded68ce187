// Package chart writes line charts as SVG: for the plots of the planner, the
// reports of the simulator and the pictures of the documentation.
//
// A picture is a pure function of its [Chart]: the same input gives the same
// bytes. It needs no script and no font of its own, and reads on light and dark
// pages, as an <img> as well as inside a page. Colours are CSS variables with
// fallbacks (--chart-background, --chart-ink, --chart-soft, --chart-grid,
// --chart-shade, --chart-1 to --chart-4); renderers that know no variables take
// the light ones. Every picture has a title and a description in words for those
// who cannot see it.
package chart

// Unit says what the values of an axis are and how they are written.
type Unit uint8

const (
	// Number is written with k, M and G for thousands.
	Number Unit = iota
	// Whole is Number with ticks at whole numbers only.
	Whole
	// Seconds are written in the unit that fits: µs, ms, s, min, h, d.
	Seconds
	// Percent takes shares: 1 is written 100 %.
	Percent
	// Times are factors, written 1.5×.
	Times
)

// Axis is one side of the picture.
type Axis struct {
	// Label may be empty.
	Label string
	Unit  Unit
	// Log spaces powers of ten evenly. Values that are not above 0 cannot be
	// shown then and interrupt their line.
	Log bool
	// Range is the least and the largest value shown. Equal values, as in the
	// zero Axis, mean those of the data; a linear vertical axis then begins at 0.
	Range [2]float64
}

// Point is a value at a place. Low and High, where they differ, are the bounds
// of a shaded band around Y. A point that is not finite interrupts its line.
type Point struct{ X, Y, Low, High float64 }

// Shape is how the points of a series are joined.
type Shape uint8

const (
	// Line joins them straight.
	Line Shape = iota
	// Step keeps each value until the next point.
	Step
	// Marked is Line with a dot at every point, for few points.
	Marked
	// Dots are not joined.
	Dots
)

// Series is one line. Its colour and dashes follow from its place in
// [Chart.Series].
type Series struct {
	// Name is shown in the legend. A series without one is left out there.
	Name   string
	Points []Point
	Shape  Shape
	// Fill shades what is between the line and the lower edge.
	Fill bool
}

// Marker is a vertical line at X, or a shaded range from X to To when To is
// larger. Its label stands above the plot.
type Marker struct {
	X, To float64
	Label string
}

// Level is a dashed horizontal line, such as a bound or a capacity.
type Level struct {
	Y     float64
	Label string
}

// Chart is one picture. The zero value is an empty one.
type Chart struct {
	Title string
	// Note is a sentence below the title: how the data came about.
	Note string
	// Description says in words what there is to see. What the series range over
	// is added to it.
	Description string
	X, Y        Axis
	Series      []Series
	Markers     []Marker
	Levels      []Level
	// Width is that of the picture, 720 when 0. Height is that of the plot alone,
	// 240 when 0, so that a long legend takes nothing from it. Both are in pixels.
	Width, Height int
}

// XY makes points of two lists; what one has more than the other is left out.
func XY(x, y []float64) []Point {
	points := make([]Point, min(len(x), len(y)))
	for i := range points {
		points[i] = Point{X: x[i], Y: y[i]}
	}
	return points
}

// SVG draws the chart as a file or an element of a page.
func (c *Chart) SVG() []byte {
	l := c.layout()
	var out canvas
	out.open(l.width, l.height, c.Title, c.describe(l), len(c.Series))
	out.chart(c, l)
	out.text("</svg>\n")
	return out.Bytes()
}
