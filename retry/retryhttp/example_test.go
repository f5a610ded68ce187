package retryhttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// A client that repeats what is safe to repeat, with a budget and a breaker for
// each host.
func ExampleDefault() {
	failures := 1
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failures > 0 {
			failures--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "attempt ", r.Header.Get("Outlast-Attempt"))
	}))
	defer server.Close()

	client := &http.Client{Transport: retryhttp.Default(nil)}
	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(string(body), "of", retryhttp.OutcomeOf(resp).Attempts)
	// Output: attempt 2 of 2
}

// A policy of one's own, and a POST that may be repeated because its order
// number is known to the receiver.
func ExampleIdempotent() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer server.Close()

	policy, err := retry.New(retry.Attempts(4), retry.Exponential(time.Millisecond, 2, time.Second), retry.PerAttempt(5*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: retryhttp.New(nil, policy)}
	for _, url := range []string{server.URL + "/orders", server.URL + "/orders/17/paid"} {
		req, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		if url != server.URL+"/orders" {
			req = req.WithContext(retryhttp.Idempotent(req.Context()))
		}
		resp, err := client.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		o := retryhttp.OutcomeOf(resp)
		fmt.Println(resp.StatusCode, o.Attempts, o.Err.Reason)
	}
	client.CloseIdleConnections()
	// Output:
	// 502 1 retry: the attempt may have had an effect, and the operation is not idempotent
	// 502 4 retry: no attempts left
}

// A server that fails, and then refuses repeats above a tenth of the load.
func ExampleHandler() {
	budget, err := retry.NewBudget(retry.BudgetConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	shop := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	handler := retryhttp.Handler(shop, retryhttp.RefuseOverBudget(budget))

	for range 4 {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.Header.Set("Outlast-Attempt", "2")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		fmt.Println(w.Code, w.Header()["Retry-After"])
	}
	// Output:
	// 500 []
	// 500 []
	// 429 [10]
	// 429 [10]
}
