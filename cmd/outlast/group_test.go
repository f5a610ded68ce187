package main

import (
	"strings"
	"testing"
	"time"
)

// Groups and their members are seen from the command line.
func TestGroupCommands(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	join(t, server.url, "mailers", "http://127.0.0.1:1")
	c.input = `{"target":{"group":"nobody","path":"/send"}}`
	c.run("task", "enqueue", "--file", "-").exits(0)
	groups := map[string]map[string]any{}
	for deadline := time.Now().Add(2 * time.Minute); groups["nobody"]["failures"] == nil; time.Sleep(50 * time.Millisecond) { // sleep: waits for a real server
		for _, one := range c.run("group", "list", "--output", "json").exits(0).json()["groups"].([]any) {
			g := one.(map[string]any)
			groups[g["name"].(string)] = g
		}
		if time.Now().After(deadline) {
			t.Fatalf("the groups are %v", groups)
		}
	}
	if groups["nobody"]["kind"] != "empty" || len(groups["mailers"]["members"].([]any)) != 1 {
		t.Errorf("the groups are %v", groups)
	}
	table := c.run("group", "list").exits(0).out
	for _, text := range []string{"LIVING", "mailers  ready   1/1", "nobody   silent  0/0", "empty"} {
		if !strings.Contains(table, text) {
			t.Errorf("no %q in\n%s", text, table)
		}
	}
	await(t, "a doctor who knows of the task, which is tried now and then", func() bool {
		doctor := c.run("doctor").out
		return strings.Contains(doctor, "no member of nobody takes tasks (empty), at least 1 task held; next try at") && strings.Contains(doctor, "outlast group members nobody")
	})
	members := c.run("group", "members", "mailers").exits(0).out
	if !strings.Contains(members, "http://127.0.0.1:1") || !strings.Contains(members, "true") {
		t.Errorf("the members are\n%s", members)
	}
	c.run("group", "members", "mailer").exits(4).says("outlast group list")
}
