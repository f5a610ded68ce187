package guard

import "time"

// Clock is the time as of the last look at it.
type Clock struct {
	Time   time.Time
	Micros int64 // the same
}

// Advance notes the time. It does not go back.
func (c *Clock) Advance(now time.Time) {
	if now.After(c.Time) {
		c.Time, c.Micros = now, now.UnixMicro()
	}
}

// notBefore is the first microsecond that is not before a time.
func notBefore(at time.Time) int64 { return at.Add(time.Microsecond - 1).UnixMicro() }
