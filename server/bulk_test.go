package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
)

// bulkTasks enqueues n tasks that wait, and returns their ids.
func bulkTasks(t *testing.T, a *api, kind string, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		receipt, err := a.node.Enqueue(context.Background(), outlast.Draft{Type: kind, Delay: time.Hour})
		must(t, err)
		ids[i] = receipt.Task.ID.String()
	}
	return ids
}

func (a *api) awaitOperation(id string) *client.Operation {
	a.t.Helper()
	a.ended(id)
	var o client.Operation
	a.call("GET", "/v1/operations/"+id, "").is(200).into(&o)
	return &o
}

func TestBulkByIDs(t *testing.T) {
	t.Parallel()
	a := start(t)
	ids := bulkTasks(t, a, "waits", 3)
	a.call("POST", "/v1/tasks/"+ids[1]+"/cancel", "").is(200)
	absent := client.NewID().String()
	named := `["` + ids[0] + `","` + ids[1] + `","` + absent + `","` + ids[0] + `"]`

	var out client.Bulked
	a.call("POST", "/v1/tasks/bulk", `{"action":"cancel","ids":`+named+`,"dry_run":true}`).is(200).into(&out)
	if !out.DryRun || out.Matched != 1 || len(out.Sample) != 1 || out.Sample[0].ID.String() != ids[0] || fmt.Sprint(statuses(out.Results)) != "[left_ended not_found]" {
		t.Errorf("dry run: %+v", out)
	}
	if got := a.state(ids[0]); got != "pending" {
		t.Errorf("a dry run has made it %s", got)
	}
	out = client.Bulked{}
	a.call("POST", "/v1/tasks/bulk", `{"action":"cancel","ids":`+named+`}`).is(200).into(&out)
	if out.Operation != "" || out.Matched != 1 || fmt.Sprint(statuses(out.Results)) != "[changed left_ended not_found]" || out.Results[0].State != "canceled" {
		t.Errorf("canceled: %+v", out)
	}
	out = client.Bulked{}
	a.call("POST", "/v1/tasks/bulk", `{"action":"reschedule","delay":"5h","ids":["`+ids[2]+`"]}`).is(200).into(&out)
	var moved client.Task
	a.call("GET", "/v1/tasks/"+ids[2], "").is(200).into(&moved)
	if out.Matched != 1 || time.Until(moved.RunAt.Time) < 4*time.Hour {
		t.Errorf("rescheduled %+v: %v", out, moved.RunAt)
	}
}

func statuses(results []client.BulkResult) (all []string) {
	for _, r := range results {
		all = append(all, r.Status)
	}
	return all
}

func (a *api) state(id string) string {
	a.t.Helper()
	var got client.Task
	a.call("GET", "/v1/tasks/"+id, "").is(200).into(&got)
	return string(got.State)
}

// An operation by filter treats what matched when it began, and nothing else.
func TestBulkByFilter(t *testing.T) {
	t.Parallel()
	a := start(t)
	ids, others := bulkTasks(t, a, "waits", 30), bulkTasks(t, a, "stays", 2)
	var out client.Bulked
	a.call("POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{"type":"waits"},"dry_run":true}`).is(200).into(&out)
	if out.Matched != 30 || out.AtLeast || len(out.Sample) != 10 || out.Operation != "" {
		t.Fatalf("dry run: %+v", out)
	}
	for _, shown := range out.Sample { // as the list shows it
		var listed client.Task
		a.call("GET", "/v1/tasks/"+shown.ID.String(), "").is(200).into(&listed)
		if shown.MaxAttempts == 0 || shown.MaxAttempts != listed.MaxAttempts || shown.Waiting != listed.Waiting || shown.NextCheck.IsZero() || !shown.NextCheck.Equal(listed.NextCheck.Time) {
			t.Errorf("the sample %+v of %+v", shown, listed)
		}
	}
	for time.Now().UnixMilli() <= out.Until.UnixMilli() { // which is compared with ids, to the millisecond
	}
	bulkTasks(t, a, "waits", 3) // they were not counted
	until, err := out.Until.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	out = client.Bulked{}
	a.call("POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{"type":"waits","until":"`+string(until)+`"},"reason":"the customer left"}`).is(202).into(&out)
	o := a.awaitOperation(out.Operation)
	if o.State != "done" || o.Kind != "cancel" || o.Matched != 30 || o.Done != 30 || o.Changed != 30 || o.Skipped != 0 || o.Bulk == nil || o.Bulk.Filter.Type != "waits" || o.Request != nil {
		t.Errorf("the operation is %+v", o)
	}
	var report client.OperationItems
	a.call("GET", "/v1/operations/"+out.Operation+"/items?limit=500", "").is(200).into(&report)
	if len(report.Items) != 30 {
		t.Fatalf("the report has %d items", len(report.Items))
	}
	for _, item := range report.Items {
		if item.Status != "changed" || item.State != "canceled" || !slices.Contains(ids, item.ID.String()) {
			t.Errorf("item %+v", item)
		}
	}
	for _, id := range others {
		if got := a.state(id); got != "pending" {
			t.Errorf("another task is %s", got)
		}
	}
	rows := string(a.call("GET", "/v1/audit?subject=operation/"+out.Operation, "").is(200).body)
	for _, part := range []string{`"the customer left"`, `"matched":30`, `"changed":30`, `"operation.end"`, `"task.cancel"`} {
		if !strings.Contains(rows, part) {
			t.Errorf("the audit log does not say %s: %s", part, rows)
		}
	}
}

func TestBulkRefusals(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := client.NewID().String()
	for body, path := range map[string]string{
		`{"action":"cancel"}`: "filter",
		`{"action":"cancel","ids":["` + id + `"],"filter":{}}`:                        "filter",
		`{"action":"cancel","ids":[],"filter":{}}`:                                    "ids", // it would mean every task
		`{"action":"purge","filter":{}}`:                                              "action",
		`{"action":"reschedule","filter":{}}`:                                         "run_at",
		`{"action":"cancel","filter":{},"run_at":"2030-01-01T00:00:00Z"}`:             "run_at",
		`{"action":"reschedule","filter":{},"delay":"-1s"}`:                           "delay",
		`{"action":"cancel","filter":{"state":"succeeded"}}`:                          "filter.state",
		`{"action":"retry","filter":{"state":"running"}}`:                             "filter.state",
		`{"action":"cancel","filter":{"state":"odd"}}`:                                "filter.state",
		`{"action":"cancel","filter":{},"reason":"` + strings.Repeat("x", 501) + `"}`: "reason",
	} {
		a.call("POST", "/v1/tasks/bulk", body).problem(http.StatusBadRequest, "invalid", path)
	}
}

// A token for certain queues acts on their tasks alone, and names the queue of a
// filter if it is for several.
func TestBulkKeepsToQueues(t *testing.T) {
	t.Parallel()
	g := startGuarded(t)
	red, blue := g.pending("red"), g.pending("blue")
	own, both := g.token(inspect.Operator, "red"), g.token(inspect.Operator, "red", "green")
	var out client.Bulked
	g.as(own, "POST", "/v1/tasks/bulk", `{"action":"cancel","ids":["`+blue+`","`+red+`"]}`).is(200).into(&out)
	if out.Matched != 1 || fmt.Sprint(statuses(out.Results)) != "[changed not_found]" {
		t.Errorf("by ids: %+v", out)
	}
	g.as(both, "POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{}}`).problem(403, "denied", "filter.queue")
	g.as(own, "POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{"queue":"blue"}}`).problem(403, "denied", "filter.queue")
	out = client.Bulked{}
	g.as(own, "POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{}}`).is(202).into(&out)
	for done := false; !done; <-time.After(10 * time.Millisecond) {
		done = g.as(own, "GET", "/v1/operations/"+out.Operation, "").is(200).get("state") == `"done"`
	}
	var task client.Task
	g.as(g.admin, "GET", "/v1/tasks/"+blue, "").is(200).into(&task)
	if task.State != "pending" {
		t.Errorf("a task of another queue is %s", task.State)
	}
	g.as(g.token(inspect.Operator, "blue"), "POST", "/v1/tasks/bulk", `{"action":"nonsense","ids":["`+g.pending("red")+`"]}`).problem(400, "invalid", "action")
	g.as(g.token(inspect.Operator, "blue"), "GET", "/v1/operations/"+out.Operation, "").problem(404, "not_found", "")
	g.as(g.token(inspect.Viewer), "POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{}}`).problem(403, "denied", "")
}
