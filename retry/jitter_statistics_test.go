package retry

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The closed forms of the distributions, over [0, 1).
func uniformCDF(x float64) float64 { return x }
func betaCDF(x float64) float64    { return x * x * (3 - 2*x) }

// kolmogorov is the distance of Kolmogorov and Smirnov between points in [0, 1)
// and a distribution function. It sorts the points.
func kolmogorov(points []float64, cdf func(float64) float64) float64 {
	slices.Sort(points)
	n, distance := float64(len(points)), 0.0
	for i, x := range points {
		distance = max(distance, cdf(x)-float64(i)/n, float64(i+1)/n-cdf(x))
	}
	return distance
}

// critical is the distance that n points of the right distribution exceed with
// probability 10⁻⁴: √(−ln(α/2)/2n), the limit of Kolmogorov's distribution for
// large n.
func critical(n int) float64 {
	const alpha = 1e-4
	return math.Sqrt(-math.Log(alpha/2) / 2 / float64(n))
}

// jitterCases are the jitters with the bounds of a draw for the window of 10 s
// with first interval 1 s, previous delay 5 s and cap 12 s.
var jitterCases = []struct {
	name      string
	jitter    JitterOption
	low, high time.Duration
	cdf       func(float64) float64
}{
	{"full", FullJitter(), 0, 10 * time.Second, uniformCDF},
	{"equal", EqualJitter(), 5 * time.Second, 10 * time.Second, uniformCDF},
	{"proportional", Proportional(0.2), 8 * time.Second, 12 * time.Second, uniformCDF},
	{"additive", Additive(0.1), 10 * time.Second, 11 * time.Second, uniformCDF},
	{"decorrelated", Decorrelated(), time.Second, 12 * time.Second, uniformCDF},
	{"bounded", Bounded(0.3, 0.7), 3 * time.Second, 7 * time.Second, uniformCDF},
	{"beta", Beta(0.3, 0.7), 3 * time.Second, 7 * time.Second, betaCDF},
}

const statisticalDraws = 100_000

// TestJitterDistribution compares seeded draws with the closed form.
func TestJitterDistribution(t *testing.T) {
	w := Window{Nominal: 10 * time.Second, First: time.Second, Previous: 5 * time.Second, Max: 12 * time.Second}
	for _, c := range jitterCases {
		t.Run(c.name, func(t *testing.T) {
			if low, high := c.jitter.Bounds(w); low != c.low || high != c.high {
				t.Errorf("bounds %v to %v", low, high)
			}
			for seed := range uint64(3) {
				r, points := rand.New(rand.NewPCG(seed, 2)), make([]float64, statisticalDraws)
				for i := range points {
					points[i] = float64(c.jitter.Draw(w, r)-c.low) / float64(c.high-c.low)
				}
				if d := kolmogorov(points, c.cdf); d > critical(len(points)) {
					t.Errorf("seed %d: distance %.5f, at most %.5f", seed, d, critical(len(points)))
				}
			}
		})
	}
	if got := NoJitter().Draw(w, nil); got != w.Nominal {
		t.Errorf("none: %v", got)
	}
}

// TestJitterDistributionCanFail: the test above tells neighbours apart: a window
// that is 2 % too narrow, the wrong law, and numbers of 6 bits.
func TestJitterDistributionCanFail(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"narrow": func() float64 { return 0.98 * r.Float64() },
		"beta":   func() float64 { return float64(Beta(0, 1).Draw(Window{Nominal: time.Second}, r)) / 1e9 },
		"coarse": func() float64 { return math.Floor(64*r.Float64()) / 64 },
	} {
		points := make([]float64, statisticalDraws)
		for i := range points {
			points[i] = draw()
		}
		if d := kolmogorov(points, uniformCDF); d <= critical(len(points)) {
			t.Errorf("%s: distance %.5f passes", name, d)
		}
	}
}

// TestDecorrelatedChain follows chains of decorrelated delays: given the previous
// delay, each is uniform over its own window, and what was drawn does not show in
// the next one.
func TestDecorrelatedChain(t *testing.T) {
	p := must(New(Exponential(100*ms, 2, 20*time.Second), Decorrelated(), Unlimited()))
	r := rand.New(rand.NewPCG(7, 8))
	points, atCap := make([]float64, 0, statisticalDraws), 0
	f := at(1, Network)
	for len(points) < statisticalDraws {
		low, high := p.Jitter().Bounds(p.Window(Attempt{Number: f.Attempt, PreviousDelay: f.PreviousDelay}))
		if wantHigh := min(20*time.Second, 3*max(f.PreviousDelay, 100*ms)); low != 100*ms || high != wantHigh {
			t.Fatalf("window %v to %v after %v", low, high, f.PreviousDelay)
		}
		if high == 20*time.Second {
			atCap++
		}
		d := p.Decide(f, r).Delay
		points = append(points, float64(d-low)/float64(high-low))
		if f.Attempt, f.PreviousDelay = f.Attempt+1, d; f.Attempt > 50 {
			f.Attempt, f.PreviousDelay = 1, 0 // another chain
		}
	}
	if atCap < statisticalDraws/4 || atCap > statisticalDraws*9/10 {
		t.Errorf("%d windows end at the cap", atCap)
	}
	// The correlation of neighbours has the standard deviation 1/√n.
	if c := correlation(points[:len(points)-1], points[1:]); math.Abs(c) > 4/math.Sqrt(statisticalDraws) {
		t.Errorf("correlation of neighbours %.4f", c)
	}
	if d := kolmogorov(points, uniformCDF); d > critical(len(points)) {
		t.Errorf("distance %.5f", d)
	}
}

func correlation(x, y []float64) float64 {
	meanX, deviationX := moments(x)
	meanY, deviationY := moments(y)
	sum := 0.0
	for i := range x {
		sum += (x[i] - meanX) * (y[i] - meanY)
	}
	return sum / float64(len(x)) / deviationX / deviationY
}

func moments(x []float64) (mean, deviation float64) {
	square := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
		square += v * v / float64(len(x))
	}
	return mean, math.Sqrt(square - mean*mean)
}

// saturated draws delays at retry 10⁶, where every window is at the cap of 30 s.
func saturated(t *testing.T, options ...Option) []float64 {
	t.Helper()
	p := must(New(append(options, Exponential(time.Second, 2, 30*time.Second), Unlimited())...))
	r, seconds := rand.New(rand.NewPCG(5, 6)), make([]float64, statisticalDraws)
	f := at(1_000_000, Network)
	f.PreviousDelay = 30 * time.Second
	for i := range seconds {
		seconds[i] = p.Decide(f, r).Delay.Seconds()
	}
	return seconds
}

// mostCommon is the largest share of equal values.
func mostCommon(values []float64) float64 {
	most, seen := 0, map[float64]int{}
	for _, v := range values {
		seen[v]++
		most = max(most, seen[v])
	}
	return float64(most) / float64(len(values))
}

// TestSpreadAtCap: at the cap every jitter still spreads: no delay has a
// probability above 1/1000, and the standard deviation is that of the closed form,
// cap/√12 = 0.2887·cap for full jitter.
func TestSpreadAtCap(t *testing.T) {
	const limit = 30.0
	sd := map[string]float64{
		"full": 1 / math.Sqrt(12), "equal": 0.5 / math.Sqrt(12), "proportional": 0.4 / math.Sqrt(12),
		"additive": 0.1 / math.Sqrt(12), "decorrelated": 29.0 / 30 / math.Sqrt(12), "bounded": 0.4 / math.Sqrt(12),
		"beta": 0.4 / math.Sqrt(20), // the variance of Beta(2,2) is 1/20
	}
	for _, c := range jitterCases {
		t.Run(c.name, func(t *testing.T) {
			seconds := saturated(t, c.jitter)
			if share := mostCommon(seconds); share > 1.0/1000 {
				t.Errorf("one delay has a share of %.4f", share)
			}
			_, deviation := moments(seconds)
			if want := sd[c.name] * limit; math.Abs(deviation-want) > 0.01*want {
				t.Errorf("standard deviation %.3f s, want %.3f s", deviation, want)
			}
			if c.name == "full" && deviation < 0.28*limit {
				t.Errorf("standard deviation %.3f s is below 0.28·cap", deviation)
			}
		})
	}
}

// clamped draws first and clamps then, as several libraries do.
type clamped struct{ Jitter }

func (j clamped) Draw(w Window, r Rand) time.Duration {
	w.Nominal *= 2 // the window before the cap
	return min(w.Max, j.Jitter.Draw(w, r))
}

// TestClampedDrawsFail: the conditions above refuse draws that are clamped.
func TestClampedDrawsFail(t *testing.T) {
	seconds := saturated(t, WithJitter(clamped{EqualJitter()}))
	if share := mostCommon(seconds); share <= 1.0/1000 {
		t.Errorf("a clamped jitter has no common delay: %.4f", share)
	}
	if _, deviation := moments(seconds); deviation >= 0.28*30 {
		t.Errorf("a clamped jitter keeps a standard deviation of %.3f s", deviation)
	}
}

// ExampleDecorrelated shows that the window grows from what was drawn.
func ExampleDecorrelated() {
	w := Window{First: time.Second, Previous: 4 * time.Second, Max: 30 * time.Second}
	fmt.Println(Decorrelated().Bounds(w))
	// Output: 1s 12s
}
