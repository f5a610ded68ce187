package retry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestBetaMass: Beta(2,2) has 56.8 % of its mass in [0.3, 0.7].
func TestBetaMass(t *testing.T) {
	r, inside := rand.New(rand.NewPCG(3, 4)), 0
	for range 100_000 {
		if d := Beta(0, 1).Draw(Window{Nominal: time.Second}, r); d >= 300*ms && d < 700*ms {
			inside++
		}
	}
	if share := float64(inside) / 100_000; math.Abs(share-0.568) > 0.005 {
		t.Errorf("%.4f", share)
	}
}

// TestAdditiveFigures: 1 s × 2 with additive(0.1), five retries, takes 31 to
// 34.1 s with a mean of 32.55 s.
func TestAdditiveFigures(t *testing.T) {
	p := must(New(Exponential(time.Second, 2, 0), Additive(0.1), Attempts(6)))
	var low, high time.Duration
	for i := range p.Plan(5) {
		l, h := p.Jitter().Bounds(p.Window(Attempt{Number: i + 1}))
		low, high = low+l, high+h
	}
	if low != 31*time.Second || high != 34100*ms || (low+high)/2 != 32550*ms {
		t.Errorf("%v to %v", low, high)
	}
}

// TestJitterProperties: no draw leaves its bounds, whatever the window and
// whatever an injected generator returns.
func TestJitterProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := rapid.SampledFrom([]Jitter{
			FullJitter(), EqualJitter(), NoJitter(), Decorrelated(), Additive(0.1), Additive(1),
			Proportional(1), Proportional(0.2), Bounded(0.3, 0.7), Bounded(1, 10), Beta(0.3, 0.7),
		}).Draw(t, "jitter")
		span := rapid.Int64Range(0, math.MaxInt64)
		w := Window{
			Nominal:  time.Duration(span.Draw(t, "nominal")),
			First:    time.Duration(span.Draw(t, "first")),
			Previous: time.Duration(span.Draw(t, "previous")),
			Max:      time.Duration(span.Draw(t, "max")),
		}
		u := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(1-0x1p-53), rapid.Just(math.NaN()), rapid.Just(-1.0)).Draw(t, "u")
		low, high := j.Bounds(w)
		d := j.Draw(w, constant(u))
		if d < 0 || d < low || d > high || d == high && low != high {
			t.Fatalf("%v is outside [%v, %v)", d, low, high)
		}
	})
}

// constant is a Rand that always returns itself.
type constant float64

func (c constant) Float64() float64 { return float64(c) }
