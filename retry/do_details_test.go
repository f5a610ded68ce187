package retry_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// top is the highest random number that is drawn.
type top struct{}

func (top) Float64() float64 { return 0.999999 }

// Each delay knows the one before it.
func TestDoDecorrelates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Exponential(time.Second, 2, time.Hour), retry.Decorrelated(), retry.WithRand(top{}), retry.Idempotent())
		fn, calls := failing(errNetwork, errNetwork, errNetwork)
		if err := retry.Do(t.Context(), p, fn); err != nil {
			t.Fatal(err)
		}
		for i, gap := range gaps(*calls) {
			if want := []time.Duration{3, 9, 27}[i] * time.Second; gap < want*99/100 || gap > want {
				t.Errorf("wait %d is %v, want about %v", i+1, gap, want)
			}
		}
	})
}

// A target of the call whose guards measure is measured.
func TestForMeasures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		breaker, err := retry.NewBreaker(retry.BreakerConfig{SlowCall: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		slow := func(context.Context) error { time.Sleep(2 * time.Second); return nil }
		if err := retry.Do(t.Context(), policy(t), slow, retry.For(&retry.Target{Breaker: breaker})); err != nil {
			t.Fatal(err)
		}
		if view := breaker.View(time.Now()); view.Slow != 1 {
			t.Errorf("got %+v", view)
		}
	})
}

// The TTL is shorter than the time of an attempt.
func TestDoTTLBoundsAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := policy(t, retry.PerAttempt(time.Minute), retry.TTL(time.Second), retry.Idempotent())
		err := retry.Do(t.Context(), p, func(ctx context.Context) error {
			if deadline, ok := ctx.Deadline(); !ok || deadline.Sub(start) != time.Second {
				t.Errorf("the attempt has until %v", deadline.Sub(start))
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, retry.ErrNoTime) || !errors.Is(err, retry.ErrDeadline) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// cutError is an error that says how far a call got when its context ended.
type cutError struct{ at int }

func (e *cutError) Error() string { return fmt.Sprintf("stopped at byte %d", e.at) }
func (e *cutError) Unwrap() error { return context.Canceled }

// The error of an attempt that the caller cut short is not lost over the real one
// of an earlier attempt.
func TestDoKeepsBoth(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, number := policy(t, retry.Fixed(0), retry.Idempotent()), 0
	err := retry.Do(ctx, p, func(context.Context) error {
		if number++; number == 1 {
			return errNetwork
		}
		cancel()
		return &cutError{at: 17}
	})
	cut, ok := errors.AsType[*cutError](err)
	if end := asError(t, err); end.Last != errNetwork || !ok || cut.at != 17 { //nolint:errorlint // the very value
		t.Errorf("got %+v", end)
	}
}

// A probe whose place at the limit is taken gives its place at the breaker back.
func TestDoLimitFreesProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		target.Throttle = nil
		p := policy(t, retry.For(target), retry.Attempts(1))
		for range 3 {
			_ = retry.Do(t.Context(), p, func(context.Context) error { return errNetwork })
		}
		if state := target.Breaker.View(time.Now()).State; state != retry.Open {
			t.Fatal(state)
		}
		time.Sleep(2 * time.Minute)
		for range 2 {
			target.Limit.Acquire(time.Now())
		}
		err := retry.Do(t.Context(), p, func(context.Context) error { return nil })
		if view := target.Breaker.View(time.Now()); !errors.Is(err, retry.ErrLimited) || view.Probing != 0 {
			t.Errorf("%v, %+v", err, view)
		}
		for range 2 {
			target.Limit.Release(time.Now(), 0, retry.Canceled)
		}
		if err := retry.Do(t.Context(), p, func(context.Context) error { return nil }); err != nil {
			t.Errorf("the breaker is stuck: %v", err)
		}
	})
}

// A target that answers "no" is well.
func TestDoServedFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Attempts(1))
		for _, category := range []retry.Category{retry.Permanent, retry.Conflict} {
			for range 10 {
				_ = retry.Do(t.Context(), p, func(context.Context) error {
					return &retry.ResultError{Verdict: retry.Verdict{Category: category}}
				})
			}
		}
		now := time.Now()
		if state := target.Budget.State(now); state.Share != 1 || state.First != 20 || target.Throttle.Rejects(now) != 0 || target.Breaker.View(now).Failures != 0 {
			t.Errorf("budget %+v, throttle %v, breaker %+v", state, target.Throttle.Rejects(now), target.Breaker.View(now))
		}
	})
}

// Stop while the guards are asked: the attempt that they allowed is not made, and
// gives back what it got.
func TestGoStopWhileGuardsAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *retry.Handle
		ready := make(chan struct{})
		breaker, err := retry.NewBreaker(retry.BreakerConfig{Consecutive: 1, OpenFor: time.Second, OnChange: func(c retry.BreakerChange) {
			if c.To == retry.HalfOpen {
				<-ready
				h.Stop()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		target := &retry.Target{Breaker: breaker}
		p := policy(t, retry.For(target))
		_ = retry.Do(t.Context(), p, func(context.Context) error { return errNetwork })
		time.Sleep(time.Minute)
		fn, calls := failing()
		h = retry.Go(t.Context(), p, fn)
		close(ready)
		end := asError(t, h.Wait())
		if end.Reason != retry.ErrStopped || end.Attempts != 0 || len(*calls) != 0 || breaker.View(time.Now()).Probing != 0 { //nolint:errorlint // the very value
			t.Errorf("%v after %d calls, %+v", end, len(*calls), breaker.View(time.Now()))
		}
	})
}

// Stop between the end of an attempt and the wait.
func TestGoStopBeforeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *retry.Handle
		ready := make(chan struct{})
		p := policy(t, retry.Fixed(time.Hour), retry.NoJitter(), retry.Idempotent(), retry.Observe(retry.Observer{Wait: func(retry.WaitEvent) {
			<-ready
			h.Stop()
			time.Sleep(time.Millisecond) // what watches the context finds nobody waiting
		}}))
		start := time.Now()
		h = retry.Go(t.Context(), p, func(context.Context) error { return errNetwork })
		close(ready)
		if err := h.Wait(); !errors.Is(err, retry.ErrStopped) || time.Since(start) > time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// The end of an operation is told once, also if its function ends the goroutine.
func TestGoAbortedIsToldOnce(t *testing.T) {
	ends := make(chan retry.EndEvent, 2)
	p := policy(t, retry.Observe(retry.Observer{End: func(e retry.EndEvent) { ends <- e }}))
	_ = retry.Go(t.Context(), p, func(context.Context) error { runtime.Goexit(); return nil }).Wait()
	if len(ends) != 1 {
		t.Errorf("told %d times", len(ends))
	}
}

// A dial that takes longer than the attempt may has sent nothing.
func TestDoDialTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, calls := policy(t, retry.PerAttempt(time.Second), retry.Attempts(2), retry.OneExchange()), 0
		err := retry.Do(t.Context(), p, func(ctx context.Context) error {
			calls++
			<-ctx.Done()
			return &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
		})
		if v := asError(t, err).RetryVerdict(); calls != 2 || v.Category != retry.Unsent || v.Effect != retry.NotSent {
			t.Errorf("%d calls, %+v", calls, v)
		}
	})
}

// queryCanceled is what PostgreSQL answers when its client cancels.
type queryCanceled struct{}

func (queryCanceled) Error() string    { return "canceling statement due to user request" }
func (queryCanceled) SQLState() string { return "57014" }

// A server that reports the cancellation says no more than that the caller has
// gone.
func TestDoCanceledAtServer(t *testing.T) {
	errGone := errors.New("the user has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	p, number := policy(t, retry.Fixed(0), retry.Idempotent()), 0
	err := retry.Do(ctx, p, func(context.Context) error {
		if number++; number == 1 {
			return errNetwork
		}
		cancel(errGone)
		return queryCanceled{}
	})
	if end := asError(t, err); end.Reason != errGone || end.Last != errNetwork || !errors.Is(err, queryCanceled{}) { //nolint:errorlint // the very values
		t.Errorf("got %+v", end)
	}
}
