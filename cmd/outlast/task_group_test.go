package main

import (
	"strings"
	"testing"
)

// A group of tasks by the command line: made, joined, closed, and done when its member has ended.
func TestTaskGroupCommands(t *testing.T) {
	t.Parallel()
	c := command{t: t, server: startServer(t, "--store", "memory:").url}
	id := strings.TrimSpace(c.run("task-group", "create", "--label", "invoices of March", "--type", "report").exits(0).out)
	again := c.run("task-group", "create", "--id", id, "--label", "invoices of March", "--type", "report").exits(0)
	if !strings.Contains(again.out, id) {
		t.Errorf("a repeat made %s", again.out)
	}
	c.run("task-group", "create").exits(2)
	c.run("task-group", "get", "x").exits(2)
	c.run("task-group", "get", "01900000-0000-7000-8000-000000000000").exits(4)
	member, _ := c.run("task", "enqueue", "--type", "write", "--task-group", id, "--output", "json").exits(0).json()["id"].(string)
	if shown := c.run("task", "get", member).exits(0); !strings.Contains(shown.out, id) {
		t.Errorf("a member does not show its group:\n%s", shown.out)
	}
	c.run("task-group", "close", id).exits(0)
	c.run("task", "enqueue", "--type", "write", "--task-group", id).exits(6)
	list := c.run("task-group", "list", "--state", "closed").exits(0)
	if !strings.Contains(list.out, id) {
		t.Errorf("listed:\n%s", list.out)
	}
	c.run("task", "cancel", member).exits(0)
	await(t, "the group is done", func() bool {
		return c.run("task-group", "get", id, "--output", "json").exits(0).json()["state"] == "done"
	})
	if shown := c.run("task-group", "get", id).exits(0); !strings.Contains(shown.out, "report in default") {
		t.Errorf("shown:\n%s", shown.out)
	}
}
