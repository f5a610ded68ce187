// Package hints puts what callers should do about several wrong fields into one
// text, and tells how far a misspelled name is from a known one.
package hints

import (
	"slices"
	"strings"
)

// List collects hints. The zero value is ready.
type List struct{ all []hint }

type hint struct {
	text  string
	paths []string
}

// Add takes the hint for a field, none for an empty text. The same hint for
// several fields is told once. A text that says itself what it is for has an
// empty path.
func (l *List) Add(path, text string) {
	if text == "" {
		return
	}
	i := slices.IndexFunc(l.all, func(h hint) bool { return h.text == text })
	if i < 0 {
		i, l.all = len(l.all), append(l.all, hint{text: text})
	}
	if !slices.Contains(l.all[i].paths, path) {
		l.all[i].paths = append(l.all[i].paths, path)
	}
}

// Merge takes the hints of another list.
func (l *List) Merge(other *List) {
	for _, h := range other.all {
		for _, path := range h.paths {
			l.Add(path, h.text)
		}
	}
}

// Text is all hints in one line. Each says which fields it is for, unless it is
// the only one. It is empty when there is none.
func (l *List) Text() string {
	if len(l.all) == 1 {
		return l.all[0].text
	}
	texts := make([]string, len(l.all))
	for i, h := range l.all {
		if texts[i] = h.text; h.paths[0] != "" {
			texts[i] = strings.Join(h.paths, ", ") + ": " + h.text
		}
	}
	return strings.Join(texts, "; ")
}

// Nearest is the known name nearest to a misspelled one, "" when none is near: but for
// upper case the same, or at most two edits away and fewer than half its letters.
func Nearest(name string, known []string) string {
	best, distance := "", 3
	for _, candidate := range known {
		if strings.EqualFold(candidate, name) {
			return candidate
		}
		if d := Edits(name, candidate, distance); d < distance && 2*d < len(candidate) {
			best, distance = candidate, d
		}
	}
	return best
}
