package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
)

// A target that is down is listed first, with its breaker, and its tasks say
// why they wait and until when.
func TestTargets(t *testing.T) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	a := start(t, func(c *outlast.Client) {
		outlast.Handle(c, "a.fine", func(context.Context, any) error { return nil })
	})
	a.call("POST", "/v1/tasks?wait=30s", `{"type":"a.fine"}`).is(200)
	drafts := strings.Repeat(`{"target":{"url":"`+down.URL+`"},"retry":{"backoff":{"kind":"fixed","initial":"100ms"},"max_attempts":1000}},`, 40)
	a.call("POST", "/v1/tasks/batch", `{"tasks":[`+strings.TrimSuffix(drafts, ",")+`]}`).is(200)
	var list client.Targets
	for deadline := time.Now().Add(2 * time.Minute); len(list.Targets) < 2 || list.Targets[0].Breaker.State != "open"; {
		a.call("GET", "/v1/targets", "").is(200).into(&list)
		if time.Now().After(deadline) {
			t.Fatalf("targets %+v", list)
		}
	}
	open, fine := list.Targets[0], list.Targets[1]
	if open.Name != strings.TrimPrefix(down.URL, "http://") || open.Breaker.Until.IsZero() || open.Breaker.Opened.IsZero() || open.Breaker.Cause != "failure_rate" ||
		open.Budget.Share != 0 || open.Budget.First < 20 || len(open.Nodes) != 1 || open.Nodes[0].Breaker.State != "open" || list.Total != 2 {
		t.Errorf("the target that is down: %+v", open)
	}
	if fine.Name != "a.fine" || fine.Breaker.State != "closed" || fine.Breaker.Calls != 1 || fine.Budget.Share != 1 || fine.Limit == 0 {
		t.Errorf("the other: %+v", fine)
	}
	a.call("GET", "/v1/targets?limit=1", "").is(200).into(&list)
	if len(list.Targets) != 1 || list.Total != 2 {
		t.Errorf("with a limit: %+v", list)
	}
	a.call("GET", "/v1/targets?limit=0", "").problem(400, "invalid", "limit")
	a.call("GET", "/v1/targets?state=open", "").problem(400, "invalid", "state")
	waiting := a.call("POST", "/v1/tasks", `{"target":{"url":"`+down.URL+`"}}`).is(201).id()
	if got := a.call("GET", "/v1/tasks/"+waiting, "").is(200); got.get("waiting") != `"breaker open"` || got.get("next_check") == "" {
		t.Errorf("a task of the target: %s", got.body)
	}
}

// Those in trouble are found among hundreds that are well: one that wants no calls for
// a while, and one that an operator stopped.
func TestTroubledTargets(t *testing.T) {
	busy := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	const healthy = 300
	a := start(t, func(c *outlast.Client) {
		for n := range healthy {
			outlast.Handle(c, fmt.Sprintf("fine.%d", n), func(context.Context, any) error { return nil })
		}
	})
	var drafts strings.Builder
	for n := range healthy {
		fmt.Fprintf(&drafts, `{"type":"fine.%d"},`, n)
	}
	a.call("POST", "/v1/tasks/batch", `{"tasks":[`+drafts.String()+strings.TrimSuffix(strings.Repeat(`{"target":{"url":"`+busy+`"}},`, 40), ",")+`]}`).is(200)
	a.call("POST", "/v1/targets/stopped/open", "").is(200)
	list := func(query string) (list client.Targets) {
		a.call("GET", "/v1/targets?"+query, "").is(200).into(&list)
		return list
	}
	for end := time.Now().Add(2 * time.Minute); list("").Total < healthy+2 || list("troubled=true").Total < 2; {
		if time.Now().After(end) {
			t.Fatalf("%d targets, in trouble %+v", list("").Total, list("troubled=true"))
		}
	}
	troubled := list("troubled=true&limit=8")
	if len(troubled.Targets) != 2 || troubled.Total != 2 || troubled.Targets[0].Name != "stopped" || troubled.Targets[1].Name != strings.TrimPrefix(busy, "http://") || troubled.Targets[1].HeldUntil.IsZero() {
		t.Errorf("in trouble: %+v", troubled)
	}
	if first := list("troubled=true&limit=1"); len(first.Targets) != 1 || first.Total != 2 {
		t.Errorf("one of those in trouble: %+v", first)
	}
	a.call("GET", "/v1/targets?troubled=perhaps", "").problem(400, "invalid", "troubled")
}

// Orders are obeyed, whatever bytes the name has, and are refused for targets
// that nobody knows.
func TestOrders(t *testing.T) {
	a := start(t, func(c *outlast.Client) {
		outlast.Handle(c, "a", func(context.Context, any) error { return errors.New("no") })
	})
	for _, name := range []string{"a", "b.example:8080", "ä%20/.. \"?#"} {
		path := "/v1/targets/" + strings.NewReplacer("%", "%25", "/", "%2F", " ", "%20", "?", "%3F", "#", "%23", `"`, "%22", "ä", "%C3%A4").Replace(name)
		a.call("GET", path, "").problem(404, "not_found")
		a.call("POST", path+"/close", "").problem(404, "not_found")
		a.call("POST", path+"/reset", "").problem(404, "not_found")
		var target client.TargetState
		a.call("POST", path+"/open", "").is(200).into(&target)
		if target.Name != name || target.Breaker.State != "open" || !target.Breaker.Forced || target.Order == nil || target.Order.Action != "open" {
			t.Errorf("%s ordered open: %+v", name, target)
		}
		a.call("GET", path, "").is(200).into(&target)
		for _, verb := range []string{"close", "reset"} {
			a.call("POST", path+"/open", "").is(200) // with the end of an order goes what is known of a name without tasks
			target = client.TargetState{}
			a.call("POST", path+"/"+verb, "").is(200).into(&target)
			if target.Name != name || target.Breaker.State == "open" || target.Order.Action != verb {
				t.Errorf("%s after %s: %+v", name, verb, target)
			}
		}
	}
	a.call("POST", "/v1/targets/a/open", `{"for":"1h"}`).problem(400, "invalid", "for")
	a.call("POST", "/v1/targets/a/shut", "").problem(404, "not_found")
	a.call("POST", "/v1/targets/%00/open", "").problem(400, "invalid", "name")
	a.call("POST", "/v1/targets/"+strings.Repeat("a", 513)+"/open", "").problem(400, "invalid", "name")

	a.call("POST", "/v1/targets/a/open", "").is(200)
	id := a.call("POST", "/v1/tasks", `{"type":"a"}`).is(201).id()
	if got := a.call("GET", "/v1/tasks/"+id, "").is(200); got.get("waiting") != `"breaker open"` || got.get("attempt") != "0" {
		t.Errorf("a task of a target that is ordered open: %s", got.body)
	}
}

// What happened to a target is there after the node has ended.
func TestTargetHistory(t *testing.T) {
	a := startOnFile(t, func(node *outlast.Client) {
		outlast.Handle(node, "t", func(context.Context, string) error { return nil })
	})
	a.call("GET", "/v1/targets/t/history", "").problem(404, "not_found")
	a.call("POST", "/v1/tasks?wait=10s", `{"type":"t","payload":"x"}`).is(200)
	a.call("POST", "/v1/targets/t/open", "").is(200)
	for deadline := time.Now().Add(2 * time.Minute); a.call("GET", "/v1/targets/t", "").is(200).get("nodes") == "[]"; {
		if time.Now().After(deadline) {
			t.Fatal("no node obeys")
		}
	}
	a.call("POST", "/v1/targets/t/close", "").is(200) // which closes the breaker and lets it ramp, at once
	for deadline := time.Now().Add(2 * time.Minute); ; {
		var target client.TargetState
		if a.call("GET", "/v1/targets/t", "").is(200).into(&target); !target.Breaker.Forced {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no node obeys")
		}
	}
	must(t, a.node.Stop(t.Context()))
	var history client.TargetHistory
	a.call("GET", "/v1/targets/t/history", "").is(200).into(&history)
	if len(history.Changes) < 2 {
		t.Fatalf("nothing happened: %+v", history)
	}
	if c := history.Changes[len(history.Changes)-1]; c.Part != "breaker" || c.State != "open" || c.Was != "closed" || c.Reason != "forced" || c.Node == "" || c.At.IsZero() {
		t.Errorf("%+v", c)
	}
	for i, c := range history.Changes[:len(history.Changes)-1] { // the newest first: each begins where the one before it ended
		if before := history.Changes[i+1]; c.Was != before.State {
			t.Errorf("%s was %s, after %s: %+v", c.State, c.Was, before.State, history.Changes)
		}
	}
}
