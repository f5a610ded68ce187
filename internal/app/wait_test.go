package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/app"
)

// A stop does not wait for callers that wait for tasks: they are told how
// their tasks stand.
func TestStopAnswersWaits(t *testing.T) {
	closed := 0
	a, err := app.New(app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: openers(&closed)})
	if err != nil || a.Start(t.Context()) != nil {
		t.Fatal(err)
	}
	caller := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	status := make(chan int, 1)
	go func() {
		resp, err := caller.Post(a.URL()+"/v1/tasks?wait=5m", "application/json", strings.NewReader(`{"type":"a","delay":"1h"}`))
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		_ = resp.Body.Close()
		status <- resp.StatusCode
	}()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for page, deadline := "", time.Now().Add(10*time.Second); !strings.Contains(page, `"pending"`); <-ticker.C {
		resp, err := caller.Get(a.URL() + "/v1/tasks")
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the task did not arrive: %v", err)
		}
		text := make([]byte, 4096)
		n, _ := resp.Body.Read(text)
		page = string(text[:n])
		_ = resp.Body.Close()
	}
	began := time.Now()
	if err := a.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if got := <-status; got != 202 || time.Since(began) > 20*time.Second { // of the 5 minutes
		t.Errorf("status %d after %s", got, time.Since(began))
	}
}
