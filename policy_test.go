package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (k *kit) putPolicy(name, form string) *inspect.NamedPolicy {
	k.Helper()
	named, _, err := k.client.Inspector().Policies.Put(k.ctx, inspect.PolicyChange{Name: name, Form: json.RawMessage(form)})
	if err != nil {
		k.Fatal(err)
	}
	return named
}

var errBroken = errors.New("broken")

// A policy that is changed while a task waits for its retry decides about the next
// failure; the attempts say which version decided.
func TestNewestVersionDecides(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, string) error { return errBroken })
		k.start()
		k.putPolicy("slow", `{"max_attempts": 9, "backoff": {"kind": "fixed", "initial": "1m", "jitter": "none"}}`)
		made := k.enqueue(outlast.Draft{Type: "t", Policy: "slow"})
		k.after(30 * time.Second)
		if v := k.putPolicy("slow", `{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1m", "jitter": "none"}}`).Version; v != 2 {
			t.Fatalf("version %d", v)
		}
		k.after(time.Minute)
		view := k.get(made.ID)
		if view.State != task.Dead || view.DeadReason != task.Exhausted || view.PolicyName != "slow" || view.PolicyVersion != 2 || view.MaxAttempts != 2 {
			t.Errorf("%s, %s, %s version %d, %d attempts", view.State, view.DeadReason, view.PolicyName, view.PolicyVersion, view.MaxAttempts)
		}
		attempts, err := k.client.Inspector().Tasks.Attempts(k.ctx, made.ID)
		if err != nil || len(attempts) != 2 || attempts[0].PolicyVersion != 1 || attempts[1].PolicyVersion != 2 || attempts[1].Policy != "slow" {
			t.Errorf("%+v, %v", attempts, err)
		}
	})
}

// lastVersion is the version of the policy that held for the last attempt of a task.
func (k *kit) lastVersion(id task.ID) int64 {
	k.Helper()
	attempts, err := k.client.Inspector().Tasks.Attempts(k.ctx, id)
	if err != nil || len(attempts) == 0 {
		k.Fatal(attempts, err)
	}
	return attempts[len(attempts)-1].PolicyVersion
}

// The newest version decides also where it came while the attempt ran.
func TestNewestVersionDecidesAboutARunningAttempt(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, string) error { <-time.After(time.Minute); return errBroken })
		k.start()
		k.putPolicy("p", `{"max_attempts": 9}`)
		made := k.enqueue(outlast.Draft{Type: "t", Policy: "p"})
		k.after(time.Second)
		k.putPolicy("p", `{"max_attempts": 1}`)
		k.after(time.Minute)
		if view := k.get(made.ID); view.State != task.Dead || k.lastVersion(made.ID) != 2 {
			t.Errorf("%s, version %d", view.State, k.lastVersion(made.ID))
		}
	})
}

// Inline goes before the task's policy, then those of the type, the handler, the
// queue, and the default; each as it is now.
func TestWhichPolicyHolds(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "coded", func(context.Context, string) error { return nil }, outlast.Policy("payment"))
		k.start()
		inspector := k.client.Inspector()
		holds := func(d outlast.Draft, name string, attempts int) {
			t.Helper()
			d.Delay = time.Hour
			view := k.get(k.enqueue(d).ID)
			if view.PolicyName != name || view.MaxAttempts != attempts {
				t.Errorf("%+v: policy %s with %d attempts, want %s with %d", d, view.PolicyName, view.MaxAttempts, name, attempts)
			}
		}
		holds(outlast.Draft{Type: "x"}, "default", 8)
		k.putPolicy("of-queue", `{"max_attempts": 11}`)
		if _, err := inspector.Queues.Put(k.ctx, store.Queue{Name: "q", Policy: "of-queue"}); err != nil {
			t.Fatal(err)
		}
		holds(outlast.Draft{Type: "x", Queue: "q"}, "of-queue", 11)
		holds(outlast.Draft{Type: "coded", Queue: "q"}, "payment", 5)
		k.putPolicy("payment", `{"preset": "payment", "max_attempts": 12}`)
		holds(outlast.Draft{Type: "coded", Queue: "q"}, "payment", 12)
		k.object(policy.KindType, "coded", `{"policy": "of-queue", "queue": "q", "max_attempts": 3}`)
		holds(outlast.Draft{Type: "coded"}, "of-queue", 3)
		holds(outlast.Draft{Type: "coded", Policy: "payment"}, "payment", 12)
		holds(outlast.Draft{Type: "coded", Retry: inline(`{"max_attempts": 13}`)}, "inline", 13)
		if view := k.get(k.enqueue(outlast.Draft{Type: "coded", Delay: time.Hour}).ID); view.Queue != "q" {
			t.Errorf("queue %s", view.Queue)
		}
		k.putPolicy("default", `{"max_attempts": 14}`)
		holds(outlast.Draft{Type: "x"}, "default", 14)

		k.object(policy.KindSetting, policy.Retries, `{"on": false}`)
		for _, d := range []outlast.Draft{{Type: "x"}, {Type: "coded"}, {Type: "x", Policy: "payment"}, {Type: "x", Retry: inline(`{"max_attempts": 13}`)}} {
			if view := k.get(k.enqueue(d).ID); view.MaxAttempts != 1 {
				t.Errorf("%+v: %d attempts with retries off", d, view.MaxAttempts)
			}
		}
	})
}

// object puts an object as the configuration file does.
func (k *kit) object(kind, name, body string) {
	k.Helper()
	if _, err := k.store.Change(k.ctx, store.Change{Put: []store.Object{{Kind: kind, Name: name, Body: []byte(body), Managed: policy.ManagedByFile}}}); err != nil {
		k.Fatal(err)
	}
	k.after(2 * time.Second) // nodes look every second
}

// With retries off not even a task's own max_attempts or a rule gives another try.
func TestRetriesOff(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, string) error { return errBroken })
		k.start()
		k.object(policy.KindSetting, policy.Retries, `{"on": false}`)
		five := 5
		for _, d := range []outlast.Draft{
			{Type: "t", MaxAttempts: &five},
			{Type: "t", Retry: inline(`{"unlimited": true, "rules": [{"when": "attempt < 9", "then": "snooze"}]}`)},
		} {
			made := k.enqueue(d)
			k.after(time.Second)
			if view := k.get(made.ID); view.State != task.Dead || view.Attempt != 1 || view.MaxAttempts != 1 {
				t.Errorf("%s after %d of %d attempts", view.State, view.Attempt, view.MaxAttempts)
			}
		}
	})
}

// A change made through one node holds on the other within two seconds, for tasks
// that it runs; a policy that is unknown to it is looked for when a task names it.
func TestPoliciesOnTwoNodes(t *testing.T) {
	virtually(t, func(k *kit) {
		other := k.open(k.store)
		outlast.Handle(other, "t", func(context.Context, string) error { return errBroken })
		k.start()
		if err := other.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.putPolicy("p", `{"max_attempts": 1}`)
		receipt, err := other.Enqueue(k.ctx, outlast.Draft{Type: "t", Policy: "p"})
		if err != nil {
			t.Fatalf("the other node does not know the policy: %v", err)
		}
		k.after(30 * time.Second)
		if view := k.get(receipt.Task.ID); view.State != task.Dead || k.lastVersion(receipt.Task.ID) != 1 {
			t.Errorf("%s, version %d", view.State, k.lastVersion(receipt.Task.ID))
		}
		k.putPolicy("p", `{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1s"}}`)
		k.after(2 * time.Second)
		made := k.enqueue(outlast.Draft{Type: "t", Policy: "p"})
		k.after(30 * time.Second)
		if view := k.get(made.ID); view.State != task.Dead || view.Attempt != 2 || k.lastVersion(made.ID) != 2 {
			t.Errorf("%s after %d attempts, version %d", view.State, view.Attempt, k.lastVersion(made.ID))
		}
	})
}

// A policy that is gone does not kill the tasks that name it.
func TestPolicyThatIsGone(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		k.putPolicy("p", `{"max_attempts": 3}`)
		made := k.enqueue(outlast.Draft{Type: "x", Policy: "p", Delay: time.Hour})
		if err := k.client.Inspector().Policies.Delete(k.ctx, inspect.PolicyChange{Name: "p"}); err != nil {
			t.Fatal(err)
		}
		if view := k.get(made.ID); view.PolicyName != "default" || view.MaxAttempts != 8 {
			t.Errorf("%s with %d attempts", view.PolicyName, view.MaxAttempts)
		}
		if told := k.log.events(t, "policy.missing"); len(told) != 1 {
			t.Errorf("told %v", told)
		}
		versions, err := k.client.Inspector().Policies.Versions(k.ctx, "p")
		if err != nil || len(versions) != 2 || versions[0].Form != nil || versions[1].Form == nil {
			t.Errorf("%+v, %v", versions, err)
		}
		if _, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "x", Policy: "p"}); !errors.Is(err, &outlast.Error{Code: task.CodeInvalid}) {
			t.Errorf("a task may name it still: %v", err)
		}
	})
}

// A version that a later release has put, and this program cannot read, leaves the
// one before in force.
func TestUnreadablePolicy(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		k.putPolicy("p", `{"max_attempts": 3}`)
		if _, err := k.store.Change(k.ctx, store.Change{Put: []store.Object{{Kind: policy.Kind, Name: "p", Version: 1, Body: []byte(`{"from_the_future": 1}`)}}}); err != nil {
			t.Fatal(err)
		}
		k.after(2 * time.Second)
		if view := k.get(k.enqueue(outlast.Draft{Type: "x", Policy: "p", Delay: time.Hour}).ID); view.MaxAttempts != 3 {
			t.Errorf("%d attempts", view.MaxAttempts)
		}
		if told := k.log.events(t, "policy.unreadable"); len(told) != 1 || !strings.Contains(told[0]["error"].(string), "from_the_future") {
			t.Errorf("told %v", told)
		}
	})
}

// The fallback of a policy is that of tasks which bring none.
func TestFallbackOfAPolicy(t *testing.T) {
	virtually(t, func(k *kit) {
		ran := ""
		outlast.Handle(k.client, "t", func(context.Context, string) error { return errBroken })
		outlast.Handle(k.client, "refund", func(_ context.Context, payload string) error { ran = payload; return nil })
		k.start()
		k.putPolicy("p", `{"max_attempts": 1, "fallback": {"type": "refund"}}`)
		made := k.enqueue(outlast.Draft{Type: "t", Policy: "p", Payload: []byte(`"order 7"`)})
		k.after(time.Second)
		if view := k.get(made.ID); ran != "order 7" || view.FallbackState != task.Succeeded {
			t.Errorf("ran %q, %s", ran, view.FallbackState)
		}
	})
}

func TestPolicyChanges(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		inspector := k.client.Inspector()
		put := func(name, form string, version *int64) (*inspect.NamedPolicy, bool, error) {
			return inspector.Policies.Put(outlast.WithActor(k.ctx, "ann", "", ""), inspect.PolicyChange{Name: name, Form: json.RawMessage(form), Version: version})
		}
		none, one := int64(0), int64(1)
		first, changed, err := put("p", `{"max_attempts": 3, "ttl": "1m"}`, &none)
		if err != nil || !changed || first.Version != 1 || first.Source != inspect.PolicyAPI || first.Actor != "ann" {
			t.Fatalf("%+v, %v, %v", first, changed, err)
		}
		if same, changed, err := put("p", ` {"ttl":"60s" , "max_attempts":3}`, nil); err != nil || changed || same.Version != 1 {
			t.Errorf("the same in another form: %+v, %v, %v", same, changed, err)
		}
		if _, _, err := put("p", `{"max_attempts": 4}`, &none); !errors.Is(err, &outlast.Error{Code: task.CodeConflict}) {
			t.Errorf("it is not new: %v", err)
		}
		k.after(time.Second)
		if _, _, err := put("p", `{"max_attempts": 4}`, &one); err != nil {
			t.Error(err)
		}
		if _, _, err := put("p", `{"max_attempts": 5}`, &one); !errors.Is(err, &outlast.Error{Code: task.CodeConflict}) {
			t.Errorf("it has changed: %v", err)
		}
		preview, changed, err := inspector.Policies.Put(k.ctx, inspect.PolicyChange{Name: "p", Form: json.RawMessage(`{"max_attempts": 6}`), DryRun: true})
		if err != nil || !changed || preview.Version != 3 || preview.Policy.MaxAttempts() != 6 {
			t.Errorf("%+v, %v, %v", preview, changed, err)
		}
		if p, err := inspector.Policies.Get(k.ctx, "p"); err != nil || p.Version != 2 {
			t.Errorf("a dry run changes: %+v, %v", p, err)
		}
		rows, _, err := k.store.Audit(k.ctx, store.AuditFilter{Subject: "policy/p"}, store.Page{Limit: 10})
		if err != nil || len(rows) != 2 || rows[0].Actor != "ann" || rows[0].Action != "policy.put" || rows[0].Before == nil || rows[1].Before != nil {
			t.Errorf("%+v, %v", rows, err)
		}
		if _, err := inspector.Queues.Put(k.ctx, store.Queue{Name: "q", Policy: "p"}); err != nil {
			t.Error(err)
		}
		if err := inspector.Policies.Delete(k.ctx, inspect.PolicyChange{Name: "p"}); !errors.Is(err, &outlast.Error{Code: task.CodeConflict}) || !strings.Contains(err.Error(), "queue/q") {
			t.Errorf("a queue names it: %v", err)
		}
		for _, name := range []string{"payment", "nothere"} {
			if err := inspector.Policies.Delete(k.ctx, inspect.PolicyChange{Name: name}); !errors.Is(err, &outlast.Error{Code: task.CodeNotFound}) {
				t.Errorf("%s: %v", name, err)
			}
		}
		k.object(policy.Kind, "filed", `{"max_attempts":3}`)
		if _, _, err := put("filed", `{}`, nil); !errors.Is(err, &outlast.Error{Code: task.CodeManagedByFile}) {
			t.Errorf("the file owns it: %v", err)
		}
		if err := inspector.Policies.Delete(k.ctx, inspect.PolicyChange{Name: "filed"}); !errors.Is(err, &outlast.Error{Code: task.CodeManagedByFile}) {
			t.Errorf("the file owns it: %v", err)
		}
		all, err := inspector.Policies.List(k.ctx)
		if err != nil || len(all) != len(retry.Presets())+2 {
			t.Errorf("%d policies, %v", len(all), err)
		}
	})
}

// A handler may name a policy that was put before; a name that means nothing is
// found at the start.
func TestHandlerNamesAPolicy(t *testing.T) {
	virtually(t, func(k *kit) {
		k.object(policy.Kind, "p", `{"max_attempts":1}`)
		outlast.Handle(k.client, "t", func(context.Context, string) error { return errBroken }, outlast.Policy("p"))
		k.start()
		made := k.enqueue(outlast.Draft{Type: "t"})
		k.after(time.Second)
		if view := k.get(made.ID); view.State != task.Dead || view.PolicyName != "p" || view.PolicyVersion != 1 {
			t.Errorf("%s, %s version %d", view.State, view.PolicyName, view.PolicyVersion)
		}
		other := k.open(k.store)
		outlast.Handle(other, "u", func(context.Context, string) error { return nil }, outlast.Policy("nothere"))
		if err := other.Start(k.ctx); !errors.Is(err, &outlast.Error{Code: task.CodeInvalid}) || !strings.Contains(err.Error(), "nothere") {
			t.Errorf("got %v", err)
		}
	})
}
