package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A task for a worker group needs no file.
func TestEnqueueToAGroup(t *testing.T) {
	c := command{t: t, server: startServer(t, "--store", "memory:").url}
	got := c.run("task", "enqueue", "--group", "mailers", "--path", "/send", "--output", "json").exits(0).json()
	target, _ := got["target"].(map[string]any)
	if target["group"] != "mailers" || target["path"] != "/send" || got["type"] != "http" {
		t.Errorf("got %v", got)
	}
	c.run("task", "enqueue", "--group", "mailers", "--url", "http://example.com/").exits(2)
}

// A schedule of requests says what type its tasks have.
func TestSchedulesOfRequestsHaveAType(t *testing.T) {
	c := command{t: t, server: startServer(t, "--store", "memory:").url, input: `{"every":"1h","task":{"target":{"url":"https://example.com/hook"}}}`}
	c.run("schedule", "apply", "hook", "--file", "-").exits(0)
	c.input = ""
	if out := c.run("schedule", "list").exits(0).out; !strings.Contains(out, " http ") {
		t.Errorf("no type:\n%s", out)
	}
}

// A noun that has something to show shows it.
func TestNounsThatShow(t *testing.T) {
	server := startServer(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "o.db"))
	c := command{t: t, server: server.url}
	if out := c.run("stats").exits(0).out; !strings.Contains(out, "PENDING") {
		t.Errorf("stats shows\n%s", out)
	}
	file := "sqlite:" + filepath.Join(t.TempDir(), "p.db")
	c.run("migrate", "up", "--store", file).exits(0)
	if out := c.run("migrate", "--store", file).exits(0).out; !strings.Contains(out, "init") {
		t.Errorf("migrate shows\n%s", out)
	}
	c.run("stats", "shw").exits(2).says("did you mean show?")
	if said := server.said(); !strings.Contains(said, "task enqueue --server "+server.url) {
		t.Errorf("the example does not reach this server:\n%s", said)
	}
}
