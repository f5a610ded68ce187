package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// must is for examples, whose policies are constant.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func ExampleDo() {
	policy := must(retry.New(
		retry.Attempts(5),
		retry.Exponential(time.Millisecond, 2, time.Second),
		retry.PerAttempt(3*time.Second),
		retry.Idempotent(),
	))
	calls := 0
	err := retry.Do(context.Background(), policy, func(context.Context) error {
		if calls++; calls < 3 {
			return io.ErrUnexpectedEOF
		}
		return nil
	})
	fmt.Println(calls, err)
	// Output: 3 <nil>
}

// What may have had an effect is not repeated, unless the operation is declared
// idempotent. What was not sent is, where the operation is that one exchange.
func ExampleDo_effect() {
	policy := must(retry.New(retry.Fixed(0), retry.Attempts(3)))
	post := func(failure error, opts ...retry.CallOption) {
		calls := 0
		err := retry.Do(context.Background(), policy, func(context.Context) error { calls++; return failure }, opts...)
		end, _ := errors.AsType[*retry.Error](err)
		fmt.Println(calls, end.Reason)
	}
	post(syscall.ECONNRESET)
	post(syscall.ECONNREFUSED) // perhaps of a second step
	post(syscall.ECONNREFUSED, retry.OneExchange())
	// Output:
	// 1 retry: the attempt may have had an effect, and the operation is not idempotent
	// 1 retry: the attempt may have had an effect, and the operation is not idempotent
	// 3 retry: no attempts left
}

// A policy for an operation that may be repeated whatever it failed with.
func ExampleOnAny() {
	policy := must(retry.New(retry.Fixed(0), retry.Attempts(3), retry.OnAny()))
	calls := 0
	err := retry.Do(context.Background(), policy, func(context.Context) error {
		calls++
		return errors.New("anything")
	})
	fmt.Println(calls, err != nil)
	// Output: 3 true
}

func ExampleError() {
	policy := must(retry.New(retry.Fixed(0), retry.Attempts(2), retry.Idempotent()))
	err := retry.Do(context.Background(), policy, func(context.Context) error {
		return fmt.Errorf("read order 17: %w", syscall.ECONNRESET)
	})
	end, _ := errors.AsType[*retry.Error](err)
	fmt.Println(end.Attempts, end.Reason)
	fmt.Println(end.Last)
	fmt.Println(errors.Is(err, retry.ErrAttempts), errors.Is(err, syscall.ECONNRESET))
	// Output:
	// 2 retry: no attempts left
	// read order 17: connection reset by peer
	// true true
}

func ExampleValue() {
	policy := must(retry.New(retry.Fixed(0), retry.Idempotent()))
	calls := 0
	price, err := retry.Value(context.Background(), policy, func(context.Context) (int, error) {
		if calls++; calls == 1 {
			return 0, io.ErrUnexpectedEOF
		}
		return 42, nil
	})
	fmt.Println(price, err)
	// Output: 42 <nil>
}

// Some results are failures that are worth another look.
func ExampleValueIf() {
	policy := must(retry.New(retry.Fixed(0), retry.Attempts(3)))
	pending := func(state string) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}, state == "pending"
	}
	states := []string{"pending", "pending", "ready"}
	state, err := retry.ValueIf(context.Background(), policy, pending, func(context.Context) (string, error) {
		next := states[0]
		states = states[1:]
		return next, nil
	})
	fmt.Println(state, err)
	// Output: ready <nil>
}

func ExamplePolicy_Attempts() {
	policy := must(retry.New(retry.Fixed(0), retry.Idempotent()))
	var err error
	for a := range policy.Attempts(context.Background()) {
		fmt.Println("attempt", a.Number())
		if a.Number() == 1 {
			err = a.Done(io.ErrUnexpectedEOF) // waits for the next attempt
			continue
		}
		err = a.Done(nil)
	}
	fmt.Println(err)
	// Output:
	// attempt 1
	// attempt 2
	// <nil>
}

func ExampleGo() {
	policy := must(retry.New(retry.Fixed(time.Hour), retry.Idempotent()))
	failed := make(chan struct{})
	h := retry.Go(context.Background(), policy, func(context.Context) error {
		close(failed)
		return io.ErrUnexpectedEOF
	})
	<-failed // it now waits for an hour, without a goroutine
	h.Stop()
	err := h.Wait()
	fmt.Println(errors.Is(err, retry.ErrStopped), errors.Is(err, io.ErrUnexpectedEOF))
	// Output: true true
}

// The first copy hangs, so that after a while a second one is started.
func ExampleHedged() {
	policy := must(retry.New(retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: time.Millisecond, Quantile: 0.95})))
	copies := make(chan string, 2)
	copies <- "slow"
	copies <- "fast"
	answer, err := retry.Hedged(context.Background(), policy, func(ctx context.Context) (string, error) {
		replica := <-copies
		if replica == "slow" {
			<-ctx.Done() // until the other has answered
			return "", ctx.Err()
		}
		return "from the " + replica + " replica", nil
	})
	fmt.Println(answer, err)
	// Output: from the fast replica <nil>
}

// An error that only this program knows.
func ExampleClassifiers() {
	errStale := errors.New("the replica is behind")
	policy := must(retry.New(retry.Fixed(0), retry.Classifiers(func(err error) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}, errors.Is(err, errStale)
	})))
	calls := 0
	err := retry.Do(context.Background(), policy, func(context.Context) error {
		if calls++; calls == 1 {
			return errStale
		}
		return nil
	})
	fmt.Println(calls, err)
	// Output: 2 <nil>
}
