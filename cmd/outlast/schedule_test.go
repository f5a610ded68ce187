package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSchedule(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	c.run("schedule", "apply", "nightly", "--cron", "0 3 * * *", "--zone", "Asia/Shanghai", "--type", "report", "--payload", `{"a":1}`, "--overlap", "skip").exits(0)
	list := c.run("schedule", "list").exits(0)
	if !strings.Contains(list.out, "0 3 * * * Asia/Shanghai") || !strings.Contains(list.out, "T19:00:00.000Z") {
		t.Errorf("got %s", list.out)
	}
	c.run("schedule", "apply", "ping", "--file", "-").exits(2)
	got := c.run("schedule", "get", "nightly", "--output", "json").exits(0).json()
	if got["overlap"] != "skip" || got["task"].(map[string]any)["type"] != "report" {
		t.Errorf("got %v", got)
	}
	if next := c.run("schedule", "next", "nightly", "-n", "2").exits(0); strings.Count(next.out, "T19:00:00.000Z") != 2 {
		t.Errorf("got %s", next.out)
	}
	c.run("schedule", "pause", "nightly").exits(0)
	run := c.run("schedule", "trigger", "nightly", "--output", "json").exits(0).json()
	if run["type"] != "report" {
		t.Errorf("got %v", run)
	}
	c.run("schedule", "resume", "nightly").exits(0)
	c.run("schedule", "apply", "nightly", "--every", "0s", "--type", "a").exits(2).silent().says("every: ")
	c.run("schedule", "apply", "nightly", "--file", "x.json", "--type", "a").exits(2).silent().says("--type")
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("of no use here"), 0o600); err != nil {
		t.Fatal(err)
	}
	given := command{t: t, server: server.url, env: []string{"OUTLAST_TOKEN_FILE=" + token}, input: `{"every":"1h","task":{"type":"report"}}`}
	given.run("schedule", "apply", "hourly", "--file", "-").exits(0) // what the environment says of the server is no flag of the rule
	c.run("schedule", "delete", "nightly").exits(0)
	c.run("schedule", "get", "nightly").exits(4).silent()
	c.run("schedule", "trigger", "nightly", "--id", "x").exits(2).silent()
}
