package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/task"
)

const securityPage = "../docs/reference/security.md"

// The tables of the page are those of the program. OUTLAST_WRITE_DOCS=1 writes them.
func TestSecurityPage(t *testing.T) {
	var tables strings.Builder
	tables.WriteString("| permission |")
	for _, role := range token.Roles {
		fmt.Fprintf(&tables, " %s |", role)
	}
	tables.WriteString("\n|---|" + strings.Repeat("---|", len(token.Roles)) + "\n")
	for _, p := range token.Permissions[2:] {
		fmt.Fprintf(&tables, "| `%s` |", p)
		for _, role := range token.Roles {
			tables.WriteString(map[bool]string{true: " yes |", false: " |"}[token.May(role, p)])
		}
		tables.WriteString("\n")
	}
	tables.WriteString("\n| call | permission | a token for certain queues gets |\n|---|---|---|\n")
	for _, rule := range start(t).server.Rules() {
		fmt.Fprintf(&tables, "| `%s %s` | `%s` | %s |\n", rule.Method, rule.Path, rule.Permission, rule.Queues)
	}
	page, err := os.ReadFile(securityPage)
	must(t, err)
	before, rest, found := strings.Cut(string(page), "<!-- tables -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	want := before + "<!-- tables -->\n" + tables.String() + "<!-- end -->" + after
	if !found || !ended {
		t.Fatal("the page has no place for the tables")
	}
	if os.Getenv("OUTLAST_WRITE_DOCS") != "" {
		must(t, os.WriteFile(securityPage, []byte(want), 0o600))
	} else if want != string(page) {
		t.Error("the tables of docs/reference/security.md are stale: OUTLAST_WRITE_DOCS=1 go test -run TestSecurityPage ./server")
	}
}

// The queue of the engine's own alerts takes nothing from callers, and a task of
// their making that looks like a step of an alert is none: whoever may enqueue
// could else speak in the name of the server, or silence it.
func TestAlertsAreNobodyElses(t *testing.T) {
	g := startGuarded(t)
	enqueuer, worker := g.token(inspect.Enqueuer), g.token(inspect.Worker)
	g.as(enqueuer, "POST", "/v1/tasks", `{"type":"outlast.alert.send:log","queue":"outlast.alerts"}`).problem(400, "invalid", "queue")
	g.as(enqueuer, "POST", "/v1/tasks", `{"type":"waits","on_dead":{"type":"outlast.alert.send:log","queue":"outlast.alerts"}}`).problem(400, "invalid", "on_dead.queue")
	g.as(worker, "POST", "/v1/workers/poll", `{"worker":"w","queues":["red","outlast.alerts"]}`).problem(400, "invalid", "queues[1]")
	silence := `{"type":"outlast.alert.raise","payload":{"cooldown":9000000000000000000,"message":{"rule":"exhausted","subject":"type/pay"}}}`
	if ended := g.as(enqueuer, "POST", "/v1/tasks?wait=10s", silence).is(200); ended.get("state") != `"dead"` {
		t.Errorf("an alert that a caller has made: %s", ended.body)
	}
}

// A token for certain queues sees the policies, and not who made them, as it does not see
// the audit log.
func TestWhoMadeAPolicyIsHidden(t *testing.T) {
	g := startGuarded(t)
	g.as(g.admin, "PUT", "/v1/policies/slow", `{"max_attempts":3}`).is(201)
	g.as(g.admin, "PUT", "/v1/policies/slow", `{"max_attempts":4,"canary":"10%"}`).is(200)
	viewer, whole := g.token(inspect.Viewer, "red"), g.token(inspect.Viewer)
	for _, path := range []string{"/v1/policies", "/v1/policies/slow", "/v1/policies/slow/versions"} {
		if body := string(g.as(viewer, "GET", path, "").is(200).body); !strings.Contains(body, `"slow"`) || strings.Contains(body, "actor") || strings.Contains(body, "token ") {
			t.Errorf("%s for the queue red: %s", path, body)
		}
		if body := string(g.as(whole, "GET", path, "").is(200).body); !strings.Contains(body, `"actor":"token `) {
			t.Errorf("%s for all queues: %s", path, body)
		}
	}
	g.as(g.token(inspect.Operator, "red"), "GET", "/v1/audit?subject=policy/slow", "").problem(403, "denied")
}

// A token for a queue learns nothing of what follows its tasks in other queues.
func TestCallbacksInOtherQueuesAreHidden(t *testing.T) {
	g := startGuarded(t)
	id := g.enqueue(outlast.Draft{Type: "dies", Queue: "red", Payload: []byte(`""`), OnDead: &task.Follow{Type: "dies", Queue: "blue", Payload: []byte(`""`)}})
	parsed, err := task.ParseID(id)
	must(t, err)
	_, err = g.node.Wait(context.Background(), parsed)
	must(t, err)
	var shown client.Task
	g.as(g.admin, "GET", "/v1/tasks/"+id, "").is(200).into(&shown)
	_, err = g.node.Wait(context.Background(), shown.CallbackTask)
	must(t, err)
	for _, path := range []string{"/v1/tasks/", "/v1/dead/"} {
		for bearer, want := range map[string]bool{g.token(inspect.Viewer, "red"): false, g.token(inspect.Viewer, "red", "blue"): true} {
			text := string(g.as(bearer, "GET", path+id, "").is(200).body)
			if strings.Contains(text, `"callback_state"`) != want || strings.Contains(text, `"callback_error"`) != want {
				t.Errorf("%s for a token of both queues %v: %s", path, want, text)
			}
		}
	}
}

// The profiler is behind the same guard against pages of others as the API.
func TestGuardedHandlersAskForTheHost(t *testing.T) {
	handler := start(t).server.Guard(inspect.PermissionAdminister, http.NotFoundHandler())
	for host, want := range map[string]int{"127.0.0.1:6060": 404, "evil.example": 403} {
		req := httptest.NewRequest("GET", "/debug/pprof/heap", nil)
		req.Host = host
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, req); w.Code != want {
			t.Errorf("a request for %s: %d, want %d", host, w.Code, want)
		}
	}
}

// The first token cannot lock everybody out.
func TestFirstTokenIsAnAdmins(t *testing.T) {
	a := start(t)
	a.call("POST", "/v1/tokens", `{"name":"guest","role":"viewer"}`).problem(400, "invalid", "role")
	a.call("POST", "/v1/tokens", `{"name":"some","role":"admin","queues":["mail"]}`).problem(400, "invalid", "role")
	a.call("GET", "/v1/tasks", "").is(200) // still open
	a.call("POST", "/v1/tokens", `{"name":"boss","role":"admin"}`).is(201)
	a.call("GET", "/v1/tasks", "").problem(401, "unauthenticated")
}

// A token whose answer was lost is not made twice: who gave its id is told what to revoke.
func TestTokenOfAnIDIsMadeOnce(t *testing.T) {
	g := startGuarded(t)
	const body = `{"id":"outlast2","name":"shop","role":"viewer"}`
	made := g.as(g.admin, "POST", "/v1/tokens", body).is(201)
	if !bytes.Contains(made.body, []byte(`"olt_outlast2_`)) {
		t.Errorf("made %s", made.body)
	}
	again := g.as(g.admin, "POST", "/v1/tokens", body)
	again.problem(409, "conflict")
	if !bytes.Contains(again.body, []byte("outlast token revoke outlast2")) {
		t.Errorf("told %s", again.body)
	}
	g.as(g.admin, "POST", "/v1/tokens", `{"id":"../../x1","name":"shop","role":"viewer"}`).problem(400, "invalid", "id")
	if all := g.as(g.admin, "GET", "/v1/tokens", "").is(200).body; bytes.Count(all, []byte(`"shop"`)) != 1 {
		t.Errorf("tokens %s", all)
	}
}
