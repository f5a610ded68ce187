package chart

import "math"

// pixel is a point of a series on the picture.
type pixel struct{ x, y, low, high float64 }

func (s *Series) banded() bool {
	for _, p := range s.Points {
		if p.Low < p.High {
			return true
		}
	}
	return false
}

// series draws band, area, line and dots of one series.
func (o *canvas) series(s *Series, index int, l *layout) {
	o.text(`<g`, hue(index).attributes(), ` stroke-width="2" stroke-linejoin="round">`)
	if s.Name != "" {
		o.text(`<title>`, escaped(s.Name), `</title>`)
	}
	for _, run := range s.runs(l) {
		if s.banded() {
			o.text(`<path stroke="none" fill-opacity=".18" d="`)
			o.band(run, s.Shape)
			o.text(`"/>`)
		}
		if s.Fill {
			o.text(`<path stroke="none" fill-opacity=".18" d="`)
			o.line(run, s.Shape)
			o.text(`V`, number(l.bottom), `H`, number(run[0].x), `Z"/>`)
		}
		if s.Shape != Dots {
			o.text(`<path fill="none"`, dashed(index), ` d="`)
			o.line(run, s.Shape)
			o.text(`"/>`)
		}
		if s.Shape == Dots || s.Shape == Marked || len(run) == 1 {
			for _, p := range run {
				o.text(`<circle cx="`, number(p.x), `" cy="`, number(p.y), `" r="3" stroke="none"/>`)
			}
		}
	}
	o.text("</g>\n")
}

// line writes the path of a run.
func (o *canvas) line(run []pixel, shape Shape) {
	o.text(`M`, number(run[0].x), ` `, number(run[0].y))
	for i, p := range run[1:] {
		switch {
		case shape != Step:
			o.text(`L`, number(p.x), ` `, number(p.y))
		case number(p.y) != number(run[i].y) || i == len(run)-2:
			o.text(`H`, number(p.x), `V`, number(p.y))
		}
	}
}

// band writes the path around the bounds of a run.
func (o *canvas) band(run []pixel, shape Shape) {
	upper, lower := make([]pixel, len(run)), make([]pixel, len(run))
	for i, p := range run {
		upper[i] = pixel{x: p.x, y: p.high}
		lower[i] = pixel{x: p.x, y: p.low}
	}
	o.line(upper, shape)
	for i := len(lower) - 1; i >= 0; i-- {
		if shape == Step && i < len(lower)-1 {
			o.text(`V`, number(lower[i].y))
		}
		o.text(`L`, number(lower[i].x), ` `, number(lower[i].y))
	}
	o.text(`Z`)
}

// runs are the points on the picture, apart where a point cannot be shown, and
// thinned out where there are more than pixels.
func (s *Series) runs(l *layout) [][]pixel {
	var all [][]pixel
	var run []pixel
	for _, p := range s.Points {
		if !l.x.shows(p.X) || !l.y.shows(p.Y) {
			if len(run) > 0 {
				all, run = append(all, thinned(run)), nil
			}
			continue
		}
		at := pixel{x: l.x.place(p.X), y: l.y.place(p.Y)}
		at.low, at.high = at.y, at.y
		if p.Low < p.High && !math.IsInf(p.Low, 0) && !math.IsInf(p.High, 0) {
			at.low, at.high = l.bottom, l.bottom
			if l.y.shows(p.Low) {
				at.low = l.y.place(p.Low)
			}
			if l.y.shows(p.High) {
				at.high = l.y.place(p.High)
			}
		}
		run = append(run, at)
	}
	if len(run) > 0 {
		all = append(all, thinned(run))
	}
	return all
}

// thinned keeps of the points in one column of pixels the first, the extremes
// and the last: what can be seen of them.
func thinned(run []pixel) []pixel {
	var kept []pixel
	for from := 0; from < len(run); {
		to := from + 1
		low, high := from, from
		for ; to < len(run) && math.Floor(run[to].x) == math.Floor(run[from].x); to++ {
			if run[to].y < run[low].y {
				low = to
			}
			if run[to].y > run[high].y {
				high = to
			}
		}
		last := -1
		for _, i := range []int{from, min(low, high), max(low, high), to - 1} {
			if i > last {
				kept, last = append(kept, run[i]), i
			}
		}
		from = to
	}
	return kept
}
