package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// shop answers 200 whatever happens, as some do: with an error inside to the first
// call of each path.
type shop struct {
	mu   sync.Mutex
	seen map[string]int
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[r.URL.Path]++; s.seen[r.URL.Path] == 1 || strings.HasPrefix(r.URL.Path, "/never") {
		io.WriteString(w, `{"code":17,"error":"no stock"}`) //nolint:errcheck // test
		return
	}
	io.WriteString(w, `{"code":0,"path":"`+r.URL.Path+`"}`) //nolint:errcheck // test
}

const quickly = `,"retry":{"max_attempts":2,"backoff":{"kind":"fixed","initial":"1ms"},"breaker":"none","budget":"none"}`

// A condition decides about the answers to tasks of a URL and of a group, to what
// follows a task, and to the tasks of a schedule.
func TestSuccessConditions(t *testing.T) {
	a := start(t)
	receiver := httptest.NewServer(&shop{seen: map[string]int{}})
	defer receiver.Close()
	a.call("PUT", "/v1/groups/shops/workers/m1", `{"url":"`+receiver.URL+`","capacity":4,"ttl":"1m"}`).is(200)
	target := func(path string) string {
		return `{"url":"` + receiver.URL + path + `","success":"body.code == 0"}`
	}
	for path, target := range map[string]string{"/a": target("/a"), "/b": `{"group":"shops","path":"/b","success":"body.code == 0"}`} {
		made := a.call("POST", "/v1/tasks", `{"target":`+target+quickly+`}`).is(201)
		a.until(made.id(), "succeeded")
		got := a.call("GET", "/v1/tasks/"+made.id(), "").is(200)
		if got.get("result") != `{"code":0,"path":"`+path+`"}` || got.get("attempt") != "2" || !strings.Contains(string(got.body), `"success":"body.code == 0"`) {
			t.Errorf("%s: %s", path, got.body)
		}
		if last := a.attempt(made.id(), 0); last.Category != "unknown" || last.Code != "200" || !strings.Contains(last.Error, "target.success does not accept: {\"code\":17") {
			t.Errorf("%s: %+v", path, last)
		}
	}
	dead := a.call("POST", "/v1/tasks", `{"target":`+target("/never")+`,"fallback":{"target":`+target("/never/2")+`}`+quickly+`}`).is(201).id()
	a.until(dead, "dead")
	var of client.Task
	a.call("GET", "/v1/tasks/"+dead, "").is(200).into(&of)
	if after := a.call("GET", "/v1/tasks/"+of.FallbackTask.String(), "").is(200); !strings.Contains(string(after.body), `"success":"body.code == 0"`) {
		t.Errorf("%s", after.body)
	}
	a.call("PUT", "/v1/schedules/s", `{"every":"1h","task":{"target":`+target("/c")+quickly+`}}`).is(201)
	tick := a.call("POST", "/v1/schedules/s/trigger", "").is(201).id()
	a.until(tick, "succeeded")
	if first := a.attempt(tick, 0); first.Outcome != "failed" {
		t.Errorf("%+v", first)
	}
	blind := a.call("POST", "/v1/tasks", `{"max_attempts":1,"target":{"url":"`+receiver.URL+`/d","success":"body.missing == 0"}}`).is(201).id()
	a.until(blind, "dead")
	if only := a.attempt(blind, 0); only.Code != "success_expression" || !strings.Contains(only.Error, "no such key: missing") {
		t.Errorf("%+v", only)
	}
}

func (a *api) attempt(id string, n int) client.Attempt {
	a.t.Helper()
	var history client.Attempts
	a.call("GET", "/v1/tasks/"+id+"/attempts", "").is(200).into(&history)
	if len(history.Attempts) <= n {
		a.t.Fatalf("%d attempts", len(history.Attempts))
	}
	return history.Attempts[n]
}

// A condition that cannot be compiled is refused where it stands, and two tasks that
// differ in it are not the same.
func TestBadSuccessConditions(t *testing.T) {
	a := start(t)
	bad := `{"url":"https://e.org","success":"body.ok && stats == 200"}`
	for path, body := range map[string]string{
		"target.success":            `{"target":` + bad + `}`,
		"fallback.target.success":   `{"type":"a","fallback":{"target":` + bad + `}}`,
		"on_success.target.success": `{"type":"a","on_success":{"target":` + bad + `}}`,
		"on_dead.target.success":    `{"type":"a","on_dead":{"target":` + bad + `}}`,
	} {
		refused := a.call("POST", "/v1/tasks", body)
		refused.problem(400, "invalid", path)
		if !strings.Contains(string(refused.body), "at column 12") || !strings.Contains(refused.get("hint"), "did you mean status?") {
			t.Errorf("%s", refused.body)
		}
	}
	a.call("PUT", "/v1/schedules/s", `{"every":"1h","task":{"target":`+bad+`}}`).problem(400, "invalid", "task.target.success")
	a.call("POST", "/v1/tasks", `{"target":{"url":"https://e.org","success":"`+strings.Repeat("!", 2049)+`"}}`).problem(400, "invalid", "target.success")
	for _, costly := range []string{strings.Repeat(`body.contains(body + body) || `, 20) + "true", "'1'.matches('" + strings.Repeat("x{1000}", 280) + "')"} {
		a.call("POST", "/v1/tasks", `{"target":{"url":"https://e.org","success":"`+costly+`"}}`).problem(400, "invalid", "target.success")
	}
	one := `{"dedupe_key":"k","delay":"1h","target":{"url":"https://e.org","success":"`
	a.call("POST", "/v1/tasks", one+`body.ok"}}`).is(201)
	a.call("POST", "/v1/tasks", one+`body.ok"}}`).is(200)
	a.call("POST", "/v1/tasks", one+`body.good"}}`).problem(409, "dedupe_conflict")
}
