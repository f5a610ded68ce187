package server_test

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// A canary is put, shown, promoted and aborted; the client reads every answer.
func TestCanaryByHTTP(t *testing.T) {
	a := start(t)
	c, err := client.New(a.url)
	must(t, err)
	t.Cleanup(c.Close)
	const path = "/v1/policies/p"
	for _, bad := range []string{`0`, `101`, `"x"`, `-1`, `"0%"`, `null`, `{"share":"10%"}`} {
		a.call("PUT", path, `{"canary":`+bad+`}`).problem(400, "invalid", "canary")
	}
	first := a.call("PUT", path, `{"canary":"10%"}`)
	first.problem(400, "invalid", "canary")
	if !strings.Contains(first.get("hint"), "without canary first") {
		t.Errorf("got %s", first.body)
	}
	a.call("POST", path+"/promote", "").problem(404, "not_found")
	a.call("PUT", path, `{"max_attempts":3}`).is(201)
	none := a.call("POST", path+"/abort", "")
	none.problem(409, "conflict")
	if !strings.Contains(string(none.body), "no canary of the policy") {
		t.Errorf("got %s", none.body)
	}
	a.call("PUT", path, `{"max_attempts":4,"canary":10}`).is(200)
	got := a.call("GET", path, "").is(200)
	if got.get("canary") != `{"version":2,"share":"10%","base_version":1,"base":{"max_attempts":3}}` || got.get("policy") != `{"max_attempts":4,"canary":"10%"}` || got.get("attempts") != "4" {
		t.Errorf("got %s", got.body)
	}
	if again := a.call("PUT", path, got.get("policy")).is(200); again.get("changed") != "false" {
		t.Errorf("what was got is another one: %s", again.body)
	}
	version := int64(1)
	if _, err := c.PromotePolicy(t.Context(), "p", client.PutOptions{Version: &version}); err == nil {
		t.Error("another version was promoted")
	}
	preview, err := c.AbortPolicy(t.Context(), "p", client.PutOptions{DryRun: true})
	must(t, err)
	promoted, err := c.PromotePolicy(t.Context(), "p", client.PutOptions{})
	must(t, err)
	if !preview.DryRun || preview.Attempts != 3 || promoted.DryRun || promoted.Version != 3 || promoted.Canary != nil || promoted.Attempts != 4 || !*promoted.Changed {
		t.Errorf("%+v, then %+v", preview, promoted)
	}
	a.call("PUT", path, `{"max_attempts":7,"canary":"5%"}`).is(200)
	aborted, err := c.AbortPolicy(t.Context(), "p", client.PutOptions{})
	must(t, err)
	if aborted.Version != 5 || aborted.Attempts != 4 {
		t.Errorf("%+v", aborted)
	}
	versions, err := c.PolicyVersions(t.Context(), "p")
	must(t, err)
	if len(versions) != 5 || versions[1].Canary.Share != "5%" || versions[1].Canary.BaseVersion != 3 {
		t.Errorf("%+v", versions)
	}
	a.call("POST", "/v1/policies/plan", `{"max_attempts":3,"canary":"10%"}`).is(200)
	a.call("POST", "/v1/tasks", `{"type":"x","retry":{"canary":"10%"}}`).problem(400, "invalid", "retry.canary")
}
