package retry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// answer is what one copy does: it works for a while and then returns, unless its
// context ends first.
type answer struct {
	after time.Duration
	err   error
}

// copies returns a function whose n-th call gives the n-th answer, and what it
// saw.
func copies(answers ...answer) (func(context.Context) (int, error), *copiesSeen) {
	seen := &copiesSeen{}
	return func(ctx context.Context) (int, error) {
		n := seen.begin()
		defer seen.running.Add(-1)
		a := answers[min(n, len(answers))-1]
		select {
		case <-time.After(a.after):
			return n, a.err
		case <-ctx.Done():
			seen.end(context.Cause(ctx))
			return -n, ctx.Err()
		}
	}, seen
}

type copiesSeen struct {
	running atomic.Int64
	mu      sync.Mutex
	starts  []time.Time
	causes  []error
}

func (s *copiesSeen) begin() int {
	s.running.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts = append(s.starts, time.Now())
	return len(s.starts)
}

func (s *copiesSeen) end(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.causes = append(s.causes, cause)
}

func TestHedged(t *testing.T) {
	const after = 100 * time.Millisecond
	rows := []struct {
		name    string
		answers []answer
		most    int
		value   int
		took    time.Duration
		starts  string
		err     error
	}{
		{"fast enough", []answer{{after: 50 * time.Millisecond}}, 1, 1, 50 * time.Millisecond, "[]", nil},
		{"the hedge is faster", []answer{{after: time.Second}, {after: 20 * time.Millisecond}}, 1, 2, 120 * time.Millisecond, "[100ms]", nil},
		{"the first is faster", []answer{{after: 150 * time.Millisecond}, {after: time.Second}}, 1, 1, 150 * time.Millisecond, "[100ms]", nil},
		{"a failure waits for the other", []answer{{110 * time.Millisecond, errNetwork}, {after: time.Second}}, 1, 2, 1100 * time.Millisecond, "[100ms]", nil},
		{"a failure before a hedge", []answer{{20 * time.Millisecond, errNetwork}, {after: time.Millisecond}}, 1, 2, 21 * time.Millisecond, "[20ms]", nil},
		{"three hedges", []answer{{after: time.Second}}, 3, 1, time.Second, "[100ms 100ms 100ms]", nil},
		{"all fail", []answer{{150 * time.Millisecond, errMissing}, {20 * time.Millisecond, errNetwork}}, 1, 1, 150 * time.Millisecond, "[100ms]", retry.ErrPermanent},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := policy(t, retry.Hedge(retry.HedgeConfig{After: after, Most: row.most}), retry.Idempotent(), retry.Fixed(0))
				fn, seen := copies(row.answers...)
				start := time.Now()
				value, err := retry.Hedged(t.Context(), p, fn)
				took := time.Since(start)
				synctest.Wait()
				if value != row.value || took != row.took || !errors.Is(err, row.err) {
					t.Errorf("%d, %v after %v; want %d, %v after %v", value, err, took, row.value, row.err, row.took)
				}
				if got := fmt.Sprint(gaps(seen.starts)); got != row.starts {
					t.Errorf("copies began after %s, want %s", got, row.starts)
				}
				if seen.running.Load() != 0 {
					t.Errorf("%d copies go on", seen.running.Load())
				}
				for _, cause := range seen.causes {
					if cause == nil || cause.Error() != "retry: another copy of the attempt was faster" {
						t.Errorf("a copy ended because of %v", cause)
					}
				}
			})
		})
	}
}

// Hedges are for operations that are declared idempotent, and not inside a retry
// of an outer operation, which would multiply them.
func TestHedgedOnlyWhereSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hedge := retry.Hedge(retry.HedgeConfig{After: time.Millisecond})
		outer := retry.WithOuter(t.Context(), retry.Info{Attempt: 2})
		for name, row := range map[string]struct {
			ctx  context.Context
			opts []retry.Option
			call []retry.CallOption
			want int
		}{
			"undeclared":     {t.Context(), []retry.Option{hedge}, nil, 1},
			"not idempotent": {t.Context(), []retry.Option{hedge, retry.Idempotent()}, []retry.CallOption{retry.NotIdempotent()}, 1},
			"nested":         {outer, []retry.Option{hedge, retry.Idempotent()}, nil, 1},
			"no hedging":     {t.Context(), []retry.Option{retry.Idempotent()}, nil, 1},
			"idempotent":     {t.Context(), []retry.Option{hedge}, []retry.CallOption{retry.Idempotent()}, 2},
			"independent":    {outer, []retry.Option{hedge, retry.Idempotent(), retry.Independent()}, nil, 2},
		} {
			fn, seen := copies(answer{after: time.Second})
			_, err := retry.Hedged(row.ctx, policy(t, row.opts...), fn, row.call...)
			synctest.Wait()
			if err != nil || len(seen.starts) != row.want {
				t.Errorf("%s: %d copies, %v", name, len(seen.starts), err)
			}
		}
	})
}

// A hedge takes a token, a permit and a place. What loses counts for nothing.
func TestHedgedGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t) // one token, two places
		hedging := retry.Hedge(retry.HedgeConfig{After: time.Second})
		p := policy(t, retry.For(target), retry.Idempotent(), hedging)

		fn, _ := copies(answer{after: time.Minute}, answer{after: time.Second})
		if _, err := retry.Hedged(t.Context(), p, fn); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		view := target.Breaker.View(time.Now())
		if view.Calls != 1 || view.Failures != 0 || taken(target) != 0 || tokens(target) > 0.5 {
			t.Errorf("%+v, %d places, %v tokens", view, taken(target), tokens(target))
		}

		fn, seen := copies(answer{after: 3 * time.Second})
		_, err := retry.Hedged(t.Context(), p, fn)
		synctest.Wait()
		if err != nil || len(seen.starts) != 1 {
			t.Errorf("%v: %d copies without a token", err, len(seen.starts))
		}

		target = everyGuard(t)
		for range 2 - 1 {
			target.Limit.Acquire(time.Now())
		}
		fn, seen = copies(answer{after: 3 * time.Second})
		_, err = retry.Hedged(t.Context(), p, fn, retry.For(target))
		synctest.Wait()
		if err != nil || len(seen.starts) != 1 || tokens(target) < 1 || taken(target) != 1 {
			t.Errorf("%v: %d copies without a place, %v tokens, %d places", err, len(seen.starts), tokens(target), taken(target))
		}
	})
}

// A copy that fails while the other goes on is a failure.
func TestHedgedFailureCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: time.Second}))
		fn, _ := copies(answer{2 * time.Second, errNetwork}, answer{after: 3 * time.Second})
		if got, err := retry.Hedged(t.Context(), p, fn); err != nil || got != 2 {
			t.Error(got, err)
		}
		if view := target.Breaker.View(time.Now()); view.Calls != 2 || view.Failures != 1 || taken(target) != 0 {
			t.Errorf("%+v, %d places", view, taken(target))
		}
	})
}

// There is no hedge for a caller who has gone, however long the copy takes to see
// that.
func TestHedgedCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, calls := policy(t, retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: time.Second})), atomic.Int64{}
		_, err := retry.Hedged(ctx, p, func(context.Context) (int, error) {
			calls.Add(1)
			cancel()
			time.Sleep(time.Minute)
			return 0, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || calls.Load() != 1 {
			t.Errorf("%v after %d copies", err, calls.Load())
		}
	})
}

// After comes first; then the quantile of what successes took.
func TestHedgedQuantile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: time.Second, Quantile: 0.9}))
		hedgedAt := func() time.Duration {
			fn, seen := copies(answer{after: time.Hour}, answer{})
			if _, err := retry.Hedged(t.Context(), p, fn); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return gaps(seen.starts)[0]
		}
		if got := hedgedAt(); got != time.Second {
			t.Errorf("with nothing known the hedge came after %v", got)
		}
		for n := range 200 {
			fn, _ := copies(answer{after: time.Duration(n%10+1) * 10 * time.Millisecond})
			if _, err := retry.Hedged(t.Context(), p, fn); err != nil {
				t.Fatal(err)
			}
		}
		if got := hedgedAt(); got < 90*time.Millisecond || got > 125*time.Millisecond {
			t.Errorf("the hedge came after %v, nine of ten take up to 90 ms", got)
		}
	})
}

// A panic of a copy goes on in the caller, with the guards released.
func TestHedgedPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		p := policy(t, retry.For(target), retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: time.Second}))
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
			synctest.Wait()
			if view := target.Breaker.View(time.Now()); taken(target) != 0 || view.Failures != 1 {
				t.Errorf("%d places, %+v", taken(target), view)
			}
		}()
		var calls atomic.Int64
		_, _ = retry.Hedged(t.Context(), p, func(ctx context.Context) (int, error) {
			if calls.Add(1) == 2 {
				panic("boom")
			}
			<-ctx.Done()
			return 0, ctx.Err()
		})
		t.Error("no panic")
	})
}

// A result that comes too late is handed to Discard.
func TestHedgedDiscards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var discarded []any
		p := policy(t, retry.Idempotent(), retry.Hedge(retry.HedgeConfig{
			After: time.Second, Discard: func(result any) { discarded = append(discarded, result) },
		}))
		calls := make(chan int, 2)
		calls <- 1
		calls <- 2
		got, err := retry.Hedged(t.Context(), p, func(context.Context) (int, error) { // it does not look at its context
			n := <-calls
			time.Sleep(time.Duration(6-2*n) * time.Second)
			return n, nil
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if got != 2 || err != nil || fmt.Sprint(discarded) != "[1]" {
			t.Errorf("got %d, %v, discarded %v", got, err, discarded)
		}
	})
}

func TestHedgeRefused(t *testing.T) {
	for _, c := range []retry.HedgeConfig{
		{}, {Quantile: 0.9}, {After: 1, Quantile: 1}, {After: 1, Quantile: -0.1}, {After: 1, Most: 5}, {After: 1, Most: -1},
	} {
		_, err := retry.New(retry.Hedge(c))
		if found := retry.FieldErrors(err); len(found) != 1 || found[0].Field[:6] != "hedge." {
			t.Errorf("%+v: %v", c, err)
		}
	}
	_, err := retry.New(retry.OnExhausted(7), retry.Classifiers(nil))
	if found := retry.FieldErrors(err); len(found) != 2 {
		t.Errorf("got %v", err)
	}
}
