package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

var (
	errNetwork = fmt.Errorf("read: %w", io.ErrUnexpectedEOF)  // network, maybe
	errUnsent  = fmt.Errorf("dial: %w", syscall.ECONNREFUSED) // unsent, not sent if it is all of the operation
	errMissing = fmt.Errorf("load: %w", fs.ErrNotExist)       // permanent
	errNobody  = errors.New("nobody knows what that means")   // unknown
)

// failing returns a function that fails with the errors in turn and then
// succeeds, and the times at which it was called.
func failing(errs ...error) (func(context.Context) error, *[]time.Time) {
	var calls []time.Time
	return func(context.Context) error {
		calls = append(calls, time.Now())
		if n := len(calls); n <= len(errs) {
			return errs[n-1]
		}
		return nil
	}, &calls
}

// gaps are the waits between calls.
func gaps(calls []time.Time) []time.Duration {
	var all []time.Duration
	for i := 1; i < len(calls); i++ {
		all = append(all, calls[i].Sub(calls[i-1]))
	}
	return all
}

func asError(t *testing.T, err error) *retry.Error {
	t.Helper()
	end, ok := errors.AsType[*retry.Error](err)
	if !ok {
		t.Fatalf("got %v (%T), want a *retry.Error", err, err)
	}
	return end
}

func TestDoWaitsAsPlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Steps(time.Second, 2*time.Second, 5*time.Second), retry.NoJitter(), retry.Idempotent())
		fn, calls := failing(errNetwork, errNetwork, errNetwork)
		if err := retry.Do(t.Context(), p, fn); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(gaps(*calls)); got != "[1s 2s 5s]" {
			t.Error("waits:", got)
		}
	})
}

func TestDoEnds(t *testing.T) {
	rows := []struct {
		name     string
		errs     []error
		opts     []retry.Option
		reason   error
		attempts int
	}{
		{"attempts used up", []error{errNetwork, errNetwork, errNetwork}, []retry.Option{retry.Idempotent(), retry.Attempts(3)}, retry.ErrAttempts, 3},
		{"permanent", []error{errMissing}, nil, retry.ErrPermanent, 1},
		{"unsafe", []error{errNetwork}, nil, retry.ErrUnsafe, 1},
		{"unknown", []error{errNobody}, []retry.Option{retry.Attempts(5)}, retry.ErrUnknown, 1},
		{"unknown, idempotent", []error{errNobody, errNobody, errNobody}, []retry.Option{retry.Attempts(3), retry.Idempotent()}, retry.ErrAttempts, 3},
		{"unknown, not idempotent", []error{errNobody}, []retry.Option{retry.NotIdempotent(), retry.OnAny()}, retry.ErrUnknown, 1},
		{"any", []error{errNobody, errMissing, errNetwork}, []retry.Option{retry.Attempts(3), retry.OnAny()}, retry.ErrAttempts, 3},
		{"a rule forbids", []error{errNetwork}, []retry.Option{retry.Idempotent(), retry.GiveUpOn(retry.Network)}, retry.ErrRejected, 1},
		{"an error rule forbids", []error{errNetwork}, []retry.Option{retry.Idempotent(),
			retry.OnError(io.ErrUnexpectedEOF, retry.Rule{Then: retry.GiveUp})}, retry.ErrRejected, 1},
		{"no time", []error{errUnsent, errUnsent, errUnsent}, []retry.Option{retry.TTL(3 * time.Second), retry.Fixed(2 * time.Second), retry.NoJitter(), retry.OneExchange()}, retry.ErrNoTime, 2},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fn, calls := failing(row.errs...)
				err := retry.Do(t.Context(), policy(t, row.opts...), fn)
				end := asError(t, err)
				last := row.errs[row.attempts-1]
				if !errors.Is(err, row.reason) || end.Reason != row.reason || end.Last != last || !errors.Is(err, last) { //nolint:errorlint // the very values
					t.Errorf("got %+v, want %v with %v", end, row.reason, last)
				}
				if end.Attempts != row.attempts || len(*calls) != row.attempts {
					t.Errorf("%d attempts reported, %d made, want %d", end.Attempts, len(*calls), row.attempts)
				}
			})
		})
	}
}

func TestDoAllocates(t *testing.T) {
	ctx, n := t.Context(), 0
	twice := func(context.Context) error {
		if n++; n%3 != 0 {
			return errReset
		}
		return nil
	}
	succeed := func(context.Context) error { n++; return nil }
	rows := []struct {
		name string
		p    *retry.Policy
		fn   func(context.Context) error
		most float64
	}{
		{"a success", policy(t), succeed, 0},
		{"a success with budget and breaker", guarded(t), succeed, 0},
		{"two failures", policy(t, retry.Fixed(0), retry.Idempotent()), twice, 2},
		{"an attempt with a time of its own", policy(t, retry.PerAttempt(time.Second)), succeed, 1},
		{"one that waits for its context", policy(t, retry.PerAttempt(time.Second)), func(ctx context.Context) error {
			if closed(ctx.Done()) {
				return ctx.Err()
			}
			return nil
		}, 7},
	}
	for _, row := range rows {
		if got := testing.AllocsPerRun(100, func() {
			if err := retry.Do(ctx, row.p, row.fn); err != nil {
				t.Error(err)
			}
		}); got > row.most {
			t.Errorf("%s: %v allocations, at most %v are wanted", row.name, got, row.most)
		}
	}
	breaker, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	target := &retry.Target{Name: "db", Breaker: breaker}
	p := policy(t)
	if got := testing.AllocsPerRun(100, func() {
		if _, err := retry.Value(ctx, p, func(context.Context) (int, error) { n++; return n, nil }, retry.For(target), retry.Idempotent()); err != nil {
			t.Error(err)
		}
	}); got > 0 {
		t.Errorf("a value with options of the call: %v allocations", got)
	}
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// A hint is never undercut, and one past the deadline ends the operation.
func TestDoHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hinted := &retry.ResultError{Verdict: retry.Verdict{
			Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: 3 * time.Second},
		}}
		p := policy(t, retry.Fixed(10*time.Millisecond))
		for range 50 {
			fn, calls := failing(hinted)
			if err := retry.Do(t.Context(), p, fn); err != nil {
				t.Fatal(err)
			}
			if got := gaps(*calls)[0]; got < 3*time.Second || got >= 3750*time.Millisecond {
				t.Fatalf("waited %v", got)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		fn, calls := failing(hinted)
		end := asError(t, retry.Do(ctx, p, fn))
		if end.Reason != retry.ErrNoTime || len(*calls) != 1 || time.Since(start) != 0 { //nolint:errorlint // the very value
			t.Errorf("%v after %v", end, time.Since(start))
		}
	})
}

// A retry that would be cut short by the deadline is not waited for.
func TestDoLeavesNoClippedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(300*time.Millisecond), retry.NoJitter(), retry.Idempotent())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start, calls := time.Now(), 0
		end := asError(t, retry.Do(ctx, p, func(context.Context) error {
			calls++
			time.Sleep(400 * time.Millisecond)
			return errNetwork
		}))
		if calls != 1 || time.Since(start) != 400*time.Millisecond || end.Elapsed != 400*time.Millisecond {
			t.Errorf("%d calls, %v: %v", calls, time.Since(start), end)
		}
		if !errors.Is(end, retry.ErrNoTime) || !errors.Is(end, io.ErrUnexpectedEOF) {
			t.Errorf("got %v", end)
		}
	})
}

// A cold policy does not take the wait for a lost attempt for the usual length: the
// time that is left is used.
func TestDoRetriesALostFirstAttempt(t *testing.T) {
	for _, known := range []int{0, 1, 5, 9, 10} {
		t.Run(fmt.Sprint(known, " known"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := policy(t, retry.PerAttempt(600*time.Millisecond), retry.Fixed(10*time.Millisecond), retry.NoJitter(), retry.Idempotent())
				quick := func(context.Context) error { time.Sleep(5 * time.Millisecond); return nil }
				for range known {
					if err := retry.Do(t.Context(), p, quick); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start, calls := time.Now(), 0
				err := retry.Do(ctx, p, func(ctx context.Context) error {
					if calls++; calls == 1 {
						<-ctx.Done()
						return ctx.Err()
					}
					return quick(ctx)
				})
				if err != nil || calls != 2 || time.Since(start) != 615*time.Millisecond {
					t.Errorf("%v after %d calls and %v", err, calls, time.Since(start))
				}
			})
		})
	}
}

// Once the usual length of a success is known, it counts instead of how long this
// one took to fail.
func TestDoKnowsUsualLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(100*time.Millisecond), retry.NoJitter(), retry.Idempotent())
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for range 20 {
			if err := retry.Do(ctx, p, func(context.Context) error { time.Sleep(time.Second); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		fn, calls := failing(errNetwork)
		if end := asError(t, retry.Do(ctx, p, fn)); end.Reason != retry.ErrNoTime || len(*calls) != 1 { //nolint:errorlint // the very value
			t.Errorf("%v after %d calls", end, len(*calls))
		}
	})
}

func TestDoCanceled(t *testing.T) {
	errGone := errors.New("the user has gone")
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(10*time.Second), retry.NoJitter(), retry.Idempotent())

		// While it waits.
		ctx, cancel := context.WithCancelCause(t.Context())
		start := time.Now()
		time.AfterFunc(4*time.Second, func() { cancel(errGone) })
		fn, calls := failing(errNetwork)
		end := asError(t, retry.Do(ctx, p, fn))
		if end.Reason != errGone || end.Last != errNetwork || time.Since(start) != 4*time.Second || len(*calls) != 1 { //nolint:errorlint // the very values
			t.Errorf("in a wait: %+v after %v", end, time.Since(start))
		}
		if !errors.Is(end, context.Canceled) || !errors.Is(end, errGone) {
			t.Errorf("in a wait: %v does not tell that the context ended", end)
		}

		// In an attempt, which then fails because of that.
		ctx, cancel = context.WithCancelCause(t.Context())
		number := 0
		end = asError(t, retry.Do(ctx, p, func(ctx context.Context) error {
			if number++; number == 1 {
				return errNetwork
			}
			cancel(errGone)
			<-ctx.Done()
			return fmt.Errorf("wrapped: %w", ctx.Err())
		}))
		if end.Reason != errGone || end.Last != errNetwork || end.Attempts != 2 { //nolint:errorlint // the very values
			t.Errorf("in an attempt: %+v", end)
		}
		if !errors.Is(end, context.Canceled) || !errors.Is(end, io.ErrUnexpectedEOF) {
			t.Errorf("in an attempt: %v has lost something", end)
		}

		// Before the first attempt.
		fn, calls = failing()
		end = asError(t, retry.Do(ctx, p, fn))
		if end.Reason != errGone || end.Attempts != 0 || end.Last != nil || len(*calls) != 0 { //nolint:errorlint // the very value
			t.Errorf("before: %+v", end)
		}
	})
}

// An attempt gets its timeout or what is left, and its end says which it was.
func TestDoAttemptTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waiting := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		start := time.Now()
		p := policy(t, retry.PerAttempt(time.Second), retry.Fixed(time.Second), retry.NoJitter(), retry.Idempotent(), retry.Attempts(3))
		end := asError(t, retry.Do(t.Context(), p, waiting))
		if end.Attempts != 3 || time.Since(start) != 5*time.Second || !errors.Is(end, retry.ErrAttemptTimeout) || !errors.Is(end, context.DeadlineExceeded) {
			t.Errorf("%v after %v", end, time.Since(start))
		}
		if v := retry.Classify(end); v.Category != retry.Timeout {
			t.Errorf("an outer operation sees %+v", v)
		}

		start = time.Now()
		p = policy(t, retry.PerAttempt(time.Second), retry.TTL(2500*time.Millisecond), retry.Fixed(0), retry.Idempotent())
		var causes []error
		err := retry.Do(t.Context(), p, func(ctx context.Context) error {
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			return errNetwork
		})
		if want := []error{retry.ErrAttemptTimeout, retry.ErrAttemptTimeout, retry.ErrDeadline}; !slices.Equal(causes, want) {
			t.Errorf("contexts ended by %v", causes)
		}
		if !errors.Is(err, retry.ErrNoTime) || time.Since(start) != 2500*time.Millisecond { // nobody knows how long the third takes
			t.Errorf("%v after %v", err, time.Since(start))
		}

		start = time.Now()
		p = policy(t, retry.TTL(time.Second), retry.Idempotent())
		end = asError(t, retry.Do(t.Context(), p, waiting))
		if end.Reason != retry.ErrNoTime || time.Since(start) != time.Second || !errors.Is(end, retry.ErrDeadline) { //nolint:errorlint // the very value
			t.Errorf("%v after %v", end, time.Since(start))
		}
	})
}

func TestDoFirstRunAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		fn, calls := failing(errUnsent)
		p := policy(t, retry.FirstRunAfter(time.Minute), retry.TTL(time.Hour), retry.Decorrelated(), retry.OneExchange())
		if err := retry.Do(t.Context(), p, fn); err != nil || (*calls)[0].Sub(start) != time.Minute {
			t.Errorf("%v, first call after %v", err, (*calls)[0].Sub(start))
		}
		if gap := gaps(*calls)[0]; gap > 3*time.Second { // the first wait is no previous delay
			t.Errorf("waited %v", gap)
		}

		start = time.Now()
		fn, calls = failing()
		p = policy(t, retry.FirstRunAfter(time.Minute), retry.TTL(time.Minute))
		err := retry.Do(t.Context(), p, fn)
		if !errors.Is(err, retry.ErrNoTime) || len(*calls) != 0 || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestValue(t *testing.T) {
	p := policy(t, retry.Fixed(0), retry.Idempotent(), retry.Attempts(3))
	n := 0
	got, err := retry.Value(t.Context(), p, func(context.Context) (int, error) {
		if n++; n < 3 {
			return -n, errNetwork
		}
		return n, nil
	})
	if got != 3 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	n = -10
	if got, err = retry.Value(t.Context(), p, func(context.Context) (int, error) { n++; return n, errNetwork }); got != -7 || err == nil {
		t.Errorf("got %d, %v; the last attempt returned -7", got, err)
	}
}

func TestValueIf(t *testing.T) {
	p := policy(t, retry.Fixed(0), retry.Attempts(3))
	pending := func(state string) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}, state == "pending"
	}
	states := []string{"pending", "pending", "ready", "pending", "pending", "pending"}
	next := func(context.Context) (string, error) {
		state := states[0]
		states = states[1:]
		return state, nil
	}
	if got, err := retry.ValueIf(t.Context(), p, pending, next); got != "ready" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	got, err := retry.ValueIf(t.Context(), p, pending, next)
	end := asError(t, err)
	result, ok := errors.AsType[*retry.ResultError](err)
	if got != "pending" || end.Attempts != 3 || !ok || result.Value != "pending" {
		t.Errorf("got %q, %v", got, err)
	}
	if got := end.Error(); !strings.HasSuffix(got, "retry: a result of type string counts as unavailable") {
		t.Error(got)
	}
}

func TestClassifiers(t *testing.T) {
	says := func(c retry.Category) retry.Classifier {
		return func(err error) (retry.Verdict, bool) {
			return retry.Verdict{Category: c, Effect: retry.NotSent}, errors.Is(err, errNobody)
		}
	}
	p := policy(t, retry.Fixed(0), retry.Attempts(2), retry.Classifiers(says(retry.Network), says(retry.Permanent)))
	fn, calls := failing(errNobody)
	if err := retry.Do(t.Context(), p, fn); err != nil || len(*calls) != 2 {
		t.Errorf("the first classifier of the policy is not asked first: %v", err)
	}
	fn, calls = failing(errNobody)
	err := retry.Do(t.Context(), p, fn, says(retry.Permanent))
	if !errors.Is(err, retry.ErrPermanent) || len(*calls) != 1 {
		t.Errorf("the classifier of the call is not asked first: %v", err)
	}
	if v := asError(t, err).RetryVerdict(); v.Category != retry.Permanent || v.Type != "*errors.errorString" {
		t.Errorf("an outer operation sees %+v", v)
	}
	fn, _ = failing(errMissing)
	if err := retry.Do(t.Context(), p, fn); !errors.Is(err, retry.ErrPermanent) {
		t.Errorf("what no classifier knows is not left to Classify: %v", err)
	}
}
