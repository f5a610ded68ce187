package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

func TestAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Fixed(time.Second), retry.NoJitter(), retry.Idempotent(), retry.Attempts(3))
		fn, calls := failing(errNetwork, errNetwork)
		var err error
		var numbers []int
		for a := range p.Attempts(t.Context()) {
			numbers = append(numbers, a.Number())
			err = a.Done(fn(a.Context()))
			if again := a.Done(nil); again != err { //nolint:errorlint // the very value
				t.Errorf("a second Done returns %v", again)
			}
		}
		if err != nil || fmt.Sprint(numbers, gaps(*calls)) != "[1 2 3] [1s 1s]" {
			t.Errorf("%v after %v, %v", err, numbers, gaps(*calls))
		}

		fn, _ = failing(errNetwork, errNetwork, errNetwork)
		for a := range p.Attempts(t.Context()) {
			err = a.Done(fn(a.Context()))
			if a.Number() < 3 && err != errNetwork { //nolint:errorlint // the very value
				t.Errorf("Done returns %v before the end", err)
			}
		}
		if end := asError(t, err); end.Reason != retry.ErrAttempts || end.Last != errNetwork { //nolint:errorlint // the very values
			t.Errorf("got %+v", end)
		}
	})
}

// The sequence can be used again, each time from the beginning.
func TestAttemptsAgain(t *testing.T) {
	attempts := policy(t, retry.Fixed(0), retry.Idempotent(), retry.Attempts(2)).Attempts(t.Context())
	for range 3 {
		n := 0
		for a := range attempts {
			n++
			_ = a.Done(errNetwork)
		}
		if n != 2 {
			t.Errorf("%d attempts", n)
		}
	}
}

// Each attempt's context ends with it; that of a loop that is left ends too.
func TestAttemptsContexts(t *testing.T) {
	p := policy(t, retry.Fixed(0), retry.Idempotent(), retry.PerAttempt(time.Minute))
	var contexts []context.Context
	for a := range p.Attempts(t.Context()) {
		contexts = append(contexts, a.Context())
		if err := a.Context().Err(); err != nil {
			t.Error(err)
		}
		if a.Number() == 3 {
			break
		}
		_ = a.Done(errNetwork)
	}
	for i, ctx := range contexts {
		if ctx.Err() == nil || !closed(ctx.Done()) {
			t.Errorf("the context of attempt %d goes on", i+1)
		}
	}
}

// A guard that refuses the first attempt.
func TestAttemptsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		target.Breaker.Force(time.Now(), retry.Open)
		p := policy(t, retry.For(target), retry.OnExhausted(retry.Pace), retry.Fixed(time.Second), retry.NoJitter())
		start, n := time.Now(), 0
		for a := range p.Attempts(t.Context()) {
			n++
			if a.Context().Err() == nil || !errors.Is(context.Cause(a.Context()), retry.ErrBreakerOpen) || a.Number() != 1 {
				t.Errorf("attempt %d runs with %v", a.Number(), context.Cause(a.Context()))
			}
			end := asError(t, a.Done(a.Context().Err()))
			if end.Reason != retry.ErrBreakerOpen || end.Attempts != 0 || end.Last != nil { //nolint:errorlint // the very value
				t.Errorf("got %+v", end)
			}
		}
		if n != 1 || time.Since(start) != time.Second {
			t.Errorf("%d attempts in %v", n, time.Since(start))
		}
	})
}

// However a loop is left, everything that was taken is given back, and the
// observer hears of one end.
func TestAttemptsLeft(t *testing.T) {
	leave := map[string]struct {
		loop              func(p *retry.Policy, ctx context.Context)
		attempts, refunds int
	}{
		"before Done": {func(p *retry.Policy, ctx context.Context) {
			for range p.Attempts(ctx) {
				break
			}
		}, 1, 0},
		"without Done": {func(p *retry.Policy, ctx context.Context) {
			for range p.Attempts(ctx) {
			}
		}, 1, 0},
		"after Done": {func(p *retry.Policy, ctx context.Context) {
			for a := range p.Attempts(ctx) {
				_ = a.Done(errNetwork)
				break
			}
		}, 1, 1},
		"in the second": {func(p *retry.Policy, ctx context.Context) {
			for a := range p.Attempts(ctx) {
				if a.Number() == 2 {
					return
				}
				_ = a.Done(errNetwork)
			}
		}, 2, 0},
		"by a panic": {func(p *retry.Policy, ctx context.Context) {
			defer func() { _ = recover() }()
			for range p.Attempts(ctx) {
				panic("boom")
			}
		}, 1, 0},
	}
	for name, row := range leave {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := everyGuard(t)
				var attempts []retry.AttemptEvent
				var ends []retry.EndEvent
				p := policy(t, retry.For(target), retry.Idempotent(), retry.Fixed(0), retry.Observe(retry.Observer{
					Attempt: func(e retry.AttemptEvent) { attempts = append(attempts, e) },
					End:     func(e retry.EndEvent) { ends = append(ends, e) },
				}))
				row.loop(p, t.Context())
				if len(attempts) != row.attempts || len(ends) != 1 || ends[0].Attempts != row.attempts || ends[0].Err == nil {
					t.Errorf("%d attempts, ends %+v", len(attempts), ends)
				}
				if name != "by a panic" && (taken(target) != 0 || target.Breaker.View(time.Now()).Failures > int64(row.refunds+row.attempts-1)) {
					t.Errorf("%d places, %+v", taken(target), target.Breaker.View(time.Now()))
				}
				want := 2 - row.attempts - row.refunds + row.refunds // one token, less those of retries
				if got := tokens(target); got < float64(want)-1e-6 || got > float64(want)+1e-6 {
					t.Errorf("%v tokens are left, want %d", got, want)
				}
			})
		})
	}
}

// What the context of an attempt tells does not replace the last real error.
func TestAttemptsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		p := policy(t, retry.Fixed(time.Minute), retry.NoJitter(), retry.Idempotent())
		start, n := time.Now(), 0
		var err error
		for a := range p.Attempts(ctx) {
			n++
			err = a.Done(errNetwork)
		}
		if n != 1 || time.Since(start) != time.Second || !errors.Is(err, context.Canceled) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d attempts, %v after %v", n, err, time.Since(start))
		}
	})
}
