package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// undone collects what tasks of the type undo are called with.
type undone struct {
	mu    sync.Mutex
	calls []string
	all   chan struct{} // gets one for each
}

func newUndone() *undone { return &undone{all: make(chan struct{}, 100)} }

func (u *undone) handle(node *outlast.Client) {
	outlast.Handle(node, "undo", func(_ context.Context, what string) error {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.calls = append(u.calls, what)
		u.all <- struct{}{}
		return nil
	})
}

// is waits for as many calls, and fails the test unless they are these.
func (u *undone) is(t *testing.T, want ...string) {
	t.Helper()
	for range want {
		<-u.all
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if !slices.Equal(u.calls, want) {
		t.Errorf("undone %q, want %q", u.calls, want)
	}
}

// done hands in steps of a task, given as the ends of JSON objects.
func (a *api) done(id string, claim int64, items ...string) []client.StepResult {
	a.t.Helper()
	for i, item := range items {
		items[i] = fmt.Sprintf(`{"id":%q,"claim":%d,%s}`, id, claim, item)
	}
	var out client.AddedSteps
	a.call("POST", "/v1/workers/steps", `{"items":[`+strings.Join(items, ",")+`]}`).is(200).into(&out)
	return out.Results
}

const (
	reserve = `"name":"reserve","result":{"id": "r-1"},"type":"Reservation","started_at":"2026-01-02T03:04:05Z","compensation":{"type":"undo","payload":"r-1"}`
	charge  = `"name":"charge","result":7,"compensation":{"type":"undo","payload":"c-1"}`
	plain   = `"name":"plain"`
)

func fates(results []client.StepResult) string {
	var all []string
	for i := range results {
		all = append(all, results[i].Status)
	}
	return strings.Join(all, " ")
}

func stepNames(steps []client.Step) string {
	var all []string
	for i := range steps {
		all = append(all, fmt.Sprint(steps[i].Name, steps[i].Occurrence))
	}
	return strings.Join(all, " ")
}

// Steps of a worker are kept, come with the task to the next one, are undone when it dies,
// and done again after it was sent back.
func TestStepsOfWorkers(t *testing.T) {
	u := newUndone()
	a := start(t, u.handle)
	id := a.call("POST", "/v1/tasks", `{"type":"mail","retry":{"backoff":{"kind":"fixed","initial":"1ms"},"max_attempts":2}}`).is(201).id()
	first := a.poll(mailPoll)[0]
	for range 2 { // the second is a repeat
		if got := a.done(id, first.Claim, reserve, plain); fates(got) != "ok ok" || got[0].Name != "reserve" || got[0].Occurrence != 1 {
			t.Fatalf("added %+v", got)
		}
	}
	a.done(id, first.Claim, reserve) // a repeat keeps its place
	other := client.NewID().String()
	if got := a.done(id, first.Claim+1, charge); fates(got) != "stale_claim" || got[0].Error != nil {
		t.Errorf("under another claim: %+v", got)
	}
	if got := a.done(other, first.Claim, charge); fates(got) != "not_found" {
		t.Errorf("of no task: %+v", got)
	}
	a.settle(id, first.Claim, `"outcome":"failed","error":{"message":"reset by peer"}`)
	if got := a.done(id, first.Claim, charge); fates(got) != "stale_claim" {
		t.Errorf("after the end: %+v", got)
	}
	second := a.poll(mailPoll)[0]
	if stepNames(second.Steps) != "reserve1 plain1" || string(second.Steps[0].Result) != `{"id": "r-1"}` || second.Steps[0].Type != "Reservation" {
		t.Fatalf("polled with %+v", second.Steps)
	}
	got := a.done(id, second.Claim, charge, `"name":"plain","occurrence":2`, strings.Replace(reserve, "r-1", "r-2", 2))
	if fates(got) != "ok ok error" || got[2].Error.Code != "invalid" || got[2].Error.Hint == "" {
		t.Errorf("added %+v, %+v", got, got[2].Error)
	}
	a.settle(id, second.Claim, `"outcome":"dead","error":{"message":"no"}`)
	u.is(t, "c-1", "r-1")
	a.showsSteps(t, id)

	a.call("POST", "/v1/dead/redrive", `{"ids":["`+id+`"]}`).is(202)
	third := a.poll(mailPoll)[0]
	if stepNames(third.Steps) != "plain1 plain2" {
		t.Errorf("after the redrive with %+v", third.Steps)
	}
	if got := a.done(id, third.Claim, reserve); fates(got) != "ok" {
		t.Errorf("done again: %+v", got)
	}
	var story client.Attempts
	a.call("GET", "/v1/tasks/"+id+"/attempts", "").is(200).into(&story)
	if stepNames(story.Steps) != "plain1 charge1 plain2 reserve1" || !story.Steps[1].Undone || story.Steps[3].Undone {
		t.Errorf("story %+v", story.Steps)
	}
}

// showsSteps looks at a dead letter wherever it is shown.
func (a *api) showsSteps(t *testing.T, id string) {
	t.Helper()
	var letter client.Letter
	a.call("GET", "/v1/dead/"+id, "").is(200).into(&letter)
	s := letter.Steps[0]
	if stepNames(letter.Steps) != "reserve1 plain1 charge1 plain2" || s.Attempt != 1 || s.StartedAt.Year() != 2026 || s.EndedAt.IsZero() ||
		s.Compensation.Type != "undo" || string(s.Compensation.Payload) != `"r-1"` || s.Undone || letter.Steps[2].Attempt != 2 {
		t.Errorf("letter with %+v", letter.Steps)
	}
	want := a.call("GET", "/v1/dead/"+id, "").get("steps")
	for _, path := range []string{"/v1/tasks/" + id, "/v1/tasks/" + id + "/attempts", "/v1/dead/export"} {
		if got := a.call("GET", path, "").is(200).get("steps"); got != want {
			t.Errorf("%s has the steps %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"/v1/tasks?type=mail", "/v1/dead"} {
		if got := string(a.call("GET", path, "").is(200).body); strings.Contains(got, `"steps"`) || !strings.Contains(got, id) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestBadSteps(t *testing.T) {
	a := start(t)
	id := client.NewID().String()
	big := `"` + strings.Repeat("x", task.MaxResult) + `"`
	for _, c := range []struct {
		items string
		code  string
		paths []string
	}{
		{``, "invalid", []string{"items"}},
		{`{"id":"` + id + `","claim":1}`, "invalid", []string{"items[0].name"}},
		{`{"id":"` + id + `","claim":1,"name":"` + strings.Repeat("ä", 129) + `"}`, "invalid", []string{"items[0].name"}},
		{`{"id":"` + id + `","claim":1,"name":"a","occurrence":-1}`, "invalid", []string{"items[0].occurrence"}},
		{`{"id":"` + id + `","claim":1,"name":"a","occurrence":1001}`, "invalid", []string{"items[0].occurrence"}},
		{`{"id":"` + id + `","claim":1,"name":"a"},{"id":"` + id + `","claim":1,"name":"a","occurrence":1}`, "invalid", []string{"items[1]"}},
		{`{"id":"` + id + `","claim":1,"name":"a","compensation":{"payload":1}}`, "invalid", []string{"items[0].compensation.type"}},
		{`{"id":"` + id + `","claim":1,"name":"a","type":"a\nb"}`, "invalid", []string{"items[0].type"}},
		{`{"id":"` + id + `","claim":1,"name":"a","result":` + big + `}`, "too_large", []string{"items[0].result"}},
		{`{"id":"` + id + `","claim":1,"name":"a","compensation":{"type":"b","payload":` + big + `}}`, "too_large", []string{"items[0].compensation.payload"}},
		{`{"id":"` + id + `","claim":1,"name":"a","colour":1}`, "invalid", []string{"items[0].colour"}},
	} {
		status := map[string]int{"invalid": 400, "too_large": 413}[c.code]
		a.call("POST", "/v1/workers/steps", `{"items":[`+c.items+`]}`).problem(status, c.code, c.paths...)
	}
}

// A task has so many steps and bytes of them, in one call or several.
func TestStepsAreBounded(t *testing.T) {
	a := start(t)
	id := a.call("POST", "/v1/tasks", `{"type":"mail"}`).is(201).id()
	claim := a.poll(mailPoll)[0].Claim
	items := make([]string, task.MaxSteps)
	for i := range items {
		items[i] = fmt.Sprintf(`"name":"s","occurrence":%d`, i+1)
	}
	if got := a.done(id, claim, items...); strings.Contains(fates(got), "error") {
		t.Fatal(fates(got))
	}
	if got := a.done(id, claim, plain, `"name":"s"`); fates(got) != "error ok" || !strings.Contains(got[0].Error.Detail, "1000 steps") {
		t.Errorf("beyond: %+v", got)
	}
	a.settle(id, claim, `"outcome":"succeeded"`)
	id = a.call("POST", "/v1/tasks", `{"type":"mail"}`).is(201).id()
	claim = a.poll(mailPoll)[0].Claim
	big := `"` + strings.Repeat("x", task.MaxResult-2) + `"`
	for i := range 2 {
		items = nil
		for n := range 32 {
			items = append(items, fmt.Sprintf(`"name":"b","occurrence":%d,"result":%s`, 32*i+n+1, big))
		}
		if got := a.done(id, claim, items...); strings.Contains(fates(got), "error") {
			t.Fatal(fates(got))
		}
	}
	if got := a.done(id, claim, `"name":"one more","result":1`, plain); fates(got) != "error ok" || !strings.Contains(got[0].Error.Detail, "bytes") {
		t.Errorf("beyond: %+v", got)
	}
}

// A token for certain queues keeps steps of their tasks only.
func TestStepsWithinQueues(t *testing.T) {
	g := startGuarded(t)
	worker := g.token(inspect.Worker, "red")
	for queue, want := range map[string]string{"red": "ok", "blue": "not_found"} {
		id := g.as(g.admin, "POST", "/v1/tasks", `{"type":"mail","queue":"`+queue+`"}`).is(201).id()
		var polled client.Polled
		g.as(g.admin, "POST", "/v1/workers/poll", `{"worker":"w","queues":["`+queue+`"],"types":["mail"],"wait":"30s"}`).is(200).into(&polled)
		var out client.AddedSteps
		g.as(worker, "POST", "/v1/workers/steps", fmt.Sprintf(`{"items":[{"id":%q,"claim":%d,%s}]}`, id, polled.Tasks[0].Claim, plain)).is(200).into(&out)
		if fates(out.Results) != want {
			t.Errorf("%s: %+v", queue, out.Results)
		}
	}
}

// canceling is a task type with two steps, of which the second waits for the cancel.
func canceling(inside chan<- struct{}) func(*outlast.Client) {
	undo := outlast.Define[string, outlast.None]("undo")
	return func(node *outlast.Client) {
		outlast.Handle(node, "order", func(ctx context.Context, _ json.RawMessage) error {
			for _, name := range []string{"first", "second"} {
				if _, err := outlast.Step(ctx, name, func(ctx context.Context) (string, error) {
					return name, outlast.Compensate(ctx, undo, name)
				}); err != nil {
					return err
				}
			}
			inside <- struct{}{}
			<-ctx.Done()
			return context.Cause(ctx)
		})
	}
}

// A running task that is canceled with compensation is undone once it has ended; one that
// is canceled without is not, unless that is asked for afterwards.
func TestCancelWithCompensation(t *testing.T) {
	for _, afterwards := range []bool{false, true} {
		t.Run(fmt.Sprint("afterwards ", afterwards), func(t *testing.T) {
			u, inside := newUndone(), make(chan struct{}, 1)
			a := start(t, u.handle, canceling(inside))
			id := a.call("POST", "/v1/tasks", `{"type":"order","payload":1}`).is(201).id()
			<-inside
			if afterwards {
				plain := a.call("POST", "/v1/tasks/"+id+"/cancel", "").is(200)
				if plain.get("compensation_task") != "" {
					t.Errorf("without being asked: %s", plain.body)
				}
				parsed, err := task.ParseID(id)
				must(t, err)
				_, err = a.node.Wait(t.Context(), parsed)
				must(t, err)
			}
			for range 2 { // the second is a repeat
				asked := a.call("POST", "/v1/tasks/"+id+"/cancel", `{"compensate":true}`).is(200)
				if asked.get("compensation_task") == "" || asked.get("compensation_state") == "" {
					t.Errorf("the answer does not say so: %s", asked.body)
				}
			}
			u.is(t, "second", "first")
			shown := a.call("GET", "/v1/tasks/"+id, "").is(200)
			if shown.get("state") != `"canceled"` || shown.get("compensation_task") == "" {
				t.Errorf("shown as %s", shown.body)
			}
			if found := string(a.call("GET", "/v1/tasks?key=compensation:"+id, "").is(200).body); strings.Count(found, `"follows":"compensation"`) != 2 {
				t.Errorf("compensations: %s", found)
			}
		})
	}
}

// What has ended otherwise is not compensated by a cancel.
func TestCancelWithCompensationTooLate(t *testing.T) {
	a := start(t, answers)
	for kind, state := range map[string]string{"ok": "succeeded", "bad": "dead"} {
		id := a.call("POST", "/v1/tasks?wait=30s", `{"type":"`+kind+`","payload":1}`).is(200).id()
		refused := a.call("POST", "/v1/tasks/"+id+"/cancel", `{"compensate":true}`)
		refused.problem(409, "conflict")
		if refused.get("state") != `"`+state+`"` || refused.get("hint") == "" {
			t.Errorf("%s: %s", state, refused.body)
		}
	}
	a.call("POST", "/v1/tasks/"+client.NewID().String()+"/cancel", `{"compensate":true}`).problem(404, "not_found")
	a.call("POST", "/v1/tasks/bulk", `{"action":"cancel","ids":["`+client.NewID().String()+`"],"compensate":true}`).problem(400, "invalid", "compensate")
}

// An order outlives who gave it: the task is canceled by it, although nobody else does.
func TestOrderCancelsByItself(t *testing.T) {
	u, inside := newUndone(), make(chan struct{}, 1)
	lost := &lostCancel{}
	a := startOn(t, lost.on(), u.handle, canceling(inside))
	id := a.call("POST", "/v1/tasks", `{"type":"order","payload":1}`).is(201).id()
	<-inside
	if got := a.call("POST", "/v1/tasks/"+id+"/cancel", `{"compensate":true}`); got.status == 200 {
		t.Fatalf("the cancel was to fail: %s", got.body)
	}
	u.is(t, "second", "first")
}

var errCut = errors.New("cut off")

// A task that was sent back is leased to nobody while what undoes its steps goes on.
func TestWorkersWaitForCompensations(t *testing.T) {
	undoing, release := make(chan struct{}), make(chan struct{})
	a := start(t, func(node *outlast.Client) {
		outlast.Handle(node, "undo", func(context.Context, string) error {
			undoing <- struct{}{}
			<-release
			return nil
		})
	})
	id := a.call("POST", "/v1/tasks", `{"type":"mail"}`).is(201).id()
	first := a.poll(mailPoll)[0]
	a.done(id, first.Claim, reserve)
	a.settle(id, first.Claim, `"outcome":"dead","error":{"message":"no"}`)
	<-undoing
	a.call("POST", "/v1/dead/redrive", `{"ids":["`+id+`"]}`).is(202)
	if got := a.poll(mailPoll); len(got) != 0 {
		t.Fatalf("leased while it is undone: %+v", got)
	}
	var story client.Attempts
	a.call("GET", "/v1/tasks/"+id+"/attempts", "").is(200).into(&story)
	if last := story.Attempts[len(story.Attempts)-1]; last.Outcome != "snoozed" {
		t.Errorf("ended as %+v", last)
	}
	close(release)
	undo, _, err := a.node.Inspector().Tasks.Find(t.Context(), store.Filter{Type: "undo"}, store.Page{Limit: 10})
	must(t, err)
	if len(undo) != 1 {
		t.Fatalf("%d compensations", len(undo))
	}
	_, err = a.node.Wait(t.Context(), undo[0].ID)
	must(t, err)
	a.call("POST", "/v1/tasks/"+id+"/retry", "").is(200)
	if got := a.poll(mailPoll); len(got) != 1 || len(got[0].Steps) != 0 {
		t.Errorf("leased afterwards: %+v", got)
	}
}
