package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// approves handles tasks that wait for an approval, for as long as their payload says.
func approves(node *outlast.Client) {
	outlast.Define[time.Duration, map[string]string]("approval").Handle(node, func(ctx context.Context, wait time.Duration) (map[string]string, error) {
		got, err := outlast.Await[map[string]string](ctx, "approval/1", wait)
		if errors.Is(err, outlast.ErrAwaitTimeout) {
			return map[string]string{"by": "nobody"}, nil
		}
		return got, err
	})
}

// A signal lets a task go on that waits for it; a repeat is answered as it was, another is a
// conflict, and so is one for a task that has ended. What it waits for, and the signal, are
// shown with its steps.
func TestSignals(t *testing.T) {
	a := start(t, approves)
	id := a.call("POST", "/v1/tasks", `{"type":"approval","payload":3600000000000}`).is(201).id()
	path := "/v1/tasks/" + id + "/signals/approval%2F1"
	waits := func() (s client.Step) {
		var shown client.Task
		a.call("GET", "/v1/tasks/"+id, "").is(200).into(&shown)
		if len(shown.Steps) > 0 && shown.State == "pending" {
			s = shown.Steps[0]
		}
		return s
	}
	for waits().Until.IsZero() {
		time.Sleep(5 * time.Millisecond) // sleep: a server is asked until the task waits
	}
	if s := waits(); s.Name != "approval/1" || s.Type != "await" || s.Occurrence != 1 || time.Until(s.Until.Time) < 50*time.Minute {
		t.Errorf("it waits as %+v", s)
	}
	for _, wrong := range []struct {
		path, body string
		status     int
		code       string
	}{
		{"/v1/tasks/" + id + "/signals/" + strings.Repeat("x", 129), "", 400, "invalid"},
		{path, "{", 400, "invalid"}, {path, `"` + strings.Repeat("x", task.MaxResult) + `"`, 413, "too_large"},
		{"/v1/tasks/" + client.NewID().String() + "/signals/a", "", 404, "not_found"},
	} {
		a.call("POST", wrong.path, wrong.body).problem(wrong.status, wrong.code)
	}
	var first, again client.Signaled
	a.call("POST", path, `{ "by": "ada" }`).is(200).into(&first)
	a.until(id, "succeeded")
	a.call("POST", path, `{"by":"ada"}`).is(200).into(&again)
	if !first.Woken || first.Repeated || first.State != "pending" || first.At.IsZero() || !again.Repeated || again.State != "succeeded" || !again.At.Equal(first.At.Time) {
		t.Errorf("answered %+v, then %+v", first, again)
	}
	a.call("POST", path, `{"by":"bob"}`).problem(409, "conflict")
	a.call("POST", path, ``).problem(409, "conflict")
	ended := a.call("POST", "/v1/tasks/"+id+"/signals/other", "")
	if ended.problem(409, "conflict"); ended.get("state") != `"succeeded"` {
		t.Errorf("got %s", ended.body)
	}
	var shown client.Task
	a.call("GET", "/v1/tasks/"+id, "").is(200).into(&shown)
	if s := shown.Steps[1]; string(shown.Result) != `{"by":"ada"}` || s.Type != "signal" || s.Occurrence != 0 || string(s.Result) != `{"by":"ada"}` {
		t.Errorf("shown as %+v", shown)
	}
	late := a.call("POST", "/v1/tasks", `{"type":"approval","payload":1000000}`).is(201).id()
	a.until(late, "succeeded")
	a.call("POST", "/v1/tasks/"+late+"/signals/approval%2F1", "").problem(409, "conflict")
}

// Remote workers get signals with the steps of their tasks.
func TestSignalsOfWorkers(t *testing.T) {
	a := start(t)
	id := a.call("POST", "/v1/tasks", `{"type":"remote"}`).is(201).id()
	a.call("POST", "/v1/tasks/"+id+"/signals/go", "7").is(200)
	tasks := a.poll(`{"worker":"w","types":["remote"],"wait":"30s"}`)
	if len(tasks) != 1 || len(tasks[0].Steps) != 1 || tasks[0].Steps[0].Type != "signal" || string(tasks[0].Steps[0].Result) != "7" {
		t.Errorf("polled %+v", tasks)
	}
}
