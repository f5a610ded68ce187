package main

import (
	"strings"
	"testing"
)

func TestTaskTail(t *testing.T) {
	server := serve(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	tails := map[string]*result{}
	done := make(chan *result)
	for _, args := range []string{"--output jsonl --queue default", "--type never", "--type other"} {
		go func() { done <- c.run(append([]string{"task", "tail", "--for", "4s"}, strings.Fields(args)...)...) }()
	}
	for len(tails) < 3 {
		select {
		case r := <-done:
			tails[strings.Join(r.args[4:], " ")] = r.exits(0)
		default:
			c.run("task", "enqueue", "--type", "never", "--payload", "{}").exits(0)
		}
	}
	if out := tails["--output jsonl --queue default"].out; !strings.Contains(out, `"what":"enqueued"`) || !strings.HasPrefix(out, `{"id":"`) {
		t.Errorf("got %s", out)
	}
	if out := tails["--type never"].out; !strings.Contains(out, "Z  enqueued   01") || !strings.Contains(out, "never") {
		t.Errorf("got %s", out)
	}
	tails["--type other"].silent()
	c.run("task", "tail", "--state", "gone").exits(2).silent().says("no state")
	c.run("task", "tail", "--task", "x").exits(2).silent()
	c.run("task", "tail", "--task", "01890000-0000-7000-8000-000000000001").exits(4).silent()
	command{t: t, server: "http://127.0.0.1:1"}.run("task", "tail").exits(7).silent()
}
