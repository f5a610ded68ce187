package world

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
)

// mark is an actor that remembers what happened to it.
type mark struct{ seen *[]What }

func (m mark) Happen(_ *World, what What) { *m.seen = append(*m.seen, what) }

// TestQueueOrder: events come by time, and by the order of scheduling when the
// times are equal, whatever was pushed and popped between.
func TestQueueOrder(t *testing.T) {
	type scheduled struct {
		at    time.Duration
		order int
	}
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var wanted []scheduled
		order := 0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(wanted) > 0 && rapid.IntRange(0, 2).Draw(t, "pop") == 0 {
				slices.SortFunc(wanted, func(a, b scheduled) int {
					return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
				})
				got, _ := q.pop()
				if got.at != wanted[0].at || int(got.order>>8) != wanted[0].order {
					t.Fatalf("got %v (%d), want %+v", got.at, got.order>>8, wanted[0])
				}
				wanted = wanted[1:]
				continue
			}
			order++
			at := time.Duration(rapid.IntRange(0, 20).Draw(t, "at"))
			q.push(at, mark{}, 3)
			wanted = append(wanted, scheduled{at, order})
		}
		if q.empty() != (len(wanted) == 0) {
			t.Fatal("the queue does not hold what it should")
		}
	})
}

func TestWorldEnds(t *testing.T) {
	var seen []What
	w := New(1)
	w.End = time.Second
	w.At(2*time.Second, mark{&seen}, 1)
	w.At(time.Second, mark{&seen}, 2)
	w.After(-time.Hour, mark{&seen}, 3)
	w.Run()
	if !slices.Equal(seen, []What{3, 2}) || w.Count != 2 || w.Now != time.Second {
		t.Errorf("saw %v, %d events, now %v", seen, w.Count, w.Now)
	}
}

// TestHistogram: quantiles are right to a sixteenth of an octave.
func TestHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var all []time.Duration
	for range 20_000 {
		d := time.Duration(math.Exp(r.Float64()*18) * float64(time.Microsecond))
		h.Add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999} {
		want, got := all[int(q*float64(len(all)))], h.Quantile(q)
		if off := math.Abs(float64(got-want)) / float64(want); off > 0.045 && got-want > time.Microsecond {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if got := (&Histogram{}).Quantile(0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestQueueingTheory holds the server against the closed form of M/M/1: the mean
// time in the system is 1/(μ − λ).
func TestQueueingTheory(t *testing.T) {
	w := New(3)
	s := &Server{Rate: 100, Random: true}
	total, n := 0.0, 0
	w.OnEnd = func(c *Call) { total, n = total+(w.Now-c.Started).Seconds(), n+1 }
	(&Stream{Clients: Fleet(w, 1, Plain("", retry.Attempts(1)), s), Rate: 70, Until: 3000 * time.Second}).Start(w)
	w.Run()
	if got, want := total/float64(n), 1.0/30; math.Abs(got/want-1) > 0.05 {
		t.Errorf("mean time in the system %v s, want %v s", got, want)
	}
}

// TestMeterWindows looks at amplification by hand: a second with one attempt per
// call, one with three.
func TestMeterWindows(t *testing.T) {
	m := NewMeter()
	for i := range 20 {
		at := time.Duration(i) * 100 * time.Millisecond
		m.Offered(at)
		m.Arrived(at, false)
		if i >= 10 {
			m.Arrived(at, true)
			m.Arrived(at, true)
		}
	}
	m.Finish(2 * time.Second)
	if got := m.Amplification(0, 0); got != 2 {
		t.Errorf("amplification %v", got)
	}
	if got := m.Peak(time.Second, 0, 0); got != 3 {
		t.Errorf("worst second %v", got)
	}
	if got := m.Peak(10*time.Second, 0, 0); got != 0 {
		t.Errorf("worst ten seconds of two: %v", got)
	}
	if m.MostInFlight != 40 || m.Retries != 20 {
		t.Errorf("%d in flight, %d retries", m.MostInFlight, m.Retries)
	}
}

// TestRecovery: one good second is not enough, and what ends before the trigger
// does not count.
func TestRecovery(t *testing.T) {
	for _, test := range []struct {
		good string // one digit per second: calls of ten that end well
		want time.Duration
	}{
		{"aa000aaaaa", 0}, {"aa00000aaa", 2 * time.Second}, {"aaa0000000", Never}, {"aa000a0000", Never}, {"aa0000099a", 2 * time.Second}, {"aa000a8aaa", 0},
	} {
		m := NewMeter()
		m.Trigger = Trigger{2 * time.Second, 5 * time.Second}
		for second, digit := range test.good {
			good := int(digit - '0')
			if digit == 'a' {
				good = 10
			}
			for i := range 10 {
				at := time.Duration(second)*time.Second + time.Duration(i)*binWidth
				m.Offered(at)
				m.Ended(at, &Call{OK: i < good})
			}
		}
		m.Finish(10 * time.Second)
		if got := m.Recovery(); got != test.want {
			t.Errorf("%s: %v, want %v", test.good, got, test.want)
		}
	}
}

// TestFaults goes through every kind.
func TestFaults(t *testing.T) {
	s := &Server{Rate: 10}
	s.Faults.Add(
		Outage(time.Second, time.Second),
		&Fault{From: 2 * time.Second, To: 3 * time.Second, Ill: Hangs},
		&Fault{From: 3 * time.Second, To: 4 * time.Second, Ill: Holds},
		Step(5*time.Second, time.Second, 0.5),
		&Fault{From: 6 * time.Second, To: 7 * time.Second, Ill: Slows, Latency: 500 * time.Millisecond},
	)
	w := New(1)
	one := NewClient(w, Plain("", retry.Attempts(1), retry.PerAttempt(2*time.Second)), s.Start(w))
	took := map[time.Duration]time.Duration{}
	failed := map[time.Duration]retry.Category{}
	w.OnEnd = func(c *Call) {
		if took[c.Started] = w.Now - c.Started; !c.OK {
			failed[c.Started] = c.Last.Category
		}
	}
	for _, at := range []time.Duration{0, 1500 * time.Millisecond, 2500 * time.Millisecond, 3500 * time.Millisecond, 5500 * time.Millisecond, 6500 * time.Millisecond} {
		w.do(at, func() { (&Crowd{Clients: []*Client{one}, Each: 1, from: at}).Start(w) })
	}
	w.Run()
	want := map[time.Duration]time.Duration{
		0:                       100 * time.Millisecond,
		1500 * time.Millisecond: 5 * time.Millisecond,
		2500 * time.Millisecond: 2 * time.Second,
		3500 * time.Millisecond: 600 * time.Millisecond,
		5500 * time.Millisecond: 200 * time.Millisecond,
		6500 * time.Millisecond: 100 * time.Millisecond, // a rate knows no slow answers
	}
	for at, d := range want {
		if took[at] != d {
			t.Errorf("at %v: took %v, want %v", at, took[at], d)
		}
	}
	if len(failed) != 2 || failed[1500*time.Millisecond] != retry.Unavailable || failed[2500*time.Millisecond] != retry.Timeout {
		t.Errorf("failed: %v", failed)
	}
}
