package main

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// outlastName is the system that targets are for.
const outlastName = "outlast"

func works(context.Context) error      { return nil }
func one(context.Context) (int, error) { return 1, nil }
func plain() error                     { return nil }
func plainOne() (int, error)           { return 1, nil }
func nothing() (struct{}, error)       { return struct{}{}, nil }

func policyOf(o ...retry.Option) *retry.Policy { return must(retry.New(o...)) }

// variable keeps the compiler from seeing which function is called.
var variable = works

// must is for settings that are written in this program.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// direct is the call without a library.
var direct = contender{system: "direct", prepare: func() (func(int) error, error) {
	call, ctx := variable, context.Background()
	return func(n int) error {
		for range n {
			if err := call(ctx); err != nil {
				return err
			}
		}
		return nil
	}, nil
}}

func doWith(settings string, policy func() *retry.Policy) contender {
	return doUnder(context.Background, settings, policy)
}

// later is a context as a server's requests have it: it can be canceled, and has
// a deadline.
func later() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	context.AfterFunc(ctx, cancel) // at the end of the program
	return ctx
}

func doUnder(under func() context.Context, settings string, policy func() *retry.Policy) contender {
	return contender{system: outlastName, settings: settings, prepare: func() (func(int) error, error) {
		p, ctx := policy(), under()
		return func(n int) error {
			for range n {
				if err := retry.Do(ctx, p, works); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}}
}

var (
	outlastDo = doWith("retry.Do", func() *retry.Policy { return policyOf(retry.Attempts(3)) })

	outlastDeadline = doUnder(later, "retry.Do,deadline", func() *retry.Policy { return policyOf(retry.Attempts(3)) })

	outlastGuarded = doWith("retry.Do,budget,breaker", func() *retry.Policy {
		return policyOf(retry.Attempts(3),
			retry.WithBudget(must(retry.NewBudget(retry.BudgetConfig{}))),
			retry.WithBreaker(must(retry.NewBreaker(retry.BreakerConfig{}))))
	})

	outlastRetryBreaker = doWith("retry.Do,breaker", func() *retry.Policy {
		return policyOf(retry.Attempts(3), retry.WithBreaker(must(retry.NewBreaker(retry.BreakerConfig{}))))
	})
)

var outlastValue = contender{system: outlastName, settings: "retry.Value", prepare: func() (func(int) error, error) {
	p, ctx := policyOf(retry.Attempts(3)), context.Background()
	return func(n int) error {
		for range n {
			if _, err := retry.Value(ctx, p, one); err != nil {
				return err
			}
		}
		return nil
	}, nil
}}

// outlastBreaker reads the clock as often as it has to: the breaker itself
// reads none.
var outlastBreaker = contender{system: outlastName, settings: "Acquire,Success", prepare: func() (func(int) error, error) {
	b, err := retry.NewBreaker(retry.BreakerConfig{})
	return func(n int) error {
		for range n {
			began := time.Now()
			permit, err := b.Acquire(began)
			if err != nil {
				return err
			}
			if err := plain(); err != nil {
				return err
			}
			took := time.Since(began)
			permit.Success(began.Add(took), took)
		}
		return nil
	}, err
}}

func outlastFailing(err error) contender {
	return contender{system: outlastName, settings: "retry.Do", prepare: func() (func(int) error, error) {
		p, ctx := policyOf(retry.Attempts(3), retry.Fixed(0), retry.NoJitter(), retry.Idempotent()), context.Background()
		return func(n int) error {
			f := failures{err: err}
			op := func(context.Context) error { return f.call() }
			return f.twice(n, func() error { return retry.Do(ctx, p, op) })
		}, nil
	}}
}
