package main

import (
	"path/filepath"
	"testing"
)

// A bench of a temporary store just runs; one of a store that may be in use says
// what it will write, needs a yes, and leaves nothing waiting there.
func TestBench(t *testing.T) {
	t.Parallel()
	c := command{t: t}
	measured := func(got *result) {
		t.Helper()
		sum := got.exits(0).json()
		for _, name := range []string{"enqueue_single_per_second", "enqueue_batch_per_second", "run_per_second", "start_p50_ms", "start_p99_ms"} {
			if value, _ := sum[name].(float64); value <= 0 {
				t.Errorf("%s is %v", name, sum[name])
			}
		}
	}
	measured(c.run("bench", "--tasks", "300", "--concurrency", "4", "--output", "json"))
	c.run("bench", "--tasks", "1").exits(2).silent().says("--tasks")
	c.run("bench", "--concurrency", "0").exits(2).silent().says("--concurrency")

	store := "sqlite:" + filepath.Join(t.TempDir(), "mine.db")
	c.run("bench", "--store", store).exits(4).silent()
	c.run("migrate", "up", "--store", store, "--yes").exits(0)
	c.run("bench", "--store", store, "--tasks", "300").exits(2).silent().says("1300 tasks to the queue outlast.bench").says("--yes")
	for range 2 {
		measured(c.run("bench", "--store", store, "--tasks", "300", "--yes", "--output", "json"))
	}
	server := startServer(t, "--store", store)
	c.server = server.url
	if left := c.run("task", "list", "--queue", "outlast.bench", "--state", "pending", "--output", "jsonl").exits(0); left.out != "" {
		t.Errorf("there is left: %s", left.out)
	}
}
