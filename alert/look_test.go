package alert

import (
	"testing"
	"testing/synctest"
	"time"
)

// A look that took long holds for a while; one that was quick is not kept.
func TestLongLooksHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for took, held := range map[time.Duration]bool{longLook: true, longLook / 2: false} {
			k := &Keeper{}
			k.looked.Store(&look{[]QueueSample{{Name: "a"}}, time.Now(), took})
			time.Sleep(9 * took)
			seen := func() (samples []QueueSample, panicked bool) {
				defer func() { panicked = recover() != nil }() // there is no store to look at
				samples, _ = k.Queues(t.Context(), time.Now())
				return samples, false
			}
			if samples, looks := seen(); looks == held || held && (len(samples) != 1 || samples[0].Name != "a") {
				t.Errorf("after a look of %s: looks again %t, %v", took, looks, samples)
			}
			time.Sleep(2 * took)
			if _, looks := seen(); !looks {
				t.Errorf("a look of %s holds for ever", took)
			}
		}
	})
}
