package alerts

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/store"
)

var start = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

func TestCooldownHoldsBackAndTells(t *testing.T) {
	t.Parallel()
	var s State
	if v := s.Raise(start, alert.Tallies{{Count: 1, Names: []string{"a"}}}, 5*time.Minute, 0); !v.Tell || v.Digest {
		t.Fatalf("%+v", v)
	}
	v := s.Raise(start.Add(time.Minute), alert.Tallies{{Count: 1, Names: []string{"b"}}}, 5*time.Minute, 0)
	if v.Tell || !v.Digest || !v.At.Equal(start.Add(5*time.Minute)) {
		t.Fatalf("%+v", v)
	}
	s.Digest = "d"
	if v := s.Raise(start.Add(2*time.Minute), alert.Tallies{{Count: 1, Names: []string{"c"}}}, 5*time.Minute, 0); v.Tell || v.Digest {
		t.Fatalf("%+v", v)
	}
	s.Hold(start.Add(3*time.Minute), alert.Tally{Count: 40, Names: []string{"d"}})
	var m alert.Message
	if !s.Take(v.At, &m, 5*time.Minute) || m.HeldBack != 42 || len(m.Names) != 3 || !m.Since.Equal(start.Add(time.Minute)) {
		t.Fatalf("%+v", m)
	}
	if v := s.Raise(start.Add(6*time.Minute), alert.Tallies{{Count: 1, Names: []string{"e"}}}, 5*time.Minute, 0); v.Tell {
		t.Error("the digest began no cool-down")
	}
}

func TestDigestCollectsFirst(t *testing.T) {
	t.Parallel()
	var s State
	v := s.Raise(start, alert.Tallies{{Count: 1, Names: []string{"a"}}}, time.Minute, 10*time.Second)
	if v.Tell || !v.Digest || !v.At.Equal(start.Add(10*time.Second)) {
		t.Fatalf("%+v", v)
	}
}

func TestAggregatesFireOnceAndRecoverOnce(t *testing.T) {
	t.Parallel()
	var s State
	at := func(d time.Duration, holds bool) string {
		fires, recovers := s.Measure(start.Add(d), Reading{Holds: holds}, time.Minute, 5*time.Minute)
		switch {
		case fires:
			return "fires"
		case recovers:
			return "recovers"
		}
		return ""
	}
	for i, row := range []struct {
		after time.Duration
		holds bool
		want  string
	}{
		{0, true, ""}, {30 * time.Second, false, ""}, {40 * time.Second, true, ""}, {90 * time.Second, true, ""},
		{100 * time.Second, true, "fires"}, {2 * time.Minute, true, ""}, {100*time.Second + 5*time.Minute, true, "fires"},
		{7 * time.Minute, false, "recovers"}, {8 * time.Minute, false, ""},
	} {
		if got := at(row.after, row.holds); got != row.want {
			t.Errorf("step %d: %q, want %q", i, got, row.want)
		}
	}
}

// TestTotalsAreToldWhenTheyGrow, and after an acknowledgement when they have grown by half.
// What was smaller in between begins there.
func TestTotalsAreToldWhenTheyGrow(t *testing.T) {
	t.Parallel()
	var s State
	now := start
	for i, row := range []struct {
		total int
		told  bool
		ack   bool // afterwards
	}{
		{total: 13, told: true}, {total: 13}, {total: 14, told: true}, {total: 9}, {total: 9}, {total: 10, told: true},
		{total: 19, told: true, ack: true}, {total: 19}, {total: 28}, {total: 29, told: true}, {total: 29}, {total: 30, told: true, ack: true},
		{total: 10}, {total: 14}, {total: 15, told: true},
	} {
		now = now.Add(5 * time.Minute)
		told, _ := s.Measure(now, Reading{Holds: true, Size: row.total, Total: true}, 0, 5*time.Minute)
		if told != row.told {
			t.Errorf("step %d: %d letters: told %v", i, row.total, told)
		}
		s.Acked = s.Acked || row.ack
	}
}

// TestAcknowledgedAggregatesAreToldAgain once the number that they are about has grown by
// half; those without a number are not.
func TestAcknowledgedAggregatesAreToldAgain(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		size, later int
		told        bool
	}{{100, 149, false}, {100, 150, true}, {0, 0, false}, {1, 2, true}, {1, 1, false}} {
		var s State
		s.Measure(start, Reading{Holds: true, Size: row.size}, 0, time.Minute)
		s.Acked = true
		if told, _ := s.Measure(start.Add(time.Hour), Reading{Holds: true, Size: row.later}, 0, time.Minute); told != row.told {
			t.Errorf("from %d to %d: told %v", row.size, row.later, told)
		}
	}
}

// TestNoAlertIsLost: whatever is raised when, each is told or counted once, and
// messages of one subject keep their distance.
func TestNoAlertIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s State
		now, told, sent, digest := start, 0, []time.Time{}, time.Time{}
		n := rapid.IntRange(1, 60).Draw(t, "n")
		for range n {
			now = now.Add(time.Duration(rapid.IntRange(0, 100).Draw(t, "gap")) * time.Second)
			if !digest.IsZero() && !now.Before(digest) {
				var m alert.Message
				if s.Take(digest, &m, time.Minute) {
					told, sent = told+m.HeldBack, append(sent, digest)
				}
				digest = time.Time{}
			}
			v := s.Raise(now, alert.Tallies{{Count: 1, Names: []string{"x"}}}, time.Minute, 0)
			if v.Tell {
				told, sent = told+1, append(sent, now)
			} else if v.Digest {
				s.Digest, digest = "d", v.At
			}
		}
		var m alert.Message
		if s.Take(now, &m, time.Minute) {
			told += m.HeldBack
		}
		if told != n {
			t.Fatalf("%d of %d were told", told, n)
		}
		for i := 1; i < len(sent); i++ {
			if sent[i].Sub(sent[i-1]) < time.Minute {
				t.Fatalf("messages %s apart", sent[i].Sub(sent[i-1]))
			}
		}
	})
}

// TestSlotsOfABusyChannelAreBounded: at the highest rates the times of a channel fit
// into their object, none is sent beyond the rate, and hardly one below it.
func TestSlotsOfABusyChannelAreBounded(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{500, 501, 1601, 6000} {
		limits := []Limit{PerMinute(rate)}
		var slots Slots
		var sent []time.Time
		for now := start.Add(123 * time.Nanosecond); now.Before(start.Add(3 * time.Minute)); now = now.Add(time.Millisecond) {
			if slots.Take(now, limits) == 0 {
				sent = append(sent, now)
			}
			if i := len(sent) - 1 - rate; i >= 0 && sent[len(sent)-1].Sub(sent[i]) < time.Minute {
				t.Fatalf("%d messages in less than a minute", rate+1)
			}
		}
		text, err := json.Marshal(slots)
		if err != nil || len(text) > store.MaxObject/3 {
			t.Errorf("%d a minute: %d bytes are kept, %v", rate, len(text), err)
		}
		if len(sent) < 28*rate/10 {
			t.Errorf("%d a minute: %d in three", rate, len(sent))
		}
	}
}

// TestSlotsKeepTheVendorsLimits: however often it is asked, no window of the
// limit has more sends than it allows, and a wait that was kept is the last.
func TestSlotsKeepTheVendorsLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := rapid.SampledFrom([][]Limit{{PerMinute(20)}, {PerSecond(5), PerMinute(100)}, {PerSecond(1)}, {PerMinute(60)}}).Draw(t, "limits")
		var slots Slots
		var sent []time.Time
		now := start
		for range 300 {
			now = now.Add(time.Duration(rapid.IntRange(0, 700).Draw(t, "gap")) * time.Millisecond)
			wait := slots.Take(now, limits)
			if wait > 0 {
				if now = now.Add(wait); slots.Take(now, limits) != 0 {
					t.Fatal("waited in vain")
				}
			}
			sent = append(sent, now)
		}
		for _, limit := range limits {
			for i := limit.Count; i < len(sent); i++ {
				if sent[i].Sub(sent[i-limit.Count]) < limit.Per {
					t.Fatalf("%d in %s", limit.Count+1, sent[i].Sub(sent[i-limit.Count]))
				}
			}
		}
	})
}
