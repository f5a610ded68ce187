package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

// The cheap clock agrees with time.Now, also in bubbles with another time, before
// and after each other.
func TestClock(t *testing.T) {
	agree := func(t *testing.T) {
		for range 3 {
			before, got, after := time.Now(), Now(), time.Now()
			if got.Before(before) || got.After(after) || got.UnixNano() < before.UnixNano()-1e6 || got.UnixNano() > after.UnixNano()+1e6 {
				t.Errorf("%v is not between %v and %v", got, before, after)
			}
		}
	}
	for range 3 {
		agree(t)
		synctest.Test(t, func(t *testing.T) {
			agree(t)
			time.Sleep(30 * time.Second)
			agree(t)
			time.Sleep(time.Hour)
			agree(t)
		})
	}
}
