package retry_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

var errReset error = syscall.ECONNRESET

func policy(tb testing.TB, opts ...retry.Option) *retry.Policy {
	tb.Helper()
	p, err := retry.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func BenchmarkDoSuccess(b *testing.B) {
	p, ctx, n := policy(b), b.Context(), 0
	b.ReportAllocs()
	for b.Loop() {
		if err := retry.Do(ctx, p, func(context.Context) error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValueSuccess(b *testing.B) {
	p, ctx, n := policy(b), b.Context(), 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := retry.Value(ctx, p, func(context.Context) (int, error) { n++; return n, nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDoSuccessWithDeadline(b *testing.B) {
	p, n := policy(b), 0
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if err := retry.Do(ctx, p, func(context.Context) error { n++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func guarded(b testing.TB) *retry.Policy {
	b.Helper()
	budget, err := retry.NewBudget(retry.BudgetConfig{})
	breaker, err2 := retry.NewBreaker(retry.BreakerConfig{})
	if err := errors.Join(err, err2); err != nil {
		b.Fatal(err)
	}
	return policy(b, retry.WithBudget(budget), retry.WithBreaker(breaker))
}

func BenchmarkDoGuarded(b *testing.B) {
	p, ctx := guarded(b), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if err := retry.Do(ctx, p, func(context.Context) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDoGuardedParallel(b *testing.B) {
	p, ctx := guarded(b), b.Context()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := retry.Do(ctx, p, func(context.Context) error { return nil }); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkDoTwoFailures(b *testing.B) {
	p, ctx := policy(b, retry.Fixed(0), retry.Idempotent()), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := retry.Do(ctx, p, func(context.Context) error {
			if n++; n < 3 {
				return errReset
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDoPerAttempt(b *testing.B) {
	p, ctx := policy(b, retry.PerAttempt(time.Second)), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if err := retry.Do(ctx, p, func(context.Context) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// The function waits for its context, which then needs a timer.
func BenchmarkDoPerAttemptWaiting(b *testing.B) {
	p, ctx := policy(b, retry.PerAttempt(time.Second)), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if err := retry.Do(ctx, p, func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			default:
				return nil
			}
		}); err != nil {
			b.Fatal(err)
		}
	}
}
