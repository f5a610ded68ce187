// Package clock reads the time of day at half the cost.
package clock

import (
	"sync/atomic"
	"time"
)

// anchor is a recent reading of the clock. The time since a reading costs half
// as much as a new one, because it needs the monotonic clock only.
var anchor atomic.Pointer[time.Time]

// anchorLife bounds how long a step of the wall clock goes unnoticed.
const anchorLife = time.Minute

// Now is [time.Now]. The times of a testing/synctest bubble have another origin
// than those outside; an anchor from there is too far away, and so is replaced.
func Now() time.Time {
	if a := anchor.Load(); a != nil {
		if passed := time.Since(*a); passed >= 0 && passed < anchorLife {
			return a.Add(passed)
		}
	}
	now := time.Now()
	anchor.Store(&now)
	return now
}
