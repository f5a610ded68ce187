package compare

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/outlast-dev/outlast/retry"
)

var budgetClaims = []claim{
	{
		name: "budget_bounds_fast_failures",
		what: "A retry budget bounds the retries of a target that fails fast",
		how:  "1000 calls/s for 10 s to a target that fails after 5 ms; two retries, 100 ms; a budget of 20 % of the calls in flight there, 10 % of the first attempts here",
		ours: "less than 1.1 attempts for each call",
		peers: []rival{defect(failsafeGo, "3 attempts for each call: callers who wait for their retry count as work in flight, so that retries look few", bubble(func(t *testing.T) {
			g := newTarget()
			executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithBackoff(100*time.Millisecond, time.Second).
				WithJitterFactor(0.25).WithBudget(budget.NewBuilder().WithMaxRate(0.2).Build()).Build())
			calls := load(time.Millisecond, 10*time.Second, func() {
				_ = executor.Run(func() error { return fails(g, 5*time.Millisecond, errReset)(t.Context()) })
			})
			atLeast(t, "attempts for each call", share(g.hits(), calls), 2.9)
		}))},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			b, err := retry.NewBudget(retry.BudgetConfig{Ratio: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			p := policy(t, retry.Attempts(3), retry.Exponential(100*time.Millisecond, 2, time.Second), retry.Idempotent(), retry.WithBudget(b))
			calls := load(time.Millisecond, 10*time.Second, func() {
				_ = retry.Do(t.Context(), p, fails(g, 5*time.Millisecond, errReset))
			})
			atMost(t, "attempts for each call", share(g.hits(), calls), 1.1)
		}),
	},
	{
		name: "budget_holds_under_concurrency",
		what: "A budget holds when many callers ask at once",
		how:  "callers on all cores fail and retry without a wait; the budget there allows 1 retry at once, here 1 token is there",
		ours: "never more than the tokens that were there",
		peers: []rival{defect(failsafeGo, "more retries at once than allowed: the check and the count are two steps", func(t *testing.T) {
			atLeast(t, "most retries at once, 1 allowed", mostRetriesAtOnce(), 2)
		})},
		outlast: func(t *testing.T) {
			now := time.Now()
			for range 2000 {
				b, err := retry.NewBudget(retry.BudgetConfig{Pressure: -1})
				if err != nil {
					t.Fatal(err)
				}
				var granted atomic.Int64
				clients(8, func() {
					if ok, _ := b.Withdraw(now, 1); ok {
						granted.Add(1)
					}
				})
				if n := granted.Load(); n > 1 {
					t.Fatalf("%d withdrawn of 1 token", n)
				}
			}
		},
	},
	{
		name: "budget_is_asked_before_the_wait",
		what: "A retry that the budget refuses is refused before its wait, not after",
		how:  "one call holds the only retry; a second one fails, with a wait of 10 s before its retry",
		ours: "it returns at once",
		peers: []rival{defect(failsafeGo, "it waits the 10 s first, then reports that the budget is spent", bubble(func(t *testing.T) {
			took, _ := refusedByFailsafeBudget(t)
			atLeast(t, "time until the refusal", took, 10*time.Second)
		}))},
		outlast: bubble(func(t *testing.T) {
			began := time.Now()
			err := retry.Do(t.Context(), spentPolicy(t), fails(newTarget(), 0, errReset))
			exactly(t, "reason is the budget", errors.Is(err, retry.ErrBudget), true)
			atMost(t, "time until the refusal", time.Since(began), 0)
		}),
	},
	{
		name: "exhausted_loop_is_paced",
		what: "A loop around calls whose budget is spent can be paced",
		how:  "one worker calls without end while everything fails after 1 ms",
		ours: "with Pace less than 10 calls/s, the backoff's own rate",
		peers: []rival{
			defect(awsSDK, "the quota of 500 is spent within minutes, and then calls return without any wait: as many in a second as the target answers", bubble(func(t *testing.T) {
				atLeast(t, "calls in the last second", awsLoop(t), 900)
			})),
			sound(failsafeGo, "since the budget is asked after the wait (see above), a loop is paced", bubble(func(t *testing.T) {
				b, release := spentFailsafeBudget(t)
				defer release()
				g := newTarget()
				executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithDelay(time.Second).WithBudget(b).Build())
				for time.Since(g.began) < time.Minute {
					_ = executor.Run(func() error { return fails(g, time.Millisecond, errReset)(t.Context()) })
				}
				atMost(t, "attempts in a minute", g.hits(), 100)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			b, err := retry.NewBudget(retry.BudgetConfig{})
			if err != nil {
				t.Fatal(err)
			}
			p := policy(t, retry.Attempts(3), retry.Exponential(time.Second, 2, 10*time.Second), retry.Idempotent(),
				retry.WithBudget(b), retry.OnExhausted(retry.Pace))
			for time.Since(g.began) < time.Minute {
				_ = retry.Do(t.Context(), p, fails(g, time.Millisecond, errReset))
			}
			atMost(t, "calls in a minute", g.hits(), 600)
		}),
	},
}

// mostRetriesAtOnce has callers fail and retry until more retries than one were
// under way at once, or it gives up.
func mostRetriesAtOnce() int {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(4, runtime.NumCPU())))
	b := budget.NewBuilder().WithMaxRate(0).WithMinConcurrency(1).Build()
	executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithMaxRetries(1).WithBudget(b).Build())
	var most, current atomic.Int64
	end := time.Now().Add(time.Minute)
	clients(16, func() {
		for most.Load() < 2 && time.Now().Before(end) {
			first := true
			_ = executor.Run(func() error {
				if first {
					first = false
					return errReset
				}
				if n := current.Add(1); n > most.Load() {
					most.Store(n)
				}
				runtime.Gosched() // long enough for others to be seen
				current.Add(-1)
				return nil
			})
		}
	})
	return int(most.Load())
}

// spentFailsafeBudget is a budget whose only retry is held by another call.
func spentFailsafeBudget(t *testing.T) (b budget.Budget, release func()) {
	b = budget.NewBuilder().WithMaxRate(0.01).WithMinConcurrency(0).Build()
	hang, failed := make(chan struct{}), false
	holder := failsafe.With[any](retrypolicy.NewBuilder[any]().WithBudget(b).Build()).RunAsync(func() error {
		if !failed {
			failed = true
			return errReset
		}
		<-hang
		return nil
	})
	time.Sleep(time.Second)
	return b, func() {
		close(hang)
		if err := holder.Error(); err != nil {
			t.Error(err)
		}
	}
}

// refusedByFailsafeBudget makes a call whose retry the budget refuses.
func refusedByFailsafeBudget(t *testing.T) (took time.Duration, err error) {
	b, release := spentFailsafeBudget(t)
	defer release()
	began := time.Now()
	err = failsafe.With[any](retrypolicy.NewBuilder[any]().WithDelay(10 * time.Second).WithBudget(b).Build()).Run(func() error { return errReset })
	return time.Since(began), err
}

// spentPolicy waits 10 s before a retry, and its budget has nothing left.
func spentPolicy(t *testing.T) *retry.Policy {
	b, err := retry.NewBudget(retry.BudgetConfig{Pressure: -1})
	if err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; {
		ok, _ = b.Withdraw(time.Now(), 1)
	}
	return policy(t, retry.Attempts(3), retry.Fixed(10*time.Second), retry.NoJitter(), retry.Idempotent(), retry.WithBudget(b))
}

// awsLoop calls without end through the SDK's retry loop and returns how many
// calls arrived in the last second.
func awsLoop(t *testing.T) int {
	const length = 4 * time.Minute
	g := newTarget()
	loop := awsretry.NewAttemptMiddleware(awsretry.NewStandard(), func(request any) any { return request })
	send := middleware.FinalizeHandlerFunc(func(context.Context, middleware.FinalizeInput) (middleware.FinalizeOutput, middleware.Metadata, error) {
		g.hit()
		time.Sleep(time.Millisecond)
		return middleware.FinalizeOutput{}, middleware.Metadata{}, errTransient{}
	})
	for time.Since(g.began) < length {
		_, _, err := loop.HandleFinalize(t.Context(), middleware.FinalizeInput{}, send)
		if err == nil {
			t.Fatal("it succeeded")
		}
	}
	late := 0
	for _, at := range g.times() {
		if at > length-time.Second {
			late++
		}
	}
	return late
}

// errTransient is an error that the SDK retries.
type errTransient struct{}

func (errTransient) Error() string        { return "transient" }
func (errTransient) RetryableError() bool { return true }
