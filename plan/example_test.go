package plan_test

import (
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

func ExampleOf() {
	policy, err := retry.New(retry.Exponential(time.Second, 2, 0), retry.Attempts(6), retry.Additive(0.1), retry.PerAttempt(3*time.Second))
	if err != nil {
		panic(err)
	}
	report, err := plan.Of(policy, plan.Env{Deadline: 40 * time.Second, FailRate: 0.5})
	if err != nil {
		panic(err)
	}
	for _, d := range report.Delays {
		fmt.Printf("retry %d after %v, %v to %v\n", d.Retry, d.Nominal, d.Min, d.Max)
	}
	fmt.Printf("%v of waits, success %.4g %%\n", report.Total.Nominal, 100*report.Success[5])
	for _, w := range report.Warnings {
		fmt.Println(w.Code)
	}
	// Output:
	// retry 1 after 1s, 1s to 1.1s
	// retry 2 after 2s, 2s to 2.2s
	// retry 3 after 4s, 4s to 4.4s
	// retry 4 after 8s, 8s to 8.8s
	// retry 5 after 16s, 16s to 17.6s
	// 31s of waits, success 98.44 %
	// weak_jitter
	// no_cap
	// total_past_deadline
}

func ExampleSolve() {
	spec, err := retry.ParseSpec([]byte(`{"max_attempts": 5, "ttl": "5s", "backoff": {"multiplier": 2}}`))
	if err != nil {
		panic(err)
	}
	report, err := plan.Solve(spec, plan.ForInitial, plan.Env{AttemptTime: 800 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Solution.Initial, "leaves", report.Solution.Slack)
	// Output: 66ms leaves 10ms
}
