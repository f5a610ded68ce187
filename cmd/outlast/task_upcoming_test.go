package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// What is tried again next comes first by the command line as well, on SQLite and
// PostgreSQL, beside hundreds of newer retries and behind what is due.
func TestUpcomingByCommandLine(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "upcoming.db") },
		"postgres": func(t *testing.T) string { return servertest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) { upcomingByCommandLine(t, store(t)) })
	}
}

func upcomingByCommandLine(t *testing.T, store string) {
	down := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	c := command{t: t, server: startServer(t, "--store", store, "--allow-target", "127.0.0.0/8").url}
	draft := func(key, after string) string {
		return `{"key":"` + key + `","target":{"url":"` + down + `"},"retry":{"backoff":{"kind":"fixed","initial":"` + after + `","jitter":"none"},"max_attempts":9,"breaker":"none","budget":"none"}}` + "\n"
	}
	c.input = draft("first", "10m")
	for n := range 300 {
		c.input += draft(fmt.Sprint(n), "1h")
	}
	c.run("task", "enqueue", "--file", "-").exits(0)
	c.input = strings.Repeat(`{"type":"nobodys"}`+"\n", 300)
	c.run("task", "enqueue", "--file", "-").exits(0)
	c.input = ""
	list := func(args ...string) []any {
		t.Helper()
		return c.run(append(args, "--output", "json")...).exits(0).json()["tasks"].([]any)
	}
	for end := time.Now().Add(2 * time.Minute); len(list("task", "list", "--state", "pending", "--min-attempts", "1", "--limit", "500")) < 301; {
		if time.Now().After(end) {
			t.Fatal("not all have failed")
		}
	}
	if next := list("task", "upcoming", "--limit", "3"); len(next) != 3 || next[0].(map[string]any)["key"] != "first" {
		t.Errorf("next are %v", next)
	}
	if next := list("task", "upcoming", "--queue", "default", "--limit", "1"); len(next) != 1 || next[0].(map[string]any)["key"] != "first" {
		t.Errorf("next of the queue is %v", next)
	}
	c.run("task", "upcoming", "--limit", "101").exits(2).says("1 to 100")
}
