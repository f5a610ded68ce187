package server_test

import (
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// A list of failures has what failed, in whatever state, by the time of the failure.
func TestListOfFailures(t *testing.T) {
	a := start(t, failing)
	var early, late client.Task
	a.call("POST", "/v1/tasks", retried("1h", "")).is(201).into(&early)
	a.tried(1)
	a.call("POST", "/v1/tasks", `{"type":"fails","max_attempts":1}`).is(201).into(&late)
	a.call("POST", "/v1/tasks", `{"type":"fails","delay":"1h"}`).is(201)
	var dead client.Task
	for dead.State != "dead" {
		a.call("GET", "/v1/tasks/"+late.ID.String(), "").is(200).into(&dead)
	}
	second := func(at client.Time) string {
		text, err := at.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for query, want := range map[string][]string{
		"state=failed":                                       {late.ID.String(), early.ID.String()},
		"state=failed&limit=1":                               {late.ID.String()},
		"state=failed&type=other":                            nil,
		"failed_since=" + second(dead.LastFailedAt):          {late.ID.String()},
		"failed_until=" + second(dead.LastFailedAt):          {early.ID.String()},
		"state=dead&failed_since=2020-01-01T00:00:00Z":       {late.ID.String()},
		"state=failed&failed_until=2020-01-01T00:00:00Z":     nil,
		"state=succeeded&failed_since=2020-01-01T00:00:00Z":  nil,
		"state=pending&failed_since=2020-01-01T00:00:00.00Z": {early.ID.String()},
	} {
		var list client.Tasks
		a.call("GET", "/v1/tasks?"+query, "").is(200).into(&list)
		if got := idsOfTasks(list.Tasks); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	if dead.LastFailedAt.IsZero() || time.Since(dead.LastFailedAt.Time).Abs() > time.Minute {
		t.Errorf("failed last at %v", dead.LastFailedAt)
	}
	var letters client.Tasks
	a.call("GET", "/v1/dead?failed_since="+second(dead.LastFailedAt), "").is(200).into(&letters)
	if len(letters.Tasks) != 1 {
		t.Errorf("%d letters that died since", len(letters.Tasks))
	}
	var redriven struct{ Matched int }
	a.call("POST", "/v1/dead/redrive", `{"filter":{"failed_until":"`+second(dead.LastFailedAt)+`"},"dry_run":true}`).is(202).into(&redriven)
	if redriven.Matched != 0 {
		t.Errorf("%d letters died before the first", redriven.Matched)
	}
	var moved struct{ Matched int }
	a.call("POST", "/v1/tasks/bulk", `{"action":"retry","filter":{"failed_since":"2020-01-01T00:00:00Z"},"dry_run":true}`).is(200).into(&moved)
	if moved.Matched != 1 {
		t.Errorf("a retry of all that failed is of %d tasks, want the one that waits", moved.Matched)
	}
	a.call("GET", "/v1/tasks?failed_since=yesterday", "").problem(400, "invalid", "failed_since")
	a.call("POST", "/v1/tasks/bulk", `{"action":"retry","filter":{"state":"failed"}}`).problem(400, "invalid", "filter.state")
}
