package chart

import "math"

// Bars is a picture of horizontal bars in groups: a few systems side by side in
// each of several measurements. Every group has a scale of its own, from zero to
// its largest bound, since groups need not have a unit in common.
type Bars struct {
	Title, Note, Description string
	// Names are those of the legend; a bar refers to one of them.
	Names  []string
	Groups []Group
	// Width is that of the picture in pixels, 720 when 0.
	Width int
}

// Group is one measurement.
type Group struct {
	Label string
	Bars  []Bar
}

// Bar is a value with its bounds, which are drawn as a thin line where they
// differ. What is below zero has no length.
type Bar struct {
	Name             int // of Bars.Names
	Value, Low, High float64
	// Text stands behind the bar: the value as people read it.
	Text string
}

const barHeight, barSpace, groupSpace = 12.0, 17.0, 10.0

// SVG draws the bars as a file or an element of a page.
func (b *Bars) SVG() []byte {
	width := float64(orDefault(b.Width, defaultWidth, leastWidth))
	title, note := wrapped(b.Title, (width-2*edge)*fontSize/titleSize), wrapped(b.Note, width-2*edge)
	head := edge + float64(len(title))*(lineSpace+3) + float64(len(note))*lineSpace
	height := head + lineSpace + edge
	for _, g := range b.Groups {
		height += groupSpace + lineSpace + float64(len(g.Bars))*barSpace
	}
	var out canvas
	out.open(width, height, b.Title, b.describe(), len(b.Names))
	out.heading(&layout{title: title, note: note})
	out.names(b.Names, head+lineSpace, width)
	y := head + lineSpace
	for _, g := range b.Groups {
		y += groupSpace + lineSpace
		out.write(edge, y-4, "", ink.attributes()+` font-weight="600"`, fitting(g.Label, width-2*edge))
		length := width - 2*edge - gap - g.textWidth()
		for _, bar := range g.Bars {
			out.bar(bar, y, length/g.most())
			y += barSpace
		}
	}
	out.text("</svg>\n")
	return out.Bytes()
}

// names is the legend, in one line.
func (o *canvas) names(names []string, y, width float64) {
	x := edge
	for i, name := range names {
		name = fitting(name, width/float64(len(names))-swatch-2*gap)
		o.text(`<rect x="`, number(x), `" y="`, number(y-14), `" width="`, number(swatch), `" height="`, number(barHeight), `"`, hue(i).attributes(), "/>\n")
		o.write(x+swatch+gap, y-4, "", ink.attributes(), name)
		x += swatch + 3*gap + textWidth(name)
	}
}

func (o *canvas) bar(b Bar, y, scale float64) {
	length := func(v float64) float64 { return max(0, v) * scale }
	o.text(`<g`, hue(b.Name).attributes(), `><rect x="`, number(edge), `" y="`, number(y), `" width="`, number(length(b.Value)), `" height="`, number(barHeight),
		`" stroke="none"/></g>`, "\n")
	end := length(max(b.Value, b.High))
	if b.Low < b.High && b.High > 0 {
		o.text(`<path fill="none"`, rule.attributes(), ` d="M`, number(edge+length(b.Low)), ` `, number(y+barHeight/2), `H`, number(edge+end), "\"/>\n")
	}
	o.write(edge+end+gap, y+barHeight-2, "", soft.attributes(), b.Text)
}

// most is the largest bound, 1 where nothing is above zero.
func (g *Group) most() float64 {
	most := 0.0
	for _, b := range g.Bars {
		most = max(most, b.Value, b.High)
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return 1
	}
	return most
}

func (g *Group) textWidth() (widest float64) {
	for _, b := range g.Bars {
		widest = max(widest, textWidth(b.Text))
	}
	return widest
}

// describe is the picture in words: each bar with its text.
func (b *Bars) describe() string {
	text := b.Description
	if b.Note != "" {
		text += " " + b.Note + "."
	}
	for _, g := range b.Groups {
		text += " " + g.Label + ":"
		for i, bar := range g.Bars {
			if i > 0 {
				text += ","
			}
			text += " " + b.Names[bar.Name] + " " + bar.Text
		}
		text += "."
	}
	return text
}
