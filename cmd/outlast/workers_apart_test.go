package main

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// A worker behind a load balancer polls one server and tells another how its tasks
// ended: more tasks than one server has places flow long before a lease ends, and
// those that failed are tried again.
func TestWorkerBetweenTwoServers(t *testing.T) {
	t.Parallel()
	store := servertest.Postgres(t)
	first, second := startServer(t, "--store", store), startServer(t, "--store", store)
	leases, settles := connect(t, first), connect(t, second)
	const tasks = 1200
	for _, to := range []*client.Client{leases, settles} {
		if _, err := to.EnqueueBatch(t.Context(), mails(600), true); err != nil {
			t.Fatal(err)
		}
	}
	hundred, again := 100, client.Duration(time.Second)
	began, done, failed := time.Now(), 0, map[string]bool{}
	for done < tasks {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("%d of %d tasks are done: %s", done, tasks, first.said())
		}
		leased, err := leases.Poll(t.Context(), client.Poll{Worker: "w", Types: []string{"mail"}, Max: &hundred, Wait: client.Duration(time.Second), Lease: client.Duration(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		var results []client.TaskResult
		for _, one := range leased {
			result := client.TaskResult{ID: one.ID, Claim: one.Claim, Outcome: "succeeded"}
			if id := one.ID.String(); !failed[id] && len(failed) < 50 {
				failed[id] = true
				result.Outcome, result.RetryAfter, result.Error = "failed", &again, &client.TaskError{Message: "not now"}
			} else {
				done++
			}
			results = append(results, result)
		}
		if len(results) == 0 {
			continue
		}
		answers, err := settles.Settle(t.Context(), results)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range answers {
			if answer.Status != "ok" {
				t.Fatalf("settled: %+v", answer)
			}
		}
	}
	t.Logf("%d tasks in %v", tasks, time.Since(began))
}

func connect(t *testing.T, to *process) *client.Client {
	t.Helper()
	c, err := client.New(to.url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mails(count int) []client.Draft {
	drafts := make([]client.Draft, count)
	for i := range drafts {
		drafts[i].Type = "mail"
	}
	return drafts
}
