package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// An order about a name that no node knows is kept, with a note; its row goes
// with its end.
func TestTargetOrderOfAnUnknownName(t *testing.T) {
	url := endpoint(t, func(http.ResponseWriter, *http.Request) {})
	name := strings.TrimPrefix(url, "http://")
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	c.run("task", "enqueue", "--url", url, "--payload", "1", "--wait", "20s").exits(0)

	open := c.run("target", "open", name, "--yes").exits(0)
	if strings.Contains(open.stderr, "note:") {
		t.Errorf("a note about a target that is known: %s", open.stderr)
	}
	c.run("target", "reset", name, "--yes").exits(0)
	c.run("target", "open", url+"/path", "--yes").exits(2).silent().says("write the host of the URL")
	for _, wrong := range []string{"127.0.0.1", "127.0.0.1:1", "[2001:db8::1]:8443"} {
		said := c.run("target", "open", wrong, "--yes").exits(4).says("no task for this target is known (a typo?)").says("--unknown")
		c.run("target", "open", wrong, "--unknown", "--yes").exits(0)
		if near := strings.Contains(said.stderr, "on the same host: "+name); near != strings.Contains(wrong, "127") {
			t.Errorf("%s: %s", wrong, said.stderr)
		}
		for _, line := range strings.Split(c.run("target", "list").exits(0).out, "\n") {
			if unknown := strings.Contains(line, "(no task known)"); strings.HasPrefix(line, wrong+" ") != unknown {
				t.Errorf("%s: listed as %q", wrong, line)
			}
		}
		if got := c.run("target", "get", wrong).exits(0).out; !strings.Contains(got, "none knows a task for it") {
			t.Errorf("%s: %s", wrong, got)
		}
		c.run("target", "reset", wrong, "--yes").exits(0)
		var left client.Targets
		if err := json.Unmarshal([]byte(c.run("target", "list", "--output", "json").exits(0).out), &left); err != nil || len(left.Targets) != 1 || left.Targets[0].Name != name {
			t.Errorf("after the reset of %s: %+v, %v", wrong, left, err)
		}
	}
}

// Orders about targets: what is asked is checked, and what would be done is
// shown in the form that was asked for.
func TestTargetOrders(t *testing.T) {
	server := command{t: t, server: startServer(t, "--store", "memory:").url}
	for _, verb := range []string{"get", "open", "close", "reset"} {
		server.run("target", verb, "").exits(2).silent().says("is empty")
	}
	server.run("target", "reset", "nowhere.example").exits(4).silent().says("lately")
	if got := server.run("target", "open", "nowhere.example", "--unknown", "--dry-run", "--output", "json").exits(0).json(); got["name"] != "nowhere.example" {
		t.Errorf("a target that nobody has called: %v", got)
	}
	server.run("target", "get", "nowhere.example").exits(4)
	server.run("target", "open", "nowhere.example", "--unknown", "--yes").exits(0)
	got := server.run("target", "reset", "nowhere.example", "--dry-run", "--output", "json").exits(0).json()
	if breaker, _ := got["breaker"].(map[string]any); breaker["state"] != "open" || breaker["forced"] != true {
		t.Errorf("it says what there is before the order: %v", got)
	}
	if got := server.run("target", "get", "nowhere.example").exits(0).out; !strings.Contains(got, "open (ordered)") {
		t.Errorf("a dry run changes something: %s", got)
	}
}
