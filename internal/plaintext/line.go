// Package plaintext is what texts for people share: lines without what could move or hide
// them, cuts, numbers with their nouns, and durations.
package plaintext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes text from outside fit for one line: white space is one space
// each, and what could move, hide or reverse text is replaced.
func Line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}

const cutMark = "… (cut)"

// Cut shortens text to at most limit bytes, between runes, with a mark.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Head(text, limit-len(cutMark)) + cutMark
}

// Head is the beginning of text of at most limit bytes, between runes.
func Head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Counted is a number with its noun, such as "1 crash" or "2 crashes".
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	plural := what + "s"
	if what == "crash" {
		plural = "crashes"
	}
	return strconv.Itoa(n) + " " + plural
}
