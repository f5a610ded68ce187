package compare

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/sony/gobreaker/v2"

	"github.com/outlast-dev/outlast/retry"
)

var breakerClaims = []claim{
	{
		name: "slow_calls_open_the_breaker",
		what: "A breaker opens for a target that answers, but too slowly",
		how:  "100 calls that succeed after 10 s",
		ours: "open after the first 20 (SlowCall 1 s)",
		peers: []rival{
			defect(sonyGobreaker, "closed; it is not told how long calls take", bubble(func(t *testing.T) {
				b := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{})
				for range 100 {
					_, _ = b.Execute(func() (any, error) { time.Sleep(10 * time.Second); return nil, nil })
				}
				exactly(t, "state", b.State(), gobreaker.StateClosed)
			})),
			defect(failsafeGo, "closed; it has no threshold for slow calls (a Timeout inside would turn them into failures)", bubble(func(t *testing.T) {
				b := failsafeBreaker().Build()
				executor := failsafe.With[any](b)
				for range 100 {
					_ = executor.Run(func() error { time.Sleep(10 * time.Second); return nil })
				}
				exactly(t, "state", b.State(), circuitbreaker.ClosedState)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			b := breaker(t, retry.BreakerConfig{SlowCall: time.Second, Count: 20})
			for range 20 {
				permit, err := b.Acquire(time.Now())
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Second)
				permit.Success(time.Now(), 10*time.Second)
			}
			_, err := b.Acquire(time.Now())
			exactly(t, "refused", errors.Is(err, retry.ErrBreakerOpen), true)
		}),
	},
	{
		name: "hung_probe_is_given_up",
		what: "A probe that hangs does not keep a breaker half-open forever",
		how:  "the breaker opens; the first probe hangs; one day later another call asks",
		ours: "the probe counts as failed after its timeout, and the next one is let through",
		peers: []rival{
			defect(sonyGobreaker, "refused, a day later, as \"too many requests\"", bubble(func(t *testing.T) {
				b := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{})
				for range 6 {
					_, _ = b.Execute(func() (any, error) { return nil, errReset })
				}
				hangs(t, func() { time.Sleep(61 * time.Second) }, func(hang chan struct{}) {
					_, _ = b.Execute(func() (any, error) { <-hang; return nil, nil })
				}, func() {
					_, err := b.Execute(func() (any, error) { return nil, nil })
					exactly(t, "answer", err, gobreaker.ErrTooManyRequests)
				})
			})),
			defect(failsafeGo, "refused, a day later, as open", bubble(func(t *testing.T) {
				b := failsafeBreaker().WithFailureThreshold(1).Build()
				executor := failsafe.With[any](b)
				_ = executor.Run(func() error { return errReset })
				hangs(t, func() { time.Sleep(61 * time.Second) }, func(hang chan struct{}) {
					_ = executor.Run(func() error { <-hang; return nil })
				}, func() {
					exactly(t, "answer", executor.Run(func() error { return nil }), circuitbreaker.ErrOpen)
				})
			})),
		},
		outlast: bubble(func(t *testing.T) {
			b := breaker(t, retry.BreakerConfig{Consecutive: 1})
			failOnce(t, b)
			time.Sleep(time.Minute)
			if _, err := b.Acquire(time.Now()); err != nil { // the probe, which never ends
				t.Fatal(err)
			}
			_, err := b.Acquire(time.Now())
			exactly(t, "refused while it is under way", errors.Is(err, retry.ErrBreakerOpen), true)
			time.Sleep(24 * time.Hour)
			_, err = b.Acquire(time.Now())
			exactly(t, "a day later", err, nil)
		}),
	},
	{
		name: "open_times_are_spread",
		what: "Breakers that opened together do not probe together",
		how:  "200 breakers open at the same moment; when does each let a probe through?",
		ours: "spread over half of the open time",
		peers: []rival{
			defect(sonyGobreaker, "all at the same moment", bubble(func(t *testing.T) {
				at := probes(func() func() bool {
					b := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{Timeout: 5 * time.Second})
					for range 6 {
						_, _ = b.Execute(func() (any, error) { return nil, errReset })
					}
					return func() bool {
						_, err := b.Execute(func() (any, error) { return nil, nil })
						return err == nil
					}
				})
				exactly(t, "different moments of 200", instants(at), 1)
			})),
			defect(failsafeGo, "all at the same moment, unless WithJitterFactor is set, which 0.9.8 has brought", bubble(func(t *testing.T) {
				at := probes(failsafeProbe(failsafeBreaker().WithFailureThreshold(1).WithDelay(5 * time.Second)))
				exactly(t, "different moments of 200", instants(at), 1)
				at = probes(failsafeProbe(failsafeBreaker().WithFailureThreshold(1).WithDelay(5 * time.Second).WithJitterFactor(0.25)))
				atLeast(t, "different moments of 200 with WithJitterFactor", instants(at), 50)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			at := probes(func() func() bool {
				b := breaker(t, retry.BreakerConfig{Consecutive: 1, OpenFor: 5 * time.Second})
				failOnce(t, b)
				return func() bool {
					_, err := b.Acquire(time.Now())
					return err == nil
				}
			})
			atLeast(t, "different moments of 200", instants(at), 50)
		}),
	},
	{
		name: "callbacks_run_outside_locks",
		what: "A callback may ask the breaker that calls it",
		how:  "the callback for a change of state asks for the state",
		ours: "it gets an answer",
		peers: []rival{
			defect(sonyGobreaker, "deadlock: OnStateChange runs under the breaker's lock", func(t *testing.T) {
				var b *gobreaker.CircuitBreaker[any]
				b = gobreaker.NewCircuitBreaker[any](gobreaker.Settings{OnStateChange: func(string, gobreaker.State, gobreaker.State) { b.State() }})
				exactly(t, "it ends within a second", ends(time.Second, func() {
					for range 6 {
						_, _ = b.Execute(func() (any, error) { return nil, errReset })
					}
				}), false)
			}),
			sound(failsafeGo, "it gets an answer", func(t *testing.T) {
				var b circuitbreaker.CircuitBreaker[any]
				b = failsafeBreaker().WithFailureThreshold(1).OnStateChanged(func(circuitbreaker.StateChangedEvent) { b.State() }).Build()
				exactly(t, "it ends", ends(time.Minute, b.RecordFailure), true)
				exactly(t, "state", b.State(), circuitbreaker.OpenState)
			}),
		},
		outlast: func(t *testing.T) {
			var b *retry.Breaker
			var state retry.BreakerState
			b = breaker(t, retry.BreakerConfig{Consecutive: 1, OnChange: func(retry.BreakerChange) { state = b.View(time.Now()).State }})
			exactly(t, "it ends", ends(time.Minute, func() { failOnce(t, b) }), true)
			exactly(t, "state in the callback", state, retry.Open)
		},
	},
	{
		name: "cancellations_do_not_open_the_breaker",
		what: "Callers who cancel do not open a breaker; nor do bad requests",
		how:  "100 calls end with context.Canceled; default settings",
		ours: "closed",
		peers: []rival{
			defect(sonyGobreaker, "open (IsExcluded can be set)", func(t *testing.T) {
				b := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{})
				for range 100 {
					_, _ = b.Execute(func() (any, error) { return nil, context.Canceled })
				}
				exactly(t, "state", b.State(), gobreaker.StateOpen)
			}),
			defect(failsafeGo, "open (HandleIf can be set)", func(t *testing.T) {
				b := failsafeBreaker().Build()
				executor := failsafe.With[any](b)
				for range 100 {
					_ = executor.Run(func() error { return context.Canceled })
				}
				exactly(t, "state", b.State(), circuitbreaker.OpenState)
			}),
		},
		outlast: bubble(func(t *testing.T) {
			b := breaker(t, retry.BreakerConfig{})
			p := policy(t, retry.WithBreaker(b), retry.Idempotent())
			for _, err := range []error{context.Canceled, errors.Join(permanentErrors[0])} {
				for range 100 {
					_ = retry.Do(t.Context(), p, fails(newTarget(), 0, err))
				}
			}
			exactly(t, "state", b.View(time.Now()).State, retry.Closed)
		}),
	},
	{
		name: "admission_ramps_up_after_closing",
		what: "A breaker that closes does not let the whole backlog through at once",
		how:  "the breaker's probe has succeeded; 1000 calls wait",
		ours: "a tenth of them, growing to all in 10 s",
		peers: []rival{
			defect(sonyGobreaker, "all 1000", bubble(func(t *testing.T) {
				b := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{})
				for range 6 {
					_, _ = b.Execute(func() (any, error) { return nil, errReset })
				}
				time.Sleep(61 * time.Second)
				exactly(t, "let through", admitted(func() bool {
					_, err := b.Execute(func() (any, error) { return nil, nil })
					return err == nil
				}), 1000)
			})),
			defect(failsafeGo, "all 1000", bubble(func(t *testing.T) {
				b := failsafeBreaker().WithFailureThreshold(1).Build()
				b.RecordFailure()
				time.Sleep(61 * time.Second)
				exactly(t, "let through", admitted(func() bool {
					ok := b.TryAcquirePermit()
					b.RecordSuccess()
					return ok
				}), 1000)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			b := breaker(t, retry.BreakerConfig{Consecutive: 1})
			failOnce(t, b)
			time.Sleep(time.Minute)
			ask := func() bool {
				permit, err := b.Acquire(time.Now())
				if err == nil {
					permit.Success(time.Now(), time.Millisecond)
				}
				return err == nil
			}
			exactly(t, "the probe", ask(), true)
			atMost(t, "let through at once", admitted(ask), 200)
			time.Sleep(11 * time.Second)
			exactly(t, "let through 11 s later", admitted(ask), 1000)
		}),
	},
}

func breaker(t *testing.T, c retry.BreakerConfig) *retry.Breaker {
	t.Helper()
	b, err := retry.NewBreaker(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// failOnce has a call through a breaker fail.
func failOnce(t *testing.T, b *retry.Breaker) {
	permit, err := b.Acquire(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	permit.Failure(time.Now(), time.Millisecond, retry.Unavailable)
}

// failsafeBreaker opens after its default of one failure and for one minute.
func failsafeBreaker() circuitbreaker.Builder[any] { return circuitbreaker.NewBuilder[any]() }

func failsafeProbe(b circuitbreaker.Builder[any]) func() func() bool {
	return func() func() bool {
		breaker := b.Build()
		breaker.RecordFailure()
		return breaker.TryAcquirePermit
	}
}

// hangs has a call hang in an open breaker once it lets a probe through, and
// looks a day later.
func hangs(t *testing.T, untilProbe func(), probe func(hang chan struct{}), look func()) {
	t.Helper()
	untilProbe()
	hang := make(chan struct{})
	go probe(hang)
	synctest.Wait()
	time.Sleep(24 * time.Hour)
	look()
	close(hang)
	synctest.Wait()
}

// probes asks 200 open breakers every 10 ms for 10 s, and returns when each of
// them let the first call through.
func probes(open func() (ask func() bool)) []time.Duration {
	const breakers = 200
	began := time.Now()
	waiting := make([]func() bool, breakers)
	for i := range waiting {
		waiting[i] = open()
	}
	var at []time.Duration
	for time.Since(began) < 10*time.Second {
		time.Sleep(10 * time.Millisecond)
		for i, ask := range waiting {
			if ask != nil && ask() {
				at, waiting[i] = append(at, time.Since(began)), nil
			}
		}
	}
	return at
}

// ends reports whether fn returns within a time. It takes real time, since a
// deadlock on a lock stops virtual time too.
func ends(within time.Duration, fn func()) bool {
	done := make(chan struct{})
	go func() {
		fn()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(within):
		return false
	}
}

// admitted counts the calls of 1000 that are let through.
func admitted(ask func() bool) (count int) {
	for range 1000 {
		if ask() {
			count++
		}
	}
	return count
}
