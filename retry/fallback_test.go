package retry_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// deadContext has been canceled with a cause.
func deadContext(t *testing.T, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	return ctx
}

func TestFallback(t *testing.T) {
	errFirst, errSecond := errors.New("the first"), errors.New("the second")
	wrapped := fmt.Errorf("at home: %w", errFirst)
	second := func(failed error) (string, error) {
		if !errors.Is(failed, errFirst) {
			t.Errorf("it is told of %v", failed)
		}
		return "second", nil
	}
	broken := func(error) (string, error) { return "broken", errSecond }
	only := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	_, noPolicy := retry.Value(t.Context(), nil, func(context.Context) (string, error) { return "", nil })
	stopped := retry.Do(deadContext(t, errSecond), policy(t), func(context.Context) error { return nil })
	type fallback = retry.Fallback[string]
	for name, c := range map[string]struct {
		fallback fallback
		err      error
		value    string
		failed   error // in Answer
		end      []error
	}{
		"a success":                     {fallback: fallback{Value: "other", Func: broken}, value: "own"},
		"a value":                       {fallback: fallback{Value: "other"}, err: wrapped, value: "other", failed: wrapped},
		"the zero value":                {err: wrapped, failed: wrapped},
		"a function":                    {fallback: fallback{Value: "other", Func: second}, err: wrapped, value: "second", failed: wrapped},
		"a function that fails":         {fallback: fallback{Value: "other", Func: broken}, err: wrapped, value: "own", end: []error{wrapped, errFirst, errSecond}},
		"an error that is chosen":       {fallback: fallback{Value: "other", If: only(errFirst)}, err: wrapped, value: "other", failed: wrapped},
		"an error that is not":          {fallback: fallback{Value: "other", If: only(errSecond)}, err: wrapped, value: "own", end: []error{wrapped}},
		"a deadline":                    {fallback: fallback{Value: "other"}, err: context.DeadlineExceeded, value: "other", failed: context.DeadlineExceeded},
		"a cancellation":                {fallback: fallback{Value: "other"}, err: fmt.Errorf("x: %w", context.Canceled), value: "own", end: []error{context.Canceled}},
		"a cancellation with a cause":   {fallback: fallback{Value: "other"}, err: stopped, value: "own", end: []error{errSecond, context.Canceled}},
		"a cancellation that is chosen": {fallback: fallback{Value: "other", If: only(context.Canceled)}, err: stopped, value: "other", failed: stopped},
		"no policy":                     {fallback: fallback{Value: "other", If: func(error) bool { return true }}, err: noPolicy, value: "own", end: []error{noPolicy}},
	} {
		answer, err := c.fallback.Answer("own", c.err)
		if answer.Value != c.value || answer.Failed != c.failed || (err == nil) != (c.end == nil) { //nolint:errorlint // the very value
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
		for _, want := range c.end {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v is not in %v", name, want, err)
			}
		}
	}
}

// Guards and observers see the failure that a fallback answers for.
func TestFallbackHidesNothing(t *testing.T) {
	target := everyGuard(t)
	target.Throttle = nil
	var ends []retry.EndEvent
	p := policy(t, retry.Attempts(1), retry.For(target), retry.Observe(retry.Observer{End: func(e retry.EndEvent) { ends = append(ends, e) }}))
	for range 3 {
		answer, err := retry.Fallback[int]{Value: 7}.Answer(retry.Value(t.Context(), p, func(context.Context) (int, error) { return 1, errNetwork }))
		if answer.Value != 7 || !errors.Is(answer.Failed, errNetwork) || err != nil {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if len(ends) != 3 || ends[2].Err == nil {
		t.Errorf("told of %v", ends)
	}
	if view := target.Breaker.View(time.Now()); view.State != retry.Open {
		t.Errorf("the breaker is %v after three failures", view.State)
	}
	if share := target.Budget.Share(time.Now()); share != 0 {
		t.Errorf("the budget has seen a share of %v succeed", share)
	}
}

// What a fallback has done is no part of what was not sent.
func TestFallbackEffect(t *testing.T) {
	unsent := verdictError{retry.Verdict{Category: retry.Unsent, Effect: retry.NotSent}}
	for _, c := range []struct {
		call, fallback error
		want           retry.Verdict
	}{
		{unsent, errors.New("x"), retry.Verdict{Category: retry.Unsent, Effect: retry.Maybe}},
		{unsent, unsent, retry.Verdict{Category: retry.Unsent, Effect: retry.NotSent}},
		{unsent, retry.ErrBreakerOpen, retry.Verdict{Category: retry.Unsent, Effect: retry.Maybe}},
		{errNetwork, unsent, retry.Verdict{Category: retry.Network, Effect: retry.Maybe}},
		{unsent, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, retry.Verdict{Category: retry.Unsent, Effect: retry.Maybe}},
	} {
		_, err := retry.Fallback[int]{Func: func(error) (int, error) { return 0, c.fallback }}.Answer(0, c.call)
		if got := retry.Classify(err); got.Category != c.want.Category || got.Effect != c.want.Effect {
			t.Errorf("%v, then %v: %+v, not %+v", c.call, c.fallback, got, c.want)
		}
		if want := c.call.Error() + "; the fallback: " + c.fallback.Error(); err.Error() != want {
			t.Errorf("%q, not %q", err, want)
		}
	}
}

// verdictError describes itself.
type verdictError struct{ retry.Verdict }

func (verdictError) Error() string                 { return "described" }
func (e verdictError) RetryVerdict() retry.Verdict { return e.Verdict }

func TestLast(t *testing.T) {
	last, reason, other := errors.New("last"), errors.New("reason"), errors.New("other")
	bare := &retry.Error{}
	for _, c := range [][2]error{
		{nil, nil}, {other, other}, {bare, bare},
		{&retry.Error{Last: last, Reason: reason}, last},
		{&retry.Error{Reason: reason}, reason},
		{fmt.Errorf("x: %w", &retry.Error{Last: last}), last},
	} {
		if got := retry.Last(c[0]); got != c[1] { //nolint:errorlint // the very value
			t.Errorf("%v: %v, not %v", c[0], got, c[1])
		}
	}
}
