package retry_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// One policy, and for each host a target with guards of its own.
func ExampleFor() {
	targets := retry.NewTargets(1000, time.Hour, func(name string) *retry.Target {
		return &retry.Target{
			Name:    name,
			Budget:  must(retry.NewBudget(retry.BudgetConfig{})),
			Breaker: must(retry.NewBreaker(retry.BreakerConfig{Consecutive: 5})),
		}
	})
	policy := must(retry.New(retry.Fixed(0), retry.Idempotent()))
	get := func(host string) error {
		return retry.Do(context.Background(), policy, func(context.Context) error { return syscall.ECONNRESET },
			retry.For(targets.Get(host, time.Now())))
	}
	for range 5 {
		end, _ := errors.AsType[*retry.Error](get("api.example.com"))
		fmt.Println(end.Attempts, end.Reason)
	}
	// Output:
	// 3 retry: the retry budget is spent
	// 1 retry: the retry budget is spent
	// 1 retry: the retry budget is spent
	// 0 retry: the breaker is open
	// 0 retry: the breaker is open
}

// A loop around Do that must not become a busy loop while the breaker is open.
func ExampleOnExhausted() {
	breaker := must(retry.NewBreaker(retry.BreakerConfig{}))
	breaker.Force(time.Now(), retry.Open)
	policy := must(retry.New(retry.WithBreaker(breaker), retry.Fixed(20*time.Millisecond), retry.NoJitter(),
		retry.OnExhausted(retry.Pace)))
	start := time.Now()
	err := retry.Do(context.Background(), policy, func(context.Context) error { return nil })
	fmt.Println(err, time.Since(start) >= 20*time.Millisecond)
	// Output: retry: the breaker is open true
}

func ExampleObserve() {
	policy := must(retry.New(retry.Fixed(time.Millisecond), retry.NoJitter(), retry.Attempts(2), retry.Idempotent(),
		retry.For(&retry.Target{Name: "db"}),
		retry.Observe(retry.Observer{
			Attempt: func(e retry.AttemptEvent) { fmt.Println(e.Target, "attempt", e.Number, e.Verdict.Category, e.Err) },
			Wait:    func(e retry.WaitEvent) { fmt.Println(e.Target, "waits", e.Delay) },
			End:     func(e retry.EndEvent) { fmt.Println(e.Target, "ends after", e.Attempts, "attempts:", e.Err.Reason) },
		})))
	_ = retry.Do(context.Background(), policy, func(context.Context) error { return syscall.ECONNRESET })
	// Output:
	// db attempt 1 network connection reset by peer
	// db waits 1ms
	// db attempt 2 network connection reset by peer
	// db ends after 2 attempts: retry: no attempts left
}

// An inner operation leaves repeating to the outer one.
func ExampleOuter() {
	policy := must(retry.New(retry.Fixed(0), retry.Attempts(3), retry.Idempotent()))
	_ = retry.Do(context.Background(), policy, func(ctx context.Context) error {
		info, repeated := retry.Outer(ctx)
		fmt.Println("outer attempt", info.Attempt, repeated)
		return retry.Do(ctx, policy, func(context.Context) error {
			fmt.Println("  inner attempt")
			return syscall.ECONNRESET
		})
	})
	// Output:
	// outer attempt 0 false
	//   inner attempt
	//   inner attempt
	//   inner attempt
	// outer attempt 2 true
	//   inner attempt
	// outer attempt 3 true
	//   inner attempt
}

func ExamplePolicy_Repeat() {
	policy := must(retry.New(retry.Fixed(time.Second), retry.NoJitter()))
	reset := retry.Failure{Attempt: 1, Verdict: retry.Classify(syscall.ECONNRESET)}
	fmt.Println(policy.Decide(reset, nil).Retry) // a durable task is idempotent by its key
	fmt.Println(policy.Repeat(reset, nil).Err)
	// Output:
	// true
	// retry: the attempt may have had an effect, and the operation is not idempotent
}
