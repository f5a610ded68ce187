package retry_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
)

// prober goes through one outage of a length in seconds. It returns the failed
// probes and when the end was noticed.
type prober func(length float64) (wasted int, noticed float64)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// openFor is a breaker that stays open for 5 s ±25 %.
func openFor(r *rand.Rand) prober {
	return func(length float64) (wasted int, noticed float64) {
		for {
			if noticed += 5 * (0.75 + r.Float64()/2); noticed >= length {
				return wasted, noticed
			}
			wasted++
		}
	}
}

// fullJitter is exponential backoff, 1 s × 2, at most a minute.
func fullJitter(r *rand.Rand) prober {
	return func(length float64) (wasted int, noticed float64) {
		for d := 1.0; ; d = min(60, 2*d) {
			if noticed += d * r.Float64(); noticed >= length {
				return wasted, noticed
			}
			wasted++
		}
	}
}

// learned asks o, and is a growing breaker as long as o knows too little.
func learned(o *retry.Outages, r *rand.Rand) prober {
	return func(length float64) (wasted int, noticed float64) {
		for open := 5.0; ; open = min(60, 1.5*open) {
			wait, known := o.Next(seconds(noticed), r)
			if !known {
				wait = seconds(open * (0.75 + r.Float64()/2))
			}
			failed := noticed
			if noticed += wait.Seconds(); noticed >= length {
				o.Observe(seconds(failed), seconds(noticed))
				return wasted, noticed
			}
			wasted++
		}
	}
}

// over sums a prober over the outages, without the first fifty.
func over(p prober, lengths []float64) (wasted, noticed float64) {
	for i, length := range lengths {
		if n, at := p(length); i >= 50 {
			wasted += float64(n)
			noticed += at
		}
	}
	return wasted, noticed
}

// TestOutagesSaveProbes holds the learned plan against both usual ones. The
// bounds are about what was measured with this seed; where lengths are
// memoryless, knowing the past saves little, as the last rows say.
func TestOutagesSaveProbes(t *testing.T) {
	racetest.WithoutDetector(t)
	r := rand.New(rand.NewPCG(11, 12))
	logNormal := func(median, sigma float64) func() float64 {
		return func() float64 { return median * math.Exp(sigma*r.NormFloat64()) }
	}
	short, long := logNormal(8, 0.6), logNormal(600, 0.6)
	mixed := func() float64 {
		if r.Float64() < 0.7 {
			return short()
		}
		return long()
	}
	for _, row := range []struct {
		name             string
		length           func() float64
		slower           float64 // most time to recovery against each, as a factor
		openFor, backoff float64 // most wasted probes against each, as a factor
	}{
		{"short", short, 1.06, 0.75, 0.3},
		{"long", long, 1.05, 0.15, 0.6},
		{"mixed", mixed, 1.05, 0.2, 0.65},
		{"regular", logNormal(30, 0.1), 1, 0.3, 0.3},
		{"memoryless", func() float64 { return 60 * r.ExpFloat64() }, 1.06, 0.6, 1},
		{"heavy tail", func() float64 { return 5 / math.Pow(1-r.Float64(), 1/1.2) }, 1.05, 0.5, 0.7},
	} {
		t.Run(row.name, func(t *testing.T) {
			lengths := make([]float64, 1000)
			for i := range lengths {
				lengths[i] = row.length()
			}
			wasted, noticed := over(learned(retry.NewOutages(retry.OutagesConfig{}), r), lengths)
			for _, other := range []struct {
				name string
				prober
				most float64
			}{{"open for 5 s", openFor(r), row.openFor}, {"full jitter", fullJitter(r), row.backoff}} {
				n, at := over(other.prober, lengths)
				t.Logf("against %s: time to recovery %+.1f %%, wasted probes %+.0f %%", other.name, 100*(noticed/at-1), 100*(wasted/n-1))
				if noticed > row.slower*at {
					t.Errorf("time to recovery is %.3f times that of %s, at most %.2f is wanted", noticed/at, other.name, row.slower)
				}
				if wasted > other.most*n {
					t.Errorf("wasted probes are %.3f times those of %s, at most %.2f is wanted", wasted/n, other.name, other.most)
				}
			}
		})
	}
}

// TestOutagesForget changes the lengths: the plan follows.
func TestOutagesForget(t *testing.T) {
	racetest.WithoutDetector(t)
	o := retry.NewOutages(retry.OutagesConfig{})
	for range 200 {
		o.Observe(9*time.Second, 10*time.Second)
	}
	if wait, _ := o.Next(0, nil); wait < 8*time.Second || wait > 15*time.Second {
		t.Errorf("first probe after %v, wanted 8 to 15 s", wait)
	}
	for range 200 {
		o.Observe(95*time.Second, 100*time.Second)
	}
	if wait, _ := o.Next(0, nil); wait < 80*time.Second || wait > 130*time.Second {
		t.Errorf("first probe after %v, wanted 80 to 130 s", wait)
	}
}

func TestOutagesNeedFive(t *testing.T) {
	racetest.WithoutDetector(t)
	o := retry.NewOutages(retry.OutagesConfig{})
	for i := range 5 {
		if _, known := o.Next(0, nil); known || o.Known() != i {
			t.Fatalf("after %d outages: known %v, %d", i, known, o.Known())
		}
		o.Observe(0, time.Second)
	}
	if _, known := o.Next(0, nil); !known {
		t.Error("nothing is known after five outages")
	}
}

// TestOutagesAnyHistory: whatever was seen, waits are positive and finite, and
// the probes of a long outage do not stop.
func TestOutagesAnyHistory(t *testing.T) {
	racetest.WithoutDetector(t)
	rapid.Check(t, func(t *rapid.T) {
		o := retry.NewOutages(retry.OutagesConfig{})
		for range rapid.IntRange(5, 12).Draw(t, "outages") {
			after := rapid.Int64Range(-1, math.MaxInt64).Draw(t, "after")
			by := rapid.Int64Range(-1, math.MaxInt64).Draw(t, "by")
			o.Observe(time.Duration(after), time.Duration(by))
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		elapsed := time.Duration(0)
		for probes := 0; elapsed < 1000*time.Hour; probes++ {
			wait, _ := o.Next(elapsed, r)
			if wait < 100*time.Millisecond || wait > 48*time.Hour {
				t.Fatalf("after %v the next probe is in %v", elapsed, wait)
			}
			if probes > 5_000_000 {
				t.Fatalf("%d probes in %v", probes, elapsed)
			}
			elapsed += wait
		}
	})
}

func TestOutagesAtOnce(t *testing.T) {
	o := retry.NewOutages(retry.OutagesConfig{})
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			o.Observe(seconds(float64(i)), seconds(float64(i+1)))
			o.Next(seconds(float64(i)), nil)
		})
	}
	all.Wait()
	if o.Known() != 64 {
		t.Errorf("%d outages are known", o.Known())
	}
}

func BenchmarkOutagesObserve(b *testing.B) {
	o := retry.NewOutages(retry.OutagesConfig{})
	for i := 0; b.Loop(); i++ {
		o.Observe(seconds(float64(i%60)), seconds(float64(i%60+5)))
	}
}

// Work that is deferred has happened when it is done, not before.
func TestOutagesDefer(t *testing.T) {
	var work []func()
	o := retry.NewOutages(retry.OutagesConfig{Defer: func(w func()) { work = append(work, w) }})
	for range 6 {
		o.Observe(9*time.Second, 10*time.Second)
	}
	if o.Known() != 0 || len(work) != 6 {
		t.Fatalf("%d outages are known, %d are deferred", o.Known(), len(work))
	}
	for _, w := range work {
		w()
	}
	if _, planned := o.Next(0, nil); o.Known() != 6 || !planned {
		t.Errorf("%d outages are known, planned: %v", o.Known(), planned)
	}
}
