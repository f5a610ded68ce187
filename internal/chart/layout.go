package chart

import "math"

// Distances in pixels.
const (
	defaultWidth  = 720
	defaultHeight = 240
	leastWidth    = 240
	leastHeight   = 60

	edge      = 12.0 // free space around the picture
	lineSpace = 17.0 // from one line of text to the next
	titleSize = 15.0
	swatch    = 22.0 // of a legend
	gap       = 8.0
)

// layout is where everything of a chart goes.
type layout struct {
	width, height            float64
	left, top, right, bottom float64 // of the plot
	x, y                     scale
	title, note              []string
	legend                   []entry
	labels                   []entry // of markers
	levels                   []entry
}

// entry is a text at a place. Index is that of its series, marker or level.
type entry struct {
	text    string
	x, y    float64
	index   int
	atRight bool // x is its right end
}

func (c *Chart) layout() *layout {
	l := &layout{width: float64(orDefault(c.Width, defaultWidth, leastWidth))}
	height := float64(orDefault(c.Height, defaultHeight, leastHeight))
	l.right = l.width - edge
	c.placeSides(l, height)
	y := edge
	l.title = wrapped(c.Title, (l.width-2*edge)*fontSize/titleSize)
	l.note = wrapped(c.Note, l.width-2*edge)
	y += float64(len(l.title))*(lineSpace+3) + float64(len(l.note))*lineSpace
	y = c.placeLegend(l, y)
	y = c.placeMarkers(l, y)
	l.top = y + 6
	l.bottom = l.top + height
	l.y.from, l.y.to = l.bottom, l.top
	c.placeLevels(l)
	l.height = l.bottom + lineSpace + 4 + edge
	if c.X.Label != "" {
		l.height += lineSpace
	}
	return l
}

func orDefault(value, otherwise, least int) int {
	if value == 0 {
		return otherwise
	}
	return min(max(value, least), 10_000)
}

// placeSides makes the scales and finds the left side of the plot, which follows
// from the labels of the vertical axis.
func (c *Chart) placeSides(l *layout, height float64) {
	low, high := c.Y.extent(c.heights, true)
	l.y = c.Y.scaled(low, high, max(2, int(height/45)), true)
	widest := 0.0
	for _, t := range l.y.ticks {
		widest = max(widest, textWidth(t.label))
	}
	l.left = edge + math.Ceil(widest) + gap
	if c.Y.Label != "" {
		l.left += lineSpace
	}
	low, high = c.X.extent(c.widths, false)
	// Fewer ticks until the labels have room.
	for ticks := 10; ticks >= 1; ticks-- {
		l.x = c.X.scaled(low, high, ticks, false)
		l.x.from, l.x.to = l.left, l.right
		if l.x.roomy() {
			break
		}
	}
}

// roomy reports whether the labels of a horizontal axis do not touch.
func (s *scale) roomy() bool {
	end := math.Inf(-1)
	for _, t := range s.ticks {
		half := textWidth(t.label) / 2
		if s.place(t.at)-half < end {
			return false
		}
		end = s.place(t.at) + half + gap
	}
	return true
}

// heights are all values of the vertical axis.
func (c *Chart) heights(yield func(float64)) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			yield(p.Y)
			if p.Low < p.High {
				yield(p.Low)
				yield(p.High)
			}
		}
	}
	for _, level := range c.Levels {
		yield(level.Y)
	}
}

// widths are all values of the horizontal axis.
func (c *Chart) widths(yield func(float64)) {
	for _, s := range c.Series {
		for _, p := range s.Points {
			yield(p.X)
		}
	}
	for _, m := range c.Markers {
		yield(m.X)
		if m.To > m.X {
			yield(m.To)
		}
	}
}

// placeLegend writes the names in rows above the plot and returns where the next
// line goes.
func (c *Chart) placeLegend(l *layout, y float64) float64 {
	x := l.left
	for i, s := range c.Series {
		if s.Name == "" {
			continue
		}
		text := fitting(s.Name, l.right-l.left-swatch-gap)
		need := swatch + gap + textWidth(text)
		if x > l.left && x+need > l.right {
			x, y = l.left, y+lineSpace
		}
		l.legend = append(l.legend, entry{text: text, x: x, y: y + lineSpace - 5, index: i})
		x += need + 2*gap
	}
	if len(l.legend) > 0 {
		y += lineSpace
	}
	return y
}

// placeMarkers writes their labels above the plot, each in the first row where
// it touches no other, and returns where the plot begins.
func (c *Chart) placeMarkers(l *layout, y float64) float64 {
	var ends []float64 // of the rows
	for i, m := range c.Markers {
		if m.Label == "" || !l.x.shows(m.X) {
			continue
		}
		text := fitting(m.Label, l.right-l.left)
		width := textWidth(text)
		x := min(max(l.x.place(m.X), l.left), l.right)
		e := entry{text: text, x: x, index: i}
		start := x
		if x+width > l.right {
			e.atRight, e.x = true, max(x, l.left+width)
			start = e.x - width
		}
		row := 0
		for row < len(ends) && start < ends[row]+gap {
			row++
		}
		if row == len(ends) {
			ends = append(ends, 0)
		}
		ends[row] = start + width
		e.y = float64(row) // from below, see next loop
		l.labels = append(l.labels, e)
	}
	for i := range l.labels {
		l.labels[i].y = y + lineSpace*(l.labels[i].y+1) - 3
	}
	return y + lineSpace*float64(len(ends))
}

// placeLevels puts the label of each level above its line at the right, or
// below where another is in the way.
func (c *Chart) placeLevels(l *layout) {
	for i, level := range c.Levels {
		if level.Label == "" || !l.y.inside(level.Y) {
			continue
		}
		e := entry{text: fitting(level.Label, l.right-l.left-gap), x: l.right - 4, index: i, atRight: true}
		line := l.y.place(level.Y)
		for _, y := range []float64{line - 4, line + fontSize, line - 4 - fontSize, line + 2*fontSize} {
			if e.y = y; y > l.top+fontSize-3 && y < l.bottom && !l.crowded(y) {
				break
			}
		}
		l.levels = append(l.levels, e)
	}
}

func (l *layout) crowded(y float64) bool {
	for _, other := range l.levels {
		if math.Abs(other.y-y) < fontSize {
			return true
		}
	}
	return false
}
