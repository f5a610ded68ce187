package main

import (
	"context"
	"time"

	avast "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/sony/gobreaker/v2"
)

const (
	failsafeName  = "failsafe-go"
	cenkaltiName  = "cenkalti"
	avastName     = "avast"
	gobreakerName = "gobreaker"
	bothName      = "avast+gobreaker"
)

// peer makes a contender of a call that takes nothing and is ready to be used
// from several goroutines.
func peer(system, settings string, prepare func() func() error) contender {
	return contender{system: system, settings: settings, prepare: func() (func(int) error, error) {
		call := prepare()
		return func(n int) error {
			for range n {
				if err := call(); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

// failingPeer makes a contender whose call fails twice; make is called once for
// every goroutine.
func failingPeer(system, settings string, err error, prepare func(op func() error) func() error) contender {
	return contender{system: system, settings: settings, prepare: func() (func(int) error, error) {
		return func(n int) error {
			f := failures{err: err}
			return f.twice(n, prepare(f.call))
		}, nil
	}}
}

// failsafe-go: one executor for all calls. An empty result is the cheapest.

type none = struct{}

func failsafeBreakerOf() circuitbreaker.CircuitBreaker[none] {
	return circuitbreaker.NewBuilder[none]().WithFailureRateThreshold(0.5, 20, 30*time.Second).Build()
}

var (
	failsafeRun = peer(failsafeName, "Executor.Run,retry", func() func() error {
		executor := failsafe.With[none](retrypolicy.NewWithDefaults[none]())
		return func() error { return executor.Run(plain) }
	})

	failsafeDeadline = peer(failsafeName, "Executor.WithContext.Run,retry", func() func() error {
		executor, ctx := failsafe.With[none](retrypolicy.NewWithDefaults[none]()), later()
		return func() error { return executor.WithContext(ctx).Run(plain) }
	})

	failsafeGet = peer(failsafeName, "Executor.Get,retry", func() func() error {
		executor := failsafe.With[int](retrypolicy.NewWithDefaults[int]())
		return func() error {
			_, err := executor.Get(plainOne)
			return err
		}
	})

	failsafeRetryBreaker = peer(failsafeName, "Executor.Run,retry,breaker", func() func() error {
		executor := failsafe.With[none](retrypolicy.NewWithDefaults[none](), failsafeBreakerOf())
		return func() error { return executor.Run(plain) }
	})

	failsafeGuarded = peer(failsafeName, "Executor.Run,retry,budget,breaker", func() func() error {
		policy := retrypolicy.NewBuilder[none]().WithBudget(budget.New()).Build()
		executor := failsafe.With[none](policy, failsafeBreakerOf())
		return func() error { return executor.Run(plain) }
	})

	// By hand, which is cheaper than through an executor.
	failsafeBreaker = peer(failsafeName, "TryAcquirePermit,RecordSuccess", func() func() error {
		b := failsafeBreakerOf()
		return func() error {
			if !b.TryAcquirePermit() {
				return circuitbreaker.ErrOpen
			}
			err := plain()
			if err == nil {
				b.RecordSuccess()
			}
			return err
		}
	})
)

func failsafeFailing(err error) contender {
	return failingPeer(failsafeName, "Executor.Run,retry,no_delay", err, func(op func() error) func() error {
		executor := failsafe.With[none](retrypolicy.NewWithDefaults[none]())
		return func() error { return executor.Run(op) }
	})
}

// cenkalti: one slice of options for all calls. ZeroBackOff has no state, so
// that it may be shared.

func cenkaltiOptions() []backoff.RetryOption {
	return []backoff.RetryOption{backoff.WithBackOff(&backoff.ZeroBackOff{}), backoff.WithMaxTries(3)}
}

var (
	cenkaltiRetry    = cenkaltiUnder(context.Background, "Retry,shared_options")
	cenkaltiDeadline = cenkaltiUnder(later, "Retry,shared_options,deadline")
)

func cenkaltiUnder(under func() context.Context, settings string) contender {
	return peer(cenkaltiName, settings, func() func() error {
		options, ctx := cenkaltiOptions(), under()
		return func() error {
			_, err := backoff.Retry(ctx, plainOne, options...)
			return err
		}
	})
}

func cenkaltiFailing(err error) contender {
	return failingPeer(cenkaltiName, "Retry,shared_options,zero_backoff", err, func(op func() error) func() error {
		options, ctx := cenkaltiOptions(), context.Background()
		operation := func() (none, error) { return none{}, op() }
		return func() error {
			_, err := backoff.Retry(ctx, operation, options...)
			return err
		}
	})
}

// avast: one retrier for all calls.

var (
	avastDo = peer(avastName, "Retrier.Do", func() func() error {
		retrier := avast.New(avast.Attempts(3), avast.Delay(0))
		return func() error { return retrier.Do(plain) }
	})

	// A context belongs to a retrier, so that a request's own needs one for itself.
	avastDeadline = peer(avastName, "New.Do,context", func() func() error {
		ctx := later()
		return func() error {
			return avast.New(avast.Context(ctx), avast.Attempts(3), avast.Delay(0)).Do(plain)
		}
	})

	avastValue = peer(avastName, "RetrierWithData.Do", func() func() error {
		retrier := avast.NewWithData[int](avast.Attempts(3), avast.Delay(0))
		return func() error {
			_, err := retrier.Do(plainOne)
			return err
		}
	})
)

// fired is a timer that has fired before it was asked: the cheapest wait of
// nothing.
type fired chan time.Time

func newFired() fired {
	c := make(chan time.Time)
	close(c)
	return c
}

func (f fired) After(time.Duration) <-chan time.Time { return f }

func avastFailing(err error) contender {
	return failingPeer(avastName, "Retrier.Do,fixed_0,fired_timer,last_error_only", err, func(op func() error) func() error {
		retrier := avast.New(avast.Attempts(3), avast.Delay(0), avast.DelayType(avast.FixedDelay), avast.WithTimer(newFired()), avast.LastErrorOnly(true))
		return func() error { return retrier.Do(op) }
	})
}

// gobreaker: alone, and inside avast's retrier, which is the cheapest of those
// that retry.

func gobreakerOf() *gobreaker.CircuitBreaker[none] {
	return gobreaker.NewCircuitBreaker[none](gobreaker.Settings{Interval: 30 * time.Second, BucketPeriod: 3 * time.Second})
}

var (
	gobreakerExecute = peer(gobreakerName, "Execute,rolling_window", func() func() error {
		b := gobreakerOf()
		return func() error {
			_, err := b.Execute(nothing)
			return err
		}
	})

	avastGobreaker = peer(bothName, "RetrierWithData.Do,Execute", func() func() error {
		b := gobreakerOf()
		retrier := avast.NewWithData[none](avast.Attempts(3), avast.Delay(0))
		guarded := func() (none, error) { return b.Execute(nothing) }
		return func() error {
			_, err := retrier.Do(guarded)
			return err
		}
	})
)
