package server

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

func (s *Server) addCanaries() {
	for _, one := range []struct {
		verb, summary string
		end           func(context.Context, policy.Change) (*policy.Named, error)
	}{
		{"promote", "Let the version that is tried on a share of the tasks hold for all", s.inspect.Policies.Promote},
		{"abort", "Let the version before the one that is tried hold for all tasks again", s.inspect.Policies.Abort},
	} {
		handle(s, route{
			method: "POST", path: "/v1/policies/{name}/" + one.verb, id: one.verb + "-policy", needs: token.Administer, scope: whole, tag: "policies", answers: []int{200},
			summary: one.summary, about: "It ends a canary, and makes a new version.",
			errors: []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
		}, func(ctx context.Context, in *policyDelete) (answer[client.Policy], error) {
			named, err := one.end(ctx, policy.Change{Name: in.Name, Version: in.Version, DryRun: in.DryRun})
			if err != nil {
				return fail[client.Policy](err)
			}
			out, changed := wirePolicy(ctx, named), true
			out.DryRun, out.Changed = in.DryRun, &changed
			return ok(out)
		})
	}
}

func wireCanary(named *policy.Named) *client.PolicyCanary {
	if named.Canary == nil {
		return nil
	}
	base := named.Canary.Base
	return &client.PolicyCanary{Version: named.Version, Share: named.Canary.Percent(), BaseVersion: base.Version, Base: client.PlainJSON(task.HideJSON(base.Body))}
}
