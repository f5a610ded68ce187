package retry_test

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

func ExampleNew() {
	policy, err := retry.New(
		retry.Attempts(5),
		retry.Exponential(time.Second, 2, 30*time.Second),
		retry.FullJitter(),
		retry.PerAttempt(3*time.Second),
		retry.Rules(retry.Rule{When: []retry.Category{retry.Conflict}, MaxAttempts: 3}),
		retry.OnError(fs.ErrNotExist, retry.Rule{Then: retry.GiveUp}),
		retry.GiveUpOn("ECONNREFUSED"),
	)
	fmt.Println(policy.Plan(10), err)
	// Output: [1s 2s 4s 8s] <nil>
}

// A refused value is reported with its path, and all of them at once.
func ExampleNew_refused() {
	_, err := retry.New(retry.Attempts(0), retry.Exponential(time.Second, 0.5, 0))
	fmt.Println(err)
	// Output:
	// max_attempts: 0 is outside 1 to 1000000 (the first attempt counts; 1 turns retries off)
	// backoff.multiplier: 0.5 is outside 1 to 100
}

func ExamplePolicy_Decide() {
	policy, _ := retry.New(retry.Fixed(10*time.Second), retry.NoJitter(), retry.Attempts(3))
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	failure := retry.Failure{Attempt: 1, Verdict: retry.Classify(io.ErrUnexpectedEOF), Now: now}
	fmt.Printf("%+v\n", policy.Decide(failure, nil))

	failure.Deadline = now.Add(5 * time.Second)
	fmt.Printf("%+v\n", policy.Decide(failure, nil))
	// Output:
	// {Retry:true Snooze:false Delay:10s Reason: Rule:policy}
	// {Retry:false Snooze:false Delay:0s Reason:expired Rule:policy}
}

func ExampleClassify() {
	v := retry.Classify(fmt.Errorf("load order: %w", io.ErrUnexpectedEOF))
	fmt.Println(v.Category, v.Effect)
	// Output: network maybe
}

func ExampleClassifyHTTP() {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	v := retry.ClassifyHTTP(429, http.Header{"Retry-After": {"30"}}, now)
	fmt.Println(v.Category, v.Effect, v.Hint.After)

	v = retry.ClassifyHTTP(503, http.Header{"Outlast-Retry": {"never"}}, now)
	fmt.Println(v.Category, v.Hint.GiveUp)
	// Output:
	// throttled not_sent 30s
	// unavailable true
}

func ExamplePreset() {
	policy, err := retry.Preset("order-create")
	fmt.Println(policy.MaxAttempts(), policy.Plan(10), err)
	// Output: 4 [100ms 200ms 300ms] <nil>
}

func ExampleEasyJob() {
	_, err := retry.EasyJob(time.Second, 3.55, 4)
	fmt.Println(err)
	// Output: multiplier: 3.55 is outside 1.0 to 8.0 in steps of 0.1
}

func ExampleParseSpec() {
	spec, err := retry.ParseSpec([]byte(`{"preset": "payment", "backoff": {"max": "3s", "jitter": "none"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := spec.Policy()
	fmt.Println(policy.Plan(10), err)

	_, err = retry.ParseSpec([]byte(`{"max_atempts": 5}`))
	fmt.Println(err)
	// Output:
	// [1s 2s 3s 3s] <nil>
	// max_atempts: unknown key (did you mean max_attempts?)
}
