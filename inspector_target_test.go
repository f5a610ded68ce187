package outlast_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/prom"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// verdictError is a failure that says what it is.
type verdictError struct{ retry.Verdict }

func (verdictError) Error() string                 { return "not now" }
func (v verdictError) RetryVerdict() retry.Verdict { return v.Verdict }

var (
	errDown = verdictError{retry.Verdict{Category: retry.Unavailable, Effect: retry.Done}}
	errBusy = verdictError{retry.Verdict{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: time.Minute}}}
)

func (k *kit) target(name string) *inspect.TargetView {
	k.Helper()
	view, err := k.client.Inspector().Targets.Get(k.ctx, name)
	if err != nil {
		k.Fatal(err)
	}
	return view
}

// Why a task waits for its target, and until when.
func TestWaitingForATarget(t *testing.T) {
	virtually(t, func(k *kit) {
		var calls atomic.Int64
		outlast.Handle(k.client, "down", func(context.Context, mail) error { return errDown }, outlast.Interval(time.Second))
		outlast.Handle(k.client, "busy", func(context.Context, mail) error { return errBusy }, outlast.Interval(time.Second))
		outlast.Handle(k.client, "ordered", func(context.Context, mail) error { return nil })
		outlast.Handle(k.client, "flaky", func(context.Context, mail) error {
			if n := calls.Add(1); n <= 100 && n%3 == 0 {
				return errDown
			}
			return nil
		}, outlast.Interval(time.Second))
		k.start()
		if _, err := k.client.Inspector().Targets.Order(k.ctx, "ordered", store.TargetOpen); err != nil {
			k.Fatal(err)
		}
		k.after(5 * time.Second)
		for range 40 {
			k.enqueue(outlast.Draft{Type: "down"})
		}
		for range 20 {
			k.enqueue(outlast.Draft{Type: "busy"})
		}
		var flaky []outlast.ID
		for range 100 {
			flaky = append(flaky, k.enqueue(outlast.Draft{Type: "flaky"}).ID)
		}
		k.after(2500 * time.Millisecond)
		wants := func(id outlast.ID, want task.Waiting, within time.Duration) {
			k.Helper()
			got := k.get(id)
			if left := time.Until(got.NextCheck); got.Waiting != want || within > 0 != (left > 0 && left <= within) {
				k.Errorf("%s waits %q for %s, want %q for up to %s", got.Type, got.Waiting, left, want, within)
			}
		}
		wants(k.enqueue(outlast.Draft{Type: "down"}).ID, task.BreakerOpen, 10*time.Second)
		wants(k.enqueue(outlast.Draft{Type: "busy"}).ID, task.RateLimited, time.Minute)
		wants(k.enqueue(outlast.Draft{Type: "ordered"}).ID, task.BreakerOpen, 0)
		wants(k.enqueue(outlast.Draft{Type: "ordered", Delay: time.Hour}).ID, task.DueLater, time.Hour)
		held := 0
		for _, id := range flaky {
			if got := k.get(id); got.State == task.Pending {
				wants(id, task.BudgetSpent, 10*time.Second)
				held++
			}
		}
		if held < 5 || held > 25 {
			k.Errorf("%d retries wait for the budget", held)
		}
		if got := k.get(k.enqueue(outlast.Draft{Type: "flaky"}).ID); got.Waiting != "" {
			k.Errorf("a first attempt waits %q", got.Waiting)
		}
	})
}

// Orders about targets are obeyed, shown, logged, and refused where they make
// no sense.
func TestOrderTarget(t *testing.T) {
	registry := prometheus.NewRegistry()
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		var calls atomic.Int64
		fail := atomic.Bool{}
		outlast.Handle(k.client, "t", func(context.Context, mail) error {
			if calls.Add(1); fail.Load() {
				return errDown
			}
			return nil
		}, outlast.Interval(time.Second))
		k.start()
		k.after(3 * time.Second)
		k.enqueue(outlast.Draft{Type: "t"})
		k.after(time.Second)
		if got := k.target("t"); got.Breaker.State != "closed" || got.Breaker.Calls != 1 || len(got.Nodes) != 1 {
			k.Errorf("%+v", got)
		}
		for _, action := range []store.TargetAction{store.TargetClose, store.TargetReset} {
			_, err := inspector.Targets.Order(k.ctx, "nobody", action)
			wantCode(k.T, err, task.CodeNotFound)
		}
		_, err := inspector.Targets.Order(k.ctx, "t", "shut")
		wantCode(k.T, err, task.CodeInvalid)
		_, err = inspector.Targets.Order(k.ctx, "", store.TargetOpen)
		wantCode(k.T, err, task.CodeInvalid)

		opened, err := inspector.Targets.Order(k.ctx, "t", store.TargetOpen)
		if err != nil || opened.Breaker.State != "open" || !opened.Breaker.Forced || opened.Order.Action != store.TargetOpen {
			k.Fatalf("%+v, %v", opened, err)
		}
		for range 30 {
			k.enqueue(outlast.Draft{Type: "t"})
		}
		k.after(time.Minute)
		if got := k.target("t"); calls.Load() != 1 || got.Waiting.Breaker != 30 {
			k.Errorf("%d calls of a target that is ordered open; %+v", calls.Load(), got)
		}
		gathered := `
# HELP outlast_breaker_changes_total Changes of targets' breakers on this node, by the new state and the cause.
# TYPE outlast_breaker_changes_total counter
outlast_breaker_changes_total{cause="forced",state="open"} 1
# HELP outlast_target_breaker_state Breaker of a target on this node: 0 closed, 1 ramping, 2 half-open, 3 open. Only targets that are, or were within a minute, not closed or that hold tasks back, 256 at most.
# TYPE outlast_target_breaker_state gauge
outlast_target_breaker_state{target="t"} 3
# HELP outlast_target_held Due tasks in the memory of this node that their targets hold, by gate: breaker, budget, rate or concurrency.
# TYPE outlast_target_held gauge
outlast_target_held{gate="breaker"} 30
outlast_target_held{gate="budget"} 0
outlast_target_held{gate="concurrency"} 0
outlast_target_held{gate="rate"} 0
`
		if err := testutil.GatherAndCompare(registry, strings.NewReader(gathered), "outlast_target_held", "outlast_target_breaker_state", "outlast_breaker_changes_total"); err != nil {
			k.Error(err)
		}
		if _, err := inspector.Targets.Order(k.ctx, "t", store.TargetClose); err != nil {
			k.Fatal(err)
		}
		k.after(15 * time.Second)
		if got := k.target("t"); calls.Load() != 31 || got.Breaker.State != "closed" || got.Breaker.Forced {
			k.Errorf("%d calls after the order to close; %+v", calls.Load(), got)
		}
		fail.Store(true)
		for range 100 {
			k.enqueue(outlast.Draft{Type: "t"})
		}
		k.after(20 * time.Second)
		if all, err := inspector.Targets.List(k.ctx); err != nil || len(all) != 1 || all[0].Breaker.State != "open" {
			k.Errorf("%v, %v", all, err)
		}
		fail.Store(false) // or what waits fails at once, and opens it again before we look
		if _, err := inspector.Targets.Order(k.ctx, "t", store.TargetReset); err != nil {
			k.Fatal(err)
		}
		if got := k.target("t").Breaker; got.State != "closed" {
			k.Errorf("after a reset: %+v", got)
		}
		for message, want := range map[string]int{"target.ordered": 3, "breaker.open": 3, "breaker.ramping": 1} {
			if got := k.log.events(k.T, message); len(got) < want || got[0]["target"] != "t" {
				k.Errorf("%s: %v", message, got)
			}
		}
	}, prom.Register(registry))
}

// An order about a target that no node knows is shown while it holds, and gone
// after its end.
func TestOrderOfAnUnknownTarget(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		k.start()
		k.after(3 * time.Second)
		for _, end := range []store.TargetAction{store.TargetReset, store.TargetClose} {
			if _, err := inspector.Targets.Order(k.ctx, "[2001:db8::1]:8080", store.TargetOpen); err != nil {
				k.Fatal(err)
			}
			k.after(3 * time.Second)
			if got := k.target("[2001:db8::1]:8080"); len(got.Nodes) != 0 || !got.Breaker.Forced || got.Order == nil {
				k.Errorf("%+v", got)
			}
			if ended, err := inspector.Targets.Order(k.ctx, "[2001:db8::1]:8080", end); err != nil || ended.Order.Action != end || ended.Breaker.Forced {
				k.Errorf("%+v, %v", ended, err)
			}
			if all, err := inspector.Targets.List(k.ctx); err != nil || len(all) != 0 {
				k.Errorf("after a %s: %+v, %v", end, all, err)
			}
			_, err := inspector.Targets.Order(k.ctx, "[2001:db8::1]:8080", end)
			wantCode(k.T, err, task.CodeNotFound)
		}
	})
}

// What a node that is not asked knows is seen through its row.
func TestTargetsOfOtherNodes(t *testing.T) {
	virtually(t, func(k *kit) {
		other := k.open(k.store.Handle())
		for _, c := range []*outlast.Client{k.client, other} {
			outlast.Handle(c, "t", func(context.Context, mail) error { return errors.Join(errDown) }, outlast.Interval(time.Second))
		}
		k.start()
		for range 100 {
			k.enqueue(outlast.Draft{Type: "t"})
		}
		k.after(5 * time.Second)
		all, err := other.Inspector().Targets.List(k.ctx) // it has not started
		if err != nil || len(all) != 1 || all[0].Breaker.State == "closed" || all[0].Breaker.Failures+int64(all[0].Breaker.Trips) == 0 || len(all[0].Nodes) != 1 {
			k.Fatalf("%+v, %v", all, err)
		}
		if view, err := other.Inspector().Tasks.Get(k.ctx, k.enqueue(outlast.Draft{Type: "t"}).ID); err != nil || view.Waiting != task.BreakerOpen {
			k.Errorf("%+v, %v", view, err)
		}
	})
}
