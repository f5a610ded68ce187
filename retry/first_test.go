package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// guardsOf makes a target with a budget and a breaker that opens at the first
// failure.
func guardsOf(t *testing.T) *retry.Target {
	t.Helper()
	budget, err := retry.NewBudget(retry.BudgetConfig{})
	if err != nil {
		t.Fatal(err)
	}
	breaker, err := retry.NewBreaker(retry.BreakerConfig{Consecutive: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &retry.Target{Name: "shop", Budget: budget, Breaker: breaker}
}

// A first attempt that succeeds counts for the guards of the call's own target.
func TestFirstAttemptCounts(t *testing.T) {
	target, other := guardsOf(t), guardsOf(t)
	p := policy(t, retry.For(other))
	for range 3 {
		if err := retry.Do(t.Context(), p, func(context.Context) error { return nil }, retry.For(target)); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	if calls, firsts := target.Breaker.View(now).Calls, target.Budget.State(now).First; calls != 3 || firsts != 3 {
		t.Errorf("the breaker has %d calls, the budget %d first attempts, not 3", calls, firsts)
	}
	if calls := other.Breaker.View(now).Calls; calls != 0 {
		t.Errorf("the breaker of the policy's target has %d calls", calls)
	}
}

// A first attempt that fails counts once, and the breaker that it opens refuses
// the next call before it is made.
func TestFirstAttemptFails(t *testing.T) {
	target, calls := guardsOf(t), 0
	p := policy(t, retry.For(target))
	call := func(context.Context) error { calls++; return errNetwork }
	err := retry.Do(t.Context(), p, call)
	if e, ok := errors.AsType[*retry.Error](err); !ok || e.Attempts != 1 || e.Last != errNetwork { //nolint:errorlint // the very error
		t.Errorf("%v", err)
	}
	if first := target.Budget.State(time.Now()).First; first != 1 {
		t.Errorf("%d first attempts", first)
	}
	if err := retry.Do(t.Context(), p, call); !errors.Is(err, retry.ErrBreakerOpen) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// A panic passes through and counts as a failure.
func TestFirstAttemptPanics(t *testing.T) {
	target := guardsOf(t)
	func() {
		defer func() {
			if got := recover(); got != "oh" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = retry.Do(t.Context(), policy(t, retry.For(target)), func(context.Context) error { panic("oh") })
	}()
	if state := target.Breaker.View(time.Now()).State; state != retry.Open {
		t.Errorf("the breaker is %v", state)
	}
}

// A caller who has gone gets no attempt.
func TestFirstAttemptOfNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := retry.Do(ctx, policy(t, retry.For(guardsOf(t))), func(context.Context) error {
		t.Error("it was called")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Guards that want the length of a call get it.
func TestFirstAttemptIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		breaker, err := retry.NewBreaker(retry.BreakerConfig{SlowCall: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		err = retry.Do(t.Context(), policy(t, retry.WithBreaker(breaker)), func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		})
		if slow := breaker.View(time.Now()).Slow; err != nil || slow != 1 {
			t.Errorf("%v, %d slow calls", err, slow)
		}
	})
}
