package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// told keeps what callbacks are told.
type told struct {
	mu   sync.Mutex
	ends []task.Ended
}

func (b *told) handle(_ context.Context, end task.Ended) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ends = append(b.ends, end)
	return nil
}

// A death enqueues fallback and callback, a success its callback. Each is a task, and
// the one that it follows shows what became of it.
func TestWhatFollowsAnEnd(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		box := &told{}
		outlast.Handle(k.client, "charge", func(context.Context, string) error { return outlast.GiveUp(errors.New("no such card")) })
		outlast.Handle(k.client, "refund", func(context.Context, string) error { return outlast.GiveUp(errors.New("the bank is closed")) })
		outlast.Handle(k.client, "ship", func(context.Context, string) error { return nil })
		outlast.Handle(k.client, "told", box.handle)
		k.start()
		callback := &task.Follow{Type: "told"}
		charge := k.enqueue(outlast.Draft{Type: "charge", Key: "ann", Payload: []byte(`"7 EUR"`), Fallback: &task.Follow{Type: "refund"}, OnDead: callback, OnSuccess: callback})
		ship := k.enqueue(outlast.Draft{Type: "ship", Payload: []byte(`"a box"`), OnDead: callback, OnSuccess: callback})
		k.after(time.Second)

		dead := k.get(charge.ID)
		if dead.FallbackState != task.Dead || dead.FallbackError == nil || dead.FallbackError.Message != "the bank is closed" || dead.CallbackState != task.Succeeded {
			t.Errorf("the fallback is %s, %+v, the callback %s", dead.FallbackState, dead.FallbackError, dead.CallbackState)
		}
		refund, callbackOf := k.get(dead.FallbackTask), k.get(dead.CallbackTask)
		if refund.Spec.Parent != charge.ID || refund.Spec.Follows != task.FollowFallback || refund.Spec.Depth != 1 || refund.Key != "" || string(refund.Payload) != `"7 EUR"` {
			t.Errorf("the fallback is %+v", refund.Task)
		}
		if callbackOf.Spec.Parent != charge.ID || callbackOf.Spec.Follows != task.FollowOnDead || callbackOf.Spec.Depth != 0 {
			t.Errorf("the callback is %+v", callbackOf.Task)
		}
		if done := k.get(ship.ID); done.CallbackState != task.Succeeded || k.get(done.CallbackTask).Spec.Follows != task.FollowOnSuccess || !done.FallbackTask.IsZero() {
			t.Errorf("after a success: %+v", done)
		}
		if len(box.ends) != 2 {
			t.Fatalf("%d callbacks: %+v", len(box.ends), box.ends)
		}
		for _, end := range box.ends {
			switch {
			case end.Task == charge.ID && end.State == task.Dead && end.Reason == task.Rejected && end.Key == "ann" && end.Attempt == 1 &&
				end.Error.Message == "no such card" && string(end.Payload) == `"7 EUR"`:
			case end.Task == ship.ID && end.State == task.Succeeded && end.Reason == "" && end.Error == nil && string(end.Payload) == `"a box"`:
			default:
				t.Errorf("told %+v", end)
			}
		}
	})
}

// A callback is found from its task also after lanes were added to its queue.
func TestCallbackIsFoundAfterLanesWereAdded(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		nothing := func(context.Context, json.RawMessage) error { return nil }
		outlast.Handle(k.client, "a", nothing)
		outlast.Handle(k.client, "told", nothing)
		k.start()
		var tasks []*outlast.Task
		for range 20 {
			tasks = append(tasks, k.enqueue(outlast.Draft{Type: "a", OnSuccess: &task.Follow{Type: "told"}}))
		}
		k.after(time.Second)
		if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: task.DefaultQueue, Lanes: 31}); err != nil {
			t.Fatal(err)
		}
		k.after(time.Second)
		for _, one := range tasks {
			if view := k.get(one.ID); view.CallbackTask.IsZero() || view.CallbackState != task.Succeeded {
				t.Fatalf("%s has the callback %s, %s", one.ID, view.CallbackTask, view.CallbackState)
			}
		}
	})
}

// The callbacks of a definition are definitions that take what became of the call.
func TestDefinitionWithCallbacks(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		well, badly := &told{}, &told{}
		thank := outlast.Define[task.Ended, outlast.None]("charge.thank")
		mourn := outlast.Define[task.Ended, outlast.None]("charge.mourn", outlast.MaxAttempts(2))
		charge := outlast.Define[mail, outlast.None]("charge").OnSuccess(thank).OnDead(mourn)
		thank.Handle(k.client, outlast.NoResult(well.handle))
		mourn.Handle(k.client, outlast.NoResult(badly.handle))
		charge.Handle(k.client, outlast.NoResult(func(_ context.Context, m mail) error {
			if m.To == "ann" {
				return nil
			}
			return outlast.GiveUp(errBroken)
		}))
		k.start()
		if _, err := charge.Run(k.ctx, k.client, mail{To: "ann"}); err != nil {
			t.Fatal(err)
		}
		if _, err := charge.Run(k.ctx, k.client, mail{To: "bob"}); err == nil {
			t.Fatal("it succeeded")
		}
		k.after(time.Second)
		if len(well.ends) != 1 || len(badly.ends) != 1 || well.ends[0].State != task.Succeeded || badly.ends[0].Reason != task.Rejected ||
			!strings.Contains(string(well.ends[0].Payload), "ann") || !strings.Contains(string(badly.ends[0].Payload), "bob") {
			t.Errorf("told %+v and %+v", well.ends, badly.ends)
		}
	})
}

// A fallback or callback that dies is told by a built-in rule, which says whose it was.
func TestDeadFollowUpAlerts(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "charge", failing)
		outlast.Handle(k.client, "refund", failing)
		k.start()
		permanent := inline(`{"max_attempts": 1, "breaker": "none", "budget": "none"}`)
		made := k.enqueue(outlast.Draft{Type: "charge", Retry: permanent})
		k.after(time.Minute)
		if alerts := k.log.events(t, "alert"); len(ruled(alerts, "follow_up_dead")) != 0 || len(ruled(alerts, "exhausted")) != 1 {
			t.Fatalf("of the death of %s, which follows nothing: %v", made.ID, alerts)
		}
		k.putPolicy("once", `{"max_attempts": 1}`)
		charge := k.enqueue(outlast.Draft{Type: "charge", Retry: permanent, Fallback: &task.Follow{Type: "refund", Policy: "once"}})
		k.after(time.Minute)
		alerts := ruled(k.log.events(t, "alert"), "follow_up_dead")
		if len(alerts) != 1 || alerts[0]["follows"] != charge.ID.String() {
			t.Errorf("of the death of its fallback: %v", alerts)
		}
	})
}

// ruled are the log lines of a rule.
func ruled(lines []map[string]any, rule string) (found []map[string]any) {
	for _, line := range lines {
		if line["rule"] == rule {
			found = append(found, line)
		}
	}
	return found
}

// Fallbacks of fallbacks end after three, and that is not silent.
func TestFallbacksAreThreeDeep(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		runs := 0
		outlast.Handle(k.client, "t", func(context.Context, json.RawMessage) error { runs++; return errBroken })
		k.start()
		k.putPolicy("again", `{"max_attempts": 1, "breaker": "none", "fallback": {"type": "t", "policy": "again"}}`)
		next := k.enqueue(outlast.Draft{Type: "t", Policy: "again"}).ID
		k.after(time.Minute)
		depth := 0
		for !k.get(next).FallbackTask.IsZero() {
			next = k.get(next).FallbackTask
			depth++
		}
		if depth != task.MaxFallbackDepth || runs != 1+depth || k.get(next).Spec.Depth != depth {
			t.Errorf("%d fallbacks, %d runs", depth, runs)
		}
		if lines := k.log.events(t, "follow.too_deep"); len(lines) != 1 || lines[0]["task"] != next.String() {
			t.Errorf("the log says %v", lines)
		}
	})
}

// A fallback stands under the limits of what it calls itself, not under those of the
// task that it follows.
func TestFallbackIsLimitedByItsOwnTarget(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "charge", failing)
		outlast.Handle(k.client, "refund", func(context.Context, json.RawMessage) error { return nil })
		k.start()
		inspector := k.client.Inspector()
		if _, err := inspector.Targets.Order(k.ctx, "refund", store.TargetOpen); err != nil {
			t.Fatal(err)
		}
		k.after(2 * time.Second)
		draft := outlast.Draft{Type: "charge", Fallback: &task.Follow{Type: "refund"}}
		once(&draft)
		charge := k.enqueue(draft)
		k.after(time.Minute)
		view := k.get(charge.ID)
		if fallback := k.get(view.FallbackTask); view.State != task.Dead || fallback.State != task.Pending || fallback.Waiting != task.BreakerOpen {
			t.Fatalf("%s, its fallback %s: %s", view.State, fallback.State, fallback.Waiting)
		}
		if _, err := inspector.Targets.Order(k.ctx, "refund", store.TargetClose); err != nil {
			t.Fatal(err)
		}
		if _, err := inspector.Targets.Order(k.ctx, "charge", store.TargetOpen); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		if view := k.get(charge.ID); view.FallbackState != task.Succeeded {
			t.Errorf("the fallback is %s while the target of its task is stopped", view.FallbackState)
		}
	})
}

// A task that is sent back and ends anew has a callback of that end, and shows it.
func TestCallbackAfterARedrive(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		box, broken := &told{}, true
		outlast.Handle(k.client, "charge", func(context.Context, string) error {
			if broken {
				return outlast.GiveUp(errBroken)
			}
			return nil
		})
		outlast.Handle(k.client, "told", box.handle)
		k.start()
		callback := &task.Follow{Type: "told"}
		charge := k.enqueue(outlast.Draft{Type: "charge", OnDead: callback, OnSuccess: callback})
		k.after(time.Second)
		first := k.get(charge.ID).CallbackTask
		broken = false
		if _, err := k.client.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: []outlast.ID{charge.ID}}); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		view := k.get(charge.ID)
		if view.State != task.Succeeded || view.CallbackState != task.Succeeded || view.CallbackTask == first || len(box.ends) != 2 {
			t.Errorf("%s, callback %s: %s (%s before: %s), told %d times", view.State, view.CallbackTask, view.CallbackState, first, k.get(first).State, len(box.ends))
		}
		if k.get(first).Spec.Follows != task.FollowOnDead || !strings.HasPrefix(string(k.get(view.CallbackTask).Spec.Follows), "on_succ") {
			t.Errorf("%s and %s", k.get(first).Spec.Follows, k.get(view.CallbackTask).Spec.Follows)
		}
	})
}
