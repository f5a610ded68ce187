package guard

import (
	"math"
	"time"
)

// shown is how long a target is reported after its breaker has changed: long
// enough for every node to hear that an outage is over.
const shown = time.Minute

func rounded(x float64) float64 { return math.Round(x*100) / 100 }

// utc is a time as it is told to others: without a monotonic reading.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Round(0)
}
