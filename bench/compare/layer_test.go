package compare

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	avast "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/sony/gobreaker/v2"

	"github.com/outlast-dev/outlast/retry"
)

var layerClaims = []claim{
	{
		name: "layers_do_not_multiply",
		what: "Retries inside retries do not multiply",
		how:  "three layers of four attempts each around a target that always fails",
		ours: "10 attempts: layers add up, because inner ones repeat nothing inside a repeat of an outer one",
		peers: []rival{
			defect(failsafeGo, "64 attempts", bubble(func(t *testing.T) {
				g := newTarget()
				layer := func(op func() error) func() error {
					executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithMaxAttempts(4).Build())
					return func() error { return executor.Run(op) }
				}
				_ = layer(layer(layer(func() error { g.hit(); return errReset })))()
				exactly(t, "attempts", g.hits(), 64)
			})),
			defect(cenkalti, "64 attempts", bubble(func(t *testing.T) {
				g := newTarget()
				layer := func(op backoff.Operation[any]) backoff.Operation[any] {
					return func() (any, error) { return backoff.Retry(t.Context(), op, backoff.WithMaxTries(4)) }
				}
				_, _ = layer(layer(layer(func() (any, error) { g.hit(); return nil, errReset })))()
				exactly(t, "attempts", g.hits(), 64)
			})),
			defect(avastRetry, "64 attempts", bubble(func(t *testing.T) {
				g := newTarget()
				layer := func(op func() error) func() error {
					return func() error { return avast.New(avast.Attempts(4)).Do(op) }
				}
				_ = layer(layer(layer(func() error { g.hit(); return errReset })))()
				exactly(t, "attempts", g.hits(), 64)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			p := policy(t, retry.Attempts(4), retry.PerAttempt(time.Hour), retry.Idempotent())
			layer := func(op func(context.Context) error) func(context.Context) error {
				return func(ctx context.Context) error { return retry.Do(ctx, p, op) }
			}
			_ = layer(layer(layer(fails(g, 0, errReset))))(t.Context())
			exactly(t, "attempts", g.hits(), 10)
		}),
	},
	{
		name: "attempt_has_its_own_context",
		what: "Each attempt is given a context of its own, which ends with it",
		how:  "the first attempt hangs until its context ends; one second per attempt",
		ours: "the attempt is stopped after 1 s, the next one succeeds",
		peers: []rival{
			defect(avastRetry, "the operation is a func() error: there is no context to end, and no timeout for an attempt", takesNothing(avast.RetryableFunc(nil))),
			defect(cenkalti, "the operation is a func() (T, error): there is no context to end, and no timeout for an attempt", takesNothing(backoff.Operation[any](nil))),
			defect(sonyGobreaker, "Execute takes a func() (T, error): there is no context to end", func(t *testing.T) {
				execute := reflect.TypeOf((*gobreaker.CircuitBreaker[any]).Execute)
				exactly(t, "arguments of the operation", execute.In(1).NumIn(), 0)
			}),
			sound(failsafeGo, "RunWithExecution gives one, and a Timeout inside the retry ends it", bubble(func(t *testing.T) {
				g := newTarget()
				executor := failsafe.With[any](retrypolicy.NewWithDefaults[any](), timeout.New[any](time.Second))
				err := executor.RunWithExecution(func(e failsafe.Execution[any]) error {
					if g.hit() == 1 {
						<-e.Context().Done()
						return e.Context().Err()
					}
					return nil
				})
				exactly(t, "error", err, nil)
				exactly(t, "length of the first attempt", g.gaps()[0], time.Second)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			p := policy(t, retry.PerAttempt(time.Second), retry.Fixed(0), retry.Idempotent())
			err := retry.Do(t.Context(), p, func(ctx context.Context) error {
				if g.hit() == 1 {
					<-ctx.Done()
					return ctx.Err()
				}
				return nil
			})
			exactly(t, "error", err, nil)
			exactly(t, "length of the first attempt", g.gaps()[0], time.Second)
		}),
	},
	{
		name: "callers_share_no_state",
		what: "One policy serves any number of callers",
		how:  "one caller has failed for a while, at delays of many seconds, when another one begins with the same settings",
		ours: "each call has its own sequence",
		peers: []rival{
			defect(cenkalti, "the second call's Reset puts the first one back to its shortest delay: a BackOff is state (as documented)", bubble(func(t *testing.T) {
				shared := &backoff.ExponentialBackOff{InitialInterval: time.Second, Multiplier: 2, MaxInterval: time.Hour}
				waits := sharedWaits(t, func(ctx context.Context, op func() error) {
					_, _ = backoff.Retry(ctx, func() (any, error) { return nil, op() }, backoff.WithBackOff(shared), backoff.WithMaxElapsedTime(0))
				})
				exactly(t, "sixth wait, 32 s alone", waits[5], 8*time.Second)
			})),
			sound(avastRetry, "each call has its own sequence; but the context is one for all calls of a retrier", bubble(func(t *testing.T) {
				shared := avast.New(avast.Delay(time.Second), avast.DelayType(avast.BackOffDelay), avast.Attempts(8))
				waits := sharedWaits(t, func(_ context.Context, op func() error) { _ = shared.Do(op) })
				exactly(t, "sixth wait", waits[5], 32*time.Second)
			})),
			sound(failsafeGo, "each call has its own sequence", bubble(func(t *testing.T) {
				shared := failsafe.With[any](retrypolicy.NewBuilder[any]().WithBackoff(time.Second, time.Hour).WithMaxAttempts(8).Build())
				waits := sharedWaits(t, func(_ context.Context, op func() error) { _ = shared.Run(op) })
				exactly(t, "sixth wait", waits[5], 32*time.Second)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			shared := policy(t, retry.Attempts(8), retry.Exponential(time.Second, 2, time.Hour), retry.NoJitter(), retry.Idempotent())
			waits := sharedWaits(t, func(ctx context.Context, op func() error) {
				_ = retry.Do(ctx, shared, func(context.Context) error { return op() })
			})
			exactly(t, "sixth wait", waits[5], 32*time.Second)
		}),
	},
	{
		name: "settings_do_not_change_under_callers",
		what: "What is shared cannot be changed by those who share it",
		how:  "a second user puts a breaker inside the shared executor, or an option on a call of the shared policy",
		ours: "a policy is immutable; options of a call concern that call",
		peers: []rival{
			defect(failsafeGo, "Compose changes the executor that it is called on: the first user's calls meet the second one's breaker", func(t *testing.T) {
				first := failsafe.With[any](retrypolicy.NewWithDefaults[any]())
				exactly(t, "the first user's call", first.Run(func() error { return nil }), nil)
				open := failsafeBreaker().Build()
				open.Open()
				_ = first.Compose(open)
				exactly(t, "the first user's call meets a breaker", errors.Is(first.Run(func() error { return nil }), circuitbreaker.ErrOpen), true)
			}),
		},
		outlast: bubble(func(t *testing.T) {
			first, second := newTarget(), newTarget()
			p := policy(t, retry.Attempts(3))
			_ = retry.Do(t.Context(), p, fails(second, 0, errReset), retry.Idempotent())
			_ = retry.Do(t.Context(), p, fails(first, 0, errReset))
			exactly(t, "attempts of the second user, with an option", second.hits(), 3)
			exactly(t, "attempts of the first user, without", first.hits(), 1)
		}),
	},
	{
		name: "background_retries_hold_no_goroutine",
		what: "A retry in the background holds no goroutine while it waits",
		how:  "100 background calls wait a minute for their second attempt",
		ours: "Go holds none",
		peers: []rival{
			defect(failsafeGo, "RunAsync holds a goroutine for each", bubble(func(t *testing.T) {
				g := newTarget()
				executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithDelay(time.Minute).Build())
				atLeast(t, "goroutines for 100 calls", goroutinesInWait(func() (stop func()) {
					result := executor.RunAsync(func() error { g.hit(); return errReset })
					return result.Cancel
				}), 100)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			p := policy(t, retry.Fixed(time.Minute), retry.NoJitter(), retry.Idempotent())
			atMost(t, "goroutines for 100 calls", goroutinesInWait(func() (stop func()) {
				h := retry.Go(t.Context(), p, fails(newTarget(), 0, errReset))
				return func() {
					h.Stop()
					if err := h.Wait(); !errors.Is(err, errReset) {
						t.Errorf("it ended with %v", err)
					}
				}
			}), 5)
		}),
	},
}

// takesNothing says that an operation takes no arguments, so that it cannot be
// given a context.
func takesNothing(op any) func(t *testing.T) {
	return func(t *testing.T) { exactly(t, "arguments of the operation", reflect.TypeOf(op).NumIn(), 0) }
}

// sharedWaits runs a call that fails seven times, and another one that fails
// twice and begins ten seconds later, with the same settings. It returns the
// waits of the first.
func sharedWaits(t *testing.T, call func(ctx context.Context, op func() error)) []time.Duration {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := newTarget()
	var both sync.WaitGroup
	both.Go(func() {
		call(ctx, func() error {
			if g.hit() == 8 {
				return nil
			}
			return errReset
		})
	})
	time.Sleep(10 * time.Second)
	other := newTarget()
	both.Go(func() {
		call(ctx, func() error {
			if other.hit() == 3 {
				return nil
			}
			return errReset
		})
	})
	both.Wait()
	return g.gaps()
}
