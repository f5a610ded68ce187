// Package targets is the calls about targets: their breakers, budgets and limits.
package targets

import (
	"context"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type targetName struct {
	Name string `path:"name" doc:"The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443."`
}

type targetsInput struct {
	Limit    *int `query:"limit" doc:"Targets, 1 to 500, 100 when absent."`
	Troubled bool `query:"troubled" doc:"Only those whose breaker is not closed, and those that want no calls for a while. The total is then of these."`
}

type calls struct{ targets inspect.Targets }

// Add adds the calls about targets.
func Add(to *route.Table, targets inspect.Targets) {
	c := &calls{targets}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/targets", ID: "list-targets", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "targets",
		Summary: "List targets, those with problems first",
		About:   "What the living nodes know. Healthy targets are those of the node that is asked; the others tell only of those that something is wrong with.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/targets/{name}", ID: "get-target", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "targets",
		Summary: "Get a target: breaker, budget, limits and waiting tasks", About: "What each living node knows of it, and all together.", Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *targetName) (*route.Answer[client.TargetState], error) {
		return route.As(wireTarget)(c.targets.Get(ctx, in.Name))
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/targets/{name}/history", ID: "get-target-history", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "targets",
		Summary: "Get the history of a target's breaker and budget, newest first", Errors: []task.Code{task.CodeNotFound},
		About: "The last 500 changes on all nodes, of the 500 targets that changed last, for 30 days. A node writes them about two seconds after they happened; what a budget comes to is looked at every ten seconds.",
	}, c.history)
	for _, call := range []struct {
		action         store.TargetAction
		summary, about string
	}{
		{store.TargetOpen, "Stop all calls of a target",
			"Nothing calls the target until it is closed or reset; tasks wait and spend no attempts. Attempts under way go on. It may be one that nobody has called yet; the answer names no nodes then, and a misspelt name stops nothing."},
		{store.TargetClose, "Allow calls of a target again", "Ends an outage, or an order to open. Calls begin slowly and become ever more."},
		{store.TargetReset, "Forget what was learned about a target", "Breaker, budget, limit and the history of its outages begin anew; an order to open ends."},
	} {
		route.Handle(to, route.Route{
			Method: "POST", Path: "/v1/targets/{name}/" + string(call.action), ID: string(call.action) + "-target", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "targets",
			Summary: call.summary, About: call.about + " Every node obeys within about a second, and the order outlives restarts.",
			Errors: []task.Code{task.CodeNotFound, task.CodeConflict},
		}, func(ctx context.Context, in *targetName) (*route.Answer[client.TargetState], error) {
			return route.As(wireTarget)(c.targets.Order(ctx, in.Name, call.action))
		})
	}
}

func (c *calls) history(ctx context.Context, in *targetName) (*route.Answer[client.TargetHistory], error) {
	changes, err := c.targets.History(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	out := client.TargetHistory{Changes: make([]client.TargetChange, len(changes))}
	for i := range changes {
		c := &changes[i]
		out.Changes[i] = client.TargetChange{
			At: wire.Time(c.At), Node: c.Node, Part: c.Part, State: c.State, Was: c.Was, Reason: c.Reason, Until: wire.Time(c.Until),
		}
	}
	return route.OK(out)
}

func (c *calls) list(ctx context.Context, in *targetsInput) (*route.Answer[client.Targets], error) {
	most, err := query.Most(in.Limit)
	if err != nil {
		return nil, err
	}
	views, err := c.targets.List(ctx)
	if err != nil {
		return nil, err
	}
	if in.Troubled {
		views = slices.DeleteFunc(views, func(view *inspect.TargetView) bool { return !view.Troubled() })
	}
	out := client.Targets{Total: len(views), Targets: []client.TargetState{}}
	for _, view := range views[:min(len(views), most)] {
		out.Targets = append(out.Targets, wireTarget(view))
	}
	return route.OK(out)
}

func wireTarget(view *inspect.TargetView) client.TargetState {
	out := client.TargetState{Name: view.Name, TargetView: wireTargetView(&view.Target), Nodes: []client.NodeTarget{}}
	for _, id := range slices.Sorted(maps.Keys(view.Nodes)) {
		known := view.Nodes[id]
		out.Nodes = append(out.Nodes, client.NodeTarget{Node: id, TargetView: wireTargetView(&known)})
	}
	if order := view.Order; order != nil {
		out.Order = &client.TargetOrder{Action: string(order.Action), At: wire.Time(order.At)}
	}
	return out
}

func wireTargetView(t *store.Target) client.TargetView {
	breaker, budget := &t.Breaker, &t.Budget
	return client.TargetView{
		Breaker: client.Breaker{
			State: breaker.State, Forced: breaker.Forced, Since: wire.Time(breaker.Since), Until: wire.Time(breaker.Until),
			Opened: wire.Time(breaker.Opened), Trips: breaker.Trips, Cause: breaker.Cause, Calls: breaker.Calls,
			Failures: breaker.Failures, Slow: breaker.Slow, Probing: breaker.Probing, Admitted: breaker.Admitted,
		},
		Budget: client.Budget{
			Tokens: budget.Tokens, Share: budget.Share, First: budget.First, Retries: budget.Retries, Denied: budget.Denied,
			Until: wire.Time(budget.Until),
		},
		Limit: t.Limit, InFlight: t.InFlight, HeldUntil: wire.Time(t.HeldUntil), Unguarded: t.Unguarded,
		Waiting: client.TargetWaiting(t.Waiting),
	}
}
