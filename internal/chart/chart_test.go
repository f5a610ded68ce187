package chart_test

import (
	"bytes"
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/chart"
)

// element is one element of a picture.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func parse(t testing.TB, picture []byte) element {
	t.Helper()
	var root element
	if err := xml.Unmarshal(picture, &root); err != nil {
		t.Fatalf("%v in %s", err, picture)
	}
	return root
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) number(t testing.TB, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.attr(name), 64)
	if err != nil {
		t.Fatalf("%s of %s: %v", name, e.XMLName.Local, err)
	}
	return v
}

// all are the elements of a kind, whatever they stand in.
func (e *element) all(kind string) []element {
	var found []element
	for _, child := range e.Children {
		if child.XMLName.Local == kind {
			found = append(found, child)
		}
		found = append(found, child.all(kind)...)
	}
	return found
}

func (e *element) texts() []string {
	var all []string
	for _, text := range e.all("text") {
		all = append(all, text.Text)
	}
	return all
}

// storm is a chart that uses everything.
func storm() *chart.Chart {
	var load, good []chart.Point
	for i := range 6001 {
		x, y := float64(i)/100, 1000.0
		if x > 10 && x < 20 {
			y = 3700
		}
		load = append(load, chart.Point{X: x, Y: y + 100*math.Sin(float64(i*i%997))})
		if i%100 == 0 {
			good = append(good, chart.Point{X: x, Y: 900, Low: 800, High: 950})
		}
	}
	return &chart.Chart{
		Title: "A target that fails for ten seconds: attempts per second under two policies", Note: "1000 clients, seed 1",
		Description: "Fixed retries raise the load.",
		X:           chart.Axis{Label: "time", Unit: chart.Seconds}, Y: chart.Axis{Label: "attempts per second"},
		Series:  []chart.Series{{Name: "fixed, three retries", Points: load}, {Name: "budget & <breaker>", Points: good, Shape: chart.Step, Fill: true}},
		Markers: []chart.Marker{{X: 10, To: 20, Label: "outage"}, {X: 12, Label: "breaker opens"}, {X: 57, Label: "back at 90 %"}, {X: 58}},
		Levels:  []chart.Level{{Y: 1100, Label: "1.10 × first attempts"}, {Y: 1000, Label: "offered"}},
	}
}

func TestSameInputSameBytes(t *testing.T) {
	one, two := storm().SVG(), storm().SVG()
	if !bytes.Equal(one, two) {
		t.Error("two pictures of the same chart differ")
	}
	if !bytes.Equal(chart.Sheet("a", 2, storm(), storm()), chart.Sheet("a", 2, storm(), storm())) {
		t.Error("two sheets of the same charts differ")
	}
}

func TestIsAccessible(t *testing.T) {
	root := parse(t, storm().SVG())
	title, desc := root.all("title")[0], root.all("desc")[0]
	if root.attr("role") != "img" || root.attr("aria-labelledby") != title.attr("id")+" "+desc.attr("id") || title.attr("id") == desc.attr("id") {
		t.Errorf("the picture is not labelled by its title and description: %v", root.Attrs)
	}
	for _, want := range []string{"Fixed retries raise the load.", "1000 clients", "attempts per second over time from 0 to 60 s", "budget & <breaker>: from 900 to 900, last 900.", "Marked at 10 s: outage."} {
		if !strings.Contains(desc.Text, want) {
			t.Errorf("the description lacks %q: %s", want, desc.Text)
		}
	}
	if title.Text != storm().Title {
		t.Errorf("title %q", title.Text)
	}
	other := storm()
	other.Title = "Another"
	if second := parse(t, other.SVG()); second.all("title")[0].attr("id") == title.attr("id") {
		t.Error("two pictures in one page would have the same ids")
	}
}

func TestEscapes(t *testing.T) {
	nasty := "</text><script>alert(\"1\")</script>&\x00\x1b[2J\ufffe"
	c := &chart.Chart{
		Title: nasty, Note: nasty, Description: nasty, X: chart.Axis{Label: nasty}, Y: chart.Axis{Label: nasty},
		Series:  []chart.Series{{Name: nasty, Points: chart.XY([]float64{1, 2}, []float64{1, 2})}},
		Markers: []chart.Marker{{X: 1, Label: nasty}}, Levels: []chart.Level{{Y: 1, Label: nasty}},
		Width: 2000,
	}
	for _, picture := range [][]byte{c.SVG(), chart.Sheet(nasty, 1, c)} {
		root := parse(t, picture)
		if len(root.all("script")) > 0 {
			t.Error("text became an element")
		}
		if bytes.ContainsAny(picture, "\x00\x1b") {
			t.Error("a control character stands in the picture")
		}
	}
}

// What an axis writes at its ticks.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name      string
		axis      chart.Axis
		low, high float64
		want      string
	}{
		{"numbers", chart.Axis{}, 0, 3800, "0 500 1000 1500 2000 2500 3000 3500"},
		{"thousands", chart.Axis{}, 0, 38_000, "0 5k 10k 15k 20k 25k 30k 35k"},
		{"fractions", chart.Axis{}, 0, 0.05, "0 0.005 0.01 0.015 0.02 0.025 0.03 0.035 0.04 0.045 0.05"},
		{"negative", chart.Axis{}, -10, 10, "-10 -8 -6 -4 -2 0 2 4 6 8 10"},
		{"whole", chart.Axis{Unit: chart.Whole}, 1, 5, "1 2 3 4 5"},
		{"milliseconds", chart.Axis{Unit: chart.Seconds}, 0, 0.5, "0 50 ms 100 ms 150 ms 200 ms 250 ms 300 ms 350 ms 400 ms 450 ms 500 ms"},
		{"seconds", chart.Axis{Unit: chart.Seconds}, 0, 60, "0 10 s 20 s 30 s 40 s 50 s 60 s"},
		{"minutes", chart.Axis{Unit: chart.Seconds}, 0, 600, "0 1 min 2 min 3 min 4 min 5 min 6 min 7 min 8 min 9 min 10 min"},
		{"hours", chart.Axis{Unit: chart.Seconds}, 0, 86_400, "0 3 h 6 h 9 h 12 h 15 h 18 h 21 h 24 h"},
		{"days", chart.Axis{Unit: chart.Seconds}, 0, 86_400 * 10, "0 1 d 2 d 3 d 4 d 5 d 6 d 7 d 8 d 9 d 10 d"},
		{"shares", chart.Axis{Unit: chart.Percent}, 0, 1, "0 % 10 % 20 % 30 % 40 % 50 % 60 % 70 % 80 % 90 % 100 %"},
		{"factors", chart.Axis{Unit: chart.Times}, 1, 4, "1× 1.5× 2× 2.5× 3× 3.5× 4×"},
		{"powers", chart.Axis{Log: true}, 1, 1e6, "1 10 100 1000 10k 100k 1000k"},
		{"decades of time", chart.Axis{Log: true, Unit: chart.Seconds}, 0.001, 10, "1 ms 3 ms 10 ms 30 ms 100 ms 300 ms 1 s 3 s 10 s"},
		{"long times", chart.Axis{Log: true, Unit: chart.Seconds}, 1, 864_000, "1 s 10 s 1 min 10 min 1 h 10 h 1 d 10 d"},
		{"fixed", chart.Axis{Range: [2]float64{0, 2}}, 5, 9, "0 0.2 0.4 0.6 0.8 1 1.2 1.4 1.6 1.8 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			picture := &chart.Chart{X: c.axis, Width: 1000, Series: []chart.Series{{Points: chart.XY([]float64{c.low, c.high}, []float64{1, 1})}}}
			root := parse(t, picture.SVG())
			groups := root.all("g")
			if got := strings.Join(groups[1].texts(), " "); got != c.want {
				t.Errorf("ticks %q, want %q", got, c.want)
			}
		})
	}
}

var (
	coordinate = regexp.MustCompile(`-?\d+(\.\d+)?`)
	command    = regexp.MustCompile(`[MLHVZ][^MLHVZ]*`)
)

// outline are the points of a path.
func outline(t testing.TB, d string) [][2]float64 {
	t.Helper()
	var points [][2]float64
	x, y := 0.0, 0.0
	for _, part := range command.FindAllString(d, -1) {
		var values []float64
		for _, text := range coordinate.FindAllString(part[1:], -1) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
		switch part[0] {
		case 'H':
			x = values[0]
		case 'V':
			y = values[0]
		case 'M', 'L':
			x, y = values[0], values[1]
		}
		points = append(points, [2]float64{x, y})
	}
	return points
}

// Whatever is drawn, the file is well-formed, no number is NaN or infinite, all
// lines lie inside the plot, and no text lies on another.
func TestAnyChart(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-10, 10), rapid.Float64Range(0, 1e6), rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324}))
	point := rapid.Custom(func(t *rapid.T) chart.Point {
		return chart.Point{X: value.Draw(t, "x"), Y: value.Draw(t, "y"), Low: value.Draw(t, "low"), High: value.Draw(t, "high")}
	})
	axis := rapid.Custom(func(t *rapid.T) chart.Axis {
		return chart.Axis{Label: rapid.String().Draw(t, "label"), Unit: chart.Unit(rapid.IntRange(0, 4).Draw(t, "unit")), Log: rapid.Bool().Draw(t, "log")}
	})
	rapid.Check(t, func(t *rapid.T) {
		c := &chart.Chart{
			Title: rapid.String().Draw(t, "title"), X: axis.Draw(t, "X"), Y: axis.Draw(t, "Y"),
			Width: rapid.IntRange(0, 1000).Draw(t, "width"), Height: rapid.IntRange(0, 500).Draw(t, "height"),
		}
		for range rapid.IntRange(0, 6).Draw(t, "series") {
			c.Series = append(c.Series, chart.Series{
				Name: rapid.String().Draw(t, "name"), Points: rapid.SliceOfN(point, 0, 20).Draw(t, "points"),
				Shape: chart.Shape(rapid.IntRange(0, 3).Draw(t, "shape")), Fill: rapid.Bool().Draw(t, "fill"),
			})
		}
		for range rapid.IntRange(0, 4).Draw(t, "markers") {
			c.Markers = append(c.Markers, chart.Marker{X: value.Draw(t, "at"), To: value.Draw(t, "to"), Label: rapid.String().Draw(t, "marker")})
		}
		picture := c.SVG()
		if numbers := strings.Split(string(picture), "<style>"); regexp.MustCompile(`="[^"]*(NaN|Inf)`).MatchString(numbers[1]) {
			t.Fatalf("a number is none: %s", picture)
		}
		root := element{}
		if err := xml.Unmarshal(picture, &root); err != nil {
			t.Fatalf("%v: %s", err, picture)
		}
		checkInside(t, root)
	})
}

// checkInside checks that what is drawn lies within the inner element.
func checkInside(t rapid.TB, root element) {
	for _, plot := range root.all("svg") {
		var box [4]float64
		for i, name := range []string{"x", "y", "width", "height"} {
			box[i], _ = strconv.ParseFloat(plot.attr(name), 64)
		}
		for _, path := range plot.all("path") {
			for _, part := range command.FindAllString(path.attr("d"), -1) {
				values := coordinate.FindAllString(part[1:], -1)
				for i, text := range values {
					v, err := strconv.ParseFloat(text, 64)
					side := i % 2
					if part[0] == 'V' {
						side = 1
					}
					if err != nil || v < box[side]-0.2 || v > box[side]+box[side+2]+0.2 {
						t.Fatalf("%s in %q lies outside %v", text, path.attr("d"), box)
					}
				}
			}
		}
	}
}

// Labels of the legend, of markers and of the plot keep apart.
func TestNothingOverlaps(t *testing.T) {
	crowd := storm()
	crowd.Width = 420
	for i := range 9 {
		crowd.Series = append(crowd.Series, chart.Series{Name: "another policy " + strconv.Itoa(i), Points: chart.XY([]float64{0, 60}, []float64{1, float64(i)})})
		crowd.Markers = append(crowd.Markers, chart.Marker{X: 30 + float64(i), Label: "event " + strconv.Itoa(i)})
	}
	for _, c := range []*chart.Chart{storm(), crowd} {
		root := parse(t, c.SVG())
		plot := root.all("svg")[0]
		top := plot.number(t, "y") + 5
		type box struct {
			text                     string
			left, right, above, base float64
		}
		var boxes []box
		for _, text := range root.all("text") {
			x, y := text.number(t, "x"), text.number(t, "y")
			if y > top || text.attr("transform") != "" {
				continue
			}
			width := 6 * float64(len([]rune(text.Text)))
			if text.attr("text-anchor") == "end" || x < plot.number(t, "x") && !strings.Contains(c.Title+c.Note, text.Text) {
				x -= width
			}
			boxes = append(boxes, box{text.Text, x, x + width, y - 11, y + 2})
		}
		if len(boxes) < 7 {
			t.Fatalf("only %d texts above the plot", len(boxes))
		}
		for i, a := range boxes {
			if a.left < 0 || a.right > root.number(t, "width") {
				t.Errorf("%q reaches from %v to %v", a.text, a.left, a.right)
			}
			for _, b := range boxes[:i] {
				if a.left < b.right && b.left < a.right && a.above < b.base && b.above < a.base {
					t.Errorf("%q lies on %q", a.text, b.text)
				}
			}
		}
	}
}

// Many points are thinned out, and the extremes stay.
func TestThinning(t *testing.T) {
	var points []chart.Point
	for i := range 100_000 {
		points = append(points, chart.Point{X: float64(i), Y: float64(i % 10)})
	}
	points[61_234].Y = 20
	c := &chart.Chart{Series: []chart.Series{{Points: points}}, Y: chart.Axis{Range: [2]float64{0, 20}}}
	picture := c.SVG()
	if len(picture) > 64<<10 {
		t.Errorf("%d bytes", len(picture))
	}
	root := parse(t, picture)
	plot := root.all("svg")[0]
	highest := math.Inf(1)
	for _, p := range outline(t, plot.all("path")[0].attr("d")) {
		highest = min(highest, p[1])
	}
	if top := plot.number(t, "y") + 5; math.Abs(highest-top) > 0.2 {
		t.Errorf("the peak is drawn at %v, the top of the plot is at %v", highest, top)
	}
}

// Steps keep their value until the next point.
func TestStep(t *testing.T) {
	c := &chart.Chart{Series: []chart.Series{{Shape: chart.Step, Points: chart.XY([]float64{0, 1, 2, 3}, []float64{0, 4, 4, 0})}}}
	root := parse(t, c.SVG())
	points := outline(t, root.all("svg")[0].Children[0].all("path")[0].attr("d"))
	for i, p := range points[1:] {
		if p[0] != points[i][0] && p[1] != points[i][1] {
			t.Errorf("from %v to %v is no step", points[i], p)
		}
	}
	if len(points) < 5 {
		t.Errorf("only %v", points)
	}
}

// A point that cannot be shown leaves a gap.
func TestGaps(t *testing.T) {
	c := &chart.Chart{Y: chart.Axis{Log: true}, Series: []chart.Series{{Points: chart.XY([]float64{0, 1, 2, 3, 4, 5, 6, 7}, []float64{1, 2, 0, 3, 4, math.NaN(), 5, 6})}}}
	root := parse(t, c.SVG())
	if got := len(root.all("svg")[0].all("path")); got != 3 {
		t.Errorf("%d runs, want 3", got)
	}
	empty := (&chart.Chart{Title: "empty"}).SVG()
	if root := parse(t, empty); !strings.Contains(strings.Join(root.texts(), "|"), "no data") {
		t.Error("an empty chart does not say so")
	}
}

func TestSheet(t *testing.T) {
	root := parse(t, chart.Sheet("All", 2, storm(), storm(), storm()))
	if width := root.number(t, "width"); width != 1440 {
		t.Errorf("width %v, want two columns of 720", width)
	}
	places := map[string]bool{}
	for _, child := range root.Children {
		if child.XMLName.Local == "g" {
			places[child.attr("transform")] = true
		}
	}
	if len(places) != 3 {
		t.Errorf("charts stand at %v", places)
	}
	parse(t, chart.Sheet("", 3))
}

var rule = regexp.MustCompile(`\.([\w-]+)\{\w+:var\(--chart-([\w]+),(#[0-9a-f]{6})\)`)

// Text has a contrast of 4.5 to the page and lines one of 3, light and dark
// (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	c := storm()
	for range 4 {
		c.Series = append(c.Series, chart.Series{Name: "x"})
	}
	root := parse(t, c.SVG())
	light, dark, found := strings.Cut(root.all("style")[0].Text, "@media(prefers-color-scheme:dark)")
	if !found {
		t.Fatal("no rules for dark pages")
	}
	for name, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, found := range rule.FindAllStringSubmatch(css, -1) {
			colours[found[2]] = found[3]
		}
		for variable, least := range map[string]float64{"ink": 4.5, "soft": 4.5, "1": 3, "2": 3, "3": 3, "4": 3} {
			if got := contrast(t, colours[variable], colours["background"]); got < least {
				t.Errorf("%s: %s has contrast %.2f, want %v", name, variable, got, least)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	high, low := luminance(t, a), luminance(t, b)
	return (max(high, low) + 0.05) / (min(high, low) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
	total := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		total += weight * c
	}
	return total
}

// Values that are all next to one tick still have an axis.
func TestAxisOfTinyValues(t *testing.T) {
	for _, unit := range []chart.Unit{0, 1, 2, 3, 4} {
		for _, value := range []float64{9.313225746154785e-10, -9.313225746154785e-10} {
			c := &chart.Chart{Y: chart.Axis{Unit: unit}, Series: []chart.Series{{Points: []chart.Point{{X: 1, Y: value, Low: 1, High: 1}}}}}
			if picture := string(c.SVG()); strings.Contains(picture, "NaN") {
				t.Errorf("unit %d, value %v: %s", unit, value, picture)
			}
		}
	}
}
