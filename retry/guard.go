package retry

import (
	"math"
	"time"
)

// Helpers that the guards share: budgets, breakers, throttles, limits.

// or is the value, or the default where it is zero.
func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// within refuses numbers outside a range, which includes its upper end, and its
// lower end if closed says so.
func within(f *findings, field string, x, low, high float64, closed bool) {
	if x > low && x <= high || closed && x == low {
		return
	}
	above := "above "
	if closed {
		above = ""
	}
	f.refuse(field, "", "%v is outside %s%v to %.15g", x, above, low, high)
}

// countWithin refuses whole numbers outside a closed range.
func countWithin(f *findings, field string, n, low, high int) {
	if n < low || n > high {
		f.refuse(field, "", "%d is outside %d to %d", n, low, high)
	}
}

// lasting refuses durations outside a closed range.
func lasting(f *findings, field string, d, low, high time.Duration) {
	if d < low || d > high {
		f.refuse(field, "", "%v is outside %v to %v", d, low, high)
	}
}

// seconds is a duration of so many seconds, at most the longest there is.
func seconds(s float64) time.Duration {
	if s >= math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	return time.Duration(s * 1e9)
}
