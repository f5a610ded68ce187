package keeper

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
)

// A look that took long holds for a while, for who asks and for the rules that are built in,
// which take that of who asks as well; one that was quick is not kept.
func TestLongLooksHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := func(q *Queues) (samples []alerts.QueueSample, panicked bool) {
			defer func() { panicked = recover() != nil }() // there is no store to look at
			samples, _ = q.Look(t.Context(), time.Now())
			return samples, false
		}
		measured := func(q *Queues) (samples []alerts.QueueSample, panicked bool) {
			defer func() { panicked = recover() != nil }()
			samples, _ = q.glance(t.Context(), time.Now())
			return samples, false
		}
		for took, held := range map[time.Duration]bool{longLook: true, longLook / 2: false} {
			for name, seen := range map[string]func(*Queues) ([]alerts.QueueSample, bool){"asked": asked, "measured": measured, "shared": measured} {
				q, last := &Queues{}, &look{samples: []alerts.QueueSample{{Name: name}}, ended: time.Now(), took: took, long: took}
				map[string]*looks{"asked": &q.looked, "measured": &q.glanced, "shared": &q.looked}[name].last.Store(last)
				time.Sleep((holdFor - 1) * took)
				if samples, looks := seen(q); looks == held || held && (len(samples) != 1 || samples[0].Name != name) {
					t.Errorf("%s: after a look of %s: looks again %t, %v", name, took, looks, samples)
				}
				time.Sleep(2 * took)
				if _, looks := seen(q); !looks {
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
			_, err := l.see(func() ([]alerts.QueueSample, error) {
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
