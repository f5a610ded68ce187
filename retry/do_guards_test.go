package retry_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
)

// everyGuard is a target with all guards, easily moved. Its budget has one token
// and always binds.
func everyGuard(tb testing.TB) *retry.Target {
	tb.Helper()
	budget, err1 := retry.NewBudget(retry.BudgetConfig{Ratio: 1e-12, Floor: 1e-9, Pressure: -1})
	breaker, err2 := retry.NewBreaker(retry.BreakerConfig{Consecutive: 3, OpenFor: time.Minute, OpenMax: time.Minute, Ramp: -1})
	throttle, err3 := retry.NewThrottle(retry.ThrottleConfig{K: 100})
	limit, err4 := retry.NewLimit(retry.LimitConfig{Initial: 2, Fixed: true})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		tb.Fatal(err)
	}
	return &retry.Target{Name: "db", Budget: budget, Breaker: breaker, Throttle: throttle, Limit: limit}
}

func tokens(t *retry.Target) float64 { return t.Budget.State(time.Now()).Tokens }

func taken(t *retry.Target) int {
	_, taken := t.Limit.Now()
	return taken
}

// A guard that refuses the first attempt: nothing is called, nothing is kept.
func TestDoRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Idempotent(), retry.Fixed(2*time.Second), retry.NoJitter())
		pacing := policy(t, retry.For(target), retry.Fixed(2*time.Second), retry.NoJitter(), retry.OnExhausted(retry.Pace))
		refused := func(p *retry.Policy, reason error, took time.Duration) {
			t.Helper()
			start := time.Now()
			fn, calls := failing()
			end := asError(t, retry.Do(t.Context(), p, fn))
			if end.Reason != reason || end.Attempts != 0 || end.Last != nil || len(*calls) != 0 { //nolint:errorlint // the very value
				t.Errorf("got %+v, want %v", end, reason)
			}
			if time.Since(start) != took {
				t.Errorf("took %v, want %v", time.Since(start), took)
			}
			if v := retry.Classify(end); v.Effect != retry.NotSent {
				t.Errorf("an outer operation sees %+v", v)
			}
		}

		target.Breaker.Force(time.Now(), retry.Open)
		refused(p, retry.ErrBreakerOpen, 0)
		refused(pacing, retry.ErrBreakerOpen, 2*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := retry.Do(ctx, pacing, func(context.Context) error { return nil }); !errors.Is(err, retry.ErrBreakerOpen) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		target.Breaker.Force(time.Now(), retry.Closed)

		for range 2 {
			if !target.Limit.Acquire(time.Now()) {
				t.Fatal("no place")
			}
		}
		refused(p, retry.ErrLimited, 0)
		for range 2 {
			target.Limit.Release(time.Now(), 0, retry.Canceled)
		}

		for target.Throttle.Rejects(time.Now()) < 0.999 {
			target.Throttle.Refused(time.Now())
		}
		_ = retry.Do(t.Context(), policy(t, retry.For(target), retry.WithRand(zero{})), func(context.Context) error { return nil }) // the floor
		refused(policy(t, retry.For(target), retry.WithRand(zero{})), retry.ErrThrottled, 0)
		if taken(target) != 0 {
			t.Errorf("%d places are taken", taken(target))
		}
	})
}

// zero is the lowest random number.
type zero struct{}

func (zero) Float64() float64 { return 0 }

// A guard that refuses a later attempt: the last error stays, the tokens come
// back, and the wait before it was pace enough.
func TestDoRefusedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Idempotent(), retry.Fixed(2*time.Second), retry.NoJitter(), retry.OnExhausted(retry.Pace))
		before, start := tokens(target), time.Now()
		end := asError(t, retry.Do(t.Context(), p, func(context.Context) error {
			target.Breaker.Force(time.Now(), retry.Open)
			return errNetwork
		}))
		if end.Reason != retry.ErrBreakerOpen || end.Last != errNetwork || end.Attempts != 1 { //nolint:errorlint // the very values
			t.Errorf("got %+v", end)
		}
		if got := tokens(target); got < before || time.Since(start) != 2*time.Second {
			t.Errorf("%v tokens of %v are left after %v", got, before, time.Since(start))
		}
	})
}

// The budget is asked before the wait, and what Pace waits then is that wait.
func TestDoBudget(t *testing.T) {
	for _, pace := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			target := everyGuard(t) // holds one token
			opts := []retry.Option{retry.For(target), retry.Idempotent(), retry.Steps(time.Second, 5*time.Second), retry.NoJitter()}
			want := time.Second
			if pace {
				opts, want = append(opts, retry.OnExhausted(retry.Pace)), 6*time.Second
			}
			start := time.Now()
			end := asError(t, retry.Do(t.Context(), policy(t, opts...), func(context.Context) error { return errNetwork }))
			if end.Reason != retry.ErrBudget || end.Last != errNetwork || end.Attempts != 2 || time.Since(start) != want { //nolint:errorlint // the very values
				t.Errorf("%v after %v, want %v", end, time.Since(start), want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Fixed(time.Minute), retry.Idempotent())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		before := tokens(target)
		if err := retry.Do(ctx, p, func(context.Context) error { return errNetwork }); !errors.Is(err, context.Canceled) || tokens(target) < before {
			t.Errorf("%v; a wait that was canceled keeps its tokens: %v of %v", err, tokens(target), before)
		}
		budget, err := retry.NewBudget(retry.BudgetConfig{Ratio: 1e-12, Floor: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		target = &retry.Target{Budget: budget}
		p = policy(t, retry.For(target), retry.Fixed(0), retry.OneExchange())
		for range 20 { // the target is well at large
			target.Budget.Record(time.Now(), true, true)
		}
		for _, fail := range [][]error{nil, {errUnsent}} {
			fn, _ := failing(fail...)
			if err := retry.Do(t.Context(), p, fn); err != nil || tokens(target) < before {
				t.Errorf("%v; the first retry of what was not sent is not free: %v of %v", err, tokens(target), before)
			}
		}
	})
}

// A caller who hangs up says nothing about the target, whatever the attempt then
// returns.
func TestDoCanceledCountsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Idempotent())
		for range 50 {
			ctx, cancel := context.WithCancel(t.Context())
			if err := retry.Do(ctx, p, func(context.Context) error { cancel(); return errNetwork }); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		now := time.Now()
		state, view := target.Budget.State(now), target.Breaker.View(now)
		if state.First != 0 || state.Share != 1 || view.Calls != 0 || view.State != retry.Closed || target.Throttle.Rejects(now) != 0 || taken(target) != 0 {
			t.Errorf("budget %+v, breaker %+v", state, view)
		}
	})
}

// A panic and the end of the goroutine pass through, count as failures, and keep
// no place.
func TestDoAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		for name, p := range map[string]*retry.Policy{
			"swift":   policy(t, retry.WithBreaker(target.Breaker)),
			"guarded": policy(t, retry.For(target)),
			"timed":   policy(t, retry.For(target), retry.PerAttempt(time.Second)),
		} {
			before := target.Breaker.View(time.Now()).Failures
			func() {
				defer func() {
					if got := recover(); got != "boom" {
						t.Errorf("%s: recovered %v", name, got)
					}
				}()
				_ = retry.Do(t.Context(), p, func(context.Context) error { panic("boom") })
			}()
			if got := target.Breaker.View(time.Now()).Failures; got != before+1 || taken(target) != 0 {
				t.Errorf("%s: %d failures, %d places", name, got, taken(target))
			}
			target.Breaker.Force(time.Now(), retry.Closed)
			target.Breaker.Unforce(time.Now())
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = retry.Do(t.Context(), policy(t, retry.For(target)), func(context.Context) error { runtime.Goexit(); return nil })
		}()
		<-done
		if taken(target) != 0 {
			t.Errorf("%d places are kept", taken(target))
		}
	})
}

// For replaces the guards of the policy, and nil takes them away.
func TestForReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, shut := everyGuard(t), everyGuard(t)
		shut.Breaker.Force(time.Now(), retry.Open)
		p := policy(t, retry.For(shut))
		fn := func(context.Context) error { return nil }
		if err := retry.Do(t.Context(), p, fn); !errors.Is(err, retry.ErrBreakerOpen) {
			t.Error(err)
		}
		for name, target := range map[string]*retry.Target{"open": open, "nil": nil} {
			if err := retry.Do(t.Context(), p, fn, retry.For(target)); err != nil {
				t.Error(name, err)
			}
		}
		if got := open.Breaker.View(time.Now()).Calls; got != 1 {
			t.Errorf("%d calls counted", got)
		}
	})
}

// Whatever happens in whatever order: no more attempts than allowed, no retry
// earlier than the hint, the last real error kept, and everything that was taken
// from the guards given back, except the price of the retries that were made.
func TestDoProperties(t *testing.T) {
	kinds := []error{nil, errNetwork, errUnsent, errMissing, errNobody, context.Canceled, retry.ErrBreakerOpen}
	for _, category := range retry.Categories() {
		for _, effect := range []retry.Effect{retry.NotSent, retry.Maybe} {
			for _, hint := range []time.Duration{0, 3 * time.Second} {
				kinds = append(kinds, &retry.ResultError{Value: category, Verdict: retry.Verdict{
					Category: category, Effect: effect, Hint: retry.Hint{After: hint},
				}})
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 12).Draw(rt, "outcomes")
		most := rapid.IntRange(1, 6).Draw(rt, "attempts")
		declared := rapid.SampledFrom([]retry.Option{retry.Idempotent(), retry.NotIdempotent(), retry.For(nil)}).Draw(rt, "declared")
		timeout := rapid.SampledFrom([]time.Duration{0, time.Minute}).Draw(rt, "timeout")
		deadline := rapid.SampledFrom([]time.Duration{0, 2 * time.Second, time.Hour}).Draw(rt, "deadline")
		cancelAt := rapid.IntRange(0, 5).Draw(rt, "cancel in attempt")
		var c *checker
		synctest.Test(t, func(t *testing.T) {
			target := everyGuard(t)
			for range 200 { // healthy, but the budget binds nevertheless
				target.Budget.Record(time.Now(), true, true)
			}
			p := policy(t, retry.Attempts(most), retry.Fixed(time.Second), retry.PerAttempt(timeout), retry.TTL(deadline), declared)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c = &checker{target: target, before: tokens(target), start: time.Now()}
			err := retry.Do(ctx, p, func(context.Context) error {
				c.check()
				if len(c.made) == cancelAt {
					cancel()
				}
				c.made = append(c.made, script[len(c.made)%len(script)])
				return c.made[len(c.made)-1]
			}, retry.For(target))
			c.finish(err, most)
		})
		if c.faults != nil {
			rt.Fatal(c.faults)
		}
	})
}

// checker follows one operation of TestDoProperties.
type checker struct {
	target *retry.Target
	before float64
	made   []error
	start  time.Time
	at     time.Time // of the last attempt
	faults []string
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checker) check() {
	if taken(c.target) != 1 {
		c.fault("%d places are taken in an attempt", taken(c.target))
	}
	if n := len(c.made); n > 0 {
		if hint := retry.Classify(c.made[n-1]).Hint.After; time.Since(c.at) < hint {
			c.fault("attempt %d after %v, the receiver asked for %v", n+1, time.Since(c.at), hint)
		}
	}
	c.at = time.Now()
}

func (c *checker) finish(err error, attempts int) {
	var paid float64
	var last error
	for i, e := range c.made {
		if i+1 < len(c.made) {
			paid += retry.Classify(e).Category.Advice().Cost
		}
		if last == nil || !errors.Is(e, context.Canceled) {
			last = e
		}
	}
	switch end, failed := errors.AsType[*retry.Error](err); {
	case len(c.made) > attempts:
		c.fault("%d attempts of %d", len(c.made), attempts)
	case !failed && c.made[len(c.made)-1] != nil:
		c.fault("success after %v", c.made)
	case failed && (end.Attempts != len(c.made) || end.Last != last || end.Reason == nil): //nolint:errorlint // the very value
		c.fault("got %+v after %v", end, c.made)
	}
	if view := c.target.Breaker.View(time.Now()); taken(c.target) != 0 || view.Probing != 0 {
		c.fault("%d places, %d probes are kept", taken(c.target), view.Probing)
	}
	least := c.before - paid
	most := least + time.Since(c.start).Seconds()/5 // the least floor of a budget
	if got := tokens(c.target); got < least-1e-6 || got > most+1e-6 {
		c.fault("%v tokens are left of %v after %v, want %v to %v", got, c.before, c.made, least, most)
	}
}
