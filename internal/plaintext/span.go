package plaintext

import (
	"strings"
	"time"
)

// Span is a duration for people: as in Go, without units that are zero at its end, and
// with days from a day on, such as "1m30s", "36m", "1 day 12h" or "10 days".
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	if d < 0 {
		return "-" + Span(d.Abs())
	}
	days, rest := int(d/day), d%day
	text := rest.String()
	for _, zeros := range []string{"m0s", "h0m"} {
		if cut, found := strings.CutSuffix(text, zeros); found {
			text = cut + zeros[:1]
		}
	}
	switch {
	case days == 0:
		return text
	case rest == 0:
		return Counted(days, "day")
	}
	return Counted(days, "day") + " " + text
}
