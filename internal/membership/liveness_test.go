package membership

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// A node is dead when its counter stood still in five reads over five seconds: neither
// fewer reads nor less time will do, and a reader that was stopped begins anew.
func TestCountersThatStandStill(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		reads    []time.Duration
		counters []int64
		dead     bool
	}{
		"five reads in five seconds":    {[]time.Duration{0, 1250, 2500, 3750, 5000}, []int64{7, 7, 7, 7, 7}, true},
		"five reads in less":            {[]time.Duration{0, 1000, 2000, 3000, 4999}, []int64{7, 7, 7, 7, 7}, false},
		"four reads":                    {[]time.Duration{0, 2000, 4000, 6000}, []int64{7, 7, 7, 7}, false},
		"it rose in between":            {[]time.Duration{0, 1250, 2500, 3750, 5000}, []int64{7, 7, 8, 8, 8}, false},
		"it rose to a smaller number":   {[]time.Duration{0, 1250, 2500, 3750, 5000}, []int64{7, 7, 7, 7, 6}, false},
		"the reader was stopped":        {[]time.Duration{0, 1250, 2500, 3750, 3750 + 2500}, []int64{7, 7, 7, 7, 7}, false},
		"and has read again after it":   {[]time.Duration{0, 2500, 3750, 5000, 6250, 7500}, []int64{7, 7, 7, 7, 7, 7}, true},
		"one that was stopped for long": {[]time.Duration{0, 60_000}, []int64{7, 7}, false},
	} {
		l, dead := liveness{}, false
		for i, at := range c.reads {
			seen := map[string]*suspicion{}
			seen["n"], dead = l.look(&store.Node{ID: "n", Counter: c.counters[i]}, start.Add(at*time.Millisecond))
			l.keep(seen)
		}
		if dead != c.dead {
			t.Errorf("%s: dead %v", name, dead)
		}
	}
}

// Life is proven by a counter that rose while this node looked, and stays proven.
func TestLifeIsProven(t *testing.T) {
	l, now := liveness{}, time.Unix(1000, 0)
	for i, c := range []struct {
		counter int64
		proven  bool
	}{{1, false}, {1, false}, {2, true}, {2, true}} {
		seen := map[string]*suspicion{}
		seen["n"], _ = l.look(&store.Node{ID: "n", Counter: c.counter}, now.Add(time.Duration(i)*time.Second))
		if l.keep(seen); l.signs()["n"].proven != c.proven {
			t.Errorf("look %d: proven %v", i, !c.proven)
		}
	}
	if l.keep(nil); len(l.signs()) != 0 {
		t.Error("a node that has left is known")
	}
}

// A lane that nobody takes is taken after three seconds, and then nothing is given back for
// a minute.
func TestOrphans(t *testing.T) {
	var o unowned
	now := time.Unix(1000, 0)
	spare := []store.LaneEpoch{{Lane: 3, Epoch: 1}}
	if got := o.due(spare, now); got != nil {
		t.Errorf("at once: %v", got)
	}
	if got := o.due(nil, now.Add(2*time.Second)); got != nil {
		t.Errorf("somebody took it: %v", got)
	}
	o.due(spare, now.Add(3*time.Second))
	if got := o.due(spare, now.Add(5*time.Second)); got != nil || !o.keep.IsZero() {
		t.Errorf("after two seconds: %v", got)
	}
	if got := o.due(spare, now.Add(6*time.Second)); len(got) != 1 || !o.keep.Equal(now.Add(66*time.Second)) {
		t.Errorf("after three: %v, kept until %v", got, o.keep)
	}
}
