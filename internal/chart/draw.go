package chart

import (
	"bytes"
	"encoding/xml"
	"hash/fnv"
	"strconv"
	"strings"
)

// canvas collects the text of a picture.
type canvas struct{ bytes.Buffer }

func (o *canvas) text(parts ...string) {
	for _, part := range parts {
		o.WriteString(part)
	}
}

// escaped is text from outside as it may stand in an element or attribute.
// What XML cannot hold becomes U+FFFD.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a Builder does not fail
	return out.String()
}

// open begins a picture. The ids of its title and description follow from its
// content, so that several pictures can stand in one page.
func (o *canvas) open(width, height float64, title, description string, series int) {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(title + "\n" + description)) // a hash does not fail
	id := "och" + strconv.FormatUint(uint64(hash.Sum32()), 36)
	w, h := number(width), number(height)
	o.text(`<svg xmlns="http://www.w3.org/2000/svg" width="`, w, `" height="`, h, `" viewBox="0 0 `, w, ` `, h,
		`" role="img" aria-labelledby="`, id, `t `, id, `d" font-family="system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif" font-size="`,
		number(fontSize), `">`, "\n")
	o.text(`<title id="`, id, `t">`, escaped(title), `</title>`, "\n", `<desc id="`, id, `d">`, escaped(description), `</desc>`, "\n")
	o.text(`<style>`, rules(series), `</style>`, "\n")
	o.text(`<rect width="`, w, `" height="`, h, `" rx="6"`, background.attributes(), `/>`, "\n")
}

// chart draws everything between the head and the end.
func (o *canvas) chart(c *Chart, l *layout) {
	o.heading(l)
	o.shades(c, l)
	o.axes(c, l)
	// The inner element cuts off what a fixed range leaves outside, and leaves
	// room for the dots at the edge.
	const room = 5
	x, y := number(l.left-room), number(l.top-room)
	w, h := number(l.right-l.left+2*room), number(l.bottom-l.top+2*room)
	o.text(`<svg x="`, x, `" y="`, y, `" width="`, w, `" height="`, h, `" viewBox="`, x, ` `, y, ` `, w, ` `, h, "\">\n")
	for i := range c.Series {
		o.series(&c.Series[i], i, l)
	}
	o.text("</svg>\n")
	if !drawn(c, l) {
		o.write((l.left+l.right)/2, (l.top+l.bottom)/2, "middle", soft.attributes(), "no data")
	}
	o.lines(c, l)
	o.legend(c, l)
}

// drawn reports whether any series has a point that can be shown.
func drawn(c *Chart, l *layout) bool {
	for i := range c.Series {
		if len(c.Series[i].runs(l)) > 0 {
			return true
		}
	}
	return false
}

func (o *canvas) write(x, y float64, anchor, more, text string) {
	o.text(`<text x="`, number(x), `" y="`, number(y), `"`)
	if anchor != "" {
		o.text(` text-anchor="`, anchor, `"`)
	}
	o.text(more, `>`, escaped(text), "</text>\n")
}

func (o *canvas) heading(l *layout) {
	y := edge
	for _, line := range l.title {
		y += lineSpace + 3
		o.write(edge, y-6, "", ink.attributes()+` font-size="`+number(titleSize)+`" font-weight="600"`, line)
	}
	for _, line := range l.note {
		y += lineSpace
		o.write(edge, y-5, "", soft.attributes(), line)
	}
}

// shades draws the ranges of markers, below everything else.
func (o *canvas) shades(c *Chart, l *layout) {
	for _, m := range c.Markers {
		if m.To <= m.X || !l.x.shows(m.X) || !l.x.shows(m.To) {
			continue
		}
		from, to := clamp(l.x.place(m.X), l.left, l.right), clamp(l.x.place(m.To), l.left, l.right)
		o.text(`<rect x="`, number(from), `" y="`, number(l.top), `" width="`, number(to-from), `" height="`, number(l.bottom-l.top), `"`, shade.attributes(), "/>\n")
	}
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }

func (o *canvas) axes(c *Chart, l *layout) {
	o.text(`<path fill="none"`, grid.attributes(), ` d="`)
	for _, t := range l.y.ticks {
		o.text(`M`, number(l.left), ` `, number(l.y.place(t.at)), `H`, number(l.right))
	}
	for _, t := range l.x.ticks {
		o.text(`M`, number(l.x.place(t.at)), ` `, number(l.top), `V`, number(l.bottom))
	}
	o.text("\"/>\n", `<path fill="none"`, rule.attributes(), ` d="M`, number(l.left), ` `, number(l.bottom), `H`, number(l.right), "\"/>\n")
	o.text(`<g`, soft.attributes(), ` text-anchor="end">`, "\n")
	for _, t := range l.y.ticks {
		o.write(l.left-gap+2, l.y.place(t.at)+4, "", "", t.label)
	}
	o.text("</g>\n", `<g`, soft.attributes(), ` text-anchor="middle">`, "\n")
	for _, t := range l.x.ticks {
		half := textWidth(t.label) / 2
		o.write(clamp(l.x.place(t.at), half, l.width-half), l.bottom+lineSpace, "", "", t.label)
	}
	middle := (l.left + l.right) / 2
	if c.X.Label != "" {
		o.write(middle, l.bottom+2*lineSpace, "", "", fitting(c.X.Label, l.right-l.left))
	}
	if c.Y.Label != "" {
		middle = (l.top + l.bottom) / 2
		o.write(0, 0, "", ` transform="translate(`+number(edge+9)+` `+number(middle)+`) rotate(-90)"`, fitting(c.Y.Label, l.bottom-l.top+2*lineSpace))
	}
	o.text("</g>\n")
}

// lines draws levels and markers with their labels, above the series.
func (o *canvas) lines(c *Chart, l *layout) {
	for _, level := range c.Levels {
		if l.y.inside(level.Y) {
			o.dashed(l.left, l.y.place(level.Y), "H", l.right)
		}
	}
	for _, m := range c.Markers {
		if l.x.inside(m.X) && m.To <= m.X {
			o.dashed(l.x.place(m.X), l.top-3, "V", l.bottom)
		}
	}
	for _, e := range append(l.levels[:len(l.levels):len(l.levels)], l.labels...) {
		anchor := ""
		if e.atRight {
			anchor = "end"
		}
		o.write(e.x, e.y, anchor, outlined, e.text)
	}
}

// outlined is soft text with an outline in the colour of the page, so that lines
// below it do not cross its letters.
var outlined = ` class="` + soft.class + ` ` + halo.class + `" fill="` + soft.light + `" stroke="` + halo.light + `" stroke-width="3" paint-order="stroke"`

func (o *canvas) dashed(x, y float64, direction string, to float64) {
	o.text(`<path fill="none"`, rule.attributes(), ` stroke-dasharray="4 3" d="M`, number(x), ` `, number(y), direction, number(to), "\"/>\n")
}

func (o *canvas) legend(c *Chart, l *layout) {
	for _, e := range l.legend {
		s := &c.Series[e.index]
		middle := e.y - 4
		o.text(`<g`, hue(e.index).attributes(), `>`)
		if s.Fill || s.banded() {
			o.text(`<rect x="`, number(e.x), `" y="`, number(middle-5), `" width="`, number(swatch), `" height="10" stroke="none" fill-opacity=".18"/>`)
		}
		switch s.Shape {
		case Dots, Marked:
			o.text(`<circle cx="`, number(e.x+swatch/2), `" cy="`, number(middle), `" r="3" stroke="none"/>`)
		}
		if s.Shape != Dots {
			o.text(`<path fill="none" stroke-width="2"`, dashed(e.index), ` d="M`, number(e.x), ` `, number(middle), `h`, number(swatch), `"/>`)
		}
		o.text("</g>\n")
		o.write(e.x+swatch+gap, e.y, "", ink.attributes(), e.text)
	}
}

func dashed(series int) string {
	if d := dash(series); d != "" {
		return ` stroke-dasharray="` + d + `"`
	}
	return ""
}
