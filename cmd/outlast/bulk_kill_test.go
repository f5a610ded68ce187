//go:build unix

package main

import (
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
		bulkSurvivesKill(t, "sqlite:"+filepath.Join(t.TempDir(), "bulk.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		bulkSurvivesKill(t, servertest.Postgres(t))
	})
}

func bulkSurvivesKill(t *testing.T, store string) {
	const tasks = 6000
	worker, other := serve(t, "--store", store), serve(t, "--store", store)
	c := command{t: t, server: worker.url, input: strings.Repeat(`{"type":"waits","delay":"10h"}`+"\n", tasks)}
	c.run("task", "enqueue", "--file", "-").exits(0)
	c.input = `{"type":"stays","delay":"10h"}` + "\n"
	c.run("task", "enqueue", "--file", "-").exits(0)

	result, err := apiOf(t, worker.url).Bulk(t.Context(), client.Bulk{Action: "cancel", Filter: &client.TaskFilter{Type: "waits"}})
	if err != nil || result.Matched != tasks {
		t.Fatalf("matched %+v, %v", result, err)
	}
	at := awaitProgress(t, other.url, result.Operation, func(o *client.Operation) bool { return o.Done > 0 })
	worker.stop(syscall.SIGKILL)
	done := awaitProgress(t, other.url, result.Operation, func(o *client.Operation) bool { return o.State != "running" })
	if done.State != "done" || done.Done != tasks || done.Changed != tasks || done.Skipped != 0 {
		t.Fatalf("the operation is %+v", done)
	}
	if at.Done == tasks {
		t.Logf("it had ended before the kill")
	}
	c.server = other.url
	if out := c.run("operation", "items", result.Operation, "--limit", "7000", "--status", "changed", "--output", "jsonl").exits(0).out; strings.Count(out, "\n") != tasks {
		t.Errorf("the report has %d tasks that were changed", strings.Count(out, "\n"))
	}
	c.run("task", "list", "--state", "pending", "--output", "jsonl").exits(0).says("")
	if out := c.run("task", "list", "--state", "pending", "--output", "jsonl").exits(0).out; strings.Count(out, "\n") != 1 {
		t.Errorf("pending are %s", out)
	}
}
