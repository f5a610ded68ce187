package policies

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

func (c *calls) addCanaries(to *route.Table) {
	for _, one := range []struct {
		verb, summary string
		end           func(context.Context, inspect.PolicyChange) (*inspect.NamedPolicy, error)
	}{
		{"promote", "Promote the version on trial to all tasks", c.policies.Promote},
		{"abort", "End the trial and return to the version before", c.policies.Abort},
	} {
		route.Handle(to, route.Route{
			Method: "POST", Path: "/v1/policies/{name}/" + one.verb, ID: one.verb + "-policy", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "policies",
			Summary: one.summary, About: "This ends a canary and makes a new version.",
			Errors: []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
		}, func(ctx context.Context, in *deleteInput) (*route.Answer[client.Policy], error) {
			named, err := one.end(ctx, inspect.PolicyChange{Name: in.Name, Version: in.Version, DryRun: in.DryRun})
			if err != nil {
				return nil, err
			}
			out, changed := wirePolicy(ctx, named), true
			out.DryRun, out.Changed = in.DryRun, &changed
			return route.OK(out)
		})
	}
}

func wireCanary(named *inspect.NamedPolicy) *client.PolicyCanary {
	canary := named.Canary
	if canary == nil {
		return nil
	}
	return &client.PolicyCanary{Version: named.Version, Share: canary.Percent(), BaseVersion: canary.BaseVersion, Base: client.PlainJSON(task.HideJSON(canary.Base))}
}
