package alerts

import (
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/alert"
)

// Of what was held back, how many kinds are told apart and how many events of each are
// named.
const (
	mostKinds     = 10
	mostKindNames = 3
)

// Tallies are what a digest counts of an event.
func (o *Occurrence) Tallies() alert.Tallies {
	if o.Held != nil {
		return o.Held
	}
	one := alert.Tally{What: o.What, Count: 1}
	if o.Name != "" {
		one.Names = []string{o.Name}
	}
	return alert.Tallies{one}
}

// AddTallies adds alerts that were held back, each to its kind.
func AddTallies(t *alert.Tallies, more ...alert.Tally) {
	for i := range more {
		of := &more[i]
		at := slices.IndexFunc(*t, func(known alert.Tally) bool { return known.What == of.What })
		if at < 0 && len(*t) >= mostKinds {
			of = &alert.Tally{Count: of.Count, Names: of.Names}
			at = slices.IndexFunc(*t, func(known alert.Tally) bool { return known.What == "" })
		}
		if at < 0 {
			*t = append(*t, alert.Tally{What: of.What})
			at = len(*t) - 1
		}
		known := &(*t)[at]
		known.Count += of.Count
		known.Names = append(slices.Clip(known.Names), of.Names[:min(len(of.Names), mostKindNames-len(known.Names))]...)
	}
}

// Most names the kind that is the most of several, as the end of a sentence; "" where
// they have nothing in common.
func Most(t alert.Tallies) string {
	if len(t) == 0 {
		return ""
	}
	of := slices.MaxFunc(t, func(a, b alert.Tally) int { return a.Count - b.Count })
	if of.What == "" {
		return ""
	}
	return "; " + strconv.Itoa(of.Count) + " of them: " + of.What
}
