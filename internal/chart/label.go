package chart

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// span is a unit of time; next is how many make one of the following.
type span struct {
	name          string
	seconds, next float64
}

// spans from short to long.
var spans = []span{
	{"ns", 1e-9, 1000}, {"µs", 1e-6, 1000}, {"ms", 1e-3, 1000}, {"s", 1, 60}, {"min", 60, 60}, {"h", 3600, 24}, {"d", 86400, 1e6},
}

// spanFor is the largest unit of which a number of seconds has at least that many.
func spanFor(seconds, least float64) span {
	found := spans[0]
	for _, s := range spans {
		if seconds >= least*s.seconds*(1-1e-9) || s.seconds <= 1 && seconds >= s.seconds {
			found = s
		}
	}
	return found
}

// axisSpan is the unit of an axis that ends at the given seconds.
func axisSpan(seconds float64) span { return spanFor(math.Abs(seconds), 2) }

// write is a value as text. Widest, when not 0, is the largest value of the
// axis, which decides the unit of all its labels.
func (u Unit) write(v, widest float64) string {
	switch u {
	case Seconds:
		size := math.Abs(v)
		in := spanFor(size, 1)
		if widest != 0 {
			in = axisSpan(widest)
		}
		if size < in.seconds/100 { // it would need more than two decimals
			in = spanFor(size, 1)
		}
		if v == 0 {
			return "0"
		}
		return digits(v/in.seconds) + " " + in.name
	case Percent:
		return digits(v*100) + " %"
	case Times:
		return digits(v) + "×"
	}
	if widest == 0 {
		widest = v
	}
	for _, prefix := range prefixes {
		if math.Abs(widest) >= 10*prefix.value && v != 0 {
			return digits(v/prefix.value) + prefix.name
		}
	}
	return digits(v)
}

// prefixes of numbers, used from ten times their value on.
var prefixes = []struct {
	name  string
	value float64
}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}}

// digits is a number with at most four significant digits and no zeros at its
// end. Very large and very small ones have an exponent.
func digits(v float64) string {
	if v == 0 {
		return "0"
	}
	if size := math.Abs(v); size >= 1e6 || size < 1e-4 {
		return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 3, 64), "e+", "e")
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(math.Abs(v)))))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// fontSize is that of all text but the title, in pixels.
const fontSize = 12.0

// textWidth estimates the width of a text in pixels at fontSize, rather too
// large than too small, since the reader's font is not known.
func textWidth(text string) float64 {
	em := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune(" .,:;'|ilIjtfr()[]/", r):
			em += 0.36
		case strings.ContainsRune("mwMW%@—", r):
			em += 0.98
		case r >= 0x1100:
			em += 1.05
		case r >= 'A' && r <= 'Z':
			em += 0.72
		default:
			em += 0.6
		}
	}
	return em * fontSize
}

// fitting cuts a text that is wider than the given pixels.
func fitting(text string, width float64) string {
	if textWidth(text) <= width {
		return text
	}
	for len(text) > 0 && textWidth(text+"…") > width {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.TrimRight(text, " ") + "…"
}

// wrapped breaks a text into lines of at most the given pixels, at most three.
func wrapped(text string, width float64) []string {
	const most = 3
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case textWidth(line+" "+word) <= width || len(lines) == most-1:
			line += " " + word
		default:
			lines, line = append(lines, fitting(line, width)), word
		}
	}
	if line != "" {
		lines = append(lines, fitting(line, width))
	}
	return lines
}
