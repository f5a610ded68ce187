package server_test

import (
	"strings"
	"testing"
)

// TestSchedules walks through the life of a schedule.
func TestSchedules(t *testing.T) {
	a := start(t)
	rule := `{"cron":"0 3 * * *","zone":"Asia/Shanghai","misfire":"fire_all","window":"2h0m0s","overlap":"skip","task":{"type":"report","payload":{"a":1.00}}}`
	made := a.call("PUT", "/v1/schedules/nightly", rule).is(201)
	if made.get("name") != `"nightly"` || made.get("window") != `"2h0m0s"` || !strings.Contains(string(made.body), `"payload":{"a":1.00}`) {
		t.Errorf("got %s", made.body)
	}
	if next := made.get("next"); !strings.HasSuffix(next, `T19:00:00.000000Z"`) {
		t.Errorf("the next tick is %s", next)
	}
	a.call("PUT", "/v1/schedules/nightly", rule).is(200)
	if got := a.call("GET", "/v1/schedules/nightly", "").is(200); !strings.Contains(string(got.body), `"version":2`) {
		t.Errorf("got %s", got.body)
	}
	if got := a.call("GET", "/v1/schedules/nightly/next?n=3", "").is(200); strings.Count(string(got.body), "T19:00:00.000000Z") != 3 {
		t.Errorf("got %s", got.body)
	}
	if paused := a.call("POST", "/v1/schedules/nightly/pause", "").is(200); paused.get("next") != "" {
		t.Errorf("a paused schedule has a next tick: %s", paused.body)
	}
	run := a.call("POST", "/v1/schedules/nightly/trigger", "").is(201)
	if run.get("type") != `"report"` || !strings.Contains(string(run.body), `"outlast.schedule":"nightly"`) {
		t.Errorf("got %s", run.body)
	}
	id := `{"id":"019a0000-7b4c-7d3e-8f12-3456789abcde"}`
	first := a.call("POST", "/v1/schedules/nightly/trigger", id).is(201)
	if again := a.call("POST", "/v1/schedules/nightly/trigger", id).is(200); again.get("id") != first.get("id") {
		t.Errorf("got %s and %s", first.body, again.body)
	}
	a.call("POST", "/v1/schedules/nightly/resume", "").is(200)
	if list := a.call("GET", "/v1/schedules", "").is(200); strings.Count(string(list.body), `"name"`) != 1 {
		t.Errorf("got %s", list.body)
	}
	a.call("DELETE", "/v1/schedules/nightly", "").is(200)
	a.call("GET", "/v1/schedules/nightly", "").problem(404, "not_found")
	a.call("GET", "/v1/schedules/nightly/next", "").problem(404, "not_found")
}

// TestPlannedTicks asks for the ticks of a rule that is not kept.
func TestPlannedTicks(t *testing.T) {
	a := start(t)
	got := a.call("POST", "/v1/schedules/next?n=2", `{"cron":"0 3 * * *","zone":"Asia/Shanghai","task":{"type":"report"}}`).is(200)
	if strings.Count(string(got.body), "T19:00:00.000000Z") != 2 {
		t.Errorf("got %s", got.body)
	}
	a.call("POST", "/v1/schedules/next", `{"cron":"61 3 * * *","task":{"type":"report"}}`).problem(400, "invalid")
	a.call("POST", "/v1/schedules/next?n=101", `{"every":"1h","task":{"type":"report"}}`).problem(400, "invalid")
	if list := a.call("GET", "/v1/schedules", "").is(200); strings.Contains(string(list.body), `"name"`) {
		t.Errorf("a rule was kept: %s", list.body)
	}
}

// A single time in the past is refused by name.
func TestScheduleInThePast(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/schedules/once", `{"at":"2026-01-01T00:00:00Z","task":{"type":"report"}}`).problem(400, "invalid", "at")
}
