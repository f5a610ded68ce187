package compare

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/fallback"
	"github.com/failsafe-go/failsafe-go/ratelimiter"

	"github.com/outlast-dev/outlast/retry"
)

var portedLimits = []behaviour{
	alike("TestBulkHead/when_not_full", "a bulkhead with room", "1, 1×, 1s",
		theirs(take(time.Second), bulkheadOf(1, 0)), ours(take(time.Second), limitOf(1))),
	alike("TestBulkHead/when_full", "a full bulkhead refuses", "0s 0s; 1 full",
		theirsAtOnce(3, bulkheadOf(2, 0)), oursAtOnce(3, limitOf(2))),
	alike("TestBulkHead/should_AcquirePermit_after_wait", "a full bulkhead is waited for", "0s 0s 1s 1s 2s; ",
		theirsAtOnce(5, bulkheadOf(2, time.Minute)), oursAtOnce(5, limitOf(2), with(retry.MaxWait(time.Minute)))),
	alike("TestBulkHead/with_maxWaitTime_exceeded", "a full bulkhead is waited for in vain", "0s; 1 full after 500ms",
		theirsAtOnce(2, bulkheadOf(1, 500*time.Millisecond)), oursAtOnce(2, limitOf(1), with(retry.MaxWait(500*time.Millisecond)))),
	alike("TestBulkhead_Cancellation/with_context_during_Bulkhead_delay", "a cancellation ends the wait for a bulkhead", "canceled, 0×, 1s",
		func(t *testing.T) string {
			b := bulkhead.NewBuilder[int](1).WithMaxWaitTime(time.Minute).Build()
			b.TryAcquirePermit()
			return theirsIn(canceledAfter(time.Second), fail(0), func() []failsafe.Policy[int] { return []failsafe.Policy[int]{b} })(t)
		},
		func(t *testing.T) string {
			l, _ := retry.NewLimit(retry.LimitConfig{Initial: 1, Fixed: true})
			l.Acquire(time.Now())
			return oursIn(canceledAfter(time.Second), fail(0), with(retry.WithLimit(l)), with(retry.MaxWait(time.Minute)))(t)
		}),
	alike("TestRateLimiter/should_return_ErrExceeded", "a call above the rate is refused", "0s; 2 above the rate",
		theirsAtOnce(3, rateOf(func() ratelimiter.Builder[int] { return ratelimiter.NewSmoothBuilder[int](2, time.Second) })), oursAtOnce(3, perSecond(2, 1))),
	alike("TestRateLimiter/should_acquire_permit_after_wait", "calls are spread evenly", "0s 500ms 1s 1.5s; ",
		theirsAtOnce(4, rateOf(func() ratelimiter.Builder[int] {
			return ratelimiter.NewSmoothBuilder[int](2, time.Second).WithMaxWaitTime(time.Minute)
		})), oursAtOnce(4, perSecond(2, 1), with(retry.MaxWait(time.Minute)))),
	apart("TestBurstyAcquirePermits", "a burst, and then the rate", "0s 0s 1s 1s 2s; ", "0s 0s 500ms 1s 1.5s; ",
		"tokens come one by one, so that no window starts with another burst",
		theirsAtOnce(5, rateOf(func() ratelimiter.Builder[int] {
			return ratelimiter.NewBurstyBuilder[int](2, time.Second).WithMaxWaitTime(time.Minute)
		})), oursAtOnce(5, perSecond(2, 2), with(retry.MaxWait(time.Minute)))),
	alike("TestRateLimiter/with_maxWaitTime_exceeded", "a wait for the rate that is too long is not begun", "0s 500ms; 1 above the rate",
		theirsAtOnce(3, rateOf(func() ratelimiter.Builder[int] {
			return ratelimiter.NewSmoothBuilder[int](2, time.Second).WithMaxWaitTime(600 * time.Millisecond)
		})), oursAtOnce(3, perSecond(2, 1), with(retry.MaxWait(600*time.Millisecond)))),
	alike("TestRateLimit_Cancellation/with_context_during_RateLimiter_delay", "a cancellation ends the wait for the rate", "canceled, 0×, 1s",
		func(t *testing.T) string {
			r := ratelimiter.NewSmoothBuilder[int](1, time.Minute).WithMaxWaitTime(time.Hour).Build()
			r.TryAcquirePermit()
			return theirsIn(canceledAfter(time.Second), fail(0), func() []failsafe.Policy[int] { return []failsafe.Policy[int]{r} })(t)
		},
		func(t *testing.T) string {
			r, _ := retry.NewRate(retry.RateConfig{PerSecond: 1.0 / 60})
			_, _ = r.Acquire(time.Now())
			return oursIn(canceledAfter(time.Second), fail(0), with(retry.WithRate(r)), with(retry.MaxWait(time.Hour)))(t)
		}),
	alike("TestRetryPolicy_Composition/with_RateLimiter", "each attempt counts for the rate", "3, 3×, 2s",
		theirs(fail(2), func() []failsafe.Policy[int] {
			return append(theirRetries(usual)(), ratelimiter.NewSmoothBuilder[int](1, time.Second).WithMaxWaitTime(time.Minute).Build())
		}), ours(fail(2), perSecond(1, 1), with(retry.MaxWait(time.Minute)))),
	alike("TestTryAcquirePermit", "a rate by itself", "true false true",
		func(*testing.T) string {
			r := ratelimiter.NewSmooth[int](1, time.Second)
			return asked(r.TryAcquirePermit)
		},
		func(*testing.T) string {
			r, _ := retry.NewRate(retry.RateConfig{PerSecond: 1})
			return asked(func() bool { ok, _ := r.Acquire(time.Now()); return ok })
		}),
}

var portedBreakers = []behaviour{
	alike("TestCircuitBreaker/should_reject_initial_execution_when_circuit_open", "an open breaker refuses", "breaker open, 0×, 0s",
		func(t *testing.T) string {
			b := circuitbreaker.NewWithDefaults[int]()
			b.Open()
			return theirs(fail(0), func() []failsafe.Policy[int] { return []failsafe.Policy[int]{b} })(t)
		},
		func(t *testing.T) string {
			b := breaker(t, retry.BreakerConfig{})
			b.Force(time.Now(), retry.Open)
			return ours(fail(0), with(retry.WithBreaker(b)))(t)
		}),
	alike("TestClosedStateFailureWithFailureThreshold", "failures in a row open", "closed closed open",
		theirStates("fff", countBreaker(3)), ourStates("fff", retry.BreakerConfig{Consecutive: 3})),
	alike("TestClosedStateSuccessWithFailureThreshold", "a success ends a row", "closed closed closed closed closed",
		theirStates("ffsff", countBreaker(3)), ourStates("ffsff", retry.BreakerConfig{Consecutive: 3})),
	alike("TestClosedStateFailureWithFailureRatio", "a share of the last calls opens", "closed closed closed open",
		theirStates("sfsf", ratioBreaker(2, 4)), ourStates("sfsf", retry.BreakerConfig{Count: 4, FailureRate: 0.5})),
	alike("TestClosedStateSuccessWithFailureRatio", "a success that completes the window opens", "closed closed closed open",
		theirStates("ffss", rateBreaker(50, 4)), ourStates("ffss", retry.BreakerConfig{MinCalls: 4, FailureRate: 0.5, JudgeAll: true})),
	apart("TestClosedStateSuccessWithFailureRatio", "a success that completes the window, by default", "closed closed closed open", "closed closed closed closed",
		"a target that has just answered is no reason to stop calling; JudgeAll says otherwise",
		theirStates("ffss", rateBreaker(50, 4)), ourStates("ffss", retry.BreakerConfig{MinCalls: 4, FailureRate: 0.5})),
	alike("TestCircuitBreaker/should_support_time_based_failure_rate_thresholding", "a share of the calls of a time opens", "closed closed closed open",
		theirStates("sffs"[:3]+"f", rateBreaker(75, 4)), ourStates("sfff", retry.BreakerConfig{MinCalls: 4, FailureRate: 0.75})),
	alike("TestHalfOpenStateFailureWithDefaultConfig", "a probe that fails opens again", "open | open",
		theirStates("f|f", countBreaker(1)), ourStates("f|f", retry.BreakerConfig{Consecutive: 1})),
	alike("TestHalfOpenSuccessWithDefaultConfig", "a probe that succeeds closes", "open | closed",
		theirStates("f|s", countBreaker(1)), ourStates("f|s", retry.BreakerConfig{Consecutive: 1})),
	alike("TestHalfOpenSuccessWithSuccessThreshold", "several probes must succeed", "open | half-open closed",
		theirStates("f|ss", func() circuitbreaker.Builder[int] { return countBreaker(1)().WithSuccessThreshold(2) }),
		ourStates("f|ss", retry.BreakerConfig{Consecutive: 1, Probes: 2})),
	alike("TestCircuitBreaker/should_reject_excessive_attempts_when_breaker_half-open", "half-open lets only its probes through", "true false",
		func(*testing.T) string {
			b := countBreaker(1)().Build()
			b.RecordFailure()
			time.Sleep(time.Minute)
			return fmt.Sprint(b.TryAcquirePermit(), b.TryAcquirePermit())
		},
		func(t *testing.T) string {
			b := steady(t, retry.BreakerConfig{Consecutive: 1})
			failOnce(t, b)
			time.Sleep(time.Minute)
			_, first := b.Acquire(time.Now())
			_, second := b.Acquire(time.Now())
			return fmt.Sprint(first == nil, second == nil)
		}),
	alike("TestRemainingDelay", "how long an open breaker stays open", "40s",
		func(*testing.T) string {
			b := countBreaker(1)().Build()
			b.RecordFailure()
			time.Sleep(20 * time.Second)
			return b.RemainingDelay().String()
		},
		func(t *testing.T) string {
			b := steady(t, retry.BreakerConfig{Consecutive: 1})
			failOnce(t, b)
			time.Sleep(20 * time.Second)
			return time.Until(b.View(time.Now()).Until).String()
		}),
	alike("TestCircuitBreaker/should_call_OnClose_listener", "a listener hears of all changes in order", "closed→open open→half-open half-open→closed ",
		func(t *testing.T) (heard string) {
			b := countBreaker(1)().OnStateChanged(func(e circuitbreaker.StateChangedEvent) { heard += fmt.Sprintf("%v→%v ", e.OldState, e.NewState) }).Build()
			b.RecordFailure()
			time.Sleep(time.Minute)
			b.TryAcquirePermit()
			b.RecordSuccess()
			return heard
		},
		func(t *testing.T) (heard string) {
			b := steady(t, retry.BreakerConfig{Consecutive: 1, OnChange: func(c retry.BreakerChange) { heard += fmt.Sprintf("%s→%s ", state(c.From), state(c.To)) }})
			failOnce(t, b)
			time.Sleep(time.Minute)
			permit, _ := b.Acquire(time.Now())
			permit.Success(time.Now(), 0)
			return heard
		}),
	alike("TestCircuitBreaker/with_rejected_retries", "a retry meets the breaker that the attempt has opened", "breaker open, 1×, 0s",
		theirs(fail(9), func() []failsafe.Policy[int] {
			return append(theirRetries(func(b builder) builder { return b.ReturnLastFailure() })(), countBreaker(1)().Build())
		}),
		func(t *testing.T) string {
			return ours(fail(9), with(retry.WithBreaker(steady(t, retry.BreakerConfig{Consecutive: 1}))))(t)
		}),
	alike("TestRetryPolicy_Composition/with_CircuitBreaker_-_open", "retries wait out an open breaker", "2, 2×, 1m0s",
		theirs(fail(1), func() []failsafe.Policy[int] {
			return append(theirRetries(func(b builder) builder { return b.WithDelay(time.Second).WithMaxRetries(-1) })(), countBreaker(1)().Build())
		}),
		func(t *testing.T) string {
			return ours(fail(1), with(retry.WithBreaker(steady(t, retry.BreakerConfig{Consecutive: 1}))), with(retry.Fixed(time.Second)), with(retry.MaxWait(time.Hour)))(t)
		}),
	alike("TestRetryPolicy_Composition/with_CircuitBreaker_-_success_after_failures", "a breaker that stays closed does not disturb retries", "3, 3×, 0s",
		theirs(fail(2), func() []failsafe.Policy[int] { return append(theirRetries(usual)(), countBreaker(3)().Build()) }),
		func(t *testing.T) string {
			return ours(fail(2), with(retry.WithBreaker(steady(t, retry.BreakerConfig{Consecutive: 3}))))(t)
		}),
	alike("TestFallback_Composition/with_CircuitBreaker_-_open", "a fallback around an open breaker", "7, 0×, 0s",
		func(t *testing.T) string {
			b := circuitbreaker.NewWithDefaults[int]()
			b.Open()
			return theirs(fail(0), func() []failsafe.Policy[int] { return []failsafe.Policy[int]{fallback.NewWithResult(7), b} })(t)
		},
		func(t *testing.T) string {
			b := breaker(t, retry.BreakerConfig{})
			b.Force(time.Now(), retry.Open)
			return oursOr(fail(0), retry.Fallback[int]{Value: 7}, retry.WithBreaker(b))(t)
		}),
	alike("TestMultiPolicy_Composition/with_Fallback_->_RetryPolicy_->_CircuitBreaker", "fallback, retries and breaker together", "7, 2×, 0s; open",
		func(t *testing.T) string {
			b := countBreaker(2)().Build()
			return theirs(fail(9), func() []failsafe.Policy[int] {
				return []failsafe.Policy[int]{fallback.NewWithResult(7), theirRetries(usual)()[0], b}
			})(t) + "; " + b.State().String()
		},
		func(t *testing.T) string {
			b := steady(t, retry.BreakerConfig{Consecutive: 2})
			return oursOr(fail(9), retry.Fallback[int]{Value: 7}, retry.WithBreaker(b))(t) + "; " + state(b.View(time.Now()).State)
		}),
}

func bulkheadOf(n uint, wait time.Duration) func() []failsafe.Policy[int] {
	return one(func() bulkhead.Bulkhead[int] { return bulkhead.NewBuilder[int](n).WithMaxWaitTime(wait).Build() })
}

func limitOf(n int) func() retry.Option {
	return func() retry.Option {
		l, err := retry.NewLimit(retry.LimitConfig{Initial: n, Fixed: true})
		if err != nil {
			panic(err)
		}
		return retry.WithLimit(l)
	}
}

func rateOf(b func() ratelimiter.Builder[int]) func() []failsafe.Policy[int] {
	return one(func() ratelimiter.RateLimiter[int] { return b().Build() })
}

func perSecond(rate float64, burst int) func() retry.Option {
	return func() retry.Option {
		r, err := retry.NewRate(retry.RateConfig{PerSecond: rate, Burst: burst})
		if err != nil {
			panic(err)
		}
		return retry.WithRate(r)
	}
}

// theirsAtOnce has n callers come one after another at the same moment, with calls
// that take a second, and says when they began, and how the others failed.
func theirsAtOnce(n int, policies func() []failsafe.Policy[int]) side {
	return func(*testing.T) string {
		executor := failsafe.With(policies()...)
		return atOnce(n, func(op func() (int, error)) error { _, err := executor.Get(op); return err })
	}
}

// oursAtOnce is theirsAtOnce with one attempt each.
func oursAtOnce(n int, options ...func() retry.Option) side {
	return func(t *testing.T) string {
		p := anyError(t, append(options, with(retry.Attempts(1)))...)
		return atOnce(n, func(op func() (int, error)) error {
			_, err := retry.Value(t.Context(), p, func(context.Context) (int, error) { return op() })
			return err
		})
	}
}

func atOnce(n int, call func(op func() (int, error)) error) string {
	p := newProbe()
	var mu sync.Mutex
	var all sync.WaitGroup
	refused, after, reason := 0, time.Duration(0), ""
	for range n {
		all.Go(func() {
			if err := call(func() (int, error) { p.call(); time.Sleep(time.Second); return 1, nil }); err != nil {
				mu.Lock()
				defer mu.Unlock()
				refused, after, reason = refused+1, time.Since(p.began), named(err)
			}
		})
		synctest.Wait()
	}
	all.Wait()
	text := joined(p.at) + "; "
	if refused > 0 {
		text += fmt.Sprintf("%d %s", refused, reason)
		if after > 0 {
			text += fmt.Sprintf(" after %v", after)
		}
	}
	return text
}

// asked asks twice, and again after a second.
func asked(ask func() bool) string {
	first, second := ask(), ask()
	time.Sleep(time.Second)
	return fmt.Sprint(first, " ", second, " ", ask())
}

// countBreaker opens for a minute after so many failures in a row.
func countBreaker(failures uint) func() circuitbreaker.Builder[int] {
	return func() circuitbreaker.Builder[int] {
		return circuitbreaker.NewBuilder[int]().WithFailureThreshold(failures).WithSuccessThreshold(1).WithDelay(time.Minute)
	}
}

func ratioBreaker(failures, of uint) func() circuitbreaker.Builder[int] {
	return func() circuitbreaker.Builder[int] {
		return circuitbreaker.NewBuilder[int]().WithFailureThresholdRatio(failures, of).WithDelay(time.Minute)
	}
}

func rateBreaker(percent float64, calls uint) func() circuitbreaker.Builder[int] {
	return func() circuitbreaker.Builder[int] {
		return circuitbreaker.NewBuilder[int]().WithFailureRateThreshold(percent/100, calls, 30*time.Second).WithDelay(time.Minute)
	}
}

// steady opens for a minute and closes without a ramp.
func steady(t *testing.T, c retry.BreakerConfig) *retry.Breaker {
	c.OpenFor, c.OpenMax, c.Ramp, c.Rand = time.Minute, time.Minute, -1, middle{}
	return breaker(t, c)
}

// middle is the random number that spreads nothing.
type middle struct{}

func (middle) Float64() float64 { return 0.5 }

// theirStates says in which state a breaker is after each call: f fails, s succeeds, |
// is a minute.
func theirStates(calls string, b func() circuitbreaker.Builder[int]) side {
	return func(*testing.T) string {
		breaker := b().Build()
		return states(calls, func(failed bool) string {
			breaker.TryAcquirePermit()
			if failed {
				breaker.RecordFailure()
			} else {
				breaker.RecordSuccess()
			}
			return breaker.State().String()
		})
	}
}

func ourStates(calls string, c retry.BreakerConfig) side {
	return func(t *testing.T) string {
		b := steady(t, c)
		return states(calls, func(failed bool) string {
			permit, _ := b.Acquire(time.Now())
			if failed {
				permit.Failure(time.Now(), 0, retry.Unavailable)
			} else {
				permit.Success(time.Now(), 0)
			}
			return state(b.View(time.Now()).State)
		})
	}
}

func states(calls string, call func(failed bool) string) (text string) {
	for _, kind := range calls {
		if text != "" {
			text += " "
		}
		if kind == '|' {
			time.Sleep(time.Minute)
			text += "|"
			continue
		}
		text += call(kind == 'f')
	}
	return text
}

// state is a state in the words of failsafe-go.
func state(s retry.BreakerState) string {
	return map[retry.BreakerState]string{retry.Closed: "closed", retry.Open: "open", retry.HalfOpen: "half-open", retry.Ramping: "ramping"}[s]
}
