package chart

import "strconv"

// paint is a class of the style sheet: a colour for light pages, one for dark
// pages, and the property that takes it. The names of the CSS variables are
// those of the package comment.
type paint struct {
	class, variable string
	light, dark     string
	property        string
}

// The colours of series are told apart with the usual kinds of colour blindness
// (after Okabe and Ito, "Color Universal Design", 2008), darkened or lightened
// until they have a contrast of 3 to their page; text has 4.5 (WCAG 2.2).
var (
	background = paint{"och-b", "background", "#ffffff", "#0d1117", "fill"}
	ink        = paint{"och-i", "ink", "#1f2328", "#e6edf3", "fill"}
	soft       = paint{"och-t", "soft", "#59636e", "#9198a1", "fill"}
	rule       = paint{"och-r", "soft", "#59636e", "#9198a1", "stroke"}
	grid       = paint{"och-g", "grid", "#e1e5e9", "#2a313a", "stroke"}
	shade      = paint{"och-h", "shade", "#eceff2", "#1c232c", "fill"}
	halo       = paint{"och-o", "background", "#ffffff", "#0d1117", "stroke"}

	hues = []paint{
		{"och-1", "1", "#0072b2", "#56b4e9", ""},
		{"och-2", "2", "#d55e00", "#f0883e", ""},
		{"och-3", "3", "#007d5c", "#2fbf94", ""},
		{"och-4", "4", "#a3487f", "#e38ec0", ""},
	}
)

// dashes tell series of the same colour apart.
var dashes = []string{"", "7 3", "2 3", "9 3 2 3"}

func hue(series int) paint { return hues[series%len(hues)] }

func dash(series int) string { return dashes[series/len(hues)%len(dashes)] }

// rules is the style sheet for that many series. In a page it holds for all
// charts, which have the same rules for the same classes.
func rules(series int) string {
	used := append([]paint{background, ink, soft, rule, grid, shade, halo}, hues[:min(series, len(hues))]...)
	light, dark := "", ""
	for _, p := range used {
		light += p.css(p.light)
		dark += p.css(p.dark)
	}
	return light + "@media(prefers-color-scheme:dark){" + dark + "}"
}

func (p paint) css(colour string) string {
	value := "var(--chart-" + p.variable + "," + colour + ")"
	if p.property == "" {
		return "." + p.class + "{fill:" + value + ";stroke:" + value + "}"
	}
	return "." + p.class + "{" + p.property + ":" + value + "}"
}

// attributes of an element: the class, and the light colour for renderers that
// know no variables.
func (p paint) attributes() string {
	text := ` class="` + p.class + `" `
	if p.property == "" {
		return text + `fill="` + p.light + `" stroke="` + p.light + `"`
	}
	return text + p.property + `="` + p.light + `"`
}

// number is a coordinate with one decimal.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	if n := len(text) - 2; n > 0 && text[n:] == ".0" {
		text = text[:n]
	}
	if text == "-0" {
		return "0"
	}
	return text
}
