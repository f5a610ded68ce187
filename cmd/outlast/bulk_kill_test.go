//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// The server that cancels many tasks is killed in the middle, and another goes on.
// Every task is handled exactly once: one that was done twice would be reported as
// left alone, since it had ended.
func TestBulkSurvivesKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		bulkSurvivesKill(t, "sqlite:"+filepath.Join(t.TempDir(), "bulk.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		bulkSurvivesKill(t, servertest.Postgres(t))
	})
}

func bulkSurvivesKill(t *testing.T, store string) {
	worker, other := startServer(t, "--store", store), startServer(t, "--store", store)
	c := command{t: t, server: other.url, input: `{"type":"stays","delay":"10h"}` + "\n"}
	c.run("task", "enqueue", "--file", "-").exits(0)
	for tasks := 1000; ; tasks *= 2 { // until there are enough for it to be killed in the middle
		c.input = strings.Repeat(`{"type":"waits","delay":"10h"}`+"\n", tasks)
		c.run("task", "enqueue", "--file", "-").exits(0)
		result, err := apiOf(t, worker.url).Bulk(t.Context(), client.Bulk{Action: "cancel", Filter: &client.TaskFilter{Type: "waits"}})
		if err != nil || result.Matched != tasks {
			t.Fatalf("matched %+v, %v", result, err)
		}
		awaitProgress(t, other.url, result.Operation, func(o *client.Operation) bool { return o.Done > 0 })
		worker.stop(syscall.SIGKILL)
		at := awaitProgress(t, other.url, result.Operation, func(*client.Operation) bool { return true })
		done := awaitProgress(t, other.url, result.Operation, func(o *client.Operation) bool { return o.State != "running" })
		if done.State != "done" || done.Done != tasks || done.Changed != tasks || done.Skipped != 0 {
			t.Fatalf("the operation is %+v", done)
		}
		if out := c.run("operation", "items", result.Operation, "--limit", fmt.Sprint(tasks+1), "--status", "changed", "--output", "jsonl").exits(0).out; strings.Count(out, "\n") != tasks {
			t.Errorf("the report has %d tasks that were changed", strings.Count(out, "\n"))
		}
		if out := c.run("task", "list", "--state", "pending", "--output", "jsonl").exits(0).out; strings.Count(out, "\n") != 1 {
			t.Errorf("pending are %s", out)
		}
		if at.State == "running" {
			return
		}
		worker = startServer(t, "--store", store)
	}
}
