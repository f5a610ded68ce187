package compare

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/fallback"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"

	"github.com/outlast-dev/outlast/retry"
)

type builder = retrypolicy.Builder[int]

var portedRetries = []behaviour{
	alike("TestRetryPolicy/should_retry_on_failure", "a failure is repeated", "3, 3×, 0s",
		theirs(fail(2), theirRetries(usual)), ours(fail(2))),
	alike("TestRetryPolicy/should_not_retry_on_success", "a success is not repeated", "1, 1×, 0s",
		theirs(fail(0), theirRetries(usual)), ours(fail(0))),
	alike("TestRetryPolicy/should_return_ExceededError", "attempts are bounded", "no attempts left, 3×, 0s",
		theirs(fail(9), theirRetries(usual)), ours(fail(9))),
	alike("TestAsExceededError", "the error at the end holds the last one", "the last error: true",
		func(t *testing.T) string {
			_, err := failsafe.With(theirRetries(usual)()...).Get(func() (int, error) { return 0, errReset })
			return fmt.Sprint("the last error: ", errors.Is(retrypolicy.AsExceededError(err).LastError, errReset))
		},
		func(t *testing.T) string {
			end, _ := errors.AsType[*retry.Error](retry.Do(t.Context(), anyError(t), func(context.Context) error { return errReset }))
			return fmt.Sprint("the last error: ", errors.Is(end.Last, errReset))
		}),
	alike("TestRetryPolicy/should_return_last_failure", "the last error is returned as it was", "reset, 3×, 0s",
		theirs(fail(9), theirRetries(func(b builder) builder { return b.ReturnLastFailure() })),
		func(t *testing.T) string {
			p := newProbe()
			value, err := retry.Value(t.Context(), anyError(t), func(ctx context.Context) (int, error) { return fail(9)(ctx, p) })
			return p.tell(value, retry.Last(err))
		}),
	alike("TestHandleErrors", "an error that is named is repeated", "no attempts left, 3×, 0s",
		theirs(fail(9), theirRetries(func(b builder) builder { return b.HandleErrors(errReset) })),
		declared(fail(9), retry.OnError(errReset, retry.Rule{}))),
	apart("TestRetryPolicy/should_not_retry_on_non-retriable_failure", "an error that is not named is not repeated",
		"other, 1×, 0s", "not declared repeatable, 1×, 0s", "the error says why it was not repeated, and holds the other",
		theirs(failWith(errOther), theirRetries(func(b builder) builder { return b.HandleErrors(errReset) })),
		declared(failWith(errOther), retry.OnError(errReset, retry.Rule{}))),
	alike("TestHandleErrorsAs", "an error is named by its type", "no attempts left, 3×, 0s",
		theirs(failWith(fmt.Errorf("x: %w", typed{})), theirRetries(func(b builder) builder { return b.HandleErrorTypes(typed{}) })),
		declared(failWith(fmt.Errorf("x: %w", typed{})), retry.OnType[typed](retry.Rule{}))),
	apart("TestListenersForAbort", "an error ends the retries", "reset, 1×, 0s", "forbidden, 1×, 0s", "the error says that a rule did it, and holds the other",
		theirs(fail(9), theirRetries(func(b builder) builder { return b.AbortOnErrors(errReset) })),
		ours(fail(9), with(retry.OnError(errReset, retry.Rule{Then: retry.GiveUp})))),
	alike("TestRetryPolicy/should_return_ExceededError_with_wrapped_results", "a result that is a failure is repeated", "3, 3×, 0s",
		theirs(fail(0), theirRetries(func(b builder) builder { return b.HandleIf(func(n int, _ error) bool { return n < 3 }) })),
		func(t *testing.T) string {
			p := newProbe()
			bad := func(n int) (retry.Verdict, bool) { return retry.Verdict{Category: retry.Unavailable}, n < 3 }
			return p.tell(retry.ValueIf(t.Context(), anyError(t), bad, func(ctx context.Context) (int, error) { return fail(0)(ctx, p) }))
		}),
	alike("TestRetryPolicy/unlimited_attempts", "attempts without limit", "10, 10×, 9ms",
		theirs(fail(9), theirRetries(func(b builder) builder { return b.WithMaxRetries(-1).WithDelay(time.Millisecond) })),
		ours(fail(9), with(retry.Unlimited()), with(retry.Fixed(time.Millisecond)))),
	apart("TestRetryPolicy/unlimited_attempts", "attempts without limit and without a wait", "10, 10×, 0s", "refused: true",
		"a loop that nothing slows down; a nanosecond can be said",
		theirs(fail(9), theirRetries(func(b builder) builder { return b.WithMaxRetries(-1) })),
		func(*testing.T) string {
			_, err := retry.New(retry.Unlimited(), retry.Fixed(0))
			return fmt.Sprint("refused: ", err != nil)
		}),
	alike("TestRetryPolicy/with_backoff_delay", "waits double", "4, 4×, 7s",
		theirs(fail(3), theirRetries(func(b builder) builder { return b.WithBackoff(time.Second, time.Minute).WithMaxRetries(5) })),
		ours(fail(3), with(retry.Attempts(6)), with(retry.Exponential(time.Second, 2, time.Minute)))),
	alike("TestGetFixedOrRandomDelay", "waits grow by a factor up to a bound", "5, 5×, 14s",
		theirs(fail(4), theirRetries(func(b builder) builder {
			return b.WithBackoffFactor(time.Second, 5*time.Second, 3).WithMaxRetries(5)
		})),
		ours(fail(4), with(retry.Attempts(6)), with(retry.Exponential(time.Second, 3, 5*time.Second)))),
	alike("TestShouldDelayRetryPolicy", "a function says how long to wait", "3, 3×, 3s",
		theirs(fail(2), theirRetries(func(b builder) builder {
			return b.WithDelayFunc(func(e failsafe.ExecutionAttempt[int]) time.Duration {
				return time.Duration(e.Attempts()) * time.Second
			})
		})),
		ours(fail(2), with(retry.Custom(func(n int, _ retry.Attempt) time.Duration { return time.Duration(n) * time.Second })))),
	apart("TestRetryPolicy/should_fail_when_max_duration_exceeded", "a time for all attempts", "no attempts left, 3×, 6s", "no time left, 2×, 4s",
		"no attempt begins for which the time left is too short, and the error says so",
		theirs(slow(fail(9), 2*time.Second), theirRetries(func(b builder) builder { return b.WithMaxDuration(5 * time.Second).WithMaxRetries(-1) })),
		ours(slow(fail(9), 2*time.Second), with(retry.TTL(5*time.Second)), with(retry.Attempts(99)))),
	alike("TestRetryPolicy_Nested/RetryPolicy_->_RetryPolicy_where_inner_policy_is_exceeded", "a retry policy around another", "no attempts left, 5×, 0s",
		theirs(fail(99), func() []failsafe.Policy[int] { return append(theirRetries(usual)(), theirRetries(usual)()...) }), oursNested()),
	apart("TestRetryPolicy_Nested/should_track_RetryPolicy_->_RetryPolicy_attempts", "retries around a function that retries", "no attempts left, 9×, 0s", "no attempts left, 5×, 0s",
		"layers add up and do not multiply, whoever wrote them", theirsNested, oursNested()),
	alike("TestRetryPolicy_Nested/should_track_RetryPolicy_->_RetryPolicy_attempts", "retries around a function that retries, where that is wanted", "no attempts left, 9×, 0s",
		theirsNested, oursNested(retry.Independent())),
	alike("TestListenersOnPanic", "a panic passes through", "panic: oh, 1×",
		func(*testing.T) string {
			return panics(func(op func() (int, error)) { _, _ = failsafe.With(theirRetries(usual)()...).Get(op) })
		},
		func(t *testing.T) string {
			return panics(func(op func() (int, error)) {
				_, _ = retry.Value(t.Context(), anyError(t), func(context.Context) (int, error) { return op() })
			})
		}),
	alike("TestRetryPolicyOnScheduledRetry", "an observer hears of each wait", "1s 2s",
		func(t *testing.T) string {
			var waits []time.Duration
			b := retrypolicy.NewBuilder[int]().WithBackoff(time.Second, time.Minute).
				OnRetryScheduled(func(e failsafe.ExecutionScheduledEvent[int]) { waits = append(waits, e.Delay) })
			_, _ = failsafe.With[int](b.Build()).Get(func() (int, error) { return 0, errReset })
			return joined(waits)
		},
		func(t *testing.T) string {
			var waits []time.Duration
			p := anyError(t, with(retry.Exponential(time.Second, 2, time.Minute)),
				with(retry.Observe(retry.Observer{Wait: func(e retry.WaitEvent) { waits = append(waits, e.Delay) }})))
			_ = retry.Do(t.Context(), p, func(context.Context) error { return errReset })
			return joined(waits)
		}),
	alike("TestListenersForRetriesExceeded", "an observer hears of the end, once", "3 attempts, no attempts left",
		func(t *testing.T) (heard string) {
			executor := failsafe.With(theirRetries(usual)()...).OnDone(func(e failsafe.ExecutionDoneEvent[int]) {
				heard += fmt.Sprintf("%d attempts, %s", e.Attempts(), named(e.Error))
			})
			_, _ = executor.Get(func() (int, error) { return 0, errReset })
			return heard
		},
		func(t *testing.T) (heard string) {
			p := anyError(t, with(retry.Observe(retry.Observer{End: func(e retry.EndEvent) {
				heard += fmt.Sprintf("%d attempts, %s", e.Attempts, named(e.Err))
			}})))
			_ = retry.Do(t.Context(), p, func(context.Context) error { return errReset })
			return heard
		}),
	alike("TestGetWithExecution", "the function knows which attempt it is", "[1 2 3]",
		func(t *testing.T) string {
			var seen []int
			_ = failsafe.With(theirRetries(usual)()...).RunWithExecution(func(e failsafe.Execution[int]) error {
				seen = append(seen, e.Attempts())
				return errReset
			})
			return fmt.Sprint(seen)
		},
		func(t *testing.T) string {
			var seen []int
			for try := range anyError(t).Attempts(t.Context()) {
				seen = append(seen, try.Number())
				_ = try.Done(errReset)
			}
			return fmt.Sprint(seen)
		}),
	alike("TestRetryPolicy_Cancellation/with_context_during_pending_retry", "a cancellation ends a wait", "canceled, 1×, 1s",
		theirsIn(canceledAfter(time.Second), fail(9), theirRetries(func(b builder) builder { return b.WithDelay(time.Minute) })),
		oursIn(canceledAfter(time.Second), fail(9), with(retry.Fixed(time.Minute)))),
	apart("TestExecution_Cancellation/with_Deadline", "a deadline before the end of a wait", "deadline, 1×, 1s", "no time left, 1×, 0s",
		"a wait that is in vain is not begun",
		theirsIn(limitedTo(time.Second), fail(9), theirRetries(func(b builder) builder { return b.WithDelay(time.Minute) })),
		oursIn(limitedTo(time.Second), fail(9), with(retry.Fixed(time.Minute)))),
	alike("TestExecution_Cancellation/with_Context", "a cancellation ends a call that heeds it", "canceled, 1×, 1s",
		theirsIn(canceledAfter(time.Second), hang, theirRetries(usual)), oursIn(canceledAfter(time.Second), hang)),
	alike("TestExecutionWithNoPolicies", "without policies", "reset, 1×, 0s", theirs(fail(9), none),
		func(t *testing.T) string {
			p := newProbe()
			value, err := retry.Value(t.Context(), anyError(t, with(retry.Attempts(1))), func(ctx context.Context) (int, error) { return fail(9)(ctx, p) })
			return p.tell(value, retry.Last(err))
		}),
}

var portedFallbacks = []behaviour{
	alike("TestFallback/with_result", "a fallback with a value", "7, 1×, 0s",
		theirs(fail(9), one(func() fallback.Fallback[int] { return fallback.NewWithResult(7) })),
		oursOr(fail(9), retry.Fallback[int]{Value: 7}, retry.Attempts(1))),
	alike("TestFallback/with_func", "a fallback with a function of the failure", "8, 1×, 0s",
		theirs(fail(9), one(func() fallback.Fallback[int] {
			return fallback.NewWithFunc(func(e failsafe.Execution[int]) (int, error) { return 8, unless(e.LastError(), errReset) })
		})),
		oursOr(fail(9), retry.Fallback[int]{Func: func(failed error) (int, error) { return 8, unless(failed, errReset) }}, retry.Attempts(1))),
	apart("TestFallback/with_error", "a fallback that fails", "other, and what the call failed with: false", "other, and what the call failed with: true",
		"the last real error is never lost",
		func(t *testing.T) string {
			_, err := failsafe.With[int](fallback.NewWithError[int](errOther)).Get(func() (int, error) { return 0, errReset })
			return fmt.Sprintf("%s, and what the call failed with: %t", named(err), errors.Is(err, errReset))
		},
		func(t *testing.T) string {
			f := retry.Fallback[int]{Func: func(error) (int, error) { return 0, errOther }}
			_, err := f.Answer(0, errReset)
			return fmt.Sprintf("%s, and what the call failed with: %t", map[bool]string{true: "other"}[errors.Is(err, errOther)], errors.Is(err, errReset))
		}),
	alike("TestFallback/should_not_fallback", "no fallback for a success", "1, 1×, 0s",
		theirs(fail(0), one(func() fallback.Fallback[int] { return fallback.NewWithResult(7) })),
		oursOr(fail(0), retry.Fallback[int]{Value: 7})),
	alike("TestFallback/should_fallback_with_failure_conditions", "a fallback for chosen errors", "reset, 1×, 0s",
		theirs(fail(9), one(func() fallback.Fallback[int] { return fallback.NewBuilderWithResult(7).HandleErrors(errOther).Build() })),
		oursOr(fail(9), retry.Fallback[int]{Value: 7, If: func(err error) bool { return errors.Is(err, errOther) }}, retry.Attempts(1))),
	alike("TestFallback/should_not_fall_fallback_when_canceled", "no fallback for who has canceled", "canceled, 1×, 1s",
		theirsIn(canceledAfter(time.Second), hang, one(func() fallback.Fallback[int] { return fallback.NewWithResult(7) })),
		func(t *testing.T) string {
			p := newProbe()
			answer, err := retry.Fallback[int]{Value: 7}.Answer(retry.Value(canceledAfter(time.Second)(t), anyError(t), func(ctx context.Context) (int, error) { return hang(ctx, p) }))
			return p.tell(answer.Value, err)
		}),
	alike("TestFallback_Composition/with_RetryPolicy", "a fallback around retries", "7, 3×, 0s",
		theirs(fail(9), func() []failsafe.Policy[int] {
			return append([]failsafe.Policy[int]{fallback.NewWithResult(7)}, theirRetries(usual)()...)
		}),
		oursOr(fail(9), retry.Fallback[int]{Value: 7})),
	alike("TestTimeout/Fallback_->_Timeout", "a fallback around a timeout", "7, 1×, 1s",
		theirs(hang, func() []failsafe.Policy[int] {
			return []failsafe.Policy[int]{fallback.NewWithResult(7), timeout.New[int](time.Second)}
		}),
		oursOr(hang, retry.Fallback[int]{Value: 7}, retry.Attempts(1), retry.PerAttempt(time.Second))),
	apart("TestListenersForFailingFallback", "who gets the fallback's answer knows that", "7; a listener of the policy is told", "7; the answer is told, with what failed",
		"nobody takes it for an answer of the target",
		func(t *testing.T) string {
			heard := ""
			f := fallback.NewBuilderWithResult(7).OnFallbackExecuted(func(failsafe.ExecutionDoneEvent[int]) { heard = "a listener of the policy is told" }).Build()
			value, _ := failsafe.With[int](f).Get(func() (int, error) { return 0, errReset })
			return fmt.Sprintf("%d; %s", value, heard)
		},
		func(t *testing.T) string {
			answer, _ := retry.Fallback[int]{Value: 7}.Answer(retry.Value(t.Context(), anyError(t), func(context.Context) (int, error) { return 0, errReset }))
			return fmt.Sprintf("%d; the answer is told, with what failed", answer.Value) + unlessText(errors.Is(answer.Failed, errReset))
		}),
}

var portedTimeouts = []behaviour{
	alike("TestTimeout/should_not_timeout", "an attempt in time", "1, 1×, 500ms",
		theirs(take(500*time.Millisecond), one(func() timeout.Timeout[int] { return timeout.New[int](time.Second) })),
		ours(take(500*time.Millisecond), with(retry.PerAttempt(time.Second)))),
	alike("TestTimeout/RetryPolicy_->_Timeout_with_blocked_execution", "a timeout inside retries is for each attempt", "no attempts left, 3×, 3s",
		theirs(hang, func() []failsafe.Policy[int] { return append(theirRetries(usual)(), timeout.New[int](time.Second)) }),
		ours(hang, with(retry.PerAttempt(time.Second)))),
	alike("TestTimeout_Cancellation/during_execution", "a success after the timeout is a failure", "no attempts left, 3×, 6s",
		theirs(take(2*time.Second), func() []failsafe.Policy[int] { return append(theirRetries(usual)(), timeout.New[int](time.Second)) }),
		ours(take(2*time.Second), with(retry.PerAttempt(time.Second)), with(retry.InTime()))),
	apart("TestTimeout/RetryPolicy_->_Timeout_with_pending_retry", "a success after the timeout, by default", "timeout, 1×, 2s", "1, 1×, 2s",
		"what has worked has worked; InTime says otherwise",
		theirs(take(2*time.Second), one(func() timeout.Timeout[int] { return timeout.New[int](time.Second) })),
		ours(take(2*time.Second), with(retry.PerAttempt(time.Second)))),
	apart("TestTimeout/Timeout_->_RetryPolicy_with_pending_retry", "a timeout around retries ends in a wait", "timeout, 1×, 1s", "no time left, 1×, 0s",
		"a wait that is in vain is not begun",
		theirs(fail(9), func() []failsafe.Policy[int] {
			return append([]failsafe.Policy[int]{timeout.New[int](time.Second)}, theirRetries(func(b builder) builder { return b.WithDelay(time.Minute) })()...)
		}),
		ours(fail(9), with(retry.TTL(time.Second)), with(retry.Fixed(time.Minute)))),
	alike("TestTimeout_Nested/Timeout_->_Timeout", "the shorter of two timeouts counts", "canceled by its context, 1×, 1s",
		func(t *testing.T) string {
			return cut(theirs(hang, func() []failsafe.Policy[int] {
				return []failsafe.Policy[int]{timeout.New[int](time.Minute), timeout.New[int](time.Second)}
			})(t))
		},
		func(t *testing.T) string {
			return cut(ours(hang, with(retry.TTL(time.Minute)), with(retry.PerAttempt(time.Second)), with(retry.Attempts(1)))(t))
		}),
}

// cut says that a call was cut short, whatever it is called.
func cut(outcome string) string {
	for _, name := range []string{"timeout", "no attempts left"} {
		if len(outcome) > len(name) && outcome[:len(name)] == name {
			return "canceled by its context" + outcome[len(name):]
		}
	}
	return outcome
}

// typed is an error by its type.
type typed struct{}

func (typed) Error() string { return "typed" }

// slow is an operation that takes a time first.
func slow(op operation, d time.Duration) operation {
	return func(ctx context.Context, p *probe) (int, error) {
		value, err := op(ctx, p)
		time.Sleep(d)
		return value, err
	}
}

// declared runs an operation of which nothing is declared under rules.
func declared(op operation, options ...retry.Option) side {
	return func(t *testing.T) string {
		p := newProbe()
		all := policy(t, append(options, retry.Attempts(3), retry.Fixed(0), retry.NoJitter())...)
		return p.tell(retry.Value(t.Context(), all, func(ctx context.Context) (int, error) { return op(ctx, p) }))
	}
}

// theirsNested is a retry around a function that retries.
func theirsNested(t *testing.T) string {
	p := newProbe()
	return p.tell(failsafe.With(theirRetries(usual)()...).Get(func() (int, error) {
		return failsafe.With(theirRetries(usual)()...).Get(func() (int, error) { return fail(99)(t.Context(), p) })
	}))
}

// oursNested is a retry around a retry.
func oursNested(options ...retry.Option) side {
	return func(t *testing.T) string {
		p := newProbe()
		all := policy(t, append(options, retry.Attempts(3), retry.Fixed(0), retry.NoJitter(), retry.OnAny())...)
		return p.tell(retry.Value(t.Context(), all, func(ctx context.Context) (int, error) {
			return retry.Value(ctx, all, func(ctx context.Context) (int, error) { return fail(99)(ctx, p) })
		}))
	}
}

// oursOr is a call with a fallback.
func oursOr(op operation, f retry.Fallback[int], options ...retry.Option) side {
	return func(t *testing.T) string {
		p := newProbe()
		all := policy(t, append([]retry.Option{retry.Attempts(3), retry.Fixed(0), retry.NoJitter(), retry.OnAny()}, options...)...)
		answer, err := f.Answer(retry.Value(t.Context(), all, func(ctx context.Context) (int, error) { return op(ctx, p) }))
		return p.tell(answer.Value, retry.Last(err))
	}
}

// unless is an error where another one was wanted.
func unless(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("it is told of %w", err)
}

func unlessText(ok bool) string {
	if ok {
		return ""
	}
	return " (it is not)"
}

func panics(call func(op func() (int, error))) (text string) {
	calls := 0
	defer func() { text = fmt.Sprintf("panic: %v, %d×", recover(), calls) }()
	call(func() (int, error) { calls++; panic("oh") })
	return ""
}

func joined(waits []time.Duration) string {
	text := fmt.Sprint(waits)
	return text[1 : len(text)-1]
}
