package retry_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// A budget bounds the retries of everything that calls one target. The guards
// take the time as an argument; a caller outside of retry.Do passes time.Now().
func ExampleBudget() {
	budget, err := retry.NewBudget(retry.BudgetConfig{Ratio: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for n := range 3 {
		budget.Record(now, n == 0, false) // a first attempt failed, and then its retries
		price := budget.Price(now, retry.Unavailable.Advice().Cost)
		ok, wait := budget.Withdraw(now, price)
		fmt.Println("price", price, ok, wait)
	}
	// Output:
	// price 0 true 0s
	// price 1 true 0s
	// price 1 false 10s
}

// A breaker gives a permit for each call, which ends with the call's outcome.
func ExampleBreaker() {
	breaker, err := retry.NewBreaker(retry.BreakerConfig{
		Consecutive: 3,
		OnChange:    func(c retry.BreakerChange) { fmt.Printf("%s → %s: %s\n", c.From, c.To, c.Cause) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := func(now time.Time, err error) {
		permit, refused := breaker.Acquire(now)
		if refused != nil {
			fmt.Println(errors.Is(refused, retry.ErrBreakerOpen))
			return
		}
		took := 20 * time.Millisecond
		if err != nil {
			permit.Failure(now.Add(took), took, retry.Classify(err).Category)
			return
		}
		permit.Success(now.Add(took), took)
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for range 4 {
		call(now, errors.New("connection reset by peer"))
	}
	call(now.Add(10*time.Second), nil) // the probe
	// Output:
	// closed → open: consecutive
	// true
	// open → half_open: time
	// half_open → ramping: probed
}

// Every host has guards of its own, and there are never too many of them.
func ExampleTargets() {
	targets := retry.NewTargets(1000, 10*time.Minute, func(host string) *retry.Target {
		budget, _ := retry.NewBudget(retry.BudgetConfig{}) // the defaults are never refused
		breaker, _ := retry.NewBreaker(retry.BreakerConfig{})
		return &retry.Target{Name: host, Budget: budget, Breaker: breaker}
	})
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	targets.Get("a.example.com", now).Breaker.Force(now, retry.Open)
	targets.Get("b.example.com", now)
	for _, target := range targets.All() {
		fmt.Println(target.Name, target.Breaker.View(now).State)
	}
	// Output:
	// a.example.com open
	// b.example.com closed
}

// A limit gives places and learns from how the calls went.
func ExampleLimit() {
	limit, err := retry.NewLimit(retry.LimitConfig{Initial: 2, Max: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(limit.Acquire(now), limit.Acquire(now), limit.Acquire(now))
	limit.Release(now.Add(30*time.Millisecond), 30*time.Millisecond, "")
	fmt.Println(limit.Now())
	// Output:
	// true true false
	// 2 1
}

// What a policy asks for its targets is written with it.
func ExamplePolicy_BreakerConfig() {
	spec, err := retry.ParseSpec([]byte(`{
		"budget": {"ratio": 0.2},
		"breaker": {"failure_rate": 0.5, "min_calls": 10, "open_for": "2s"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := spec.Policy()
	if err != nil {
		fmt.Println(err)
		return
	}
	budget, _ := policy.BudgetConfig()
	breaker, _ := policy.BreakerConfig()
	fmt.Println(budget.Ratio, budget.Floor, budget.Pressure)
	fmt.Println(breaker.MinCalls, breaker.OpenFor, breaker.OpenMax)
	// Output:
	// 0.2 1 0.9
	// 10 2s 1m0s
}
