package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/racetest"
)

const later = `"delay":"1h"`

// answers gives handlers to the types "ok", which succeeds with a result,
// and "bad", which dies.
func answers(node *outlast.Client) {
	outlast.Define[json.RawMessage, string]("ok").Handle(node, func(context.Context, json.RawMessage) (string, error) { return "done", nil })
	outlast.Handle(node, "bad", func(context.Context, json.RawMessage) error { return outlast.GiveUp(fmt.Errorf("no \x1b[31mway")) })
}

func TestEnqueueGivesTheTaskAndItsPlace(t *testing.T) {
	a := start(t)
	got := a.call("POST", "/v1/tasks", `{"type":"mail.send",`+later+`,"priority":7,"key":"k","metadata":{"a":"b"},"timeout":"1m30s"}`).is(201)
	if want := "/v1/tasks/" + got.id(); got.header.Get("Location") != want {
		t.Errorf("Location %q, want %q", got.header.Get("Location"), want)
	}
	for field, want := range map[string]string{
		"type": `"mail.send"`, "queue": `"default"`, "state": `"pending"`, "priority": "7", "key": `"k"`, "metadata": `{"a":"b"}`,
		"timeout": `"1m30s"`, "attempt": "0", "crashes": "0", "claim": "0", "waiting": `"due later"`, "max_attempts": "8",
	} {
		if got.get(field) != want {
			t.Errorf("%s is %s, want %s", field, got.get(field), want)
		}
	}
	again := a.call("GET", got.header.Get("Location"), "").is(200)
	if again.get("run_at") != got.get("run_at") || !strings.HasSuffix(got.get("run_at"), `Z"`) || len(got.get("run_at")) < len(`"2026-11-20T10:00:00.000Z"`) {
		t.Errorf("run_at %s, read again %s", got.get("run_at"), again.get("run_at"))
	}
}

func TestPayloadComesBackByteForByte(t *testing.T) {
	a := start(t)
	for _, payload := range []string{
		`{"b": 12345678901234567890123,  "a":1.10, "b":2}`, "[ 1 ,\n\t2 ]", `"\u0000\ud800 ü \/"`, `1e400`, `-0`, `null`, `"<script>&"`, `{"a":{}}`,
	} {
		got := a.call("POST", "/v1/tasks", `{"type":"a",`+later+`,"payload": `+payload+` }`).is(201)
		for _, answer := range []*answer{got, a.call("GET", "/v1/tasks/"+got.id(), "").is(200)} {
			if answer.get("payload") != payload {
				t.Errorf("payload %s came back as %s", payload, answer.get("payload"))
			}
		}
	}
}

func TestRepeatsAnswerWithTheFirstTask(t *testing.T) {
	a := start(t)
	id := client.NewID().String()
	body := `{"id":"` + id + `","type":"a","payload":1,` + later + `}`
	first := a.call("POST", "/v1/tasks", body).is(201)
	if again := a.call("POST", "/v1/tasks", body).is(200); again.id() != first.id() {
		t.Errorf("the repeat answered with %s, not %s", again.id(), first.id())
	}
	a.call("POST", "/v1/tasks", strings.Replace(body, `"payload":1`, `"payload":2`, 1)).problem(409, "id_conflict")

	body = `{"type":"a","payload":1,"dedupe_key":"once",` + later + `}`
	first = a.call("POST", "/v1/tasks", body).is(201)
	if again := a.call("POST", "/v1/tasks", body).is(200); again.id() != first.id() {
		t.Errorf("the repeat answered with %s, not %s", again.id(), first.id())
	}
	conflict := a.call("POST", "/v1/tasks", strings.Replace(body, `"payload":1`, `"payload":2`, 1))
	conflict.problem(409, "dedupe_conflict")
	if conflict.get("existing") != `"`+first.id()+`"` {
		t.Errorf("the conflict does not name the task in the way: %s", conflict.body)
	}
}

func TestFullQueueSaysWhenToComeBack(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/queues/small", `{"max_pending":1}`).is(201)
	a.call("POST", "/v1/tasks", `{"type":"a","queue":"small",`+later+`}`).is(201)
	full := a.call("POST", "/v1/tasks", `{"type":"a","queue":"small",`+later+`}`)
	full.problem(429, "queue_full")
	if full.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// A caller who lost the answer gets it, however full the queue has become.
func TestRepeatsIntoAFullQueue(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/queues/small", `{"max_pending":1}`).is(201)
	body := `{"id":"` + client.NewID().String() + `","type":"a","queue":"small","dedupe_key":"once",` + later + `}`
	first := a.call("POST", "/v1/tasks", body).is(201)
	for _, again := range []string{body, `{"type":"a","queue":"small","dedupe_key":"once",` + later + `}`} {
		if got := a.call("POST", "/v1/tasks", again).is(200); got.id() != first.id() {
			t.Errorf("the repeat answered with %s, not %s", got.id(), first.id())
		}
		a.call("POST", "/v1/tasks/batch", `{"atomic":true,"tasks":[`+again+`]}`).is(200)
	}
	a.call("POST", "/v1/tasks", strings.Replace(body, later, later+`,"payload":2`, 1)).problem(409, "id_conflict")
	a.call("POST", "/v1/tasks", `{"type":"a","queue":"small",`+later+`}`).problem(429, "queue_full")
}

// The Go client repeats a call of which it lost the answer, and takes the place that
// it has for its own.
func TestClientRepeatsIntoAFullQueue(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/queues/small", `{"max_pending":1}`).is(201)
	behind, err := url.Parse(a.url)
	must(t, err)
	var calls atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.Transport = a.http.Transport
	proxy.ModifyResponse = func(*http.Response) error {
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler) // the answer is lost
		}
		return nil
	}
	front := httptest.NewServer(proxy)
	defer front.Close()
	c, err := client.New(front.URL)
	must(t, err)
	defer c.Close()
	_, existing, err := c.Enqueue(t.Context(), client.Draft{Type: "a", Queue: "small"})
	if err != nil || !existing || calls.Load() != 2 {
		t.Errorf("after %d calls: there already %v, %v", calls.Load(), existing, err)
	}
}

func TestWaitAnswersAtTheEnd(t *testing.T) {
	a := start(t, answers)
	got := a.call("POST", "/v1/tasks?wait=30s", `{"type":"ok","payload":{}}`).is(200)
	if got.get("state") != `"succeeded"` || got.get("result") != `"done"` || got.get("finished_at") == "" {
		t.Errorf("got %s", got.body)
	}
	dead := a.call("POST", "/v1/tasks?wait=30s", `{"type":"bad","payload":{}}`).is(200)
	if dead.get("state") != `"dead"` || dead.get("dead_reason") == "" || dead.get("last_error", "fingerprint") == "" {
		t.Errorf("got %s", dead.body)
	}
	if strings.ContainsRune(string(dead.body), 0x1b) {
		t.Errorf("a control character came through: %q", dead.body)
	}
	if open := a.call("POST", "/v1/tasks?wait=20ms", `{"type":"ok",`+later+`}`).is(202); open.get("state") != `"pending"` {
		t.Errorf("got %s", open.body)
	}
	for _, wait := range []string{"-1s", "1h", "soon", "5"} {
		a.call("POST", "/v1/tasks?wait="+wait, `{"type":"ok"}`).problem(400, "invalid", "wait")
		a.call("GET", "/v1/tasks/"+got.id()+"?wait="+wait, "").problem(400, "invalid", "wait")
	}
}

func TestGetWaitsForTheEnd(t *testing.T) {
	a := start(t, answers)
	path := "/v1/tasks/" + a.call("POST", "/v1/tasks", `{"type":"ok","payload":{},`+later+`}`).is(201).id()
	if open := a.call("GET", path+"?wait=20ms", "").is(202); open.get("state") != `"pending"` {
		t.Errorf("got %s", open.body)
	}
	a.call("GET", path, "").is(200)
	a.call("POST", path+"/retry", "").is(200)
	for range 2 { // at its end, and after it
		if ended := a.call("GET", path+"?wait=30s", "").is(200); ended.get("state") != `"succeeded"` || ended.get("result") != `"done"` {
			t.Errorf("got %s", ended.body)
		}
	}
}

func TestWaitEndsWithTheRequest(t *testing.T) {
	a := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", a.url+"/v1/tasks?wait=10m", strings.NewReader(`{"type":"a",`+later+`}`))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	if resp, err := a.http.Do(req); err == nil {
		resp.Body.Close()
		t.Errorf("status %d for a caller that has gone", resp.StatusCode)
	}
}

func TestPushAttemptsAndTraceReachTheReceiver(t *testing.T) {
	var calls atomic.Int64
	var trace atomic.Value
	url := receiver(t, func(w http.ResponseWriter, req *http.Request) {
		trace.Store(req.Header.Get("traceparent"))
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ok": true}`))
	})
	a := start(t)
	parent := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	got := a.call("POST", "/v1/tasks?wait=30s", `{"target":{"url":"`+url+`"},"retry":{"backoff":{"kind":"fixed","initial":"10ms"}}}`, "traceparent", parent).is(200)
	if got.get("state") != `"succeeded"` || got.get("type") != `"http"` || got.get("result") != `{"ok": true}` || got.get("attempt") != "2" {
		t.Errorf("got %s", got.body)
	}
	if got.get("trace_parent") != `"`+parent+`"` || !strings.Contains(fmt.Sprint(trace.Load()), "4bf92f3577b34da6a3ce929d0e0e4736") {
		t.Errorf("trace parent %s, the receiver got %v", got.get("trace_parent"), trace.Load())
	}
	var history client.Attempts
	a.call("GET", "/v1/tasks/"+got.id()+"/attempts", "").is(200).into(&history)
	if len(history.Attempts) != 2 || history.Attempts[0].Outcome != "failed" || history.Attempts[0].Category != "unavailable" ||
		history.Attempts[0].Code != "503" || history.Attempts[1].Outcome != "succeeded" {
		t.Errorf("attempts %+v", history.Attempts)
	}
	a.call("POST", "/v1/tasks", `{"type":"a",`+later+`}`, "traceparent", "nonsense").is(201)
}

func TestBatch(t *testing.T) {
	a := start(t)
	var out client.BatchResults
	a.call("POST", "/v1/tasks/batch", `{"tasks":[{"type":"a",`+later+`},{"type":"a","delay":"x"},{"type":"-bad name"},{"tpye":"a"},{"type":"b",`+later+`}]}`).is(200).into(&out)
	want := []struct {
		status int
		path   string
	}{{201, ""}, {400, "tasks[1].delay"}, {400, "tasks[2].type"}, {400, "tasks[3].tpye"}, {201, ""}}
	for i, w := range want {
		got := out.Results[i]
		if got.Status != w.status || got.ID.IsZero() != (w.status != 201) || w.path != "" && got.Error.Errors[0].Path != w.path {
			t.Errorf("result %d: %+v, want %+v", i, got, w)
		}
	}
	before := len(a.tasks(""))
	a.call("POST", "/v1/tasks/batch", `{"atomic":true,"tasks":[{"type":"a",`+later+`},{"type":"a","delay":"x"}]}`).problem(400, "invalid", "tasks[1].delay")
	a.call("POST", "/v1/tasks/batch", `{"atomic":true,"tasks":[{"type":"a",`+later+`},{"type":""}]}`).problem(400, "invalid", "tasks[1].type")
	if after := len(a.tasks("")); after != before {
		t.Errorf("a refused batch left %d tasks behind", after-before)
	}
	a.call("POST", "/v1/tasks/batch", `{"tasks":[]}`).problem(400, "invalid", "tasks")
	a.call("POST", "/v1/tasks/batch", `{"tasks":[`+strings.TrimSuffix(strings.Repeat(`{"type":"a"},`, 1001), ",")+`]}`).problem(413, "too_large")
}

func (a *api) tasks(query string) []client.Task {
	a.t.Helper()
	var page client.Tasks
	a.call("GET", "/v1/tasks?limit=500&"+query, "").is(200).into(&page)
	return page.Tasks
}

func TestListPagesHaveEveryTaskOnce(t *testing.T) {
	a := start(t)
	want := map[string]bool{}
	for i := range 25 {
		want[a.call("POST", "/v1/tasks", fmt.Sprintf(`{"type":"t%d",%s}`, i%2, later)).is(201).id()] = true
	}
	var cursor string
	for more := true; more; more = cursor != "" {
		var page client.Tasks
		a.call("GET", "/v1/tasks?limit=7&cursor="+url.QueryEscape(cursor), "").is(200).into(&page)
		for _, task := range page.Tasks {
			if !want[task.ID.String()] {
				t.Errorf("%s is listed twice, or was never enqueued", task.ID)
			}
			delete(want, task.ID.String())
		}
		cursor = page.NextCursor
	}
	if len(want) > 0 {
		t.Errorf("%d tasks are on no page", len(want))
	}
	for query, count := range map[string]int{"type=t1": 12, "state=pending": 25, "state=dead": 0, "queue=default": 25, "queue=other": 0, "since=2100-01-01T00:00:00Z": 0, "type=": 25} {
		if got := len(a.tasks(query)); got != count {
			t.Errorf("%s: %d tasks, want %d", query, got, count)
		}
	}
}

// A page is bounded in bytes: what one call reads does not grow with the payloads.
func TestListOfLargePayloadsIsShort(t *testing.T) {
	racetest.WithoutDetector(t)
	a := start(t)
	payload := json.RawMessage(`"` + strings.Repeat("x", 1<<20-2) + `"`)
	for range 20 {
		a.add(outlast.Draft{Type: "large", Delay: time.Hour, Payload: payload})
	}
	seen, pages := 0, 0
	for cursor, more := "", true; more; more = cursor != "" {
		answer := a.call("GET", "/v1/tasks?limit=500&cursor="+url.QueryEscape(cursor), "").is(200)
		if len(answer.body) > 9<<20 {
			t.Fatalf("a page has %d bytes", len(answer.body))
		}
		var page client.Tasks
		answer.into(&page)
		for i := range page.Tasks {
			if !bytes.Equal(page.Tasks[i].Payload, payload) {
				t.Fatal("a list has another payload")
			}
		}
		seen, pages, cursor = seen+len(page.Tasks), pages+1, page.NextCursor
	}
	if seen != 20 || pages != 3 {
		t.Errorf("%d tasks on %d pages", seen, pages)
	}
}

func TestTaskActions(t *testing.T) {
	a := start(t, answers)
	id := a.call("POST", "/v1/tasks", `{"type":"ok",`+later+`}`).is(201).id()
	moved := a.call("POST", "/v1/tasks/"+id+"/reschedule", `{"run_at":"2030-01-02T03:04:05.678Z"}`).is(200)
	if moved.get("run_at") != `"2030-01-02T03:04:05.678000Z"` {
		t.Errorf("run_at %s", moved.get("run_at"))
	}
	a.call("POST", "/v1/tasks/"+id+"/reschedule", `{"run_at":"2030-01-02T03:04:05Z","delay":"1s"}`).problem(400, "invalid", "delay")
	a.call("POST", "/v1/tasks/"+id+"/cancel", "").is(200)
	for verb, body := range map[string]string{"cancel": "", "retry": "", "reschedule": `{"delay":"0s"}`} {
		conflict := a.call("POST", "/v1/tasks/"+id+"/"+verb, body)
		conflict.problem(409, "conflict")
		if conflict.get("state") != `"canceled"` {
			t.Errorf("%s: the conflict does not tell the state: %s", verb, conflict.body)
		}
		a.call("POST", "/v1/tasks/"+client.NewID().String()+"/"+verb, body).problem(404, "not_found")
	}
	id = a.call("POST", "/v1/tasks", `{"type":"ok",`+later+`,"payload":1}`).is(201).id()
	a.call("POST", "/v1/tasks/"+id+"/retry", "").is(200)
	a.until(id, "succeeded")
}

// until waits for a state.
func (a *api) until(id, state string) {
	a.t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		got := a.call("GET", "/v1/tasks/"+id, "").is(200)
		if got.get("state") == `"`+state+`"` {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline.C:
			a.t.Fatalf("task %s is not %s: %s", id, state, got.body)
		}
	}
}
