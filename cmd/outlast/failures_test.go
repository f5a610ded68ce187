package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What failed is listed by when it failed, waiting or dead, and with its time.
func TestFailuresByCommandLine(t *testing.T) {
	down := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	c := command{t: t, server: startServer(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "o.db"), "--allow-target", "127.0.0.0/8").url}
	c.run("task", "enqueue", "--url", down, "--retry", `{"backoff":{"kind":"fixed","initial":"1h"}}`, "--key", "waits").exits(0)
	c.run("task", "enqueue", "--url", down, "--max-attempts", "1", "--key", "dies", "--wait", "30s").exits(1)
	c.run("task", "enqueue", "--type", "nobodys").exits(0)
	list := func(args ...string) (keys []any) {
		t.Helper()
		for _, one := range c.run(append([]string{"task", "list", "--output", "json"}, args...)...).exits(0).json()["tasks"].([]any) {
			keys = append(keys, one.(map[string]any)["key"])
		}
		return keys
	}
	for end := time.Now().Add(2 * time.Minute); len(list("--state", "failed")) < 2; {
		if time.Now().After(end) {
			t.Fatal("not both have failed")
		}
	}
	for _, args := range [][]string{{"--failed-since", "1h"}, {"--state", "failed", "--failed-since", "1h", "--limit", "2"}} {
		if keys := list(args...); len(keys) != 2 {
			t.Errorf("%v lists %v", args, keys)
		}
	}
	if keys := list("--state", "dead", "--failed-since", "1h"); len(keys) != 1 || keys[0] != "dies" {
		t.Errorf("dead ones that failed: %v", keys)
	}
	if keys := list("--failed-until", "1h"); keys != nil {
		t.Errorf("more than an hour ago failed %v", keys)
	}
	if table := c.run("task", "list", "--state", "failed").exits(0).out; !strings.Contains(table, " FAILED ") {
		t.Errorf("the table does not say when they failed:\n%s", table)
	}
	c.run("task", "list", "--failed-since", "soon").exits(2).says("failed-since")
}
