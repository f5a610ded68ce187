package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/retry"
)

// The answer has the keys of the contract, and the client reads it.
func TestPlan(t *testing.T) {
	a := start(t)
	got := a.call("POST", "/v1/policies/plan", `{"preset":"classic","fail_rate":0.5,"deadline":"4s","timeout":"1s","outer_attempts":[3]}`).is(200)
	for path, want := range map[string]string{
		"total": `"3s"`, "attempts": "3", "retries": "2", "success": "[0.5,0.75,0.875]", "adds": "[0.5,0.25,0.125]", "limit": `"4s"`,
		"delays": `[{"retry":1,"nominal":"1s","min":"1s","max":"1.1s","mean":"1.05s","at":"1s"},{"retry":2,"nominal":"2s","min":"2s","max":"2.2s","mean":"2.1s","at":"3s"}]`,
	} {
		if text := got.get(path); text != want {
			t.Errorf("%s is %s, want %s", path, text, want)
		}
	}
	var plan client.Plan
	got.into(&plan)
	codes := ""
	for _, w := range plan.Warnings {
		if w.Message == "" || w.Field == "" {
			t.Errorf("%+v", w)
		}
		codes += w.Code + " "
	}
	if !strings.HasPrefix(codes, "weak_jitter count total_past_deadline layers") || plan.Load.Attempts != 9 || plan.Jitter.Kind != "additive" {
		t.Errorf("warnings %s, load %+v, jitter %+v", codes, plan.Load, plan.Jitter)
	}

	c, err := client.New(a.url)
	must(t, err)
	t.Cleanup(c.Close)
	attempts := 5
	solved, err := c.Plan(t.Context(), client.PlanRequest{MaxAttempts: &attempts, TTL: client.Duration(5 * time.Second), Solve: "initial", Fit: true,
		Backoff: json.RawMessage(`{"multiplier":2,"jitter":{"kind":"proportional","x":0.2}}`)})
	must(t, err)
	if solved.Solution.Initial.String() != "277ms" || solved.Delays[0].Nominal != solved.Solution.Initial || len(solved.Fit) == 0 || !strings.Contains(string(solved.Policy), `"initial":"277ms"`) {
		t.Errorf("solution %+v, fit %+v, policy %s", solved.Solution, solved.Fit, solved.Policy)
	}
	// Nothing given is the default policy; what has no end is no number.
	if got := a.call("POST", "/v1/policies/plan", `{}`).is(200); got.get("total") != `"2m7s"` || got.get("warnings") == "" || got.get("solution") != "" {
		t.Errorf("got %s", got.body)
	}
	if got := a.call("POST", "/v1/policies/plan", `{"preset":"dispatch","rate":5,"attempt_time":"1s","fail_rate":1}`).is(200); got.get("attempts") != "0" || got.get("load", "in_flight") != "" {
		t.Errorf("got %s", got.body)
	}
}

func TestPlanRefuses(t *testing.T) {
	a := start(t)
	for _, c := range []struct {
		name, body string
		status     int
		paths      []string
	}{
		{"unknown key", `{"presett":"classic"}`, 400, []string{"presett"}},
		{"unknown preset", `{"preset":"clasic"}`, 400, []string{"preset"}},
		{"all at once", `{"max_attempts":0,"fail_rate":0,"backoff":{"multiplier":200}}`, 400, []string{"fail_rate"}},
		{"policy", `{"max_attempts":0,"backoff":{"multiplier":200},"timeout":"-1s"}`, 400, []string{"timeout", "max_attempts", "backoff.multiplier"}},
		{"policy and environment", `{"backoff":{"kind":"x"},"rows":-1,"fail_rate":7}`, 400, []string{"backoff.kind", "fail_rate", "rows"}},
		{"form, range and environment", `{"ttl":"-5s","budget":{"ratio":"x"},"max_attempts":0,"rows":-1}`, 400, []string{"budget.ratio", "ttl", "max_attempts", "rows"}},
		{"solved, and environment", `{"solve":"initial","ttl":"5s","max_attempts":0,"rows":-1}`, 400, []string{"max_attempts", "rows"}},
		{"ranges", `{"max_attempts":0,"backoff":{"multiplier":200}}`, 400, []string{"max_attempts", "backoff.multiplier"}},
		{"environment", `{"fail_rate":1.5,"rate":-1,"outer_attempts":[0],"rows":10001}`, 400, []string{"fail_rate", "rate", "outer_attempts[0]", "rows"}},
		{"kind of value", `{"outer_attempts":"4"}`, 400, []string{"outer_attempts"}},
		{"unknown variable", `{"solve":"jitter","ttl":"5s"}`, 400, []string{"solve"}},
		{"no limit", `{"solve":"initial"}`, 400, []string{"ttl"}},
		{"fit without limit", `{"fit":true}`, 400, []string{"ttl"}},
		{"too short", `{"solve":"initial","ttl":"1s","attempt_time":"1s"}`, 400, []string{"ttl"}},
		{"key of a backoff", `{"backoff":{"initail":"1s","\u001b[2J":1}}`, 400, []string{"backoff.initail", `backoff.\x1b[2J`}},
		{"backoff twice", `{"backoff":{},"backoff":{}}`, 400, []string{"backoff"}},
		{"key twice below", `{"backoff":{"initial":"1s","initial":"2s"}}`, 400, []string{"backoff.initial"}},
		{"not a policy", `[]`, 400, []string{"body"}},
		{"too large", `{"preset":"` + strings.Repeat("a", 65<<10) + `"}`, 413, []string{"body"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := a.call("POST", "/v1/policies/plan", c.body)
			got.t = t
			code := map[int]string{400: "invalid", 413: "too_large"}[c.status]
			got.problem(c.status, code, c.paths...)
		})
	}
}

// However much is asked, the answer has bounds, in time and in size.
func TestPlanIsBounded(t *testing.T) {
	a := start(t)
	rule := `{"when":["bug"],"backoff":{"kind":"fibonacci"}}`
	for name, body := range map[string]string{
		"a million attempts": `{"max_attempts":1000000,"backoff":{"kind":"fibonacci","initial":"1ns","jitter":"decorrelated"},"rows":10000}`,
		"many rules":         `{"unlimited":true,"rows":10000,"rules":[` + strings.Repeat(rule+",", 60<<10/(len(rule)+1)-10) + rule + `]}`,
		"a hard problem":     `{"max_attempts":10001,"ttl":"2562047h","backoff":{"kind":"linear"},"solve":"initial"}`,
		"most retries":       `{"ttl":"2562047h","backoff":{"kind":"fixed","initial":"1ns"},"solve":"retries"}`,
	} {
		began := time.Now()
		got := a.call("POST", "/v1/policies/plan", body).is(200)
		if took := time.Since(began); took > 20*time.Second || len(got.body) > 8<<20 {
			t.Errorf("%s: %d bytes after %v", name, len(got.body), took)
		}
		t.Logf("%s: %d bytes after %v", name, len(got.body), time.Since(began))
	}
}

// A policy is put, shown, changed on condition, planned before it is saved, and
// deleted; the client reads every answer.
func TestNamedPolicies(t *testing.T) {
	a := start(t)
	c, err := client.New(a.url)
	must(t, err)
	t.Cleanup(c.Close)
	form := json.RawMessage(`{"max_attempts":3,"backoff":{"kind":"fixed","initial":"1s","jitter":"none"},"rules":[{"when":"status == 404","then":"dead"}]}`)
	none := int64(0)
	preview, err := c.PutPolicy(t.Context(), "p", form, client.PutOptions{Version: &none, DryRun: true})
	must(t, err)
	if !preview.DryRun || !*preview.Changed || preview.Attempts != 3 || preview.Summary == "" || len(preview.Warnings) == 0 || preview.Warnings[0].Code == "" {
		t.Errorf("%+v", preview)
	}
	a.call("GET", "/v1/policies/p", "").problem(404, "not_found")
	got := a.call("PUT", "/v1/policies/p", string(form)).is(201)
	if got.get("version") != "1" || got.get("source") != `"api"` || got.get("policy", "rules") != `[{"when":"status == 404","then":"dead"}]` || got.get("changed") != "true" {
		t.Errorf("got %s", got.body)
	}
	if again := a.call("PUT", "/v1/policies/p", string(form)).is(200); again.get("changed") != "false" || again.get("version") != "1" {
		t.Errorf("got %s", again.body)
	}
	a.call("PUT", "/v1/policies/p?version=3", `{"max_attempts":4}`).problem(409, "conflict")
	a.call("PUT", "/v1/policies/p?version=1", `{"max_attempts":4}`).is(200)
	versions, err := c.PolicyVersions(t.Context(), "p")
	must(t, err)
	if len(versions) != 2 || versions[0].Version != 2 || versions[1].Attempts != 3 || versions[1].Actor != "api" {
		t.Errorf("%+v", versions)
	}
	a.call("PUT", "/v1/queues/mail", `{"policy":"p"}`).is(201)
	one, err := c.Policy(t.Context(), "p")
	must(t, err)
	if len(one.UsedBy) != 1 || one.UsedBy[0] != "queue/mail" || one.UpdatedAt.IsZero() {
		t.Errorf("%+v", one)
	}
	listed, err := c.Policies(t.Context())
	must(t, err)
	for i := range listed {
		if p := &listed[i]; (p.Name == "p") != slices.Equal(p.UsedBy, []string{"queue/mail"}) {
			t.Errorf("%s is used by %v", p.Name, p.UsedBy)
		}
	}
	task := a.call("POST", "/v1/tasks", `{"type":"x","queue":"mail","delay":"1h"}`).is(201)
	if task.get("policy") != `"p"` || task.get("policy_version") != "2" || task.get("max_attempts") != "4" {
		t.Errorf("got %s", task.body)
	}
	a.call("DELETE", "/v1/policies/p", "").problem(409, "conflict")
	a.call("PUT", "/v1/queues/mail", `{"policy":"payment"}`).is(200)
	deleted, err := c.DeletePolicy(t.Context(), "p", client.PutOptions{})
	must(t, err)
	if !deleted.Deleted {
		t.Errorf("%+v", deleted)
	}
	all, err := c.Policies(t.Context())
	must(t, err)
	if len(all) != len(retry.Presets()) || all[0].Source != "preset" || all[0].Summary == "" || all[0].Warnings != nil {
		t.Errorf("%d policies, the first is %+v", len(all), all[0])
	}
	if got := a.call("GET", "/v1/policies/easyjob(30s,%202,%205)", "").is(200); got.get("attempts") != "6" {
		t.Errorf("got %s", got.body)
	}
}

func TestNamedPoliciesRefused(t *testing.T) {
	a := start(t)
	for _, c := range []struct {
		name, path, body string
		status           int
		code             string
		paths            []string
	}{
		{"unknown key", "p", `{"max_atempts":3}`, 400, "invalid", []string{"max_atempts"}},
		{"all at once", "p", `{"max_attempts":0,"backoff":{"multiplier":200},"rules":[{"when":"statu == 3"}]}`, 400, "invalid", []string{"rules[0].when", "max_attempts", "backoff.multiplier"}},
		{"a condition that is none", "p", `{"rules":[{"when":"status"}]}`, 400, "invalid", []string{"rules[0].when"}},
		{"alert", "p", `{"alert":{"when":"attempt >"}}`, 400, "invalid", []string{"alert.when"}},
		{"fallback", "p", `{"fallback":{"typ":"x"}}`, 400, "invalid", []string{"fallback.typ"}},
		{"queue of the fallback", "p", `{"fallback":{"type":"x","queue":"defualt"}}`, 400, "invalid", []string{"fallback.queue"}},
		{"queue of the engine's alerts", "p", `{"fallback":{"type":"x","queue":"outlast.alerts"}}`, 400, "invalid", []string{"fallback.queue"}},
		{"policy of the fallback", "p", `{"fallback":{"type":"x","queue":"absent","policy":"paymnt"}}`, 400, "invalid", []string{"fallback.queue", "fallback.policy"}},
		{"null", "p", `{"max_attempts":null}`, 400, "invalid", []string{"max_attempts"}},
		{"key twice", "p", `{"ttl":"1s","ttl":"2s"}`, 400, "invalid", []string{"ttl"}},
		{"no object", "p", `[]`, 400, "invalid", []string{"policy"}},
		{"name", "a%20b", `{}`, 400, "invalid", []string{"name"}},
		{"name and form", "a%20b", `{"max_attempts":0}`, 400, "invalid", []string{"name", "max_attempts"}},
		{"version", "p?version=x", `{}`, 400, "invalid", []string{"version"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := a.call("PUT", "/v1/policies/"+c.path, c.body)
			got.t = t
			got.problem(c.status, c.code, c.paths...)
		})
	}
	a.call("GET", "/v1/policies/p", "").problem(404, "not_found")
	a.call("GET", "/v1/policies/paymnt", "").problem(404, "not_found")
	a.call("DELETE", "/v1/policies/payment", "").problem(404, "not_found")
	a.call("GET", "/v1/policies/nothere/versions", "").problem(404, "not_found")
}
