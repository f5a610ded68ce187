package alert

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/store"
)

var start = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

func TestCooldownHoldsBackAndTells(t *testing.T) {
	t.Parallel()
	var s State
	if v := s.Raise(start, "a", 5*time.Minute, 0); !v.Tell || v.Digest {
		t.Fatalf("%+v", v)
	}
	v := s.Raise(start.Add(time.Minute), "b", 5*time.Minute, 0)
	if v.Tell || !v.Digest || !v.At.Equal(start.Add(5*time.Minute)) {
		t.Fatalf("%+v", v)
	}
	s.Digest = "d"
	if v := s.Raise(start.Add(2*time.Minute), "c", 5*time.Minute, 0); v.Tell || v.Digest {
		t.Fatalf("%+v", v)
	}
	s.Hold(start.Add(3*time.Minute), 40, []string{"d"})
	var m Message
	if !s.Take(v.At, &m, 5*time.Minute) || m.HeldBack != 42 || len(m.Names) != 3 || !m.Since.Equal(start.Add(time.Minute)) {
		t.Fatalf("%+v", m)
	}
	if v := s.Raise(start.Add(6*time.Minute), "e", 5*time.Minute, 0); v.Tell {
		t.Error("the digest began no cool-down")
	}
}

func TestDigestCollectsFirst(t *testing.T) {
	t.Parallel()
	var s State
	v := s.Raise(start, "a", time.Minute, 10*time.Second)
	if v.Tell || !v.Digest || !v.At.Equal(start.Add(10*time.Second)) {
		t.Fatalf("%+v", v)
	}
}

func TestAggregatesFireOnceAndRecoverOnce(t *testing.T) {
	t.Parallel()
	var s State
	at := func(d time.Duration, holds bool) string {
		fires, recovers := s.Measure(start.Add(d), holds, time.Minute, 5*time.Minute)
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
				var m Message
				if s.Take(digest, &m, time.Minute) {
					told, sent = told+m.HeldBack, append(sent, digest)
				}
				digest = time.Time{}
			}
			v := s.Raise(now, "x", time.Minute, 0)
			if v.Tell {
				told, sent = told+1, append(sent, now)
			} else if v.Digest {
				s.Digest, digest = "d", v.At
			}
		}
		var m Message
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
	for _, rate := range []int{500, 501, 1601, mostPerMinute} {
		limits := (&ChannelSpec{Kind: Webhook, Rate: &rate}).Limits()
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
		limits := (&ChannelSpec{Kind: rapid.SampledFrom([]Kind{DingTalk, Feishu, WeCom, Slack, Email}).Draw(t, "kind")}).Limits()
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
