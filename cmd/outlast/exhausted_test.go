//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
)

// A server with few descriptors bounds its callers, so that 400 idle connections keep
// nobody out; and where more tasks run at once than it can call for, they wait, and
// none of them dies of that, with one attempt each.
func TestDescriptorsRunOut(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	var urls []string
	for range 4 { // what one target may hold is bounded otherwise
		urls = append(urls, endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-open:
			case <-r.Context().Done():
			}
		}))
	}
	var told atomic.Int64
	box := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `"resources_exhausted"`) {
			told.Add(1)
		}
	})
	s := binarytest.ServeWithin(t, 256, "--store", "memory:")
	p := &process{s, t, s.URL}
	put, err := http.NewRequest(http.MethodPut, s.URL+"/v1/alerts/channels/box", strings.NewReader(`{"kind":"webhook","url":"`+box+`","default":true}`))
	if err != nil {
		t.Fatal(err)
	}
	put.Header.Set("Content-Type", "application/json")
	if answer, err := http.DefaultClient.Do(put); err != nil || answer.StatusCode/100 != 2 || answer.Body.Close() != nil {
		t.Fatal(answer, err)
	}
	for range 400 {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") // it may be closed by now
	}
	caller := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}} // who finds no place asks again
	metrics := func() string {
		response, err := caller.Get(s.URL + "/metrics")
		if err != nil {
			return ""
		}
		defer response.Body.Close()
		data, _ := io.ReadAll(response.Body)
		return string(data)
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for metrics() == "" { // until then a new connection may find none idle that could give way
		<-ticker.C
	}
	var tasks []string
	for i := range 400 {
		tasks = append(tasks, fmt.Sprintf(`{"target":{"url":%q},"max_attempts":1,"timeout":"10m","retry":{"breaker":"none","budget":"none"}}`, urls[i%len(urls)]))
	}
	response, err := http.Post(s.URL+"/v1/tasks/batch", "application/json", strings.NewReader(`{"tasks":[`+strings.Join(tasks, ",")+`]}`))
	if err != nil || response.StatusCode != 200 && response.StatusCode != 201 {
		t.Fatal(response, err)
	}
	_ = response.Body.Close()
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(p.said(), "node.exhausted"); <-ticker.C { // callers may find no place now
		if time.Now().After(deadline) {
			t.Fatalf("the descriptors do not run out:\n%s", p.said())
		}
	}
	close(open)
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(metrics(), `outlast_task_attempts_total{category="",outcome="succeeded",queue="default",type="http"} 400`); <-ticker.C {
		if time.Now().After(deadline) || strings.Contains(metrics(), "outlast_dead_total{") {
			t.Fatalf("not all succeed:\n%s\n%s", metrics(), p.said())
		}
	}
	if all := metrics(); !strings.Contains(all, `outlast_exhausted_total{code="EMFILE"}`) {
		t.Errorf("the metrics do not say what is short:\n%s", all)
	}
	var alerts client.AlertEvents // what told of it could not be sent either, and lost no attempt
	for deadline := time.Now().Add(2 * time.Minute); len(alerts.Events) == 0 || alerts.Events[0].State == "pending"; <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("nobody is told: %+v\n%s", alerts, p.said())
		}
		answer, err := caller.Get(s.URL + "/v1/alerts/events?rule=resources_exhausted")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(json.NewDecoder(answer.Body).Decode(&alerts), answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if first := alerts.Events[len(alerts.Events)-1]; first.State != "sent" || first.Attempts != 1 || told.Load() == 0 || !strings.Contains(first.Text, "EMFILE") {
		t.Errorf("%d told, %+v", told.Load(), first)
	}
	if said := p.said(); !strings.Contains(said, "node.exhausted") || !strings.Contains(said, "ulimit -n") {
		t.Errorf("the log does not say what is short:\n%s", said)
	}
}
