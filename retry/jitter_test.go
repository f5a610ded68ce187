package retry

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// cdfs are the closed forms of the distributions over [low, high).
func uniformCDF(x float64) float64 { return x }
func betaCDF(x float64) float64    { return x * x * (3 - 2*x) }

// TestJitterDistribution compares 10⁵ seeded draws with the closed form by
// Kolmogorov and Smirnov. 1.95/√n is the bound at the level 0.001.
func TestJitterDistribution(t *testing.T) {
	const n = 100_000
	w := Window{Nominal: 10 * time.Second, First: time.Second, Previous: 5 * time.Second, Max: 12 * time.Second}
	for name, c := range map[string]struct {
		j         Jitter
		low, high time.Duration
		cdf       func(float64) float64
	}{
		"full":         {FullJitter(), 0, 10 * time.Second, uniformCDF},
		"equal":        {EqualJitter(), 5 * time.Second, 10 * time.Second, uniformCDF},
		"proportional": {Proportional(0.2), 8 * time.Second, 12 * time.Second, uniformCDF},
		"additive":     {Additive(0.1), 10 * time.Second, 11 * time.Second, uniformCDF},
		"decorrelated": {Decorrelated(), time.Second, 12 * time.Second, uniformCDF},
		"bounded":      {Bounded(0.3, 0.7), 3 * time.Second, 7 * time.Second, uniformCDF},
		"beta":         {Beta(0.3, 0.7), 3 * time.Second, 7 * time.Second, betaCDF},
	} {
		if low, high := c.j.Bounds(w); low != c.low || high != c.high {
			t.Errorf("%s: bounds %v to %v", name, low, high)
		}
		r := rand.New(rand.NewPCG(1, 2))
		draws := make([]float64, n)
		for i := range draws {
			draws[i] = float64(c.j.Draw(w, r)-c.low) / float64(c.high-c.low)
		}
		slices.Sort(draws)
		distance := 0.0
		for i, x := range draws {
			distance = max(distance, math.Abs(c.cdf(x)-float64(i)/n), math.Abs(c.cdf(x)-float64(i+1)/n))
		}
		if distance > 1.95/math.Sqrt(n) {
			t.Errorf("%s: distance %.5f", name, distance)
		}
	}
	if got := NoJitter().Draw(w, nil); got != w.Nominal {
		t.Errorf("none: %v", got)
	}
}

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

// TestSpreadAtCap: at the cap, full jitter keeps its spread (standard deviation
// cap/√12) and decorrelated jitter does not pile up.
func TestSpreadAtCap(t *testing.T) {
	for name, j := range map[string]Option{"full": FullJitter(), "decorrelated": Decorrelated()} {
		p := must(New(Exponential(time.Second, 2, 30*time.Second), j, Unlimited()))
		r, seen, mean, square := rand.New(rand.NewPCG(5, 6)), map[time.Duration]int{}, 0.0, 0.0
		const n = 10_000
		for range n {
			d := p.Decide(Failure{Attempt: 1_000_000, PreviousDelay: 30 * time.Second}, r).Delay
			seen[d]++
			if seen[d] > n/1000 {
				t.Fatalf("%s: %v comes up again and again", name, d)
			}
			mean += d.Seconds() / n
			square += d.Seconds() * d.Seconds() / n
		}
		if sd := math.Sqrt(square - mean*mean); sd < 0.27*30 {
			t.Errorf("%s: standard deviation %.2f s", name, sd)
		}
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
