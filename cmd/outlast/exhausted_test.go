//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

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
	s := binarytest.ServeWithin(t, 256, "--store", "memory:")
	p := &process{s, t, s.URL}
	for range 400 {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") // it may be closed by now
	}
	metrics := func() string {
		response, err := http.Get(s.URL + "/metrics")
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
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(metrics(), `outlast_exhausted_total{code="EMFILE"}`); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("the descriptors do not run out:\n%s\n%s", metrics(), p.said())
		}
	}
	close(open)
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(metrics(), `outlast_task_attempts_total{category="",outcome="succeeded",queue="default",type="http"} 400`); <-ticker.C {
		if time.Now().After(deadline) || strings.Contains(metrics(), "outlast_dead_total{") {
			t.Fatalf("not all succeed:\n%s\n%s", metrics(), p.said())
		}
	}
	if said := p.said(); !strings.Contains(said, "node.exhausted") || !strings.Contains(said, "ulimit -n") {
		t.Errorf("the log does not say what is short:\n%s", said)
	}
}
