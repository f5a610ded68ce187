package server_test

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store/memory"
)

// A node that does nothing by itself works what is due when it is told to.
func TestRunDue(t *testing.T) {
	a := startAs(t, memory.New(), []outlast.Option{outlast.WithEnqueueOnly()}, answers)
	for _, body := range []string{`{"type":"ok","payload":{}}`, `{"type":"bad","payload":{}}`, `{"type":"ok","payload":{},"queue":"default",` + later + `}`} {
		a.call("POST", "/v1/tasks", body).is(201)
	}
	counts := func(body string, want string) {
		t.Helper()
		if got := a.call("POST", "/v1/tasks/run_due", body).is(200); string(got.body) != want+"\n" {
			t.Errorf("%s: %s, want %s", body, got.body, want)
		}
	}
	counts(`{"types":["bad"],"limit":1}`, `{"started":1,"succeeded":0,"failed":0,"dead":1,"snoozed":0,"canceled":0,"released":0,"left":0}`)
	counts(`{}`, `{"started":1,"succeeded":1,"failed":0,"dead":0,"snoozed":0,"canceled":0,"released":0,"left":0}`)
	counts(`{"queues":["default"]}`, `{"started":0,"succeeded":0,"failed":0,"dead":0,"snoozed":0,"canceled":0,"released":0,"left":0}`)
	a.call("POST", "/v1/tasks/run_due", `{"limit":-1}`).problem(400, "invalid", "limit")
	a.call("POST", "/v1/tasks/run_due", `{"queues":["none"]}`).problem(400, "invalid", "queues[0]")
	a.call("POST", "/v1/tasks/run_due", `{"since":"2999-01-01T00:00:00Z"}`).problem(400, "invalid", "since")
	a.call("POST", "/v1/tasks/run_due", `{"limt":1}`).problem(400, "invalid", "limt")
}

// A token for certain queues works what is due in those that are there.
func TestRunDueOfCertainQueues(t *testing.T) {
	g := startGuarded(t)
	for queues, want := range map[string]int{"red": 200, "none": 200, "none red": 200} {
		g.as(g.token(inspect.Operator, strings.Fields(queues)...), "POST", "/v1/tasks/run_due", `{}`).is(want)
	}
	g.as(g.token(inspect.Operator, "red"), "POST", "/v1/tasks/run_due", `{"queues":["blue"]}`).problem(403, "denied", "queues")
}
