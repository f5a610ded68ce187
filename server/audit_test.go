package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
)

// leaves says which sides of a change a row of the audit log has.
type leaves int

const (
	makes   leaves = 1 + iota // what was not there before: after
	changes                   // before, and another after
	ends                      // what is not there any more: before
)

// act is a call of a route that leaves a row in the audit log.
type act struct {
	route, path, body string
	action            string
	leaves            leaves
}

// silent are the routes that change nothing which an operator is to answer for.
var silent = map[string]string{
	"plan-policy": "changes nothing", "preview-alert-silence": "changes nothing", "plan-ticks": "changes nothing", "run-scenario": "changes nothing", "compare-policies": "changes nothing", "replay-history": "changes nothing",
	"wake-node":    "nodes among themselves",
	"enqueue-task": "the task is the record", "enqueue-batch": "the tasks are the record",
	"poll-tasks": "attempts are the record", "extend-tasks": "attempts are the record", "add-steps": "steps are the record", "settle-tasks": "attempts are the record",
	"run-due-tasks": "attempts are the record",
	"put-member":    "a beat", "remove-member": "the last beat",
}

// acts are a call of every route that is audited, each as the ones before leave it.
func (g *guarded) acts() []act {
	pending, moved, letter := "/v1/tasks/"+g.pending("red"), "/v1/tasks/"+g.pending("red"), g.letter("red")
	slow, message := "/v1/operations/"+g.slow("blue"), "/v1/alerts/events/"+g.message()
	blocked := outlast.Draft{Type: "dies", Queue: "red", Key: "k", Payload: []byte(`""`)}
	_, _ = g.node.Run(context.Background(), blocked) // it dies
	g.enqueue(blocked)
	return []act{
		{"cancel-task", pending + "/cancel", "", "task.cancel", changes},
		{"reschedule-task", moved + "/reschedule", `{"delay":"2h"}`, "task.reschedule", changes},
		{"retry-task", moved + "/retry", "", "task.retry", changes},
		{"signal-task", moved + "/signals/approval", `{"by":"ada"}`, "task.signal", makes},
		{"create-task-group", "/v1/task-groups", `{"id":"` + sampleGroup + `","label":"March","callback":{"type":"dies","queue":"red"}}`, "task_group.create", makes},
		{"close-task-group", "/v1/task-groups/" + sampleGroup + "/close", "", "task_group.close", changes},
		{"bulk-tasks", "/v1/tasks/bulk", `{"action":"cancel","ids":["` + g.pending("red") + `"],"reason":"a test"}`, "task.cancel", makes},
		{"bulk-tasks", "/v1/tasks/bulk", `{"action":"retry","filter":{"queue":"none"}}`, "task.retry", makes},
		{"release-key", "/v1/queues/red/release-key", `{"key":"k"}`, "key.release", changes},
		{"redrive-dead", "/v1/dead/redrive", `{"ids":["` + letter + `"]}`, "dead.redrive", makes},
		{"redrive-dead", "/v1/dead/redrive", `{"filter":{"queue":"blue"},"rate":0.001}`, "dead.redrive", makes},
		{"pause-operation", slow + "/pause", "", "operation.pause", changes},
		{"resume-operation", slow + "/resume", "", "operation.resume", changes},
		{"cancel-operation", slow + "/cancel", "", "operation.cancel", changes},
		{"purge-dead", "/v1/dead/purge", `{"filter":{}}`, "dead.purge", changes},
		{"put-queue", "/v1/queues/green", `{"lanes":2}`, "queue.put", makes},
		{"put-queue", "/v1/queues/green", `{"weight":2}`, "queue.put", changes},
		{"pause-queue", "/v1/queues/green/pause", "", "queue.pause", changes},
		{"resume-queue", "/v1/queues/green/resume", "", "queue.resume", changes},
		{"put-policy", "/v1/policies/p", `{"max_attempts":3}`, "policy.put", makes},
		{"put-policy", "/v1/policies/p", `{"max_attempts":4,"canary":"10%"}`, "policy.put", changes},
		{"abort-policy", "/v1/policies/p/abort", "", "policy.abort", changes},
		{"put-policy", "/v1/policies/p", `{"max_attempts":5,"canary":"10%"}`, "policy.put", changes},
		{"promote-policy", "/v1/policies/p/promote", "", "policy.promote", changes},
		{"delete-policy", "/v1/policies/p", "", "policy.delete", ends},
		{"put-schedule", "/v1/schedules/s", `{"every":"1h","task":{"type":"waits"}}`, "schedule.put", makes},
		{"put-schedule", "/v1/schedules/s", `{"every":"2h","task":{"type":"waits"}}`, "schedule.put", changes},
		{"pause-schedule", "/v1/schedules/s/pause", "", "schedule.pause", changes},
		{"trigger-schedule", "/v1/schedules/s/trigger", "", "schedule.trigger", changes},
		{"resume-schedule", "/v1/schedules/s/resume", "", "schedule.resume", changes},
		{"delete-schedule", "/v1/schedules/s", "", "schedule.delete", ends},
		{"open-target", "/v1/targets/elsewhere/open", "", "target.open", changes},
		{"close-target", "/v1/targets/elsewhere/close", "", "target.close", changes},
		{"reset-target", "/v1/targets/dies/reset", "", "target.reset", changes},
		{"put-alert-channel", "/v1/alerts/channels/c", `{"kind":"log"}`, "channel.put", makes},
		{"put-alert-channel", "/v1/alerts/channels/c", `{"kind":"log","default":true}`, "channel.put", changes},
		{"test-alert-channel", "/v1/alerts/channels/c/test", "", "alert.test", makes},
		{"delete-alert-channel", "/v1/alerts/channels/c", "", "channel.delete", ends},
		{"put-alert-rule", "/v1/alerts/rules/r", `{"on":"dead"}`, "rule.put", makes},
		{"put-alert-rule", "/v1/alerts/rules/r", `{"on":"retry"}`, "rule.put", changes},
		{"delete-alert-rule", "/v1/alerts/rules/r", "", "rule.delete", ends},
		{"ack-alert", message + "/ack", "", "alert.ack", makes},
		{"add-alert-silence", "/v1/alerts/silences", `{"rule":"x","for":"1h","reason":"y"}`, "silence.add", makes},
		{"end-alert-silence", "/v1/alerts/silences/" + g.silence(), "", "silence.end", changes},
		{"create-token", "/v1/tokens", `{"name":"made","role":"viewer"}`, "token.create", makes},
		{"revoke-token", "/v1/tokens/" + g.tokenID(), "", "token.revoke", changes},
	}
}

// TestEveryActIsAudited calls every route that changes something: the row that it
// leaves says who, from where, by which request, did what to what, what was and what
// is. A new route is in one of the two lists, or the test fails.
func TestEveryActIsAudited(t *testing.T) {
	g := startGuarded(t)
	rules := map[string]string{}
	for _, rule := range g.server.Rules() {
		if rule.Method != http.MethodGet {
			rules[rule.ID] = rule.Method
		}
	}
	tried := map[string]bool{}
	for n, act := range g.acts() {
		tried[act.route] = true
		request := fmt.Sprint("request-", n)
		got := g.call(rules[act.route], act.path, act.body, "Authorization", g.admin, "X-Request-Id", request)
		if got.status >= 300 {
			t.Errorf("%s %s: %d %s", act.route, act.path, got.status, got.body)
			continue
		}
		g.checkRow(act, request)
	}
	for route := range rules {
		if tried[route] == (silent[route] != "") {
			t.Errorf("%s is audited: %v; changes nothing of an operator: %q", route, tried[route], silent[route])
		}
	}
}

// checkRow looks at the row that a request has left.
func (g *guarded) checkRow(act act, request string) {
	g.t.Helper()
	var log client.AuditLog
	g.as(g.admin, "GET", "/v1/audit?limit=20", "").is(200).into(&log)
	var row client.AuditRow
	for _, r := range log.Rows {
		if r.Request == request {
			row = r
		}
	}
	switch before, after := told(row.Before), told(row.After); {
	case row.Action != act.action || row.Subject == "" || !strings.HasPrefix(row.Actor, "token ") || row.Address != "127.0.0.1":
		g.t.Errorf("%s: %q of %q by %q from %q", act.route, row.Action, row.Subject, row.Actor, row.Address)
	case before != (act.leaves != makes) || after != (act.leaves != ends) || string(row.Before) == string(row.After):
		g.t.Errorf("%s: before %s, after %s", act.route, row.Before, row.After)
	}
}

// told reports whether there is a value.
func told(text json.RawMessage) bool { return len(text) > 0 && string(text) != "null" }

// slow is the id of a redrive that goes on for long.
func (g *guarded) slow(queue string) string {
	g.t.Helper()
	g.letter(queue)
	g.letter(queue)
	result, err := g.node.Inspector().Letters.Redrive(context.Background(), inspect.RedriveRequest{Filter: &store.Filter{Queue: queue}, Rate: 0.001})
	must(g.t, err)
	return result.Operation
}

// message is the task that delivers an alert about a dead letter.
func (g *guarded) message() string {
	g.t.Helper()
	g.as(g.admin, "PUT", "/v1/alerts/rules/any", `{"on":"dead"}`).is(200)
	g.letter("red")
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		var events client.AlertEvents
		if g.as(g.admin, "GET", "/v1/alerts/events", "").is(200).into(&events); len(events.Events) > 0 {
			return events.Events[0].ID
		}
	}
	g.t.Fatal("nobody was told of the letters")
	return ""
}

// tokenID is the id of a new token.
// silence is one that can be ended.
func (g *guarded) silence() string {
	g.t.Helper()
	made, err := g.node.Inspector().Alerts.Silences.Add(g.t.Context(), alert.Silence{Rule: "old", Until: time.Now().Add(time.Hour), Reason: "x"})
	must(g.t, err)
	return made.ID
}

func (g *guarded) tokenID() string {
	g.t.Helper()
	made, _, err := g.node.Inspector().Tokens.Create(g.t.Context(), inspect.TokenSpec{Name: "old", Role: inspect.Viewer})
	must(g.t, err)
	return made.ID
}
