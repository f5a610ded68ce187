package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// A success that comes too late is a failure to those who say so.
func TestInTime(t *testing.T) {
	for name, c := range map[string]struct {
		opts   []retry.Option
		took   []time.Duration // of the attempts
		calls  int
		reason error // nil is a success
		last   error
	}{
		"late":                   {[]retry.Option{retry.InTime(), retry.PerAttempt(time.Second)}, []time.Duration{time.Second, 0}, 2, nil, nil},
		"late, and no more":      {[]retry.Option{retry.InTime(), retry.PerAttempt(time.Second), retry.Attempts(1)}, []time.Duration{time.Second}, 1, retry.ErrAttempts, retry.ErrAttemptTimeout},
		"late, but not said":     {[]retry.Option{retry.PerAttempt(time.Second)}, []time.Duration{time.Hour}, 1, nil, nil},
		"in time":                {[]retry.Option{retry.InTime(), retry.PerAttempt(time.Second)}, []time.Duration{time.Second - 1}, 1, nil, nil},
		"without a limit":        {[]retry.Option{retry.InTime()}, []time.Duration{time.Hour}, 1, nil, nil},
		"after the time for all": {[]retry.Option{retry.InTime(), retry.TTL(time.Second)}, []time.Duration{time.Second}, 1, retry.ErrNoTime, retry.ErrDeadline},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := policy(t, append([]retry.Option{retry.Idempotent(), retry.Fixed(0), retry.NoJitter()}, c.opts...)...)
				calls := 0
				got, err := retry.Value(t.Context(), p, func(context.Context) (int, error) {
					time.Sleep(c.took[calls])
					calls++
					return calls, nil
				})
				if got != c.calls || (err == nil) != (c.reason == nil) || !errors.Is(err, c.reason) || !errors.Is(err, c.last) {
					t.Errorf("%d, %v after %d calls", got, err, calls)
				}
			})
		})
	}
}

// By a hedge without a wait all copies begin together.
func TestHedgeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: -1, Most: 2}))
		start, began := time.Now(), make(chan time.Duration, 10)
		_, err := retry.Hedged(t.Context(), p, func(context.Context) (int, error) {
			began <- time.Since(start)
			time.Sleep(time.Second)
			return 0, nil
		})
		if err != nil || len(began) != 3 {
			t.Fatalf("%v, %d copies", err, len(began))
		}
		for range 3 {
			if at := <-began; at != 0 {
				t.Errorf("a copy began at %v", at)
			}
		}
	})
}

// A breaker that judges all calls opens on the success that completes the window.
func TestBreakerJudgesAll(t *testing.T) {
	for _, c := range []struct {
		config retry.BreakerConfig
		calls  string // f is a failure
		want   retry.BreakerState
	}{
		{retry.BreakerConfig{FailureRate: 0.5, MinCalls: 4}, "ffss", retry.Closed},
		{retry.BreakerConfig{FailureRate: 0.5, MinCalls: 4, JudgeAll: true}, "ffss", retry.Open},
		{retry.BreakerConfig{FailureRate: 0.5, MinCalls: 4, Count: 4, JudgeAll: true}, "ffss", retry.Open},
		{retry.BreakerConfig{FailureRate: 0.5, MinCalls: 4, JudgeAll: true}, "ffs", retry.Closed},
		{retry.BreakerConfig{FailureRate: 0.5, MinCalls: 4, JudgeAll: true}, "fsss", retry.Closed},
	} {
		b, err := retry.NewBreaker(c.config)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		for _, kind := range c.calls {
			permit, err := b.Acquire(now)
			if err != nil {
				t.Fatal(err)
			}
			if kind == 'f' {
				permit.Failure(now, 0, retry.Network)
			} else {
				permit.Success(now, 0)
			}
		}
		if got := b.View(now).State; got != c.want {
			t.Errorf("%+v, %s: %v, not %v", c.config, c.calls, got, c.want)
		}
	}
}

// A variant of a policy has its settings but for what is changed, and changes nothing
// of it.
func TestFrom(t *testing.T) {
	limit := places(t, 1)
	errA := errors.New("a")
	base := policy(t, retry.Attempts(7), retry.Exponential(time.Second, 3, 9*time.Second), retry.NoJitter(), retry.PerAttempt(time.Minute),
		retry.On("x"), retry.GiveUpOn("y"), retry.OnError(errA, retry.Rule{Then: retry.GiveUp}), retry.Idempotent(),
		retry.Rules(retry.Rule{When: []retry.Category{retry.Timeout}, Backoff: retry.Fixed(time.Hour)}), retry.WithLimit(limit)).Named("base", 3)
	variant := policy(t, retry.From(base), retry.Attempts(2), retry.On("z"))
	twin := policy(t, retry.From(base), retry.Exponential(2*time.Second, 3, 0), retry.On("w"), retry.Classifiers(func(error) (retry.Verdict, bool) {
		return retry.Verdict{}, false
	}))

	if got := variant.Plan(3); len(got) != 1 || got[0] != time.Second {
		t.Errorf("the variant waits %v", got)
	}
	if got := twin.Plan(3); got[2] != 18*time.Second {
		t.Errorf("the cap went with the backoff it belonged to, and yet it waits %v", got)
	}
	if variant.Timeout() != time.Minute || variant.MaxAttempts() != 2 || variant.Name() != "" || variant.Version() != 0 {
		t.Errorf("the variant is %+v", variant)
	}
	if idempotent, _ := variant.DeclaredIdempotent(); !idempotent || len(variant.Rules()) != 1 || variant.Cap() != 9*time.Second {
		t.Error("the variant lacks something")
	}
	for code, p := range map[string]*retry.Policy{"z": variant, "w": twin, "x": base} {
		for other, q := range map[string]*retry.Policy{"z": variant, "w": twin, "x": base} {
			d := q.Decide(retry.Failure{Attempt: 1, Verdict: retry.Verdict{Category: retry.Permanent, Code: code}}, nil)
			if want := p == q || code == "x"; d.Retry != want {
				t.Errorf("%s is repeated by that with %s: %t", code, other, d.Retry)
			}
		}
	}
	if d := variant.Decide(retry.Failure{Attempt: 1, Err: errA, Verdict: retry.Verdict{Category: retry.Network}}, nil); d.Retry {
		t.Error("the rule for an error is lost")
	}
	if d := twin.Decide(retry.Failure{Attempt: 1, Verdict: retry.Verdict{Category: retry.Timeout}}, nil); d.Delay < time.Hour {
		t.Errorf("the rule for timeouts waits %v", d.Delay)
	}
	limit.Acquire(time.Now())
	if err := retry.Do(t.Context(), variant, func(context.Context) error { return nil }); !errors.Is(err, retry.ErrLimited) {
		t.Errorf("the variant has no limit: %v", err)
	}
	if base.MaxAttempts() != 7 || base.Name() != "base" {
		t.Error("the base has changed")
	}
	if p := policy(t, retry.From(nil)); p.MaxAttempts() != retry.DefaultAttempts {
		t.Errorf("From(nil) has %d attempts", p.MaxAttempts())
	}
	if p := policy(t, retry.From(&retry.Policy{})); p.MaxAttempts() != retry.DefaultAttempts {
		t.Errorf("From of an empty policy has %d attempts", p.MaxAttempts())
	}
}

// A result in the background is that of the last attempt, for all who ask.
func TestGoValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(time.Minute), retry.NoJitter(), retry.Idempotent(), retry.Attempts(3))
		calls, start := 0, time.Now()
		h := retry.GoValue(t.Context(), p, func(context.Context) (int, error) {
			if calls++; calls < 3 {
				return -calls, errNetwork
			}
			return calls, nil
		})
		if closed(h.Done()) {
			t.Error("done before it began")
		}
		for range 2 {
			if got, err := h.Wait(); got != 3 || err != nil || time.Since(start) != 2*time.Minute || !closed(h.Done()) {
				t.Errorf("%d, %v after %v", got, err, time.Since(start))
			}
		}

		calls = -10
		h = retry.GoValue(t.Context(), p, func(context.Context) (int, error) { calls++; return calls, errNetwork })
		time.Sleep(time.Minute + time.Second)
		h.Stop()
		if got, err := h.Wait(); got != -8 || !errors.Is(err, retry.ErrStopped) || !errors.Is(err, errNetwork) {
			t.Errorf("stopped after two attempts: %d, %v", got, err)
		}
	})
}
