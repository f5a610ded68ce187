//go:build unix

package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// A server is killed again and again while tasks end. Each death brings its fallback
// and its callback, each success its callback: none is lost, and none is there twice.
func TestFollowUpsSurviveKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		followUpsSurviveKill(t, "sqlite:"+filepath.Join(t.TempDir(), "follow.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		followUpsSurviveKill(t, servertest.Postgres(t))
	})
}

func followUpsSurviveKill(t *testing.T, store string) {
	var mu sync.Mutex
	told := map[string]map[string]bool{} // ids of the requests by path
	url := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/gone") {
			w.WriteHeader(http.StatusGone)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if told[r.URL.Path] == nil {
			told[r.URL.Path] = map[string]bool{}
		}
		told[r.URL.Path][r.Header.Get("Idempotency-Key")] = true
	})
	const rounds, each, calls = 4, 15, 4 // of a task that dies and one that succeeds
	for round := range rounds {
		server := startServer(t, "--store", store)
		drafts := strings.Builder{}
		for i := range each {
			n := round*each + i
			follow := func(path string) string { return fmt.Sprintf(`{"target":{"url":"%s/%s/%d"}}`, url, path, n) }
			fmt.Fprintf(&drafts, `{"target":{"url":"%s/gone"},"retry":{"breaker":"none","budget":"none"},"fallback":%s,"on_dead":%s,"on_success":%s}`+"\n",
				url, follow("fallback"), follow("dead"), follow("wrong"))
			fmt.Fprintf(&drafts, `{"target":{"url":"%s/fine/%d"},"on_success":%s,"on_dead":%s}`+"\n", url, n, follow("success"), follow("wrong"))
		}
		c := command{t: t, server: server.url, input: drafts.String()}
		c.run("task", "enqueue", "--file", "-").exits(0)
		if round < rounds-1 {
			time.Sleep(time.Duration(5+40*round) * time.Millisecond) // sleep: the kill is to meet another step each time
			server.stop(syscall.SIGKILL)
			continue
		}
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // sleep: waits for a real server
			mu.Lock()
			n := len(told)
			mu.Unlock()
			if n == rounds*each*calls {
				break
			}
			if n > rounds*each*calls || time.Now().After(deadline) {
				t.Fatalf("%d of %d requests came: %s", n, rounds*each*calls, server.said())
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for path, ids := range told {
		if len(ids) != 1 {
			t.Errorf("%s was called for %d tasks", path, len(ids))
		}
		if strings.HasPrefix(path, "/wrong") {
			t.Errorf("%s was called", path)
		}
	}
}

// What follows a task is said by flags, in three forms, and seen with the task.
func TestFollowUpFlags(t *testing.T) {
	url := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" || r.URL.Path == "/refund" {
			w.WriteHeader(http.StatusGone)
		}
	})
	c := command{t: t, server: startServer(t, "--store", "memory:").url}
	made := c.run("task", "enqueue", "--url", url+"/gone", "--fallback", `{"type": "refund", "target": {"url": "`+url+`/refund"}}`,
		"--on-dead", url+"/dead", "--on-success", "thanks", "--wait", "30s", "--output", "json").exits(1).json()
	var dead map[string]any
	for deadline := time.Now().Add(2 * time.Minute); dead["fallback_state"] != "dead" || dead["callback_state"] != "succeeded"; time.Sleep(50 * time.Millisecond) { // sleep: waits for a real server
		if dead = c.run("dead", "get", made["id"].(string), "--output", "json").exits(0).json(); time.Now().After(deadline) {
			t.Fatalf("the letter is %v", dead)
		}
	}
	if dead["fallback_error"] == "" || dead["on_success"].(map[string]any)["type"] != "thanks" {
		t.Errorf("the letter is %v", dead)
	}
	fallback := c.run("task", "get", dead["fallback_task"].(string), "--output", "json").exits(0).json()
	if fallback["type"] != "refund" || fallback["parent"] != made["id"] || fallback["follows"] != "fallback" || fallback["dead_reason"] != "permanent" {
		t.Errorf("the fallback is %v", fallback)
	}
	for _, line := range []string{"fallback ", "callback ", "its last error "} {
		if out := c.run("dead", "get", made["id"].(string)).exits(0).out; !strings.Contains(out, line) {
			t.Errorf("no line %q in %s", line, out)
		}
	}
	c.run("task", "enqueue", "--type", "t", "--fallback", `{"typ": "x"}`).exits(2).says(`unknown field "typ"`)
	c.run("task", "enqueue", "--type", "t", "--on-dead", "a b").exits(2).says("on_dead.type")
	c.run("task", "enqueue", "--type", "t", "--on-dead", `{"type": "x", "queue": "nowhere"}`).exits(2).says("on_dead.queue")
	c.input = `{"type": "t"}`
	c.run("task", "enqueue", "--file", "-", "--fallback", "x").exits(2).says("--fallback cannot be combined with --file")
}
