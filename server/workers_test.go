package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func (a *api) poll(body string) []client.LeasedTask {
	a.t.Helper()
	var out client.Polled
	a.call("POST", "/v1/workers/poll", body).is(200).into(&out)
	return out.Tasks
}

func (a *api) settle(id string, claim int64, rest string) client.SettleResult {
	a.t.Helper()
	var out client.Settled
	body := fmt.Sprintf(`{"results":[{"id":%q,"claim":%d,%s}]}`, id, claim, rest)
	a.call("POST", "/v1/workers/settle", body).is(200).into(&out)
	return out.Results[0]
}

const mailPoll = `{"worker":"w1","release":"1.4","queues":["default"],"types":["mail"],"max":10,"wait":"30s","lease":"1m"}`

func TestWorkerProtocol(t *testing.T) {
	a := start(t)
	id := a.call("POST", "/v1/tasks", `{"type":"mail","payload":{"to": 1e400},"max_attempts":2,"retry":{"backoff":{"kind":"fixed","initial":"1ms"},"max_attempts":2}}`).is(201).id()
	tasks := a.poll(mailPoll)
	if len(tasks) != 1 || tasks[0].ID.String() != id || tasks[0].State != task.Running || tasks[0].Worker != "w1" || tasks[0].Node == "" ||
		string(tasks[0].Payload) != `{"to": 1e400}` || tasks[0].Attempt != 1 || tasks[0].Claim == 0 || tasks[0].MaxAttempts != 2 {
		t.Fatalf("polled %+v", tasks)
	}
	claim := tasks[0].Claim
	if left := time.Until(tasks[0].LeaseUntil.Time); left < 40*time.Second || left > 61*time.Second {
		t.Errorf("leased for %v", left)
	}
	var extended client.Extended
	items := fmt.Sprintf(`{"items":[{"id":%q,"claim":%d,"progress":{"done":0.5}},{"id":%q,"claim":7},{"id":%q,"claim":7}],"lease":"1m"}`, id, claim, id, client.NewID())
	a.call("POST", "/v1/workers/extend", items).is(200).into(&extended)
	if r := extended.Results; len(r) != 3 || r[0].Status != "ok" || r[0].LeaseUntil.IsZero() || r[1].Status != "stale_claim" || r[2].Status != "not_found" {
		t.Fatalf("extended %+v", r)
	}
	if got := a.call("GET", "/v1/tasks/"+id, "").is(200).get("progress"); got != `{"done":0.5}` {
		t.Errorf("progress %s", got)
	}
	failed := `"outcome":"failed","error":{"message":"reset by peer","type":"ConnectionResetError","stack":"at line 7"}`
	for range 2 { // the second is a repeat
		if got := a.settle(id, claim, failed); got.Status != "ok" {
			t.Fatalf("settled %+v", got)
		}
	}
	if got := a.settle(id, claim, `"outcome":"succeeded"`); got.Status != "stale_claim" {
		t.Errorf("another outcome: %+v", got)
	}
	if got := a.settle(client.NewID().String(), claim, `"outcome":"succeeded"`); got.Status != "not_found" {
		t.Errorf("of no task: %+v", got)
	}
	again := a.poll(mailPoll)
	if len(again) != 1 || again[0].Attempt != 2 || again[0].LastError.Category != "network" || again[0].LastError.Type != "ConnectionResetError" ||
		!strings.Contains(again[0].LastError.Message, "reset by peer\nat line 7") {
		t.Fatalf("polled again %+v, %+v", again, again[0].LastError)
	}
	if got := a.settle(id, again[0].Claim, `"outcome":"succeeded","result":{"sent":true}`); got.Status != "ok" || got.State != "succeeded" {
		t.Errorf("settled %+v", got)
	}
	var history client.Attempts
	a.call("GET", "/v1/tasks/"+id+"/attempts", "").is(200).into(&history)
	if len(history.Attempts) != 2 || history.Attempts[0].Worker != "w1" || history.Attempts[0].Node == "" || history.Attempts[1].Outcome != "succeeded" ||
		history.Attempts[0].Release != "1.4" || history.Attempts[1].Release != "1.4" || history.Attempts[0].Policy != "" {
		t.Errorf("history %+v", history)
	}
	if got := a.call("GET", "/v1/tasks/"+id, "").is(200); got.get("result") != `{"sent":true}` {
		t.Errorf("result %s", got.body)
	}
}

func TestOutcomesOfWorkers(t *testing.T) {
	a := start(t)
	for outcome, want := range map[string]string{
		`"outcome":"dead","error":{"message":"no"}`:                            "dead",
		`"outcome":"canceled"`:                                                 "canceled",
		`"outcome":"released"`:                                                 "pending",
		`"outcome":"snoozed","retry_after":"1h"`:                               "pending",
		`"outcome":"failed","retry_after":"1h"`:                                "pending",
		`"outcome":"failed","error":{"message":"x","category":"permanent"}`:    "dead",
		`"outcome":"succeeded","result":"` + strings.Repeat("x", 64<<10) + `"`: "dead",
	} {
		id := a.call("POST", "/v1/tasks", `{"type":"mail"}`).is(201).id()
		tasks := a.poll(mailPoll)
		if len(tasks) != 1 {
			t.Fatalf("%d tasks", len(tasks))
		}
		if got := a.settle(id, tasks[0].Claim, outcome); got.Status != "ok" || got.State != want {
			t.Errorf("%s: %+v", outcome, got)
		}
		if want == "pending" {
			a.call("POST", "/v1/tasks/"+id+"/cancel", "").is(200)
		}
	}
}

func TestBadWorkerRequests(t *testing.T) {
	a := start(t)
	many := strings.Repeat(`"a",`, 300) + `"a"`
	for _, c := range []struct {
		path, body string
		paths      []string
	}{
		{"poll", `{}`, []string{"worker"}},
		{"poll", `{"worker":"a/b"}`, []string{"worker"}},
		{"poll", `{"worker":"w","release":"a\nb"}`, []string{"release"}},
		{"poll", `{"worker":"w","release":"` + strings.Repeat("1", 65) + `"}`, []string{"release"}},
		{"poll", `{"worker":"w","max":0,"wait":"61s","lease":"10ms"}`, []string{"max", "wait", "lease"}},
		{"poll", `{"worker":"w","max":1001,"wait":"-1s","lease":"2h"}`, []string{"max", "wait", "lease"}},
		{"poll", `{"worker":"w","queues":["a b"],"types":[""]}`, []string{"queues[0]", "types[0]"}},
		{"poll", `{"worker":"w","types":[` + many + `]}`, []string{"types"}},
		{"poll", `{"worker":"w","colour":1}`, []string{"colour"}},
		{"extend", `{"items":[]}`, []string{"items"}},
		{"extend", `{"items":[{"id":"x","claim":1}]}`, []string{"items[0].id"}},
		{"settle", `{"results":[]}`, []string{"results"}},
		{"settle", `{"results":[{"id":"` + client.NewID().String() + `","claim":1,"outcome":"done"}]}`, []string{"results[0].outcome"}},
		{"settle", `{"results":[{"id":"` + client.NewID().String() + `","claim":1,"outcome":"snoozed"}]}`, []string{"results[0].retry_after"}},
		{"settle", `{"results":[{"id":"` + client.NewID().String() + `","claim":1,"outcome":"failed","retry_after":"-1s"}]}`, []string{"results[0].retry_after"}},
		{"settle", `{"results":[{"id":"` + client.NewID().String() + `","claim":1,"outcome":"failed","error":{"category":"bad luck"}}]}`, []string{"results[0].error.category"}},
	} {
		t.Run(c.path+" "+c.body[:min(40, len(c.body))], func(t *testing.T) {
			got := a.call("POST", "/v1/workers/"+c.path, c.body)
			got.t = t
			got.problem(400, "invalid", c.paths...)
		})
	}
}

// Work runs tasks until its context ends, and leaves nothing behind.
func TestWork(t *testing.T) {
	a := start(t)
	c, err := client.New(a.url)
	must(t, err)
	defer c.Close()
	ctx, stop := context.WithCancel(t.Context())
	var running atomic.Int64
	begun := make(chan struct{}, 1)
	ended := make(chan error)
	go func() {
		ended <- c.Work(ctx, map[string]client.WorkHandler{
			"double": func(_ context.Context, t *client.LeasedTask) (any, error) {
				var n int
				err := json.Unmarshal(t.Payload, &n)
				return 2 * n, err
			},
			"panics": func(context.Context, *client.LeasedTask) (any, error) { panic("oh") },
			"later": func(context.Context, *client.LeasedTask) (any, error) {
				return nil, client.RetryAfter(time.Hour, errors.New("not now"))
			},
			"hangs": func(ctx context.Context, t *client.LeasedTask) (any, error) {
				running.Add(1)
				begun <- struct{}{}
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
		}, client.WorkOptions{Worker: "go", Concurrency: 4, Grace: 100 * time.Millisecond})
	}()
	for n := range 20 {
		if got := a.call("POST", "/v1/tasks?wait=10s", fmt.Sprintf(`{"type":"double","payload":%d}`, n)).is(200); got.get("result") != fmt.Sprint(2*n) {
			t.Fatalf("doubled %d: %s", n, got.body)
		}
	}
	if got := a.call("POST", "/v1/tasks?wait=10s", `{"type":"panics","max_attempts":1}`).is(200); !strings.Contains(string(got.body), `"category":"bug"`) || !strings.Contains(string(got.body), "workers_test.go") {
		t.Errorf("panic: %s", got.body)
	}
	later := a.call("POST", "/v1/tasks", `{"type":"later"}`).is(201).id()
	hangs := a.call("POST", "/v1/tasks", `{"type":"hangs"}`).is(201).id()
	<-begun
	for deadline := time.Now().Add(2 * time.Minute); a.call("GET", "/v1/tasks/"+later, "").get("waiting") != `"backoff"`; {
		if time.Now().After(deadline) {
			t.Fatalf("later: %s", a.call("GET", "/v1/tasks/"+later, "").body)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	got := a.call("GET", "/v1/tasks/"+hangs, "").is(200)
	if got.get("state") != `"pending"` || got.get("attempt") != "0" {
		t.Errorf("what was handed back: %s", got.body)
	}
	must(t, c.Work(ctx, map[string]client.WorkHandler{"x": nil}, client.WorkOptions{})) // it has ended already
	if err := c.Work(t.Context(), nil, client.WorkOptions{}); err == nil {
		t.Error("a worker without handlers works")
	}
	refused := c.Work(t.Context(), map[string]client.WorkHandler{"x": nil}, client.WorkOptions{Worker: "a b"})
	var known *task.Error
	if !errors.As(refused, &known) || known.Code != task.CodeInvalid {
		t.Errorf("a worker with a bad name: %v", refused)
	}
}

func TestWaitingOfWorkers(t *testing.T) {
	a := start(t)
	id := a.call("POST", "/v1/tasks", `{"type":"mail"}`).is(201).id()
	if got := a.call("GET", "/v1/tasks/"+id, "").get("waiting"); got != `"no worker"` {
		t.Errorf("waiting %s before a worker came", got)
	}
	first := a.poll(mailPoll)
	if len(first) != 1 {
		t.Fatal("no task")
	}
	id = a.call("POST", "/v1/tasks", `{"type":"mail"}`).is(201).id() // the worker is busy
	for deadline := time.Now().Add(2 * time.Minute); a.call("GET", "/v1/tasks/"+id, "").get("waiting") != `"no slot"`; {
		if time.Now().After(deadline) {
			t.Fatalf("waiting %s while the worker is busy", a.call("GET", "/v1/tasks/"+id, "").get("waiting"))
		}
	}
	if got := a.settle(first[0].ID.String(), first[0].Claim, `"outcome":"succeeded"`); got.Status != "ok" {
		t.Errorf("settled %+v", got)
	}
}

func TestGroupsOverHTTP(t *testing.T) {
	a := start(t)
	called := make(chan *http.Request, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		called <- req
		_, _ = w.Write([]byte(`{"sent":true}`))
	}))
	defer receiver.Close()
	a.call("PUT", "/v1/groups/mailers/workers/m1", `{"url":"`+receiver.URL+`/in","capacity":4,"load":0.5,"ttl":"20s"}`).is(200)
	done := a.call("POST", "/v1/tasks?wait=30s", `{"target":{"group":"mailers","path":"/send","method":"PUT","headers":{"X-A":"1"}},"payload":{"n":1}}`).is(200)
	if done.get("state") != `"succeeded"` || done.get("result") != `{"sent":true}` || done.get("attempt") != "1" || done.get("target") != `{"method":"PUT","group":"mailers","path":"/send","headers":{"X-A":"1"}}` && !strings.Contains(done.get("target"), `"group":"mailers"`) {
		t.Errorf("done: %s", done.body)
	}
	if req := <-called; req.Method != "PUT" || req.URL.Path != "/in/send" || req.Header.Get("X-A") != "1" || req.Header.Get("Outlast-Attempt") != "1" {
		t.Errorf("called %s %s", req.Method, req.URL)
	}
	var list client.Groups
	a.call("GET", "/v1/groups", "").is(200).into(&list)
	if g := list.Groups; len(g) != 1 || g[0].Name != "mailers" || len(g[0].Members) != 1 || g[0].Members[0].ID != "m1" || !g[0].Members[0].Living || g[0].Members[0].Capacity != 4 || g[0].Failures != 0 {
		t.Errorf("groups %+v", g)
	}
	a.call("DELETE", "/v1/groups/mailers/workers/m1", "").is(200)
	a.call("DELETE", "/v1/groups/mailers/workers/m1", "").problem(404, "not_found")
	id := a.call("POST", "/v1/tasks", `{"target":{"group":"mailers"}}`).is(201).id()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		got := a.call("GET", "/v1/tasks/"+id, "").is(200)
		if got.get("waiting") == `"group backoff"` && strings.Contains(got.get("dispatch"), `"last_error":"the group mailers is empty"`) && strings.Contains(got.get("dispatch"), `"next_at"`) && got.get("attempt") == "0" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("a task of an empty group: %s", got.body)
		}
	}
	for body, path := range map[string]string{
		`{"url":"ftp://a"}`: "url", `{"url":"http://a/?x=1"}`: "url", `{"url":"group:b/c"}`: "url", `{}`: "url",
		`{"url":"http://a","capacity":-1}`: "capacity", `{"url":"http://a","load":-1}`: "load", `{"url":"http://a","ttl":"10ms"}`: "ttl",
	} {
		got := a.call("PUT", "/v1/groups/mailers/workers/m1", body)
		got.problem(400, "invalid", path)
	}
	a.call("POST", "/v1/tasks", `{"target":{"url":"https://e.org","group":"g"}}`).problem(400, "invalid", "target.group")
	a.call("POST", "/v1/tasks", `{"target":{"group":"a b","path":"send"}}`).problem(400, "invalid", "target.group")
}
