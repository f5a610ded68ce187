// Package policies is the calls about policies, their versions and canaries, and the plan of
// one that need not be kept.
package policies

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	planner "github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type planInput struct {
	Body client.PlanRequest `optional:"true"`
}

type name struct {
	Name string `path:"name" doc:"Name of the policy."`
}

type change struct {
	Version *int64 `query:"version" doc:"The version that is changed, 0 for none; another one is a conflict. Whatever stands there when absent."`
	DryRun  bool   `query:"dry_run" doc:"Check everything and change nothing."`
}

type putInput struct {
	name
	change
	Body json.RawMessage
}

type deleteInput struct {
	name
	change
}

// maxPlanBody is far more than a policy needs.
const maxPlanBody = 64 << 10

// maxPolicyBody leaves it to the policy to say that it is too large.
const maxPolicyBody = 128 << 10

type calls struct{ policies inspect.Policies }

// Add adds the calls about policies.
func Add(to *route.Table, policies inspect.Policies) {
	c := &calls{policies}
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/policies/plan", ID: "plan-policy", Needs: inspect.PermissionView, Scope: scope.Shared, Tag: "policies", Limit: maxPlanBody,
		Summary: "Preview a policy: delays, success, load and warnings",
		About: "The body holds the keys of a policy, or preset, together with what it is planned for; without any it plans the default policy. " +
			"With solve it finds the largest first interval, multiplier or number of retries that keeps the limit. Nothing is stored.",
	}, plan)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/policies", ID: "list-policies", Needs: inspect.PermissionView, Scope: scope.Unsigned, Tag: "policies",
		Summary: "List policies by name, presets included", About: "A policy with the name of a preset replaces it.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/policies/{name}", ID: "get-policy", Needs: inspect.PermissionView, Scope: scope.Unsigned, Tag: "policies",
		Summary: "Get a policy, with the queues and types that name it", About: "canary tells of a version that is tried on a share of the tasks.", Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *name) (*route.Answer[client.Policy], error) {
		named, err := c.policies.Get(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		return route.OK(wirePolicy(ctx, named))
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/policies/{name}/versions", ID: "list-policy-versions", Needs: inspect.PermissionView, Scope: scope.Unsigned, Tag: "policies",
		Summary: "List the versions of a policy, newest first", About: "The last 100 versions, also of a deleted policy.", Errors: []task.Code{task.CodeNotFound},
	}, c.versions)
	route.Handle(to, route.Route{
		Method: "PUT", Path: "/v1/policies/{name}", ID: "put-policy", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "policies", Answers: []int{200, 201}, Limit: maxPolicyBody, Request: reflect.TypeFor[client.PolicyForm](),
		Summary: "Create a policy (201), or change one (200)",
		About: "The body replaces the whole policy. It applies on all nodes within about a second: to attempts that start, and to the retries of attempts that fail. " +
			"If the content is the same, nothing changes. With canary, the new version applies to that share of the tasks, and the version before to the rest. warnings names probable mistakes; dry_run shows them beforehand.",
		Errors: []task.Code{task.CodeConflict, task.CodeManagedByFile},
	}, c.put)
	c.addCanaries(to)
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/policies/{name}", ID: "delete-policy", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "policies",
		Summary: "Delete a policy but keep its versions",
		About:   "Tasks that name it then use the preset of that name if there is one, otherwise the policy of their type, their queue or the default.",
		Errors:  []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
	}, c.delete)
}

// plan is pure: it looks at nothing but its input.
func plan(_ context.Context, in *planInput) (*route.Answer[client.Plan], error) {
	report, err := in.Body.Report()
	if err != nil {
		return nil, err
	}
	plan, err := client.NewPlan(report)
	if err != nil {
		return nil, err
	}
	return route.OK(*plan)
}

func (c *calls) list(ctx context.Context, _ *route.None) (*route.Answer[client.Policies], error) {
	all, err := c.policies.List(ctx)
	return wirePolicies(ctx, all, err)
}

func (c *calls) versions(ctx context.Context, in *name) (*route.Answer[client.Policies], error) {
	all, err := c.policies.Versions(ctx, in.Name)
	return wirePolicies(ctx, all, err)
}

func (c *calls) put(ctx context.Context, in *putInput) (*route.Answer[client.Policy], error) {
	named, changed, err := c.policies.Put(ctx, inspect.PolicyChange{Name: in.Name, Form: in.Body, Version: in.Version, DryRun: in.DryRun})
	if err != nil {
		return nil, err
	}
	out := wirePolicy(ctx, named)
	out.DryRun, out.Changed = in.DryRun, &changed
	status := http.StatusOK
	if changed && named.Version == 1 && !in.DryRun {
		status = http.StatusCreated
	}
	return &route.Answer[client.Policy]{Status: status, Body: out}, nil
}

func (c *calls) delete(ctx context.Context, in *deleteInput) (*route.Answer[client.PolicyDeleted], error) {
	err := c.policies.Delete(ctx, inspect.PolicyChange{Name: in.Name, Version: in.Version, DryRun: in.DryRun})
	if err != nil {
		return nil, err
	}
	return route.OK(client.PolicyDeleted{Deleted: !in.DryRun, DryRun: in.DryRun})
}

func wirePolicies(ctx context.Context, all []inspect.NamedPolicy, err error) (*route.Answer[client.Policies], error) {
	if err != nil {
		return nil, err
	}
	out := client.Policies{Policies: make([]client.Policy, len(all))}
	for i := range all {
		out.Policies[i] = wirePolicy(ctx, &all[i])
	}
	return route.OK(out)
}

// wirePolicy also says what is to be said of the policy before it fails a task. Who made
// it is, like the audit log, not for tokens that are for certain queues.
func wirePolicy(ctx context.Context, named *inspect.NamedPolicy) client.Policy {
	out := client.Policy{
		Name: named.Name, Source: string(named.Source), Version: named.Version, Policy: client.PlainJSON(task.HideJSON(named.Form)), Preset: named.Preset,
		UpdatedAt: wire.Time(named.UpdatedAt), UsedBy: named.UsedBy,
	}
	if scope.Narrow(ctx) == nil {
		out.Actor = named.Actor
	}
	if named.Policy == nil {
		return out
	}
	out.Canary = wireCanary(named)
	out.Attempts = named.Policy.MaxAttempts()
	report, err := planner.Of(named.Policy, planner.Env{Rows: 1})
	if err != nil {
		return out // it was planned for nothing in particular; there is no such error
	}
	out.Summary = report.Summary()
	if named.Source == inspect.PolicyPreset {
		return out
	}
	for _, w := range report.Warnings {
		out.Warnings = append(out.Warnings, client.PlanWarning{Code: w.Code, Field: w.Field, Message: w.Message})
	}
	return out
}
