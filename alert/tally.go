package alert

import (
	"slices"
	"strconv"
	"strings"
)

// Of what was held back, how many kinds are told apart and how many events of each are
// named.
const (
	mostKinds     = 10
	mostKindNames = 3
)

// Tally is alerts that were held back and have something in common.
type Tally struct {
	// What they have in common, such as the target, the code and the fingerprint of
	// the failure; empty for those of all other kinds.
	What  string   `json:"what,omitempty"`
	Count int      `json:"count"`
	Names []string `json:"names,omitempty"` // the first of them
}

// tallies are what a digest counts of an event.
func (o *Occurrence) tallies() Tallies {
	if o.Held != nil {
		return o.Held
	}
	one := Tally{What: o.What, Count: 1}
	if o.Name != "" {
		one.Names = []string{o.Name}
	}
	return Tallies{one}
}

// Tallies are what was held back, by kind.
type Tallies []Tally

// add counts alerts of a kind.
func (t *Tallies) add(more ...Tally) {
	for i := range more {
		of := &more[i]
		at := slices.IndexFunc(*t, func(known Tally) bool { return known.What == of.What })
		if at < 0 && len(*t) >= mostKinds {
			of = &Tally{Count: of.Count, Names: of.Names}
			at = slices.IndexFunc(*t, func(known Tally) bool { return known.What == "" })
		}
		if at < 0 {
			*t = append(*t, Tally{What: of.What})
			at = len(*t) - 1
		}
		known := &(*t)[at]
		known.Count += of.Count
		known.Names = append(slices.Clip(known.Names), of.Names[:min(len(of.Names), mostKindNames-len(known.Names))]...)
	}
}

// lines tell them to people, the most first.
func (t Tallies) lines() (lines []string) {
	sorted := slices.Clone(t)
	slices.SortStableFunc(sorted, func(a, b Tally) int { return b.Count - a.Count })
	for _, of := range sorted {
		line := strconv.Itoa(of.Count) + " × " + of.what()
		if len(of.Names) > 0 {
			line += " (" + strings.Join(of.Names, ", ")
			if of.Count > len(of.Names) {
				line += ", …"
			}
			line += ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// most names the kind that is the most of several.
func (t Tallies) most() string {
	if len(t) == 0 {
		return ""
	}
	of := slices.MaxFunc(t, func(a, b Tally) int { return a.Count - b.Count })
	if of.What == "" {
		return ""
	}
	return "; " + strconv.Itoa(of.Count) + " of them: " + of.What
}

func (t *Tally) what() string {
	if t.What == "" {
		return "others"
	}
	return t.What
}
