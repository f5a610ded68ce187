package outlast_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A version with a canary decides about its share of the tasks, the version before
// about the rest, each with its fallback, for all attempts; attempts and statistics say
// which one did.
func TestCanary(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, string) error { return errBroken })
		for _, of := range []string{"older", "newer"} {
			outlast.Handle(k.client, of, func(context.Context, string) error { return nil })
		}
		k.start()
		form := `{"max_attempts": %d, "backoff": {"kind": "fixed", "initial": "1s"}, "breaker": "none", "budget": "none", "fallback": {"type": "%s"}%s}`
		k.putPolicy("p", fmt.Sprintf(form, 2, "older", ""))
		tried := k.putPolicy("p", fmt.Sprintf(form, 3, "newer", `, "canary": "30%"`))
		if tried.Version != 2 || tried.Canary.Share != 30 || tried.Canary.BaseVersion != 1 || !strings.Contains(string(tried.Form), `"canary":"30%"`) || tried.Policy.MaxAttempts() != 3 {
			t.Fatalf("%+v", tried)
		}
		const tasks = 200
		made := map[task.ID]int64{}
		for range tasks {
			id := k.enqueue(outlast.Draft{Type: "t", Policy: "p"}).ID
			made[id] = k.get(id).PolicyVersion
		}
		k.after(10 * time.Minute)
		newer := 0
		for id, version := range made {
			view := k.get(id)
			attempts, err := k.client.Inspector().Tasks.Attempts(k.ctx, id)
			if err != nil || view.State != task.Dead || view.PolicyVersion != version || len(attempts) != int(version)+1 {
				t.Fatalf("version %d: %+v, %d attempts, %v", version, view, len(attempts), err)
			}
			for _, attempt := range attempts {
				if attempt.PolicyVersion != version || attempt.Policy != "p" {
					t.Errorf("version %d: %+v", version, attempt)
				}
			}
			if refund := k.get(view.FallbackTask); refund.Type != []string{"", "older", "newer"}[version] {
				t.Errorf("version %d: fallback %s", version, refund.Type)
			}
			newer += int(version) - 1
		}
		if newer < tasks*3/20 || newer > tasks*9/20 { // 4.6 standard deviations
			t.Errorf("%d of %d tasks had the newer version", newer, tasks)
		}
		if err := k.client.Stop(k.ctx); err != nil { // adds up the statistics
			t.Fatal(err)
		}
		k.client = k.open(k.store)
		k.start()
		all, err := k.client.Inspector().Stats.Compare(k.ctx, inspect.ComparisonQuestion{By: inspect.ByPolicyVersion, Type: "t", From: "p@1", To: "p@2"})
		if err != nil || len(all) != 3 || all[0].From.Count != tasks-newer || all[0].To.Count != newer || all[2].From != nil || all[2].To.Count != newer {
			t.Errorf("%+v, %v; %d newer", all, err, newer)
		}
	})
}

// The alert of a policy is that of the version that holds.
func TestCanaryAlerts(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, string) error { return errBroken })
		k.start()
		k.putPolicy("p", `{"max_attempts": 1}`)
		k.putPolicy("p", `{"max_attempts": 1, "alert": {"when": "attempt == 1"}, "canary": "50%"}`)
		versions := [3]int{}
		for range 20 {
			versions[k.get(k.enqueue(outlast.Draft{Type: "t", Policy: "p", Delay: time.Second}).ID).PolicyVersion]++
			k.after(10 * time.Minute) // longer than the cool-down of the alert
		}
		told := 0
		for _, event := range k.log.events(k.T, "alert") {
			if event["rule"] == "task" {
				told++
			}
		}
		if versions[1] == 0 || versions[2] == 0 || told != versions[2] {
			t.Errorf("%v, told of %d: %v", versions, told, k.log.events(k.T, "alert"))
		}
	})
}

func TestCanaryEnds(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		inspector := k.client.Inspector()
		put := func(form string) (*inspect.NamedPolicy, bool, error) {
			return inspector.Policies.Put(k.ctx, inspect.PolicyChange{Name: "p", Form: json.RawMessage(form)})
		}
		_, _, err := put(`{"canary": "10%"}`)
		if e := wantCode(k.T, err, "invalid"); len(e.Fields) != 1 || e.Fields[0].Path != "canary" || !strings.Contains(e.Hint, "without canary first") {
			t.Errorf("%+v", err)
		}
		for _, end := range []func(context.Context, inspect.PolicyChange) (*inspect.NamedPolicy, error){inspector.Policies.Promote, inspector.Policies.Abort} {
			for name, code := range map[string]task.Code{"p": "not_found", "payment": "not_found", "a b": "not_found"} {
				_, err := end(k.ctx, inspect.PolicyChange{Name: name})
				wantCode(k.T, err, code)
			}
		}
		k.putPolicy("p", `{"max_attempts": 2}`)
		_, err = inspector.Policies.Promote(k.ctx, inspect.PolicyChange{Name: "p"})
		wantCode(k.T, err, "conflict")
		k.putPolicy("p", `{"max_attempts": 3, "canary": 10}`)
		if same, changed, err := put(`{"canary": "10.0%", "max_attempts": 3}`); err != nil || changed || same.Version != 2 {
			t.Errorf("%+v, %v, %v", same, changed, err)
		}
		if again := k.putPolicy("p", `{"max_attempts": 4, "canary": 20}`); again.Version != 3 || again.Canary.BaseVersion != 1 {
			t.Errorf("%+v", again)
		}
		two := int64(2)
		_, err = inspector.Policies.Abort(k.ctx, inspect.PolicyChange{Name: "p", Version: &two})
		wantCode(k.T, err, "conflict")
		if shown, err := inspector.Policies.Abort(k.ctx, inspect.PolicyChange{Name: "p", DryRun: true}); err != nil || shown.Version != 4 {
			t.Errorf("%+v, %v", shown, err)
		}
		aborted, err := inspector.Policies.Abort(outlast.WithActor(k.ctx, "ann", "", ""), inspect.PolicyChange{Name: "p"})
		if err != nil || aborted.Version != 4 || aborted.Canary != nil || string(aborted.Form) != `{"max_attempts":2}` {
			t.Errorf("%+v, %v", aborted, err)
		}
		k.putPolicy("p", `{"max_attempts": 5, "canary": 100}`)
		promoted, err := inspector.Policies.Promote(k.ctx, inspect.PolicyChange{Name: "p"})
		if err != nil || promoted.Version != 6 || promoted.Canary != nil || string(promoted.Form) != `{"max_attempts":5}` {
			t.Errorf("%+v, %v", promoted, err)
		}
		versions, err := inspector.Policies.Versions(k.ctx, "p")
		if err != nil || len(versions) != 6 || versions[1].Canary == nil || versions[1].Canary.BaseVersion != 4 || versions[2].Actor != "ann" {
			t.Errorf("%+v, %v", versions, err)
		}
		rows, _, err := inspector.Audit.List(k.ctx, store.AuditFilter{Action: "policy.abort"}, store.Page{})
		if err != nil || len(rows) != 1 || rows[0].Actor != "ann" || rows[0].Subject != "policy/p" || !strings.Contains(string(rows[0].Before), `"share":"20%"`) {
			t.Errorf("%+v, %v", rows, err)
		}
	})
}

// Policies without a name have no version before them.
func TestInlineCanaryIsRefused(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		_, err := k.client.Enqueue(k.ctx, sent(outlast.Draft{Type: "t"}, `{"canary": "10%"}`))
		if e := wantCode(k.T, err, "invalid"); len(e.Fields) != 1 || e.Fields[0].Path != "retry.canary" {
			t.Errorf("%+v", err)
		}
	})
}
