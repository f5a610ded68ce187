package retry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// checkDelay decides and checks what holds for every delay: never negative, never
// before the hint under the cap, never over the bound of the window, or of the
// spread floor that replaced it.
func checkDelay(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Policy, f Failure, r Rand) {
	t.Helper()
	d := p.Decide(f, r)
	if !d.Retry {
		t.Fatalf("%+v is not retried: %+v", f, d)
	}
	limit := p.Cap()
	if limit == 0 {
		limit = HintCap
	}
	floor := max(0, min(f.Verdict.Hint.After, limit))
	_, top := p.Jitter().Bounds(p.Window(Attempt{Number: f.Attempt, Verdict: f.Verdict, PreviousDelay: f.PreviousDelay}))
	switch d.Rule {
	case "hint":
		top = scale(floor, HintSpread)
	case string(Throttled):
		top = scale(ThrottledFloor, HintSpread)
	case string(Conflict):
		top = min(ConflictMax, p.Window(Attempt{Number: f.Attempt}).Nominal)
	}
	if d.Delay < 0 || d.Delay < floor || d.Delay > top {
		t.Fatalf("%v (%s) for %+v: floor %v, bound %v", d.Delay, d.Rule, f, floor, top)
	}
}

// TestDelayProperties draws policies of every kind with every jitter, failures up
// to retry 2·10⁶, and hints.
func TestDelayProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "first"))
		limit := first + time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "over"))
		if rapid.Bool().Draw(t, "no cap") {
			limit = 0
		}
		backoff := rapid.SampledFrom([]BackoffOption{
			Exponential(first, rapid.Float64Range(1, 100).Draw(t, "multiplier"), limit),
			Linear(first, first/2+1, limit), Fixed(first), Fibonacci(first, limit), Steps(first, 2*first, first/3+1),
		}).Draw(t, "backoff")
		x := rapid.Float64Range(0.001, 1).Draw(t, "x")
		jitter := rapid.SampledFrom([]JitterOption{
			FullJitter(), EqualJitter(), NoJitter(), Decorrelated(), Additive(x), Proportional(x), Bounded(x/2, x), Beta(0, x),
		}).Draw(t, "jitter")
		p := must(New(backoff, jitter, Unlimited()))
		f := at(rapid.IntRange(1, 2_000_000).Draw(t, "attempt"), rapid.SampledFrom(Categories()[3:]).Draw(t, "category"))
		f.Verdict.Hint.After = time.Duration(rapid.Int64Range(math.MinInt64, math.MaxInt64).Draw(t, "hint"))
		f.PreviousDelay = time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "previous"))
		checkDelay(t, p, f, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
	})
}

// TestDelayAtMillion: retry 10⁶ of every kind is at the cap, or at the largest
// duration without one, and never negative.
func TestDelayAtMillion(t *testing.T) {
	const n = 1_000_000
	for name, c := range map[string]struct {
		backoff BackoffOption
		want    time.Duration
	}{
		"exponential":         {Exponential(time.Second, 2, 5*time.Minute), 5 * time.Minute},
		"exponential, no cap": {Exponential(time.Second, 2, 0), math.MaxInt64},
		"slowest growth":      {Exponential(time.Hour, 1.0001, 0), math.MaxInt64},
		"linear":              {Linear(3*time.Hour, 3*time.Hour, 0), math.MaxInt64},
		"linear under a cap":  {Linear(time.Hour, time.Hour, 48*time.Hour), 48 * time.Hour},
		"fibonacci":           {Fibonacci(1, 0), math.MaxInt64},
		"fixed":               {Fixed(time.Minute), time.Minute},
		"steps":               {Steps(time.Second, time.Hour), time.Hour},
	} {
		p := must(New(c.backoff, NoJitter(), Unlimited()))
		if d := p.Decide(at(n, Network), nil).Delay; d != c.want {
			t.Errorf("%s: %v, want %v", name, d, c.want)
		}
		for _, j := range jitterCases {
			p := must(New(c.backoff, j.jitter, Unlimited()))
			for _, u := range []constant{0, 0.5, 1 - 0x1p-53} {
				f := at(n, Network)
				f.PreviousDelay = math.MaxInt64
				checkDelay(t, p, f, u)
			}
		}
	}
}

// FuzzDelay is TestDelayProperties with numbers from outside.
func FuzzDelay(f *testing.F) {
	f.Add(uint8(0), uint8(0), int64(time.Second), int64(time.Minute), 2.0, 0.5, 1_000_000, int64(0), int64(0), uint64(1))
	f.Add(uint8(1), uint8(3), int64(1), int64(0), 1.5, 1.0, 1, int64(math.MaxInt64), int64(math.MaxInt64), uint64(2))
	f.Add(uint8(3), uint8(6), int64(math.MaxInt64), int64(math.MaxInt64), 100.0, 0.1, math.MaxInt, int64(math.MinInt64), int64(-1), uint64(3))
	f.Fuzz(func(t *testing.T, kind, jitter uint8, first, limit int64, multiplier, x float64, attempt int, hint, previous int64, seed uint64) {
		initial, most := time.Duration(first), time.Duration(limit)
		backoffs := []BackoffOption{Exponential(initial, multiplier, most), Linear(initial, 0, most), Fibonacci(initial, most), Fixed(initial)}
		jitters := []JitterOption{FullJitter(), EqualJitter(), Decorrelated(), Additive(x), Proportional(x), Bounded(0, x), Beta(0, x), NoJitter()}
		p, err := New(backoffs[int(kind)%len(backoffs)], jitters[int(jitter)%len(jitters)], Unlimited())
		if err != nil {
			return // refused values are not this property's
		}
		failed := at(max(attempt, 1), Network)
		failed.Verdict.Hint.After, failed.PreviousDelay = time.Duration(hint), time.Duration(previous)
		checkDelay(t, p, failed, rand.New(rand.NewPCG(seed, 0)))
	})
}
