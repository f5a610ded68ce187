package compare

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/cachepolicy"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/cache"
)

var portedHedges = []behaviour{
	alike("TestHedgePolicy/should_not_hedge_when_delay_not_exceeded", "a fast call is not hedged", "1, 1×, 500ms",
		theirs(take(500*time.Millisecond), hedges(time.Second, 1)), oursHedged(take(500*time.Millisecond), time.Second, 1)),
	alike("TestHedgePolicy/should_hedge_when_delay_exceeded", "a slow call is hedged, and the first result counts", "2, 2×, 1.5s",
		theirs(slowFirst, hedges(time.Second, 1)), oursHedged(slowFirst, time.Second, 1)),
	alike("TestHedgePolicy/all_hedges_used", "hedges are bounded", "1, 3×, 5s",
		theirs(within5s, hedges(time.Second, 2)), oursHedged(within5s, time.Second, 2)),
	alike("TestHedgePolicy/backup_executions", "a hedge at once", "2, 2×, 500ms",
		theirs(slowFirst, hedges(0, 1)), oursHedged(slowFirst, -1, 1)),
	alike("TestHedgePolicy_Cancellation/with_context_during_hedge", "a cancellation ends all copies", "canceled, 2×, 2s",
		theirsIn(canceledAfter(2*time.Second), hang, hedges(time.Second, 1)),
		func(t *testing.T) string {
			return hedgedIn(canceledAfter(2*time.Second)(t), t, hang, time.Second, 1)
		}),
	alike("TestHedgePolicy/should_cancel_on_result", "the copies that lost are ended", "2, and the first was ended: true",
		func(t *testing.T) string {
			return losers(func(op func(context.Context) (int, error)) (int, error) {
				return failsafe.With(hedges(time.Second, 1)()...).WithContext(t.Context()).GetWithExecution(func(e failsafe.Execution[int]) (int, error) { return op(e.Context()) })
			})
		},
		func(t *testing.T) string {
			return losers(func(op func(context.Context) (int, error)) (int, error) {
				return retry.Hedged(t.Context(), hedging(t, time.Second, 1), op)
			})
		}),
	apart("TestHedgePolicy/should_cancel_on_result", "a copy that fails, by default", "reset, 2×, 1s", "1, 2×, 5s",
		"a copy that fails waits for the others",
		theirs(secondFails, hedges(time.Second, 1)), oursHedged(secondFails, time.Second, 1)),
}

var portedCaches = []behaviour{
	alike("TestCache", "a success is kept", "1 1, 1×",
		theirsCached(func(b cachepolicy.Builder[int]) cachepolicy.Builder[int] { return b }, "a", "a"), oursCached(cache.Config[int]{For: time.Hour}, "a", "a")),
	alike("TestCache_Get", "keys are apart", "1 2 1, 2×",
		theirsCached(func(b cachepolicy.Builder[int]) cachepolicy.Builder[int] { return b }, "a", "b", "a"), oursCached(cache.Config[int]{For: time.Hour}, "a", "b", "a")),
	alike("TestCache/should_not_cache_on_error", "an error is not kept", "reset 2 2, 2×",
		theirsCached(func(b cachepolicy.Builder[int]) cachepolicy.Builder[int] { return b }, "!a", "a", "a"), oursCached(cache.Config[int]{For: time.Hour}, "!a", "a", "a")),
	alike("TestCache/with_condition", "a condition says what is kept", "1 2 2, 2×",
		theirsCached(func(b cachepolicy.Builder[int]) cachepolicy.Builder[int] {
			return b.CacheIf(func(n int, err error) bool { return err == nil && n > 1 })
		}, "a", "a", "a"),
		oursCached(cache.Config[int]{Lasts: func(n int) time.Duration { return time.Duration(n-1) * time.Hour }}, "a", "a", "a")),
	alike("TestCachePolicy_Composition/with_RetryPolicy", "a cache around retries", "3, 3×, 0s",
		func(t *testing.T) string {
			p, kept := newProbe(), cachepolicy.NewBuilder[int](&store{}).WithKey("a").Build()
			executor := failsafe.With(append([]failsafe.Policy[int]{kept}, theirRetries(usual)()...)...)
			_, _ = executor.Get(func() (int, error) { return fail(2)(t.Context(), p) })
			return p.tell(executor.Get(func() (int, error) { return fail(2)(t.Context(), p) }))
		},
		func(t *testing.T) string {
			p, all := newProbe(), anyError(t)
			kept, _ := cache.New[string](cache.Config[int]{For: time.Hour})
			ask := func() (int, error) {
				return kept.Value(t.Context(), "a", func(ctx context.Context) (int, error) {
					return retry.Value(ctx, all, func(ctx context.Context) (int, error) { return fail(2)(ctx, p) })
				})
			}
			_, _ = ask()
			return p.tell(ask())
		}),
	apart("TestCache", "callers who want the same at once", "5 calls", "1 call", "one makes the call, and the others wait for it",
		func(*testing.T) string {
			p, kept := newProbe(), failsafe.With[int](cachepolicy.NewBuilder[int](&store{}).WithKey("a").Build())
			clients(5, func() { _, _ = kept.Get(func() (int, error) { time.Sleep(time.Second); return p.call(), nil }) })
			return fmt.Sprintf("%d calls", p.calls)
		},
		func(t *testing.T) string {
			p := newProbe()
			kept, _ := cache.New[string](cache.Config[int]{For: time.Hour})
			clients(5, func() {
				_, _ = kept.Value(t.Context(), "a", func(context.Context) (int, error) { time.Sleep(time.Second); return p.call(), nil })
			})
			return fmt.Sprintf("%d call", p.calls)
		}),
}

var portedHandles = []behaviour{
	alike("TestGetAsync", "a result from the background", "done: false, 3, 3×, 2s, done: true",
		func(t *testing.T) string {
			p := newProbe()
			h := failsafe.With(theirRetries(func(b builder) builder { return b.WithDelay(time.Second) })()...).GetAsync(func() (int, error) { return fail(2)(t.Context(), p) })
			before := h.IsDone()
			text := p.tell(h.Get())
			return fmt.Sprintf("done: %t, %s, done: %t", before, text, h.IsDone())
		},
		func(t *testing.T) string {
			p := newProbe()
			h := retry.GoValue(t.Context(), anyError(t, with(retry.Fixed(time.Second))), func(ctx context.Context) (int, error) { return fail(2)(ctx, p) })
			before := isClosed(h.Done())
			text := p.tell(h.Wait())
			return fmt.Sprintf("done: %t, %s, done: %t", before, text, isClosed(h.Done()))
		}),
	alike("TestExecution_Cancellation/with_ExecutionResult", "what runs in the background is stopped", "stopped, 1×, 1s",
		func(t *testing.T) string {
			p := newProbe()
			h := failsafe.With(theirRetries(usual)()...).WithContext(t.Context()).GetAsyncWithExecution(func(e failsafe.Execution[int]) (int, error) { return hang(e.Context(), p) })
			time.AfterFunc(time.Second, h.Cancel)
			return p.tell(h.Get())
		},
		func(t *testing.T) string {
			p := newProbe()
			h := retry.GoValue(t.Context(), anyError(t), func(ctx context.Context) (int, error) { return hang(ctx, p) })
			time.AfterFunc(time.Second, h.Stop)
			return p.tell(h.Wait())
		}),
	alike("TestRetryPolicy_Cancellation/with_ExecutionResult_during_successive_retry", "what waits in the background is stopped", "stopped, 2×, 1.5s",
		func(t *testing.T) string {
			p := newProbe()
			h := failsafe.With(theirRetries(func(b builder) builder { return b.WithDelay(time.Second).WithMaxRetries(-1) })()...).GetAsync(func() (int, error) { return fail(9)(t.Context(), p) })
			time.AfterFunc(1500*time.Millisecond, h.Cancel)
			return p.tell(h.Get())
		},
		func(t *testing.T) string {
			p := newProbe()
			h := retry.GoValue(t.Context(), anyError(t, with(retry.Fixed(time.Second))), func(ctx context.Context) (int, error) { return fail(9)(ctx, p) })
			time.AfterFunc(1500*time.Millisecond, h.Stop)
			return p.tell(h.Wait())
		}),
	alike("TestWithContext", "a cancellation reaches the background", "canceled, 1×, 1s",
		func(t *testing.T) string {
			p := newProbe()
			h := failsafe.With(theirRetries(usual)()...).WithContext(canceledAfter(time.Second)(t)).GetAsyncWithExecution(func(e failsafe.Execution[int]) (int, error) { return hang(e.Context(), p) })
			return p.tell(h.Get())
		},
		func(t *testing.T) string {
			p := newProbe()
			return p.tell(retry.GoValue(canceledAfter(time.Second)(t), anyError(t), func(ctx context.Context) (int, error) { return hang(ctx, p) }).Wait())
		}),
}

// slowFirst is an operation of which the first copy is slow.
func slowFirst(ctx context.Context, p *probe) (int, error) {
	number := p.call()
	d := 500 * time.Millisecond
	if number == 1 {
		d = time.Minute
	}
	select {
	case <-time.After(d):
		return number, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// within5s takes five seconds, if it is not ended.
func within5s(ctx context.Context, p *probe) (int, error) {
	number := p.call()
	select {
	case <-time.After(5 * time.Second):
		return number, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// secondFails is an operation of which the second copy fails at once.
func secondFails(ctx context.Context, p *probe) (int, error) {
	value, err := 0, errReset
	if p.at == nil {
		value, err = within5s(ctx, p)
	} else {
		p.call()
	}
	return value, err
}

func hedges(after time.Duration, most int) func() []failsafe.Policy[int] {
	return one(func() hedgepolicy.HedgePolicy[int] {
		return hedgepolicy.NewBuilderWithDelay[int](after).WithMaxHedges(most).Build()
	})
}

func hedging(t *testing.T, after time.Duration, most int) *retry.Policy {
	return policy(t, retry.Attempts(1), retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: after, Most: most}))
}

func oursHedged(op operation, after time.Duration, most int) side {
	return func(t *testing.T) string { return hedgedIn(t.Context(), t, op, after, most) }
}

func hedgedIn(ctx context.Context, t *testing.T, op operation, after time.Duration, most int) string {
	p := newProbe()
	return p.tell(retry.Hedged(ctx, hedging(t, after, most), func(ctx context.Context) (int, error) { return op(ctx, p) }))
}

// losers says whether the first copy was ended when the second had won.
func losers(call func(op func(context.Context) (int, error)) (int, error)) string {
	p, ended := newProbe(), make(chan bool, 1)
	value, _ := call(func(ctx context.Context) (int, error) {
		if number := p.call(); number > 1 {
			return number, nil
		}
		<-ctx.Done()
		ended <- true
		return 0, ctx.Err()
	})
	return fmt.Sprintf("%d, and the first was ended: %t", value, <-ended)
}

// store is the least cache of failsafe-go.
type store struct{ values sync.Map }

func (s *store) Get(key string) (int, bool) {
	value, ok := s.values.Load(key)
	if !ok {
		return 0, false
	}
	return value.(int), true
}

func (s *store) Set(key string, value int) { s.values.Store(key, value) }

// theirsCached asks for keys one after another; calls for those with ! fail.
func theirsCached(change func(cachepolicy.Builder[int]) cachepolicy.Builder[int], keys ...string) side {
	return func(t *testing.T) string {
		kept := failsafe.With[int](change(cachepolicy.NewBuilder[int](&store{})).Build())
		return cached(keys, func(key string, op func() (int, error)) (int, error) {
			return kept.WithContext(cachepolicy.ContextWithCacheKey(t.Context(), key)).Get(op)
		})
	}
}

func oursCached(c cache.Config[int], keys ...string) side {
	return func(t *testing.T) string {
		kept, err := cache.New[string](c)
		if err != nil {
			t.Fatal(err)
		}
		return cached(keys, func(key string, op func() (int, error)) (int, error) {
			return kept.Value(t.Context(), key, func(context.Context) (int, error) { return op() })
		})
	}
}

func cached(keys []string, ask func(key string, op func() (int, error)) (int, error)) (text string) {
	p := newProbe()
	for i, key := range keys {
		var err error
		if key[0] == '!' {
			key, err = key[1:], errReset
		}
		value, failed := ask(key, func() (int, error) { return p.call(), err })
		if i > 0 {
			text += " "
		}
		if failed != nil {
			text += named(failed)
		} else {
			text += fmt.Sprint(value)
		}
	}
	return fmt.Sprintf("%s, %d×", text, p.calls)
}

func isClosed(done any) bool {
	switch done := done.(type) {
	case <-chan struct{}:
		select {
		case <-done:
			return true
		default:
		}
	case <-chan any:
		select {
		case <-done:
			return true
		default:
		}
	}
	return false
}
