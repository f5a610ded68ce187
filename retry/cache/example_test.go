package cache_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/cache"
)

// A cache around a call under a policy, and a fallback around both: the last value
// that was found, however old.
func Example() {
	rates, err := cache.New[string](cache.Config[float64]{For: time.Nanosecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := retry.New(retry.Attempts(2), retry.Fixed(time.Millisecond), retry.OnAny())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, works := context.Background(), true
	rate := func(currency string) {
		last := retry.Fallback[float64]{Func: func(failed error) (float64, error) {
			if rate, _, ok := rates.Kept(currency); ok {
				return rate, nil
			}
			return 0, errors.New("it was never known")
		}}
		answer, err := last.Answer(rates.Value(ctx, currency, func(ctx context.Context) (float64, error) {
			return retry.Value(ctx, policy, func(context.Context) (float64, error) {
				if !works {
					return 0, errors.New("the bank is closed")
				}
				return 1.08, nil
			})
		}))
		fmt.Println(answer.Value, answer.Failed != nil, err != nil)
	}
	rate("EUR")
	works = false
	rate("EUR")
	rate("CHF")
	// Output:
	// 1.08 false false
	// 1.08 true false
	// 0 false true
}
