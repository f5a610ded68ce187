package retry

import (
	"math"
	"testing"
	"time"
)

// TestBackoffFigures checks the documented delays and totals.
func TestBackoffFigures(t *testing.T) {
	for _, c := range []struct {
		name   string
		b      Backoff
		n      int
		last   time.Duration
		total  time.Duration
		within time.Duration
	}{
		{"M 1.2, tenth", Exponential(time.Second, 1.2, 0), 10, 5160 * ms, 25960 * ms, 3 * ms},
		{"M 8, fifth", Exponential(time.Second, 8, 0), 5, 4096 * time.Second, 4681 * time.Second, 0},
		{"10 s × 2", Exponential(10*time.Second, 2, 0), 5, 160 * time.Second, 310 * time.Second, 0},
		{"1 s × 2, 3", Exponential(time.Second, 2, 0), 3, 4 * time.Second, 7 * time.Second, 0},
		{"1 s × 2, 5", Exponential(time.Second, 2, 0), 5, 16 * time.Second, 31 * time.Second, 0},
		{"1 s × 2, 10", Exponential(time.Second, 2, 0), 10, 512 * time.Second, 1023 * time.Second, 0},
		{"1 s × 2, 13", Exponential(time.Second, 2, 0), 13, 4096 * time.Second, 8191 * time.Second, 0},
		{"1 s × 2, 15", Exponential(time.Second, 2, 0), 15, 16384 * time.Second, 32767 * time.Second, 0},
		{"100 ms × 2", Exponential(100*ms, 2, 0), 3, 400 * ms, 700 * ms, 0},
		{"333 ms × 2 fits 5 s", Exponential(333*ms, 2, 0), 4, 2664 * ms, 4995 * ms, 0},
		{"714 ms × 2 fits 5 s", Exponential(714*ms, 2, 0), 3, 2856 * ms, 4998 * ms, 0},
		{"cap", Exponential(time.Second, 2, 5*time.Second), 4, 5 * time.Second, 12 * time.Second, 0},
		{"fixed", Fixed(time.Minute), 3, time.Minute, 3 * time.Minute, 0},
		{"linear F·n", Linear(100*ms, 0, 0), 3, 300 * ms, 600 * ms, 0},
		{"linear step", Linear(time.Second, 500*ms, 1750*ms), 3, 1750 * ms, 4250 * ms, 0},
		{"steps", Steps(time.Second, 5*time.Second), 4, 5 * time.Second, 16 * time.Second, 0},
		{"fibonacci", Fibonacci(time.Second, 0), 6, 8 * time.Second, 20 * time.Second, 0},
		{"fibonacci cap", Fibonacci(time.Second, 4*time.Second), 6, 4 * time.Second, 15 * time.Second, 0},
	} {
		var total, last time.Duration
		for n := 1; n <= c.n; n++ {
			last = c.b.Nominal(n, Attempt{})
			total += last
		}
		if (last-c.last).Abs() > c.within || (total-c.total).Abs() > c.within {
			t.Errorf("%s: last %v, total %v; want %v, %v", c.name, last, total, c.last, c.total)
		}
	}
}

// TestBackoffOverflow: large n gives the cap, or the largest duration without
// one; nothing ever shrinks or turns negative.
func TestBackoffOverflow(t *testing.T) {
	for name, b := range map[string]struct{ free, capped Backoff }{
		"exponential": {Exponential(100*ms, 2, 0), Exponential(100*ms, 2, time.Minute)},
		"linear":      {Linear(1e6*time.Second, 0, 0), Linear(1e6*time.Second, 0, 1e7*time.Second)},
		"fibonacci":   {Fibonacci(time.Second, 0), Fibonacci(time.Second, time.Minute)},
	} {
		previous := time.Duration(0)
		for n := 1; n <= 1_000_000; n = n + 1 + n/8 {
			d := b.free.Nominal(n, Attempt{})
			if d < previous {
				t.Fatalf("%s: retry %d waits %v after %v", name, n, d, previous)
			}
			previous = d
		}
		if got := b.free.Nominal(1_000_000, Attempt{}); name != "linear" && got != math.MaxInt64 {
			t.Errorf("%s without cap: %v", name, got)
		}
		if got, limit := b.capped.Nominal(1_000_000, Attempt{}), b.capped.(capped).maximum(); got != limit {
			t.Errorf("%s: %v, want the cap %v", name, got, limit)
		}
	}
}

func TestCustomBackoff(t *testing.T) {
	byCategory := Custom(func(n int, last Attempt) time.Duration {
		if last.Verdict.Category == Timeout {
			return last.PreviousDelay + time.Hour
		}
		return -time.Second
	})
	p := must(New(byCategory, NoJitter(), Max(90*time.Minute)))
	for _, c := range []struct {
		category Category
		previous time.Duration
		want     time.Duration
	}{
		{Network, 0, 0}, {Timeout, time.Minute, 61 * time.Minute}, {Timeout, time.Hour, 90 * time.Minute},
	} {
		d := p.Decide(Failure{Attempt: 1, Verdict: Verdict{Category: c.category}, PreviousDelay: c.previous}, nil)
		if d.Delay != c.want {
			t.Errorf("%+v: %v", c, d.Delay)
		}
	}
}
