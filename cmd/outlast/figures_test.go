package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// A share that rounds to all of it is not printed as all of it.
func TestAlmostAllIsNotAll(t *testing.T) {
	for v, want := range map[float64]string{1: "100 %", 0.9999999: "> 99.99 %", 0.99994: "99.99 %", 0.5: "50 %", 0: "0 %"} {
		if got := share(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

// Percentiles are bounds of a histogram, and are printed as such.
func TestPercentilesAreBounds(t *testing.T) {
	for d, want := range map[time.Duration]string{33554432 * time.Microsecond: "<=34s", 163840 * time.Microsecond: "<=170ms", 99: "<=99ns", 0: "0s", 2 * time.Second: "<=2s"} {
		if got := bound(client.Duration(d)); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// A task for a worker group needs no file.
func TestEnqueueToAGroup(t *testing.T) {
	c := command{t: t, server: serve(t, "--store", "memory:").url}
	got := c.run("task", "enqueue", "--group", "mailers", "--path", "/send", "--output", "json").exits(0).json()
	target, _ := got["target"].(map[string]any)
	if target["group"] != "mailers" || target["path"] != "/send" || got["type"] != "http" {
		t.Errorf("got %v", got)
	}
	c.run("task", "enqueue", "--group", "mailers", "--url", "http://example.com/").exits(2)
}

// A schedule of requests says what type its tasks have.
func TestSchedulesOfRequestsHaveAType(t *testing.T) {
	c := command{t: t, server: serve(t, "--store", "memory:").url, input: `{"every":"1h","task":{"target":{"url":"https://example.com/hook"}}}`}
	c.run("schedule", "apply", "hook", "--file", "-").exits(0)
	c.input = ""
	if out := c.run("schedule", "list").exits(0).out; !strings.Contains(out, " http ") {
		t.Errorf("no type:\n%s", out)
	}
}

// A noun that has something to show shows it.
func TestNounsThatShow(t *testing.T) {
	server := serve(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "o.db"))
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

// A server that commands find by themselves is not named to them.
func TestServerThatNeedsNoFlag(t *testing.T) {
	if got := serverFlag(client.DefaultServer); got != "" {
		t.Errorf("a needless flag %q", got)
	}
}
