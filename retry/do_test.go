package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

var (
	errNetwork  = fmt.Errorf("read: %w", io.ErrUnexpectedEOF)  // network, maybe
	errUnsent   = fmt.Errorf("dial: %w", syscall.ECONNREFUSED) // unsent, not sent
	errMissing  = fmt.Errorf("load: %w", fs.ErrNotExist)       // permanent
	errNobody   = errors.New("nobody knows what that means")   // unknown
	errThrottle = &retry.ResultError{Verdict: retry.Verdict{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: 3 * time.Second}}}
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
		{"unknown twice", []error{errNobody, errNobody}, []retry.Option{retry.Idempotent()}, retry.ErrAttempts, 2},
		{"a rule forbids", []error{errNetwork}, []retry.Option{retry.Idempotent(), retry.Never(retry.Network)}, retry.ErrRejected, 1},
		{"an error rule forbids", []error{errNetwork}, []retry.Option{retry.Idempotent(),
			retry.OnError(io.ErrUnexpectedEOF, retry.Rule{Then: retry.NeverRetry})}, retry.ErrRejected, 1},
		{"no time", []error{errUnsent, errUnsent, errUnsent}, []retry.Option{retry.TTL(3 * time.Second), retry.Fixed(2 * time.Second), retry.NoJitter()}, retry.ErrNoTime, 2},
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
