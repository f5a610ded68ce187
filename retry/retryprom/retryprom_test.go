package retryprom_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
	"github.com/outlast-dev/outlast/retry/retryprom"
)

// TestMetrics: a client and a server, and what is counted of them.
func TestMetrics(t *testing.T) {
	t.Parallel()
	metrics := retryprom.New(retryprom.Config{Buckets: []float64{60}})
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics)

	n := 0
	s := httptest.NewServer(retryhttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n != 3 {
			w.WriteHeader(503)
		}
	}), retryhttp.OnRequest(metrics.Request)))
	defer s.Close()
	policy, err := retry.New(retry.Attempts(3), retry.Fixed(time.Millisecond), retry.Observe(metrics.Observer()))
	if err != nil {
		t.Fatal(err)
	}
	targets := retry.NewTargets(0, 0, func(string) *retry.Target { return &retry.Target{Name: "api"} })
	c := &http.Client{Transport: retryhttp.New(&http.Transport{DisableKeepAlives: true}, policy, retryhttp.Targets(targets))}
	for range 2 {
		resp, err := c.Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	want := `
# HELP outlast_retry_attempts_total Attempts by their number and result; retries have a number other than 1.
# TYPE outlast_retry_attempts_total counter
outlast_retry_attempts_total{number="1",result="unavailable",target="api"} 2
outlast_retry_attempts_total{number="2",result="unavailable",target="api"} 2
outlast_retry_attempts_total{number="3",result="success",target="api"} 1
outlast_retry_attempts_total{number="3",result="unavailable",target="api"} 1
# HELP outlast_retry_operations_total Operations by result: success, or why there was no other attempt.
# TYPE outlast_retry_operations_total counter
outlast_retry_operations_total{result="attempts",target="api"} 1
outlast_retry_operations_total{result="success",target="api"} 1
# HELP outlast_retry_received_requests_total Requests received, by the attempt number that their client announced.
# TYPE outlast_retry_received_requests_total counter
outlast_retry_received_requests_total{number="1",refused=""} 2
outlast_retry_received_requests_total{number="2",refused=""} 2
outlast_retry_received_requests_total{number="3",refused=""} 2
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want),
		"outlast_retry_attempts_total", "outlast_retry_operations_total", "outlast_retry_received_requests_total"); err != nil {
		t.Error(err)
	}
	for name, count := range map[string]int{"outlast_retry_attempt_duration_seconds": 3, "outlast_retry_wait_duration_seconds": 2} {
		if got, err := testutil.GatherAndCount(registry, name); got != count || err != nil {
			t.Errorf("%s has %d series, %v", name, got, err)
		}
	}
	if problems, err := testutil.GatherAndLint(registry); len(problems) > 0 || err != nil {
		t.Error(problems, err)
	}
}

// TestSeriesAreBounded whatever is called, and however it fails.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	const targets = 5
	metrics := retryprom.New(retryprom.Config{Targets: targets})
	o := metrics.Observer()
	for host := range 200 {
		for number := range 40 {
			for _, category := range retry.Categories() {
				o.Attempt(retry.AttemptEvent{Target: fmt.Sprint(host), Number: number, Err: errors.New("x"), Verdict: retry.Verdict{Category: category}, Hedge: true})
			}
			o.Wait(retry.WaitEvent{Target: fmt.Sprint(host), Number: number})
			o.End(retry.EndEvent{Target: fmt.Sprint(host), Err: &retry.Error{Reason: context.Canceled}})
			metrics.Request(retryhttp.RequestEvent{Attempt: number})
		}
	}
	// Attempts by number and result, durations and waits by number, hedges, ends.
	most := (targets+1)*(7*12+7+7+1+1) + 7
	if got := testutil.CollectAndCount(metrics); got != most {
		t.Errorf("%d series, want %d", got, most)
	}
}

func BenchmarkAttempt(b *testing.B) {
	o := retryprom.New(retryprom.Config{}).Observer()
	b.ReportAllocs()
	for b.Loop() {
		o.Attempt(retry.AttemptEvent{Target: "api.example.com", Number: 1, Took: time.Millisecond})
	}
}
