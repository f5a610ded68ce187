package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// enqueueMany enqueues so many drafts, made by their number.
func (k *kit) enqueueMany(n int, draft func(i int) outlast.Draft) (ids []outlast.ID) {
	k.Helper()
	for i := range n {
		ids = append(ids, k.enqueue(draft(i)).ID)
	}
	return ids
}

// allEnded waits until the tasks have ended, and returns how long the last one took.
func (k *kit) allEnded(since time.Time, limit time.Duration, ids []outlast.ID) time.Duration {
	k.Helper()
	for time.Since(since) < limit {
		if !slices.ContainsFunc(ids, func(id outlast.ID) bool { return !k.get(id).State.Final() }) {
			return time.Since(since)
		}
		k.after(10 * time.Millisecond)
	}
	return limit
}

// Errors of a handler that calls nothing which is named are those of its task.
func TestOrdinaryFailuresHoldNobody(t *testing.T) {
	for _, failure := range []error{
		errors.New("not yet"), verdictError{retry.Verdict{Category: retry.Bug}}, verdictError{retry.Verdict{Category: retry.Local}},
		verdictError{retry.Verdict{Category: retry.Conflict}},
	} {
		t.Run(string(retry.Classify(failure).Category), func(t *testing.T) {
			virtually(t, func(k *kit) {
				outlast.Handle(k.client, "mail", func(ctx context.Context, _ int) error {
					if info, _ := outlast.Info(ctx); info.Attempt <= 2 {
						return failure
					}
					return nil
				}, outlast.Interval(100*time.Millisecond), outlast.MaxAttempts(6))
				k.start()
				ids := k.enqueueMany(40, func(i int) outlast.Draft { return outlast.Draft{Type: "mail", Payload: fmt.Append(nil, i)} })
				if took := k.allEnded(time.Now(), time.Minute, ids); took > time.Second {
					k.Errorf("40 tasks that fail twice took %s", took)
				}
			})
		})
	}
}

// Tasks that can never succeed delay others of their type by nothing.
func TestPoisonDelaysNoNeighbour(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		type order struct {
			Poison bool
			At     time.Time
		}
		late := time.Duration(0)
		outlast.Handle(k.client, "order", func(_ context.Context, o order) error {
			if o.Poison {
				return errors.New("nil pointer in a row of this customer")
			}
			late = max(late, time.Since(o.At))
			return nil
		}, outlast.Interval(200*time.Millisecond), outlast.MaxAttempts(1000))
		k.start()
		k.enqueueMany(30, func(int) outlast.Draft { return outlast.Draft{Type: "order", Payload: []byte(`{"Poison":true}`)} })
		var healthy []outlast.ID
		for range 60 {
			k.after(time.Second)
			healthy = append(healthy, k.enqueue(outlast.Draft{Type: "order", Payload: fmt.Appendf(nil, `{"At":%q}`, time.Now().Format(time.RFC3339Nano))}).ID)
		}
		k.after(time.Second)
		for _, id := range healthy {
			if v := k.get(id); v.State != task.Succeeded || v.Attempt != 1 {
				k.Errorf("%+v", v)
			}
		}
		if late > 10*time.Millisecond {
			k.Errorf("a healthy task waited %s", late)
		}
	})
}

// What a handler calls can be down though it has no name: then its type is held.
func TestFailuresOfADependencyHoldTheType(t *testing.T) {
	for _, category := range []retry.Category{retry.Unsent, retry.Network, retry.Timeout, retry.Unavailable} {
		t.Run(string(category), func(t *testing.T) {
			virtually(t, func(k *kit) {
				outlast.Handle(k.client, "mail", func(context.Context, int) error {
					return verdictError{retry.Verdict{Category: category}}
				}, outlast.Interval(100*time.Millisecond), outlast.MaxAttempts(1000))
				k.start()
				ids := k.enqueueMany(40, func(int) outlast.Draft { return outlast.Draft{Type: "mail", Payload: []byte("1")} })
				k.after(3 * time.Second)
				if got := k.target("mail").Breaker.State; got != "open" {
					k.Errorf("the breaker is %s", got)
				}
				if why := k.get(ids[0]).Waiting; why != task.BreakerOpen && why != task.InBackoff {
					k.Errorf("a task waits because of %q", why)
				}
			})
		})
	}
}

// A named target has guards of its own, for all types that name it, which count
// every failure, and shows wherever targets are.
func TestHandlerNamesItsTarget(t *testing.T) {
	virtually(t, func(k *kit) {
		type charge struct{ Provider string }
		fail := outlast.Target(func(c charge) string { return c.Provider })
		policy := []outlast.HandleOption{fail, outlast.Interval(100 * time.Millisecond), outlast.MaxAttempts(1000)}
		broken := func(_ context.Context, c charge) error {
			if c.Provider == "stripe" {
				return errors.New("stripe says no")
			}
			return nil
		}
		charges := outlast.Define[charge, outlast.None]("charge", policy...)
		charges.Handle(k.client, outlast.NoResult(broken))
		outlast.Handle(k.client, "refund", broken, policy...)
		k.start()
		var stripe []outlast.ID
		for range 40 {
			receipt, err := charges.Enqueue(k.ctx, k.client, charge{"stripe"})
			if err != nil {
				k.Fatal(err)
			}
			stripe = append(stripe, receipt.Task.ID)
		}
		if got := k.get(stripe[0]).Target; got != "@stripe" {
			k.Fatalf("the target is %q", got)
		}
		k.after(5 * time.Second)
		if got := k.target("@stripe").Breaker.State; got == "closed" {
			k.Errorf("the breaker is %s", got)
		}
		refund := k.enqueue(outlast.Draft{Type: "refund", Payload: []byte(`{"Provider":"stripe"}`)}).ID
		other := k.enqueue(outlast.Draft{Type: "refund", Payload: []byte(`{"Provider":"adyen"}`)}).ID
		unnamed := k.enqueue(outlast.Draft{Type: "refund", Payload: []byte(`{}`)}).ID
		k.after(time.Millisecond)
		if v := k.get(refund); v.State != task.Pending || v.Waiting != task.BreakerOpen {
			k.Errorf("a refund of the target that fails is %s and waits because of %q", v.State, v.Waiting)
		}
		for id, target := range map[outlast.ID]string{other: "@adyen", unnamed: "refund"} {
			if v := k.get(id); v.State != task.Succeeded || v.Target != target {
				k.Errorf("a refund elsewhere is %s with the target %q", v.State, v.Target)
			}
		}
		if _, err := k.client.Inspector().Targets.Order(k.ctx, "@adyen", store.TargetOpen); err != nil {
			k.Fatal(err)
		}
		k.after(2 * time.Second)
		held := k.enqueue(outlast.Draft{Type: "refund", Payload: []byte(`{"Provider":"adyen"}`)}).ID
		k.after(time.Minute)
		if v := k.get(held); v.Waiting != task.BreakerOpen {
			k.Errorf("a task of a target that is ordered open waits because of %q", v.Waiting)
		}
	})
}

// Names that cannot be targets are refused where the task is made.
func TestNamesOfTargetsAreChecked(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "charge", func(context.Context, string) error { return nil },
			outlast.Target(func(name string) string {
				if name == "panic" {
					panic("oh")
				}
				return name
			}))
		k.start()
		for _, payload := range []string{`"https://api.example.com/x"`, `"two words"`, `"panic"`} {
			_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "charge", Payload: []byte(payload)})
			if e := wantCode(t, err, task.CodeInvalid); e.Fields[0].Path != "target" || e.Hint == "" {
				k.Errorf("%s: %+v", payload, e)
			}
		}
		if got := k.enqueue(outlast.Draft{Type: "charge", Payload: []byte("7")}).Target; got != "charge" {
			k.Errorf("a payload that does not fit has the target %q", got)
		}
	})
	virtually(t, func(k *kit) {
		handle := func(context.Context, string) error { return nil }
		outlast.Handle(k.client, "a", handle, outlast.Target[string](nil))
		outlast.Handle(k.client, "b", handle, outlast.NoGuards(), outlast.Target(func(s string) string { return s }))
		if e := wantCode(t, k.client.Start(k.ctx), task.CodeInvalid); len(e.Fields) != 2 {
			k.Errorf("%+v", e)
		}
	})
}

// Without guards nothing is held, whatever fails, but by an operator.
func TestNoGuards(t *testing.T) {
	virtually(t, func(k *kit) {
		down := func(ctx context.Context, _ int) error {
			if info, _ := outlast.Info(ctx); info.Attempt <= 3 {
				return verdictError{retry.Verdict{Category: retry.Unavailable}}
			}
			return nil
		}
		schedule, err := retry.New(retry.Fixed(100*time.Millisecond), retry.NoJitter(), retry.Attempts(10))
		if err != nil {
			k.Fatal(err)
		}
		free := outlast.Define[int, outlast.None]("free", outlast.Retry(schedule), outlast.NoGuards())
		free.Handle(k.client, outlast.NoResult(down))
		k.start()
		var ids []outlast.ID
		for i := range 100 {
			receipt, err := free.Enqueue(k.ctx, k.client, i)
			if err != nil {
				k.Fatal(err)
			}
			ids = append(ids, receipt.Task.ID)
		}
		if took := k.allEnded(time.Now(), time.Minute, ids); took > time.Second {
			k.Errorf("tasks without guards took %s", took)
		}
		if target := k.target("free"); !target.Unguarded || target.Breaker.State != "closed" || target.Breaker.Calls != 0 {
			k.Errorf("%+v", target)
		}
		if _, err := k.client.Inspector().Targets.Order(k.ctx, "free", store.TargetOpen); err != nil {
			k.Fatal(err)
		}
		k.after(2 * time.Second)
		receipt, err := free.Enqueue(k.ctx, k.client, 1)
		if err != nil {
			k.Fatal(err)
		}
		k.after(10 * time.Second)
		if v := k.get(receipt.Task.ID); v.Waiting != task.BreakerOpen {
			k.Errorf("ordered open, it waits because of %q", v.Waiting)
		}
		if _, err := k.client.Inspector().Targets.Order(k.ctx, "free", store.TargetClose); err != nil {
			k.Fatal(err)
		}
		if took := k.allEnded(time.Now(), time.Minute, []outlast.ID{receipt.Task.ID}); took > 5*time.Second {
			k.Errorf("after the order it took %s", took)
		}
	})
}

// A policy inside a task says nothing about the breaker of a target that others use.
func TestInlinePolicySetsNoTarget(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "call", func(_ context.Context, fails bool) error {
			if fails {
				return verdictError{retry.Verdict{Category: retry.Unavailable}}
			}
			return nil
		}, outlast.Target(func(bool) string { return "shared" }))
		k.start()
		for range 3 {
			k.enqueue(outlast.Draft{Type: "call", Payload: []byte("true"),
				Retry: inline(`{"max_attempts": 1, "breaker": {"consecutive": 1, "min_calls": 1, "open_for": "24h", "open_max": "24h"}}`)})
			k.after(time.Minute)
		}
		began := time.Now()
		id := k.enqueue(outlast.Draft{Type: "call", Payload: []byte("false")}).ID
		if took := k.allEnded(began, time.Minute, []outlast.ID{id}); took > time.Second {
			k.Errorf("a task of the same target took %s", took)
		}
	})
}
