package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// kill makes dead letters of a type that dies, and returns their ids.
func (a *api) kill(count int) []string {
	a.t.Helper()
	ids := make([]string, count)
	for i := range ids {
		ids[i] = a.call("POST", "/v1/tasks?wait=30s", fmt.Sprintf("{\"type\":\"bad\",\"payload\":[ %d,\n 2]}", i)).is(200).id()
	}
	return ids
}

func TestDeadLetters(t *testing.T) {
	a := start(t, answers)
	ids := a.kill(3)
	var page client.Tasks
	a.call("GET", "/v1/dead", "").is(200).into(&page)
	var listed []string
	for _, letter := range page.Tasks {
		listed = append(listed, letter.ID.String())
		if letter.DeadReason == "" {
			t.Errorf("no reason: %+v", letter)
		}
	}
	// Newest first is by id; ids of one millisecond are in no order of their enqueues.
	want := slices.Sorted(slices.Values(ids))
	slices.Reverse(want)
	if !slices.Equal(listed, want) {
		t.Errorf("dead letters %v, want %v", listed, want)
	}
	letter := a.call("GET", "/v1/dead/"+ids[0], "").is(200)
	if letter.get("id") != `"`+ids[0]+`"` || !strings.HasPrefix(letter.get("attempts"), `[{"number":1,`) || letter.get("payload") != "[ 0,\n 2]" {
		t.Errorf("letter %s", letter.body)
	}
	var stats client.DeadStats
	a.call("GET", "/v1/dead/stats", "").is(200).into(&stats)
	if stats.Total != 3 || stats.ByType["bad"] != 3 || len(stats.ByReason) != 1 || len(stats.ByCategory) != 1 {
		t.Errorf("stats %+v", stats)
	}
	var groups client.DeadGroups
	a.call("GET", "/v1/dead/groups", "").is(200).into(&groups)
	if len(groups.Groups) != 1 || groups.Groups[0].Count != 3 || groups.Groups[0].Fingerprint == "" || groups.Groups[0].FirstSeen.IsZero() {
		t.Errorf("groups %+v", groups)
	}
	a.call("GET", "/v1/dead?reason=tired", "").problem(400, "invalid", "reason")
	live := a.call("POST", "/v1/tasks", `{"type":"a",`+later+`}`).is(201).id()
	a.call("GET", "/v1/dead/"+live, "").problem(404, "not_found")
	if got := len(a.deadWith("fingerprint=0000000000000000")); got != 0 {
		t.Errorf("%d letters of an unknown fingerprint", got)
	}
}

func (a *api) deadWith(query string) []client.Task {
	a.t.Helper()
	var page client.Tasks
	a.call("GET", "/v1/dead?"+query, "").is(200).into(&page)
	return page.Tasks
}

func TestExportHasOneLetterPerLine(t *testing.T) {
	a := start(t, answers)
	a.kill(3)
	got := a.call("GET", "/v1/dead/export", "").is(200)
	if kind := got.header.Get("Content-Type"); kind != "application/x-ndjson" {
		t.Errorf("content type %q", kind)
	}
	lines := 0
	for scanner := bufio.NewScanner(bytes.NewReader(got.body)); scanner.Scan(); lines++ {
		var letter client.Letter
		must(t, json.Unmarshal(scanner.Bytes(), &letter))
		if letter.State != "dead" || len(letter.Attempts) != 1 || !strings.HasSuffix(string(letter.Payload), ",  2]") || letter.MaxAttempts == 0 {
			t.Errorf("line %d: %s", lines, scanner.Bytes())
		}
	}
	if lines != 3 {
		t.Errorf("%d lines, want 3", lines)
	}
	if empty := a.call("GET", "/v1/dead/export?type=other", "").is(200); len(empty.body) != 0 {
		t.Errorf("got %s", empty.body)
	}
	a.call("GET", "/v1/dead/export?reason=tired", "").problem(400, "invalid", "reason")
}

// Names of targets have colons and brackets; URLs carry them with and without
// percent-encoding.
func TestNamesOfTargets(t *testing.T) {
	up := receiver(t, func(http.ResponseWriter, *http.Request) {})
	name := strings.TrimPrefix(up, "http://")
	a := start(t)
	a.call("POST", "/v1/tasks?wait=30s", `{"target":{"url":"`+up+`"}}`).is(200)
	for path, want := range map[string]string{
		name: name, strings.ReplaceAll(name, ":", "%3A"): name,
		"[2001:db8::1]:8443": "[2001:db8::1]:8443", "%5B2001%3Adb8%3A%3A1%5D%3A8443": "[2001:db8::1]:8443",
		"2001:db8::1": "2001:db8::1", "https:api.example.com": "https:api.example.com",
	} {
		var got client.TargetState
		a.call("POST", "/v1/targets/"+path+"/open", "").is(200).into(&got)
		if got.Name != want || got.Breaker.State != "open" || (len(got.Nodes) == 0) != (want != name) {
			t.Errorf("%s: %+v", path, got)
		}
		a.call("GET", "/v1/targets/"+path, "").is(200).into(&got)
		if got.Name != want {
			t.Errorf("%s: %+v", path, got)
		}
		a.call("POST", "/v1/targets/"+path+"/reset", "").is(200)
		if want != name {
			a.call("GET", "/v1/targets/"+path, "").problem(404, "not_found")
		}
	}
}

// A redrive that nobody watches does not say that nothing died again.
func TestRedriveNotWatched(t *testing.T) {
	url := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	for options, isWatched := range map[string]bool{"": false, `,"rate":100`: false, `,"stop_if_failing":1`: true} {
		a := start(t)
		a.call("POST", "/v1/tasks?wait=30s", `{"type":"push","target":{"url":"`+url+`"}}`).is(200)
		var out client.Redriven
		a.call("POST", "/v1/dead/redrive", `{"filter":{}`+options+`}`).is(202).into(&out)
		a.ended(out.Operation)
		got := a.call("GET", "/v1/operations/"+out.Operation, "").is(200)
		if got.get("sent") != "1" || (got.get("failing") != "") != isWatched || (got.get("succeeded") != "") != isWatched {
			t.Errorf("with %q the operation is %s", options, got.body)
		}
	}
}

func TestRedrive(t *testing.T) {
	var up atomic.Bool
	url := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusGone)
		}
	})
	a := start(t)
	var ids []string
	for range 3 {
		ids = append(ids, a.call("POST", "/v1/tasks?wait=30s", `{"type":"push","target":{"url":"`+url+`"}}`).is(200).id())
	}
	var out client.Redriven
	a.call("POST", "/v1/dead/redrive", `{"filter":{"type":"push"},"dry_run":true}`).is(202).into(&out)
	if out.Matched != 3 || out.Operation != "" || len(a.deadWith("")) != 3 {
		t.Errorf("dry run %+v", out)
	}
	if s := out.Sample; len(s) != 3 || !slices.Contains(ids, s[0].ID.String()) || s[0].Type != "push" || s[0].Reason != "permanent" || s[0].Category == "" || s[0].Age == "" || s[0].DiedAt.IsZero() {
		t.Errorf("the sample is %+v", s)
	}
	if w := out.Warnings; len(w) != 1 || w[0] != (client.RedriveWarning{Code: "permanent", Letters: 3, Of: 3}) {
		t.Errorf("it warns of %+v", w)
	}
	up.Store(true)
	a.call("POST", "/v1/dead/redrive", `{"ids":["`+ids[0]+`","`+client.NewID().String()+`"],"payload":{"new":1}}`).is(202).into(&out)
	if out.Matched != 1 || len(out.Missing) != 1 {
		t.Errorf("by ids %+v", out)
	}
	a.until(ids[0], "succeeded")
	if got := a.call("GET", "/v1/tasks/"+ids[0], "").is(200); got.get("payload") != `{"new":1}` {
		t.Errorf("got %s", got.body)
	}
	a.call("POST", "/v1/dead/redrive", `{"filter":{},"canary":1,"stop_if_failing":0.5,"rate":100}`).is(202).into(&out)
	if out.Operation == "" || out.Matched != 2 {
		t.Fatalf("by filter %+v", out)
	}
	a.until(ids[1], "succeeded")
	a.until(ids[2], "succeeded")
	a.ended(out.Operation)
	path := "/v1/operations/" + out.Operation
	got := a.call("GET", path, "").is(200)
	if got.get("sent") != "2" || got.get("skipped") != "0" || !strings.Contains(got.get("request"), `"canary":1`) || !strings.Contains(got.get("request"), `"stop_if_failing":0.5`) {
		t.Errorf("the operation is %s", got.body)
	}
	var report client.OperationItems
	a.call("GET", path+"/items?limit=1", "").is(200).into(&report)
	if len(report.Items) != 1 || !slices.Contains(ids[1:], report.Items[0].ID.String()) || report.Items[0].Status != "succeeded" || report.NextCursor == "" {
		t.Errorf("the first page of the report is %+v", report)
	}
	a.call("GET", path+"/items?cursor="+report.NextCursor, "").is(200).into(&report)
	if len(report.Items) != 1 || report.Items[0].Place != 2 || report.NextCursor != "" {
		t.Errorf("the second page of the report is %+v", report)
	}
	a.call("GET", path+"/items?cursor=x", "").problem(400, "invalid", "cursor")
	a.call("GET", path+"/items?limit=501", "").problem(400, "invalid", "limit")
	a.call("GET", "/v1/operations/none/items", "").problem(404, "not_found")
	var operations client.Operations
	a.call("GET", "/v1/operations", "").is(200).into(&operations)
	if len(operations.Operations) == 0 || operations.Operations[0].ID != out.Operation {
		t.Errorf("operations %+v", operations)
	}
	for body, path := range map[string]string{
		`{}`: "filter", `{"ids":[],"filter":null}`: `"ids"`, `{"filter":{},"ids":["` + ids[0] + `"]}`: "filter", `{"ids":["x"]}`: "ids[0]",
		`{"filter":{"tpye":"a"}}`: "filter.tpye", `{"filter":{},"canary":1001}`: "canary", `{"filter":{},"stop_if_failing":true}`: "stop_if_failing",
		`{"filter":{"reason":"tired"}}`: "filter.reason", `{"filter":{},"rate":-1}`: "rate",
	} {
		got := a.call("POST", "/v1/dead/redrive", body)
		got.is(400)
		if !strings.Contains(string(got.body), path) {
			t.Errorf("%s: no complaint at %s: %s", body, path, got.body)
		}
	}
}

// ended waits for the end of an operation.
func (a *api) ended(id string) {
	a.t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		got := a.call("GET", "/v1/operations/"+id, "").is(200)
		switch got.get("state") {
		case `"done"`, `"canceled"`:
			return
		case `"failed"`:
			a.t.Fatalf("%s", got.body)
		}
		<-ticker.C
	}
}

func TestOperationsAreSteered(t *testing.T) {
	a := start(t, answers)
	a.kill(5)
	var out client.Redriven
	a.call("POST", "/v1/dead/redrive", `{"filter":{},"rate":0.01}`).is(202).into(&out)
	path := "/v1/operations/" + out.Operation
	if got := a.call("POST", path+"/pause", "").is(200); got.get("state") != `"paused"` {
		t.Errorf("got %s", got.body)
	}
	if got := a.call("POST", path+"/resume", "").is(200); got.get("state") != `"running"` {
		t.Errorf("got %s", got.body)
	}
	if got := a.call("POST", path+"/cancel", "").is(200); got.get("state") != `"canceled"` {
		t.Errorf("got %s", got.body)
	}
	a.call("POST", path+"/resume", "").problem(409, "conflict")
	a.call("GET", "/v1/operations/none", "").problem(404, "not_found")
}

func TestPurge(t *testing.T) {
	a := start(t, answers)
	ids := a.kill(3)
	purge := func(body string, matched, left int) {
		t.Helper()
		var out client.Purged
		a.call("POST", "/v1/dead/purge", body).is(200).into(&out)
		if got := len(a.deadWith("")); out.Matched != matched || got != left {
			t.Errorf("%s: matched %d, %d left; want %d and %d", body, out.Matched, got, matched, left)
		}
	}
	a.call("POST", "/v1/dead/purge", `{}`).problem(400, "invalid", "filter")
	for _, path := range []string{"/v1/dead/purge", "/v1/dead/redrive"} { // no ids beside a filter would mean every letter
		a.call("POST", path, `{"ids":[],"filter":{}}`).problem(400, "invalid", "ids")
	}
	purge(`{"filter":{"type":"other"}}`, 0, 3)
	purge(`{"filter":{},"dry_run":true}`, 3, 3)
	purge(`{"ids":["`+ids[0]+`"]}`, 1, 2)
	purge(`{"filter":{}}`, 2, 0)
}

// A redrive and a purge with the time of their dry run are about the letters that it
// has counted: one that dies later stays.
func TestWhatDiesAfterTheDryRunStays(t *testing.T) {
	for _, call := range []string{"redrive", "purge"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			a := start(t, answers)
			a.kill(3)
			var dry struct {
				Matched    int         `json:"matched"`
				DiedBefore client.Time `json:"died_before"`
			}
			a.call("POST", "/v1/dead/"+call, `{"filter":{"type":"bad"},"dry_run":true}`).into(&dry)
			if dry.Matched != 3 || time.Since(dry.DiedBefore.Time).Abs() > time.Minute {
				t.Fatalf("dry run: %+v", dry)
			}
			late := a.kill(1)[0]
			bound, err := dry.DiedBefore.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if counted := a.deadWith("died_before=" + string(bound)); len(counted) != 3 {
				t.Errorf("%d letters died before the dry run", len(counted))
			}
			before := a.call("GET", "/v1/tasks/"+late, "").is(200).body
			var done client.Redriven
			a.call("POST", "/v1/dead/"+call, `{"filter":{"type":"bad","died_before":"`+string(bound)+`"}}`).into(&done)
			if done.Matched != 3 || !done.DiedBefore.IsZero() {
				t.Errorf("%s: %+v", call, done)
			}
			if call == "redrive" {
				a.ended(done.Operation)
				var o client.Operation
				a.call("GET", "/v1/operations/"+done.Operation, "").is(200).into(&o)
				if o.Done != 3 || !o.Request.Filter.DiedBefore.Equal(dry.DiedBefore.Time) {
					t.Errorf("the operation is %+v about %+v", o, o.Request.Filter)
				}
			}
			if after := a.call("GET", "/v1/tasks/"+late, "").is(200).body; string(after) != string(before) {
				t.Errorf("the later letter was %s, is %s", before, after)
			}
		})
	}
}

// A time that has not come yet means now: no letter dies into a redrive or a purge.
func TestDiedBeforeInTheFuture(t *testing.T) {
	a := start(t, answers)
	a.kill(2)
	var dry client.Purged
	a.call("POST", "/v1/dead/purge", `{"filter":{"died_before":"2999-01-01T00:00:00Z"},"dry_run":true}`).is(200).into(&dry)
	if dry.Matched != 2 || time.Since(dry.DiedBefore.Time).Abs() > time.Minute {
		t.Errorf("dry run: %+v", dry)
	}
	a.call("POST", "/v1/dead/purge", `{"filter":{"died_before":"yesterday"}}`).problem(400, "invalid", "filter.died_before")
	a.call("GET", "/v1/dead?died_before=yesterday", "").problem(400, "invalid", "died_before")
}

func TestQueues(t *testing.T) {
	a := start(t)
	a.call("GET", "/v1/queues/billing", "").problem(404, "not_found")
	a.call("POST", "/v1/queues/billing/pause", "").problem(404, "not_found")
	a.call("PUT", "/v1/queues/billing", `{"lanes":16,"concurrency":5,"unknown_type":"dead"}`).is(201)
	changed := a.call("PUT", "/v1/queues/billing", `{"weight":3}`).is(200)
	for field, want := range map[string]string{"lanes": "16", "concurrency": "5", "unknown_type": `"dead"`, "weight": "3", "paused": "false"} {
		if changed.get(field) != want {
			t.Errorf("%s is %s, want %s", field, changed.get(field), want)
		}
	}
	if got := a.call("POST", "/v1/queues/billing/pause", "").is(200); got.get("paused") != "true" {
		t.Errorf("got %s", got.body)
	}
	a.call("PUT", "/v1/queues/billing", `{"weight":2}`).is(200)
	if got := a.call("GET", "/v1/queues/billing", "").is(200); got.get("paused") != "true" {
		t.Errorf("a change resumed the queue: %s", got.body)
	}
	if got := a.call("POST", "/v1/queues/billing/resume", "").is(200); got.get("paused") != "false" {
		t.Errorf("got %s", got.body)
	}
	var list client.Queues
	a.call("GET", "/v1/queues", "").is(200).into(&list)
	if len(list.Queues) != 2 || list.Queues[0].Name != "billing" || list.Queues[1].Name != "default" {
		t.Errorf("queues %+v", list)
	}
	for _, body := range []string{`{"lanes":4}`, `{"lanes":0}`, `{"lanes":1000}`, `{"unknown_type":"maybe"}`, `{"concurrency":-1}`, `{"name":"x"}`, `{"paused":true}`} {
		a.call("PUT", "/v1/queues/billing", body).is(400)
	}
	a.call("PUT", "/v1/queues/a%20b", `{}`).is(400)
	a.call("POST", "/v1/tasks", `{"type":"a","queue":"nowhere"}`).problem(400, "invalid", "queue")
}

func TestHealth(t *testing.T) {
	a := start(t)
	a.call("GET", "/livez", "").is(200)
	a.call("HEAD", "/livez", "").is(200)
	if got := a.call("GET", "/readyz", "").is(200); got.get("status") != `"ready"` || got.get("checks") != "" {
		t.Errorf("got %s", got.body)
	}
	for _, query := range []string{"?verbose", "?verbose=true"} {
		got := a.call("GET", "/readyz"+query, "").is(200)
		for _, check := range []string{"store", "engine", "lanes", "retries"} {
			if got.get("checks", check, "ok") != "true" {
				t.Errorf("%s: %s", check, got.body)
			}
		}
	}
	a.call("GET", "/debug/pprof/", "").problem(404, "not_found")
	got := a.call("GET", "/metrics", "").is(200)
	if !bytes.Contains(got.body, []byte(`outlast_http_requests_total{route="GET /livez",status="200"} 2`)) {
		t.Errorf("no count of requests in\n%s", got.body)
	}
}

func TestReleaseKeyLetsTheNextTasksGoOn(t *testing.T) {
	a := start(t, answers)
	enqueue := func(taskType string) string {
		got := a.call("POST", "/v1/tasks?wait=30s", `{"type":"`+taskType+`","key":"k","max_attempts":1}`)
		return strings.Trim(got.get("id"), `"`)
	}
	bad := enqueue("bad")
	next := a.call("POST", "/v1/tasks?wait=50ms", `{"type":"ok","key":"k"}`).is(202)
	id := strings.Trim(next.get("id"), `"`)
	var keys client.BlockedKeys
	if a.call("GET", "/v1/keys?queue=default", "").is(200).into(&keys); len(keys.Keys) != 1 || keys.Keys[0].Key != "k" || keys.Keys[0].DeadLetter.String() != bad || keys.Keys[0].Waiting != 1 {
		t.Errorf("%+v", keys)
	}
	a.call("GET", "/v1/keys?cursor=x", "").problem(400, "invalid", "cursor")
	var waiting client.Tasks
	if a.call("GET", "/v1/tasks?waiting=key+blocked", "").is(200).into(&waiting); len(waiting.Tasks) != 1 || waiting.Tasks[0].ID.String() != id {
		t.Errorf("%+v", waiting)
	}
	a.call("GET", "/v1/tasks?waiting=key", "").problem(400, "invalid", "waiting")
	var health client.Health
	if a.call("GET", "/readyz?verbose", "").is(200).into(&health); health.Checks["blocked keys"].OK || !strings.HasPrefix(health.Checks["blocked keys"].Detail, "1 ordering key is blocked") || !health.Checks["blocked keys"].Since.Equal(keys.Keys[0].Since.Time) {
		t.Errorf("%+v", health.Checks["blocked keys"])
	}
	if got := a.call("POST", "/v1/queues/default/release-key", `{"key":"k"}`).is(200); got.get("released") != "true" {
		t.Errorf("got %s", got.body)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for a.call("GET", "/v1/tasks/"+id, "").is(200).get("state") != `"succeeded"` {
		if time.Now().After(deadline) {
			t.Fatal("the task behind the released key did not run")
		}
	}
	a.call("GET", "/v1/dead/"+bad, "").is(200)
	if got := a.call("POST", "/v1/queues/default/release-key", `{"key":"k"}`).is(200); got.get("released") != "false" {
		t.Errorf("got %s", got.body)
	}
	a.call("POST", "/v1/queues/default/release-key", `{}`).problem(400, "invalid", "key")
	a.call("POST", "/v1/queues/nowhere/release-key", `{"key":"k"}`).problem(404, "not_found")
}
