package retry_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
)

func rate(tb testing.TB, perSecond float64, burst int) *retry.Rate {
	tb.Helper()
	r, err := retry.NewRate(retry.RateConfig{PerSecond: perSecond, Burst: burst})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestRate(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		perSecond float64
		burst     int
		at        []time.Duration
		waits     []time.Duration // 0 is a call
	}{
		"even":             {10, 0, []time.Duration{0, 0, 99 * ms, 100 * ms, 100 * ms}, []time.Duration{0, 100 * ms, ms, 0, 100 * ms}},
		"a burst":          {10, 3, []time.Duration{0, 0, 0, 0, 100 * ms, 100 * ms}, []time.Duration{0, 0, 0, 100 * ms, 0, 100 * ms}},
		"nothing saved up": {10, 2, []time.Duration{0, time.Hour, time.Hour, time.Hour}, []time.Duration{0, 0, 0, 100 * ms}},
		"slow":             {0.1, 1, []time.Duration{0, 4 * time.Second}, []time.Duration{0, 6 * time.Second}},
		"the clock steps":  {1, 1, []time.Duration{0, -time.Second}, []time.Duration{0, 2 * time.Second}},
	} {
		r, start := rate(t, c.perSecond, c.burst), time.Now()
		for i, at := range c.at {
			ok, wait := r.Acquire(start.Add(at))
			if ok != (c.waits[i] == 0) || wait != c.waits[i] {
				t.Errorf("%s: call %d at %v: %t, %v, not %v", name, i, at, ok, wait, c.waits[i])
			}
		}
	}
}

func TestRateReturn(t *testing.T) {
	r, now := rate(t, 1, 1), time.Now()
	_, _ = r.Acquire(now)
	r.Return()
	if ok, _ := r.Acquire(now); !ok {
		t.Error("what was given back is not there")
	}
	if ok, wait := r.Acquire(now); ok || wait != time.Second {
		t.Errorf("more was given back: %t, %v", ok, wait)
	}
}

func TestRateRefused(t *testing.T) {
	for config, field := range map[retry.RateConfig]string{
		{}:                              "rate.per_second",
		{PerSecond: -1}:                 "rate.per_second",
		{PerSecond: 1e6 + 1}:            "rate.per_second",
		{PerSecond: 1, Burst: -1}:       "rate.burst",
		{PerSecond: 1, Burst: 1e6 + 1}:  "rate.burst",
		{PerSecond: 1e6, Burst: 1e6}:    "",
		{PerSecond: 1e-6, Burst: 1}:     "",
		{PerSecond: 1e-300, Burst: 1e6}: "",
	} {
		_, err := retry.NewRate(config)
		found := retry.FieldErrors(err)
		if (field == "") != (err == nil) || field != "" && (len(found) != 1 || found[0].Field != field) {
			t.Errorf("%+v: %v", config, err)
		}
	}
}

// In no time t are there more than PerSecond · t + Burst calls, and who waits as long
// as it is told has its turn.
func TestRateBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond, burst := rapid.Float64Range(0.5, 200).Draw(t, "rate"), rapid.IntRange(1, 20).Draw(t, "burst")
		r, err := retry.NewRate(retry.RateConfig{PerSecond: perSecond, Burst: burst})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		var calls []time.Time
		for range 60 {
			now = now.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "gap")) * time.Millisecond)
			ok, wait := r.Acquire(now)
			if !ok && rapid.Bool().Draw(t, "patient") {
				now = now.Add(wait)
				if ok, wait = r.Acquire(now); !ok {
					t.Fatalf("it is to wait for %v more", wait)
				}
			}
			if ok {
				calls = append(calls, now)
			}
		}
		for i := range calls {
			for j := i; j < len(calls); j++ {
				most := perSecond*calls[j].Sub(calls[i]).Seconds() + float64(burst)
				if n := float64(j - i + 1); n > most+1e-6 {
					t.Fatalf("%v calls in %v, at most %v", n, calls[j].Sub(calls[i]), most)
				}
			}
		}
	})
}
