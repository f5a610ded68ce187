package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// An answer for when there is none, which says that it is one.
func ExampleFallback() {
	policy := must(retry.New(retry.Attempts(2), retry.Fixed(time.Millisecond), retry.OnAny()))
	ask := func(context.Context) (int, error) { return 0, errors.New("the shop is closed") }
	answer, err := retry.Fallback[int]{Value: 7}.Answer(retry.Value(context.Background(), policy, ask))
	fmt.Println(answer.Value, err)
	fmt.Println(retry.Last(answer.Failed))
	// Output:
	// 7 <nil>
	// the shop is closed
}

// Five callers, at most two at once: the others wait for their turn.
func ExampleMaxWait() {
	limit := must(retry.NewLimit(retry.LimitConfig{Initial: 2, Fixed: true}))
	policy := must(retry.New(retry.WithLimit(limit), retry.MaxWait(time.Minute)))
	var calls []*retry.Handle
	for range 5 {
		calls = append(calls, retry.Go(context.Background(), policy, func(context.Context) error {
			time.Sleep(time.Millisecond) // sleep: the work
			return nil
		}))
	}
	for _, call := range calls {
		fmt.Println(call.Wait())
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// <nil>
	// <nil>
}

// Two calls at once, and then one every half second.
func ExampleRate() {
	rate := must(retry.NewRate(retry.RateConfig{PerSecond: 2, Burst: 2}))
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for range 3 {
		fmt.Println(rate.Acquire(now))
	}
	fmt.Println(rate.Acquire(now.Add(500 * time.Millisecond)))
	// Output:
	// true 0s
	// true 0s
	// false 500ms
	// true 0s
}

// A result from the background.
func ExampleGoValue() {
	asked := 0
	price := retry.GoValue(context.Background(), must(retry.New(retry.Fixed(time.Millisecond), retry.OnAny())), func(context.Context) (int, error) {
		if asked++; asked < 3 {
			return 0, errors.New("the shop is closed")
		}
		return 12, nil
	})
	fmt.Println(price.Wait())
	// Output: 12 <nil>
}

// A success that nobody waits for any more is a failure.
func ExampleInTime() {
	policy := must(retry.New(retry.Attempts(1), retry.PerAttempt(time.Nanosecond), retry.InTime()))
	err := retry.Do(context.Background(), policy, func(context.Context) error {
		time.Sleep(time.Millisecond) // sleep: longer than the attempt's time
		return nil
	})
	fmt.Println(errors.Is(err, retry.ErrAttemptTimeout))
	// Output: true
}

// A variant of a policy.
func ExampleFrom() {
	usual := must(retry.New(retry.Attempts(5), retry.Exponential(time.Second, 2, time.Minute), retry.PerAttempt(time.Second)))
	hasty := must(retry.New(retry.From(usual), retry.Attempts(2)))
	fmt.Println(hasty.MaxAttempts(), hasty.Timeout(), usual.MaxAttempts())
	// Output: 2 1s 5
}
