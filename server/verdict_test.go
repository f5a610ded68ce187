package server_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
)

// A zero that somebody wrote is no field that was left out.
func TestWrittenZerosAreRefused(t *testing.T) {
	a := start(t)
	for path, value := range map[string]string{"ttl": "0s", "timeout": "0s", "dedupe_window": "0s", "key": "", "dedupe_key": ""} {
		body := fmt.Sprintf(`{"type":"a","delay":"1h",%q:%q}`, path, value)
		refused := a.call("POST", "/v1/tasks", body)
		refused.problem(400, "invalid", path)
		if !strings.Contains(refused.get("hint"), "leave it out") {
			t.Errorf("%s: hint %s", body, refused.get("hint"))
		}
		a.call("POST", "/v1/tasks/batch", `{"atomic":true,"tasks":[{"type":"a"},`+body+`]}`).problem(400, "invalid", "tasks[1]."+path)
	}
	a.call("POST", "/v1/tasks", `{"type":"a","delay":"0s","ttl":null,"key":null}`).is(201)
}

func TestRescheduleNeedsATime(t *testing.T) {
	a := start(t)
	id := a.call("POST", "/v1/tasks", `{"type":"a",`+later+`}`).is(201).id()
	for _, body := range []string{"", "{}", `{"run_at":null}`} {
		a.call("POST", "/v1/tasks/"+id+"/reschedule", body).problem(400, "invalid", "run_at")
	}
	a.call("POST", "/v1/tasks/"+id+"/reschedule", `{"delay":"-1s"}`).problem(400, "invalid", "delay")
	a.call("POST", "/v1/tasks/"+id+"/reschedule", `{"delay":"0s"}`).is(200)
}

// The detail alone says what is wrong.
func TestDetailNamesItsSubject(t *testing.T) {
	a := start(t)
	for body, want := range map[string]string{
		`{}`:                          "type is required",
		`{"type":"a","priority":10}`:  "priority: 10 is outside 0 to 9",
		`{"type":"a","queue":"none"}`: `there is no queue "none"`,
	} {
		var p client.Error
		a.call("POST", "/v1/tasks", body).is(400).into(&p)
		if p.Detail != want || strings.Count(p.Error(), p.Errors[0].Message) != 1 {
			t.Errorf("%s: detail %q, error %q", body, p.Detail, p.Error())
		}
	}
	refused := a.call("POST", "/v1/tasks", `{"type":"a","policy":"easyjob(1s,8.1,3)"}`)
	refused.problem(400, "invalid", "policy")
	for _, part := range []string{"multiplier", "8.1", "1.0 to 8.0"} {
		if !strings.Contains(refused.get("detail"), part) {
			t.Errorf("no %s in %s", part, refused.body)
		}
	}
}

// A conflict says what was asked, the state, and what to do.
func TestConflictsSayWhatToDo(t *testing.T) {
	release := make(chan struct{})
	a := start(t, answers, func(node *outlast.Client) {
		outlast.Handle(node, "slow", func(context.Context, client.Task) error { <-release; return nil })
	})
	dead, running := a.kill(1)[0], a.call("POST", "/v1/tasks", `{"type":"slow"}`).is(201).id()
	a.until(running, "running")
	done := a.call("POST", "/v1/tasks?wait=30s", `{"type":"ok"}`).is(200).id()
	for _, c := range [][5]string{
		{dead, "retry", "dead", "retried", "redrive it"}, {dead, "cancel", "dead", "canceled", "redrive it"}, {dead, "reschedule", "dead", "rescheduled", "redrive it"},
		{running, "retry", "running", "retried", "cancel it, or wait"}, {running, "reschedule", "running", "rescheduled", "cancel it, or wait"},
		{done, "cancel", "succeeded", "canceled", "it has ended"}, {done, "retry", "succeeded", "retried", "it has ended"},
	} {
		body := ""
		if c[1] == "reschedule" {
			body = `{"delay":"1s"}`
		}
		got := a.call("POST", "/v1/tasks/"+c[0]+"/"+c[1], body)
		got.problem(409, "conflict")
		if want := `"a task that is ` + c[2] + " cannot be " + c[3] + `"`; got.get("detail") != want || got.get("state") != `"`+c[2]+`"` || !strings.Contains(got.get("hint"), c[4]) {
			t.Errorf("%s of a %s task: %s", c[1], c[2], got.body)
		}
	}
	close(release)
	a.until(running, "succeeded")
}

// An operation shows its request in the form in which it was made, with the time before
// which its letters have died.
func TestOperationShowsItsRequest(t *testing.T) {
	a := start(t, answers)
	a.kill(3)
	var out client.Redriven
	a.call("POST", "/v1/dead/redrive", `{"filter":{"type":"bad"},"rate":0.01,"payload":{"a":  1}}`).is(202).into(&out)
	got := a.call("GET", "/v1/operations/"+out.Operation, "").is(200)
	if want := regexp.MustCompile(`^{"filter":{"type":"bad","died_before":"20[^"]+Z"},"rate":0\.01,"payload":{"a":  1}}$`); !want.MatchString(got.get("request")) {
		t.Errorf("request %s, want %s", got.get("request"), want)
	}
	a.call("POST", "/v1/operations/"+out.Operation+"/cancel", "").is(200)
	refused := a.call("POST", "/v1/operations/"+out.Operation+"/resume", "")
	refused.problem(409, "conflict")
	if refused.get("state") != `"canceled"` || !strings.Contains(refused.get("detail"), "resume") {
		t.Errorf("got %s", refused.body)
	}
	if document := string(a.call("GET", "/openapi.json", "").is(200).body); !strings.Contains(document, `"request":{"$ref":"#/components/schemas/Redrive"`) {
		t.Error("the document does not have the type of an operation's request")
	}
}

// Conflicts name their field, and in an atomic batch their task.
func TestConflictsNameTheirField(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/queues/full", `{"max_pending":1}`).is(201)
	a.call("POST", "/v1/tasks", `{"type":"a","queue":"full",`+later+`}`).is(201)
	a.call("POST", "/v1/tasks", `{"type":"a","dedupe_key":"d",`+later+`}`).is(201)
	id := a.call("POST", "/v1/tasks", `{"type":"a",`+later+`}`).is(201).id()
	for _, c := range []struct {
		draft, code, path string
		status            int
	}{
		{`{"type":"b","dedupe_key":"d"}`, "dedupe_conflict", "dedupe_key", 409},
		{`{"type":"b","id":"` + id + `"}`, "id_conflict", "id", 409},
		{`{"type":"b","queue":"full"}`, "queue_full", "queue", 429},
	} {
		a.call("POST", "/v1/tasks", c.draft).problem(c.status, c.code, c.path)
		batch := `{"tasks":[{"type":"a","dedupe_key":"other",` + later + `},` + c.draft + `],"atomic":true}`
		a.call("POST", "/v1/tasks/batch", batch).problem(c.status, c.code, "tasks[1]."+c.path)
		var each client.BatchResults
		a.call("POST", "/v1/tasks/batch", strings.Replace(batch, "true", "false", 1)).is(200).into(&each)
		if p := each.Results[1].Error; p == nil || len(p.Errors) != 1 || p.Errors[0].Path != "tasks[1]."+c.path {
			t.Errorf("%s: %+v", c.code, p)
		}
	}
	inside := `{"tasks":[{"type":"a","dedupe_key":"new"},{"type":"a"},{"type":"b","dedupe_key":"new"}],"atomic":true}`
	a.call("POST", "/v1/tasks/batch", inside).problem(409, "dedupe_conflict", "tasks[2].dedupe_key")
}

func TestQueueVerdicts(t *testing.T) {
	a := start(t)
	for _, c := range [][2]string{{http.MethodGet, ""}, {http.MethodPost, "/pause"}} {
		missing := a.call(c[0], "/v1/queues/none"+c[1], "")
		missing.problem(404, "not_found")
		if strings.Contains(missing.get("hint"), "retention") {
			t.Errorf("hint %s", missing.get("hint"))
		}
	}
	lanes := a.call("PUT", "/v1/queues/q", `{"lanes":300}`)
	lanes.problem(400, "invalid", "lanes")
	if lanes.get("detail") != `"lanes: 300 is outside 1 to 256"` {
		t.Errorf("got %s", lanes.body)
	}
}

func TestPolicyVersion(t *testing.T) {
	a := start(t)
	for body, want := range map[string]string{`"policy":"payment"`: "1", `"queue":"default"`: "1", `"retry":{"max_attempts":2}`: ""} {
		if got := a.call("POST", "/v1/tasks", `{"type":"a",`+later+`,`+body+`}`).is(201); got.get("policy_version") != want {
			t.Errorf("%s: %s", body, got.body)
		}
	}
}

// A task that died of its last attempt runs once more when it keeps its count.
func TestKeepAttemptsGivesOneMore(t *testing.T) {
	a := start(t)
	url := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	id := a.call("POST", "/v1/tasks?wait=30s", `{"type":"x","target":{"url":"`+url+`"},"retry":{"max_attempts":2,"backoff":{"kind":"fixed","initial":"1ms"}}}`).is(200).id()
	a.call("POST", "/v1/dead/redrive", `{"ids":["`+id+`"],"keep_attempts":true}`).is(202)
	a.until(id, "dead")
	if got := a.call("GET", "/v1/tasks/"+id, "").is(200); got.get("attempt") != "3" || got.get("dead_reason") != `"exhausted"` {
		t.Errorf("got %s", got.body)
	}
}
