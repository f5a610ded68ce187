package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// Tasks that no living node can start are due, are counted as such, and make a check
// fail that keeps the server ready.
func TestStrandedTasksAreSeen(t *testing.T) {
	g := startGuarded(t)
	var health client.Health
	g.as(g.admin, "GET", "/readyz?verbose", "").is(200).into(&health)
	if !health.Checks["no worker"].OK || !health.Checks["critical alerts"].OK {
		t.Fatalf("%+v", health.Checks)
	}
	g.as(g.admin, "POST", "/v1/tasks", `{"type":"nobodys","queue":"blue"}`).is(201)
	g.as(g.admin, "POST", "/v1/tasks", `{"type":"nobodys","queue":"blue"}`).is(201)
	eventually(t, func() bool {
		health = client.Health{}
		g.as(g.admin, "GET", "/readyz?verbose", "").is(200).into(&health)
		check := health.Checks["no worker"]
		return !check.OK && strings.Contains(check.Detail, "nobodys (queue blue)")
	})
	eventually(t, func() bool {
		var stats client.Stats
		g.as(g.admin, "GET", "/v1/stats", "").is(200).into(&stats)
		return stats.Ready >= 2 && stats.OldestDue > 0
	})
	events := g.watch("", "Authorization", g.admin)
	for {
		e, more := events.next()
		if !more {
			t.Fatal("the stream ended")
		}
		if e.name == "stats" {
			if stats := into[client.EventStats](t, e); *stats.Ready >= 2 {
				break
			}
		}
	}
}

// eventually asks again and again, for a while.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never comes to be")
		}
	}
}
