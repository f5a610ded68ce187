package storetest

import (
	"fmt"
	"reflect"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func targetRules() []rule {
	return []rule{
		{"beat/tells of targets", "Beat stores what a node says of targets, in place of what it said before; nil leaves that as it is.", func(h *harness) {
			said := []store.Target{wholeTarget(time.Now().UTC().Truncate(time.Microsecond)), {Name: "b", Breaker: store.Breaker{State: "closed", Admitted: 1}}}
			h.tell("n1", said)
			h.expect(reflect.DeepEqual(h.node("n1").Targets, said), "said %+v\ngot %+v", said, h.node("n1").Targets)
			h.tell("n1", nil)
			h.expect(reflect.DeepEqual(h.node("n1").Targets, said), "a beat without targets changed them: %+v", h.node("n1").Targets)
			equal(h, "counter", h.node("n1").Counter, 2)
			h.tell("n1", said[1:])
			equal(h, "targets", len(h.node("n1").Targets), 1)
			h.tell("n1", []store.Target{})
			equal(h, "targets", len(h.node("n1").Targets), 0)
		}},
		{"beat/many targets", "A node can speak of 256 targets, whatever their names.", func(h *harness) {
			var said []store.Target
			for i := range store.MostTargets {
				said = append(said, store.Target{Name: fmt.Sprintf("%d \"quoted\" 'ö' / %%2F", i)})
			}
			h.tell("n1", said)
			h.expect(reflect.DeepEqual(h.node("n1").Targets, said), "got %+v", h.node("n1").Targets)
		}},
		{"order/read with the topology", "PutTargetOrder returns what is stored, with its time, and the topology shows it.", func(h *harness) {
			open := h.order("b.example", store.TargetOpen)
			closed := h.order("a.example", store.TargetClose)
			h.expect(!open.At.IsZero() && !closed.At.IsZero(), "without a time: %+v %+v", open, closed)
			h.expect(reflect.DeepEqual(h.topology().Orders, []store.TargetOrder{closed, open}), "by target: %+v", h.topology().Orders)
		}},
		{"order/replaced", "An order takes the place of the last one of its target, and its time is later.", func(h *harness) {
			last := h.order("t", store.TargetOpen)
			for _, action := range []store.TargetAction{store.TargetClose, store.TargetOpen, store.TargetOpen, store.TargetReset} {
				next := h.order("t", action)
				h.expect(next.At.After(last.At), "%s at %s, after %s at %s", next.Action, next.At, last.Action, last.At)
				h.expect(reflect.DeepEqual(h.topology().Orders, []store.TargetOrder{next}), "got %+v", h.topology().Orders)
				last = next
			}
		}},
		{"order/refused", "An order needs a target and an action.", func(h *harness) {
			for _, bad := range []store.TargetOrder{{Action: store.TargetOpen}, {Target: "t"}, {Target: "t", Action: "shut"}} {
				_, err := h.s.PutTargetOrder(h.ctx, bad)
				h.code(err, task.CodeInvalid)
			}
			equal(h, "orders", len(h.topology().Orders), 0)
		}},
		{"order/open ones stay", "An open order is shown until another replaces it; others are shown for an hour.", func(h *harness) {
			if h.able.Advance == nil {
				h.Skip("needs a clock that can be moved")
			}
			h.order("open", store.TargetOpen)
			h.order("closed", store.TargetClose)
			h.pass(time.Hour - time.Minute)
			equal(h, "orders", len(h.topology().Orders), 2)
			h.pass(2 * time.Minute)
			orders := h.topology().Orders
			h.expect(len(orders) == 1 && orders[0].Target == "open", "got %+v", orders)
			h.order("other", store.TargetReset)
			equal(h, "orders", len(h.topology().Orders), 2)
		}},
	}
}

// wholeTarget has something in every field.
func wholeTarget(at time.Time) store.Target {
	return store.Target{
		Name: "a",
		Breaker: store.Breaker{State: "open", Forced: true, Since: at, Until: at.Add(5 * time.Second), Opened: at.Add(-time.Second), Trips: 2,
			Cause: "probe_failed", Calls: 40, Failures: 30, Slow: 5, Probing: 1, Admitted: 0.25},
		Budget: store.Budget{Tokens: 1.5, Share: 0.75, First: 100, Retries: 10, Denied: 7, Until: at.Add(time.Second)},
		Limit:  17, InFlight: 3, HeldUntil: at.Add(time.Minute),
		Waiting: store.TargetWaiting{Breaker: 1, Budget: 2, Rate: 3, Concurrency: 4},
	}
}

// tell beats and says something of targets.
func (h *harness) tell(node string, targets []store.Target) {
	h.Helper()
	_, err := h.s.Beat(h.ctx, node, store.Report{Serves: store.Serves{"q": {AnyType: true}}, Targets: targets})
	h.ok(err)
}

func (h *harness) order(target string, action store.TargetAction) store.TargetOrder {
	h.Helper()
	stored, err := h.s.PutTargetOrder(h.ctx, store.TargetOrder{Target: target, Action: action})
	h.ok(err)
	h.expect(stored.Target == target && stored.Action == action, "got %+v", stored)
	return *stored
}
