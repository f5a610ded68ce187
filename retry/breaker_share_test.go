package retry

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// stored is a view as another node reads it from a database.
func stored(v BreakerView) BreakerView {
	for _, t := range []*time.Time{&v.Since, &v.Steered, &v.Until, &v.Opened} {
		*t = t.Truncate(time.Microsecond).UTC()
	}
	return v
}

// TestBreakerAdopts is the table of what a closed breaker, and one that is open
// since second 0, make of views.
func TestBreakerAdopts(t *testing.T) {
	s := func(n float64) time.Time { return after(seconds(n)) }
	for name, test := range map[string]struct {
		open  bool // the breaker's own state
		other BreakerView
		want  string // its state then, empty if it adopts nothing
	}{
		"opened":                     {false, BreakerView{State: Open, Since: s(1), Until: s(6)}, "open"},
		"half-open":                  {false, BreakerView{State: HalfOpen, Since: s(1)}, "open"},
		"closed":                     {false, BreakerView{State: Closed, Since: s(1)}, ""},
		"forced open":                {false, BreakerView{State: Open, Forced: true, Since: s(1), Steered: s(1)}, "open forced"},
		"forced closed":              {false, BreakerView{State: Closed, Forced: true, Since: s(1), Steered: s(1)}, "closed forced"},
		"open, opened before":        {true, BreakerView{State: Open, Since: s(-1), Until: s(4)}, ""},
		"open, opened again":         {true, BreakerView{State: Open, Since: s(1), Until: s(6), Trips: 2}, "open"},
		"open, itself":               {true, BreakerView{State: Open, Since: s(0), Until: s(7.5), Trips: 2}, ""},
		"open, closed before":        {true, BreakerView{State: Ramping, Since: s(-1)}, ""},
		"open, closed":               {true, BreakerView{State: Ramping, Since: s(1)}, "ramping"},
		"open, closed, ramp over":    {true, BreakerView{State: Closed, Since: s(1)}, "ramping"},
		"open, as new":               {true, BreakerView{State: Ramping, Since: s(0)}, ""},
		"open, forced closed":        {true, BreakerView{State: Closed, Forced: true, Since: s(1), Steered: s(1)}, "closed forced"},
		"open, forced closed before": {true, BreakerView{State: Closed, Forced: true, Since: s(-1), Steered: s(-1)}, "closed forced"},
	} {
		b := must(NewBreaker(BreakerConfig{Rand: half{}, Consecutive: 1}))
		if test.open {
			send(b, s(-60), 0, Network)
			send(b, s(0), 0, Network) // the probe
		}
		before, now := b.View(s(2)), s(2)
		adopted := b.Adopt(now, test.other)
		got := b.View(now)
		state := ""
		if adopted {
			if state = got.State.String(); got.Forced {
				state += " forced"
			}
		} else if got.State != before.State || !got.Until.Equal(before.Until) {
			t.Errorf("%s: not adopted, but %+v", name, got)
		}
		if state != test.want {
			t.Errorf("%s: %q, want %q", name, state, test.want)
		}
		if adopted && !got.Since.Equal(test.other.Since) {
			t.Errorf("%s: since %v", name, got.Since)
		}
		if b.Adopt(now, test.other) {
			t.Errorf("%s: adopted twice", name)
		}
	}
}

// TestBreakerAdoptedProbes: who adopts an opening probes after the one who opened,
// and goes on with its outage.
func TestBreakerAdoptedProbes(t *testing.T) {
	one := must(NewBreaker(BreakerConfig{Consecutive: 1, Rand: half{}}))
	send(one, day, 0, Network)
	send(one, after(5*time.Second), 0, Network) // the probe
	view := stored(one.View(after(5 * time.Second)))
	var first, last time.Time
	for range 100 {
		other := must(NewBreaker(BreakerConfig{}))
		other.Adopt(after(6*time.Second), view)
		got := other.View(after(6 * time.Second))
		if got.Trips != 2 || !got.Opened.Equal(day) || !got.Until.After(view.Until) || got.Until.Sub(view.Until) > 2*time.Second {
			t.Fatalf("%+v of %+v", got, view)
		}
		if first.IsZero() || got.Until.Before(first) {
			first = got.Until
		}
		if got.Until.After(last) {
			last = got.Until
		}
	}
	if last.Sub(first) < time.Second {
		t.Errorf("a hundred nodes probe between %v and %v", first, last)
	}
}

// TestBreakerAdoptedClosing: the ramp of one that closed begins with that of the
// node that probed, and the end of a ramp does not undo a later opening.
func TestBreakerAdoptedClosing(t *testing.T) {
	one, other := must(NewBreaker(BreakerConfig{Consecutive: 1, Rand: half{}})), must(NewBreaker(BreakerConfig{Consecutive: 1, Rand: half{}}))
	send(one, day, 0, Network)
	other.Adopt(day, one.View(day))
	now := after(30 * time.Second)
	send(one, now, 0, "")
	now = now.Add(4 * time.Second)
	if !other.Adopt(now, stored(one.View(now))) {
		t.Fatal("not adopted")
	}
	if a, b := one.View(now), other.View(now); a.State != Ramping || a.Admitted-b.Admitted > 0.001 || b.Admitted-a.Admitted > 0.001 {
		t.Errorf("%+v and %+v", a, b)
	}
	for !send(other, now, 0, Network) { // what a ramp lets through fails
	}
	now = now.Add(7 * time.Second) // the ramp of the one is over
	if other.Adopt(now, stored(one.View(now))) || other.View(now).State != Open {
		t.Errorf("a ramp that ended undid an opening: %+v", other.View(now))
	}
	if !one.Adopt(now, stored(other.View(now))) || one.View(now).State != Open {
		t.Errorf("the opening is not adopted: %+v", one.View(now))
	}
}

// TestBreakersAgree: nodes with clocks that differ, targets that come and go, and
// operators. When they have read each other's views, all let calls through or
// none does; and when the target is well, all close.
func TestBreakersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := make([]*Breaker, rapid.IntRange(2, 4).Draw(t, "nodes"))
		skew := make([]time.Duration, len(nodes))
		for i := range nodes {
			nodes[i] = must(NewBreaker(BreakerConfig{Consecutive: 2, Rand: half{}}))
			skew[i] = time.Duration(rapid.IntRange(-3600, 3600).Draw(t, "skew")) * time.Second
		}
		now := day
		at := func(i int) time.Time { return now.Add(skew[i]) }
		read := func(i, j int) { nodes[i].Adopt(at(i), stored(nodes[j].View(at(j)))) }
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 20 * time.Second}).Draw(t, "pause"))
			i := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0, 1, 2:
				send(nodes[i], at(i), 0, "")
			case 3, 4, 5:
				send(nodes[i], at(i), 0, Network)
			case 6:
				nodes[i].Force(at(i), rapid.SampledFrom([]BreakerState{Open, Closed}).Draw(t, "force"))
			case 7:
				nodes[i].Unforce(at(i))
			default:
				read(i, rapid.IntRange(0, len(nodes)-1).Draw(t, "other"))
			}
		}
		exchange := func() {
			for range 2 {
				for i := range nodes {
					for j := range nodes {
						read(i, j)
					}
				}
			}
		}
		exchange()
		agree(t, nodes, at)
		for i := range nodes {
			nodes[i].Unforce(at(i))
			exchange()
		}
		for range 20 {
			now = now.Add(10 * time.Second)
			for i := range nodes {
				send(nodes[i], at(i), 0, "")
			}
			exchange()
		}
		for i, b := range nodes {
			if v := b.View(at(i)); v.State != Closed {
				t.Fatalf("node %d does not close: %+v", i, v)
			}
		}
	})
}

func agree(t *rapid.T, nodes []*Breaker, at func(int) time.Time) {
	first := nodes[0].View(at(0))
	for i, b := range nodes {
		v := b.View(at(i))
		if v.Forced != first.Forced || v.State.shut() != first.State.shut() {
			t.Fatalf("node 0 is %s, node %d is %s", look(first), i, look(v))
		}
	}
}

func look(v BreakerView) string {
	return fmt.Sprintf("%v, forced %v, since %v, steered %v", v.State, v.Forced, v.Since.Sub(day), v.Steered.Sub(day))
}
