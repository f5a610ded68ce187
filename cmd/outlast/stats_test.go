package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Two releases of a server are compared, also after both have ended.
func TestStatsCompare(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "o.db")
	receiver := endpoint(t, func(http.ResponseWriter, *http.Request) {})
	c := command{t: t}
	for _, release := range []string{"1.4", "1.5"} {
		server := startServer(t, "--store", store, "--release", release, "--allow-target", "127.0.0.0/8")
		c.server = server.url
		for range 3 {
			c.run("task", "enqueue", "--url", receiver, "--type", "hook", "--wait", "20s").exits(0)
		}
		server.stop(syscall.SIGTERM)
	}
	c.server = startServer(t, "--store", store).url
	got := c.run("stats", "compare").exits(0)
	for _, want := range []string{"hook", "1.4", "1.5", "3 -> 3", "%"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
	all := c.run("stats", "compare", "--from", "1.5", "--to", "1.4", "--output", "json").exits(0).json()["comparisons"].([]any)
	if one := all[0].(map[string]any); len(all) != 1 || one["from"].(map[string]any)["name"] != "1.5" || one["to"].(map[string]any)["count"] != 3.0 {
		t.Errorf("%v", all)
	}
	c.run("stats", "compare", "--by", "node").exits(2).says("release, policy_version")
	if got := c.run("stats", "compare", "--by", "policy_version", "--output", "jsonl").exits(0); got.out != "" {
		t.Errorf("presets have versions: %s", got.out)
	}
}

// What cannot be compared is said in words.
func TestStatsCompareWithoutReleases(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "o.db")
	receiver := endpoint(t, func(http.ResponseWriter, *http.Request) {})
	server := startServer(t, "--store", store, "--allow-target", "127.0.0.0/8")
	c := command{t: t, server: server.url}
	c.run("task", "enqueue", "--url", receiver, "--type", "hook", "--wait", "20s").exits(0)
	server.stop(syscall.SIGTERM) // what it has counted is written
	c.server = startServer(t, "--store", store).url
	if got := c.run("stats", "compare").exits(0).out; !strings.Contains(got, "nothing earlier  no release name") || strings.Contains(got, "(none)") {
		t.Errorf("got\n%s", got)
	}
}

// The whole answer is that of the parts.
func TestStatsShow(t *testing.T) {
	c := command{t: t, server: startServer(t, "--store", "memory:").url}
	c.run("queue", "create", "later").exits(0)
	c.run("task", "enqueue", "--type", "waits", "--queue", "later", "--delay", "1h").exits(0)
	c.run("queue", "pause", "later").exits(0)
	got := c.run("stats", "show", "--output", "json").exits(0).json()
	for deadline := time.Now().Add(10 * time.Second); got["slots"] == 0.0 && time.Now().Before(deadline); { // until its first beat
		got = c.run("stats", "show", "--output", "json").exits(0).json()
	}
	if got["nodes"] != 1.0 || got["slots"] != 1000.0 || got["running"] != 0.0 || got["dead"].(map[string]any)["total"] != 0.0 {
		t.Errorf("%v", got)
	}
	queues := got["queues"].([]any)
	last := queues[len(queues)-1].(map[string]any)
	if last["name"] != "later" || last["paused"] != true || last["counts"].(map[string]any)["pending"] != 1.0 {
		t.Errorf("%v", queues)
	}
	if out := c.run("stats", "show").exits(0).out; !strings.Contains(out, "later") || !strings.Contains(out, "0 of 1000 on 1") {
		t.Error(out)
	}
}
