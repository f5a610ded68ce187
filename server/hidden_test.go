package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/task"
)

// credential is the value of headers that nobody is to see again.
const credential = "Bearer sEcReT-of-the-receiver"

const request = `{"url":"https://receiver.invalid/a","headers":{"Authorization":"` + credential + `","X-Api-Key":"` + credential + `","X-Region":"eu"}}`

// startSecretive is a server on which everything that makes requests has credentials in
// its headers: a task, a dead letter, what follows them, a policy with a canary, and a schedule.
func startSecretive(t *testing.T) (g *guarded, id, letter string) {
	g = startGuarded(t)
	follow := `{"type":"undo","target":` + request + `}`
	g.as(g.admin, "PUT", "/v1/policies/sec", `{"max_attempts":1,"fallback":`+follow+`}`).is(201)
	g.as(g.admin, "PUT", "/v1/policies/sec", `{"max_attempts":2,"canary":"10%","fallback":`+follow+`}`).is(200)
	g.as(g.admin, "PUT", "/v1/schedules/sec", `{"every":"1h","task":{"target":`+request+`,"fallback":`+follow+`,"on_success":`+follow+`,"on_dead":`+follow+`}}`).is(201)
	id = g.as(g.admin, "POST", "/v1/tasks", `{"target":`+request+`,"delay":"1h","fallback":`+follow+`,"on_success":`+follow+`,"on_dead":`+follow+`}`).is(201).id()
	letter = g.as(g.admin, "POST", "/v1/tasks?wait=30s", `{"type":"dies","payload":"","on_dead":`+follow+`}`).is(200).id()
	return g, id, letter
}

// No answer has the value of a header that is a credential, whoever asks for whatever.
func TestCredentialsAreNeverShown(t *testing.T) {
	g, id, letter := startSecretive(t)
	for _, rule := range g.server.Rules() {
		if rule.Method != "GET" {
			continue
		}
		method, path, body := g.sample(rule, "red")
		got := g.as(g.admin, method, path, body)
		if strings.Contains(string(got.body), "sEcReT") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	for _, path := range []string{
		"/v1/tasks/" + id, "/v1/tasks/" + letter, "/v1/dead/" + letter, "/v1/tasks?q=" + id, "/v1/policies/sec", "/v1/policies/sec/versions", "/v1/policies", "/v1/schedules/sec", "/v1/schedules",
		"/v1/audit?subject=policy/sec", "/v1/audit?subject=schedule/sec", "/v1/dead/export",
	} {
		text := string(g.as(g.admin, "GET", path, "").is(200).body)
		if strings.Contains(text, "sEcReT") || !strings.Contains(text, `"`+task.Hidden+`"`) && !strings.Contains(path, "?q=") {
			t.Errorf("%s: %s", path, text)
		}
		if strings.Contains(text, `"X-Region"`) && !strings.Contains(text, `"eu"`) {
			t.Errorf("%s hides what is no credential: %s", path, text)
		}
	}
	for _, call := range []struct{ method, path, body string }{
		{"PUT", "/v1/policies/other", `{"max_attempts":1,"fallback":{"type":"undo","target":` + request + `}}`},
		{"PUT", "/v1/schedules/other", `{"every":"1h","task":{"target":` + request + `}}`},
		{"POST", "/v1/schedules/sec/trigger", ""}, {"POST", "/v1/schedules/sec/pause", ""}, {"POST", "/v1/policies/sec/promote", ""},
		{"POST", "/v1/tasks/" + id + "/reschedule", `{"delay":"2h"}`}, {"POST", "/v1/tasks/" + id + "/cancel", ""},
		{"POST", "/v1/tasks/batch", `{"tasks":[{"delay":"1h","target":` + request + `}]}`}, {"DELETE", "/v1/schedules/other", ""}, {"DELETE", "/v1/policies/other", ""},
	} {
		if got := g.as(g.admin, call.method, call.path, call.body); got.status >= 300 || strings.Contains(string(got.body), "sEcReT") {
			t.Errorf("%s %s: %d %s", call.method, call.path, got.status, got.body)
		}
	}
	if text := string(g.as(g.admin, "GET", "/v1/audit?limit=500", "").is(200).body); strings.Contains(text, "sEcReT") {
		t.Errorf("the audit log: %s", text)
	}
}

// A form that was read can be put back, with a change: what it hides stays as it was.
func TestHiddenCredentialsAreKept(t *testing.T) {
	g, _, _ := startSecretive(t)
	g.as(g.admin, "POST", "/v1/policies/sec/promote", "").is(200)
	form := g.as(g.admin, "GET", "/v1/policies/sec", "").is(200).get("policy")
	g.as(g.admin, "PUT", "/v1/policies/sec?dry_run=true", form).is(200)
	g.as(g.admin, "PUT", "/v1/policies/sec", strings.Replace(form, `"X-Region":"eu"`, `"X-Region":"us"`, 1)).is(200)
	named, err := g.node.Inspector().Policies.Get(context.Background(), "sec")
	must(t, err)
	if text := string(named.Form); strings.Count(text, credential) != 2 || !strings.Contains(text, `"us"`) || strings.Contains(text, task.Hidden) {
		t.Errorf("the policy: %s", text)
	}

	var rule map[string]json.RawMessage
	g.as(g.admin, "GET", "/v1/schedules/sec", "").is(200).into(&rule)
	body := `{"every":"2h","task":` + string(rule["task"]) + `}`
	g.as(g.admin, "POST", "/v1/schedules/next", body).is(200)
	g.as(g.admin, "PUT", "/v1/schedules/sec", body).is(200)
	view, err := g.node.Inspector().Schedules.Get(context.Background(), "sec")
	must(t, err)
	kept := view.Schedule.Task
	for place, r := range map[string]*task.Request{"target": kept.Target, "fallback": kept.Fallback.HTTP, "on_success": kept.OnSuccess.HTTP, "on_dead": kept.OnDead.HTTP} {
		if r.Headers["Authorization"] != credential || r.Headers["X-Api-Key"] != credential || r.Headers["X-Region"] != "eu" {
			t.Errorf("%s of the schedule: %v", place, r.Headers)
		}
	}

	// To another host nothing is taken along, and there is nothing to keep where nothing was.
	elsewhere := strings.NewReplacer("receiver.invalid", "thief.invalid")
	g.as(g.admin, "PUT", "/v1/policies/sec", elsewhere.Replace(form)).is(400)
	g.as(g.admin, "PUT", "/v1/schedules/sec", elsewhere.Replace(body)).is(400)
	g.as(g.admin, "PUT", "/v1/policies/new", form).is(400)
	g.as(g.admin, "PUT", "/v1/schedules/new", body).is(400)
	none := `{"type":"undo","target":{"url":"https://receiver.invalid/a","headers":{"X-Token":"` + task.Hidden + `"}}}`
	g.as(g.admin, "PUT", "/v1/policies/sec", `{"max_attempts":1,"fallback":`+none+`}`).problem(400, "invalid", "fallback.target.headers.X-Token")
	g.as(g.admin, "PUT", "/v1/schedules/sec", `{"every":"1h","task":`+none+`}`).problem(400, "invalid", "task.target.headers.X-Token")
	g.as(g.admin, "POST", "/v1/tasks", none).problem(400, "invalid", "target.headers")
	if _, err := g.node.Enqueue(context.Background(), outlast.Draft{Type: "waits", Target: &task.Request{URL: "https://a.invalid/", Headers: map[string]string{"X-Region": task.Hidden}}}); err == nil {
		t.Error("the mark was taken for a value")
	}
	if after, err := g.node.Inspector().Policies.Get(context.Background(), "sec"); err != nil || string(after.Form) != string(named.Form) {
		t.Errorf("refused, and yet it is %s, %v", after.Form, err)
	}
}
