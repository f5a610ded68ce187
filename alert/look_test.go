package alert

import (
	"testing"
	"testing/synctest"
	"time"
)

// A look that took long holds for a while, for who asks and for the rules that are built in,
// which take that of who asks as well; one that was quick is not kept.
func TestLongLooksHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := func(k *Keeper) (samples []QueueSample, panicked bool) {
			defer func() { panicked = recover() != nil }() // there is no store to look at
			samples, _ = k.Queues(t.Context(), time.Now())
			return samples, false
		}
		measured := func(k *Keeper) (samples []QueueSample, panicked bool) {
			defer func() { panicked = recover() != nil }()
			samples, _ = k.queues(t.Context(), &book{}, time.Now())
			return samples, false
		}
		for took, held := range map[time.Duration]bool{longLook: true, longLook / 2: false} {
			for name, seen := range map[string]func(*Keeper) ([]QueueSample, bool){"asked": asked, "measured": measured, "shared": measured} {
				k, last := &Keeper{}, &look{samples: []QueueSample{{Name: name}}, ended: time.Now(), took: took, long: took}
				map[string]*looks{"asked": &k.looked, "measured": &k.glanced, "shared": &k.looked}[name].last.Store(last)
				time.Sleep((holdFor - 1) * took)
				if samples, looks := seen(k); looks == held || held && (len(samples) != 1 || samples[0].Name != name) {
					t.Errorf("%s: after a look of %s: looks again %t, %v", name, took, looks, samples)
				}
				time.Sleep(2 * took)
				if _, looks := seen(k); !looks {
					t.Errorf("%s: a look of %s holds for ever", name, took)
				}
			}
		}
	})
}

// One look that took long may have met a stall: two in a row hold.
func TestOneLongLookDoesNotHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l looks
		asked := 0
		look := func(took time.Duration) {
			_, err := l.see(func() ([]QueueSample, error) {
				asked++
				time.Sleep(took)
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		for i, step := range []struct {
			took time.Duration
			want int
		}{{time.Millisecond, 1}, {time.Minute, 2}, {time.Second, 3}, {time.Second, 3}} {
			if look(step.took); asked != step.want {
				t.Errorf("after look %d the store was asked %d times, want %d", i, asked, step.want)
			}
		}
	})
}
