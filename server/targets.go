package server

import (
	"context"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type targetName struct {
	Name string `path:"name" doc:"The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443."`
}

type targetsInput struct {
	Limit    *int `query:"limit" doc:"Targets, 1 to 500, 100 when absent."`
	Troubled bool `query:"troubled" doc:"Only those whose breaker is not closed, and those that want no calls for a while. The total is then of these."`
}

func (s *Server) addTargets() {
	handle(s, route{
		method: "GET", path: "/v1/targets", id: "list-targets", needs: token.View, scope: whole, tag: "targets", answers: []int{200},
		summary: "List targets, those with something to tell first",
		about:   "What the living nodes know. Healthy targets are those of the node that is asked; the others tell only of those that something is wrong with.",
	}, s.listTargets)
	handle(s, route{
		method: "GET", path: "/v1/targets/{name}", id: "get-target", needs: token.View, scope: whole, tag: "targets", answers: []int{200},
		summary: "Get a target: breaker, budget, limit and what waits", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *targetName) (answer[client.TargetState], error) {
		view, err := s.inspect.Targets.Get(ctx, in.Name)
		return s.target(view, err)
	})
	handle(s, route{
		method: "GET", path: "/v1/targets/{name}/history", id: "get-target-history", needs: token.View, scope: whole, tag: "targets", answers: []int{200},
		summary: "What happened to a target's breaker and budget, newest first", errors: []task.Code{task.CodeNotFound},
		about: "The last 500 changes on all nodes, of the 500 targets that changed last, for 30 days. A node writes them about two seconds after they happened; what a budget comes to is looked at every ten seconds.",
	}, s.targetHistory)
	for _, call := range []struct {
		action         store.TargetAction
		summary, about string
	}{
		{store.TargetOpen, "Stop all calls of a target",
			"Nothing calls the target until it is closed or reset; tasks wait and spend no attempts. Attempts under way go on. It may be one that nobody has called yet; the answer names no nodes then, and a misspelt name stops nothing."},
		{store.TargetClose, "Let calls of a target begin again", "Ends an outage, or an order to open. Calls begin slowly and become ever more."},
		{store.TargetReset, "Forget what was learned of a target", "Breaker, budget, limit and the history of its outages begin anew; an order to open ends."},
	} {
		handle(s, route{
			method: "POST", path: "/v1/targets/{name}/" + string(call.action), id: string(call.action) + "-target", needs: token.Operate, scope: whole, tag: "targets", answers: []int{200},
			summary: call.summary, about: call.about + " Every node obeys within about a second, and the order outlives restarts.",
			errors: []task.Code{task.CodeNotFound, task.CodeConflict},
		}, func(ctx context.Context, in *targetName) (answer[client.TargetState], error) {
			view, err := s.inspect.Targets.Order(ctx, in.Name, call.action)
			return s.target(view, err)
		})
	}
}

func (s *Server) targetHistory(ctx context.Context, in *targetName) (answer[client.TargetHistory], error) {
	changes, err := s.inspect.Targets.History(ctx, in.Name)
	if err != nil {
		return fail[client.TargetHistory](err)
	}
	out := client.TargetHistory{Changes: make([]client.TargetChange, len(changes))}
	for i := range changes {
		c := &changes[i]
		out.Changes[i] = client.TargetChange{
			At: wireTime(c.At), Node: c.Node, Part: c.Part, State: c.State, Was: c.Was, Reason: c.Reason, Until: wireTime(c.Until),
		}
	}
	return ok(out)
}

func (s *Server) target(view *inspect.TargetView, err error) (answer[client.TargetState], error) {
	if err != nil {
		return fail[client.TargetState](err)
	}
	return ok(wireTarget(view))
}

func (s *Server) listTargets(ctx context.Context, in *targetsInput) (answer[client.Targets], error) {
	page, err := pageOf(in.Limit, "")
	if err != nil {
		return fail[client.Targets](err)
	}
	if page.Limit == 0 {
		page.Limit = 100
	}
	views, err := s.inspect.Targets.List(ctx)
	if err != nil {
		return fail[client.Targets](err)
	}
	if in.Troubled {
		views = slices.DeleteFunc(views, func(view *inspect.TargetView) bool { return !view.Troubled() })
	}
	out := client.Targets{Total: len(views), Targets: []client.TargetState{}}
	for _, view := range views[:min(len(views), page.Limit)] {
		out.Targets = append(out.Targets, wireTarget(view))
	}
	return ok(out)
}

func wireTarget(view *inspect.TargetView) client.TargetState {
	out := client.TargetState{Name: view.Name, TargetView: wireTargetView(&view.Target), Nodes: []client.NodeTarget{}}
	for _, id := range slices.Sorted(maps.Keys(view.Nodes)) {
		known := view.Nodes[id]
		out.Nodes = append(out.Nodes, client.NodeTarget{Node: id, TargetView: wireTargetView(&known)})
	}
	if order := view.Order; order != nil {
		out.Order = &client.TargetOrder{Action: string(order.Action), At: wireTime(order.At)}
	}
	return out
}

func wireTargetView(t *store.Target) client.TargetView {
	breaker, budget := &t.Breaker, &t.Budget
	return client.TargetView{
		Breaker: client.Breaker{
			State: breaker.State, Forced: breaker.Forced, Since: wireTime(breaker.Since), Until: wireTime(breaker.Until),
			Opened: wireTime(breaker.Opened), Trips: breaker.Trips, Cause: breaker.Cause, Calls: breaker.Calls,
			Failures: breaker.Failures, Slow: breaker.Slow, Probing: breaker.Probing, Admitted: breaker.Admitted,
		},
		Budget: client.Budget{
			Tokens: budget.Tokens, Share: budget.Share, First: budget.First, Retries: budget.Retries, Denied: budget.Denied,
			Until: wireTime(budget.Until),
		},
		Limit: t.Limit, InFlight: t.InFlight, HeldUntil: wireTime(t.HeldUntil), Unguarded: t.Unguarded,
		Waiting: client.TargetWaiting(t.Waiting),
	}
}
