package main

import (
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTaskTail(t *testing.T) {
	t.Parallel()
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	tail := func(args ...string) string {
		t.Helper()
		return c.run(append([]string{"task", "tail"}, args...)...).exits(0).out
	}
	stop := make(chan struct{})
	var busy sync.WaitGroup
	busy.Go(func() {
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				if got := c.run("task", "enqueue", "--type", "never", "--payload", "{}"); got.code != 0 {
					t.Errorf("enqueue: %s", got.stderr)
				}
			}
		}
	})
	defer busy.Wait()
	defer close(stop)
	tails := map[string]string{}
	for length := time.Second; tails["--output jsonl --queue default"] == "" || tails["--type never"] == ""; length *= 2 {
		for _, args := range []string{"--output jsonl --queue default", "--type never"} {
			tails[args] = tail(append(strings.Fields(args), "--for", length.String())...)
		}
	}
	if out := tails["--output jsonl --queue default"]; !strings.Contains(out, `"what":"enqueued"`) || !strings.HasPrefix(out, `{"id":"`) {
		t.Errorf("got %s", out)
	}
	if out := tails["--type never"]; !strings.Contains(out, "Z  enqueued   01") || !strings.Contains(out, "never") {
		t.Errorf("got %s", out)
	}
	if out := tail("--type", "other", "--for", "1s"); out != "" {
		t.Errorf("got %s", out)
	}
	c.run("task", "tail", "--state", "gone").exits(2).silent().says("is not a state")
	c.run("task", "tail", "--task", "x").exits(2).silent()
	c.run("task", "tail", "--task", "01890000-0000-7000-8000-000000000001").exits(4).silent()
	command{t: t, server: "http://127.0.0.1:1"}.run("task", "tail").exits(7).silent()
}
