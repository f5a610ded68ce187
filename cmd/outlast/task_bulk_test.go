package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// Actions on many tasks by the command line come to the same on SQLite and PostgreSQL.
func TestBulkByCommandLine(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "bulk.db") },
		"postgres": func(t *testing.T) string { return servertest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) { bulkByCommandLine(t, store(t)) })
	}
}

func bulkByCommandLine(t *testing.T, store string) {
	c := command{t: t, server: startServer(t, "--store", store).url}
	c.input = strings.Repeat(`{"type":"mail","delay":"10h"}`+"\n", 120) + `{"type":"other","delay":"10h","key":"a b"}` + "\n"
	c.run("task", "enqueue", "--file", "-").exits(0)
	c.input = ""

	c.run("task", "cancel").exits(2).says("name the tasks")
	c.run("task", "cancel", "--all", "--type", "mail").exits(2).says("either ids, filters or --all")
	c.run("task", "cancel", "--type", "mail").exits(2).says("120 tasks match and would be canceled").says("confirm with --yes")
	c.run("task", "reschedule", "--type", "mail", "--yes").exits(2).says("--run-at or --delay")
	if dry := c.run("task", "retry", "--type", "mail", "--dry-run", "--output", "json").exits(0).says("120 tasks match and would be run now").json(); dry["matched"] != 120.0 || dry["operation"] != "" {
		t.Errorf("dry run: %v", dry)
	}
	moved := c.run("task", "reschedule", "--type", "mail", "--delay", "20h", "--yes", "--wait", "--output", "json").exits(0).says("done: 120 of 120, 120 changed").json()
	c.run("operation", "items", moved["operation"].(string), "--limit", "3").exits(0)
	c.run("task", "cancel", "--type", "mail", "--yes", "--wait", "--reason", "a test").exits(0).says("done: 120 of 120, 120 changed")
	c.run("task", "cancel", "--type", "mail", "--yes").exits(0).says("0 tasks match")
	c.run("task", "cancel", "--key", "a b", "--yes", "--wait").exits(0).says("1 tasks match")

	list := c.run("task", "list", "--limit", "2", "--output", "jsonl").exits(0).out
	ids := []string{}
	for line := range strings.Lines(list) {
		_, rest, _ := strings.Cut(line, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		ids = append(ids, id)
	}
	c.run("task", "retry", ids[0], ids[1]).exits(3).says("left_ended")
}
