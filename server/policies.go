package server

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/outlast-dev/outlast/client"
	planner "github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type planInput struct {
	Body client.PlanRequest `optional:"true"`
}

type policyName struct {
	Name string `path:"name" doc:"Name of the policy."`
}

type policyChange struct {
	Version *int64 `query:"version" doc:"The version that is changed, 0 for none; another one is a conflict. Whatever stands there when absent."`
	DryRun  bool   `query:"dry_run" doc:"Check everything and change nothing."`
}

type policyPut struct {
	policyName
	policyChange
	Body json.RawMessage
}

type policyDelete struct {
	policyName
	policyChange
}

// maxPlanBody is far more than a policy needs.
const maxPlanBody = 64 << 10

// maxPolicyBody leaves it to the policy to say that it is too large.
const maxPolicyBody = 128 << 10

func (s *Server) addPolicies() {
	handle(s, route{
		method: "POST", path: "/v1/policies/plan", id: "plan-policy", needs: token.View, scope: shared, tag: "policies", answers: []int{200}, limit: maxPlanBody,
		summary: "Plan a policy: its delays, success, load and what is wrong with it",
		about: "The body holds the keys of a policy, or preset, together with what it is planned for; without any it plans the default policy. " +
			"With solve it finds the largest first interval, multiplier or number of retries that keeps the limit. Nothing is stored.",
	}, planPolicy)
	handle(s, route{
		method: "GET", path: "/v1/policies", id: "list-policies", needs: token.View, scope: unsigned, tag: "policies", answers: []int{200},
		summary: "List policies by name, presets included", about: "A policy under the name of a preset stands in its place.",
	}, s.listPolicies)
	handle(s, route{
		method: "GET", path: "/v1/policies/{name}", id: "get-policy", needs: token.View, scope: unsigned, tag: "policies", answers: []int{200},
		summary: "Get a policy, with who names it", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *policyName) (answer[client.Policy], error) {
		named, err := s.inspect.Policies.Get(ctx, in.Name)
		if err != nil {
			return fail[client.Policy](err)
		}
		return ok(wirePolicy(ctx, named))
	})
	handle(s, route{
		method: "GET", path: "/v1/policies/{name}/versions", id: "list-policy-versions", needs: token.View, scope: unsigned, tag: "policies", answers: []int{200},
		summary: "List the versions of a policy, newest first", about: "The last 100, also of a policy that was deleted.", errors: []task.Code{task.CodeNotFound},
	}, s.policyVersions)
	handle(s, route{
		method: "PUT", path: "/v1/policies/{name}", id: "put-policy", needs: token.Administer, scope: whole, tag: "policies", answers: []int{200, 201}, limit: maxPolicyBody, request: reflect.TypeFor[client.PolicyForm](),
		summary: "Create a policy (201), or change one (200)",
		about: "The body replaces the policy whole. It holds everywhere within about a second: for attempts that begin, and for what follows those that fail. " +
			"With the content that it has, nothing changes. With canary it holds for that share of the tasks, and the version before for the rest. warnings says what is probably not meant; dry_run shows it beforehand.",
		errors: []task.Code{task.CodeConflict, task.CodeManagedByFile},
	}, s.putPolicy)
	s.addCanaries()
	handle(s, route{
		method: "DELETE", path: "/v1/policies/{name}", id: "delete-policy", needs: token.Administer, scope: whole, tag: "policies", answers: []int{200},
		summary: "Delete a policy; its versions are kept",
		about:   "Tasks that name it have the preset of the name then, if there is one, else what their type, their queue or the default says.",
		errors:  []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
	}, s.deletePolicy)
}

// planPolicy is pure: it looks at nothing but its input.
func planPolicy(_ context.Context, in *planInput) (answer[client.Plan], error) {
	report, err := in.Body.Report()
	if err != nil {
		return fail[client.Plan](err)
	}
	plan, err := client.NewPlan(report)
	if err != nil {
		return fail[client.Plan](err)
	}
	return ok(*plan)
}

func (s *Server) listPolicies(ctx context.Context, _ *none) (answer[client.Policies], error) {
	all, err := s.inspect.Policies.List(ctx)
	return wirePolicies(ctx, all, err)
}

func (s *Server) policyVersions(ctx context.Context, in *policyName) (answer[client.Policies], error) {
	all, err := s.inspect.Policies.Versions(ctx, in.Name)
	return wirePolicies(ctx, all, err)
}

func (s *Server) putPolicy(ctx context.Context, in *policyPut) (answer[client.Policy], error) {
	named, changed, err := s.inspect.Policies.Put(ctx, policy.Change{Name: in.Name, Form: in.Body, Version: in.Version, DryRun: in.DryRun})
	if err != nil {
		return fail[client.Policy](err)
	}
	out := wirePolicy(ctx, named)
	out.DryRun, out.Changed = in.DryRun, &changed
	status := http.StatusOK
	if changed && named.Version == 1 && !in.DryRun {
		status = http.StatusCreated
	}
	return answer[client.Policy]{Status: status, Body: &out}, nil
}

func (s *Server) deletePolicy(ctx context.Context, in *policyDelete) (answer[client.PolicyDeleted], error) {
	err := s.inspect.Policies.Delete(ctx, policy.Change{Name: in.Name, Version: in.Version, DryRun: in.DryRun})
	if err != nil {
		return fail[client.PolicyDeleted](err)
	}
	return ok(client.PolicyDeleted{Deleted: !in.DryRun, DryRun: in.DryRun})
}

func wirePolicies(ctx context.Context, all []policy.Named, err error) (answer[client.Policies], error) {
	if err != nil {
		return fail[client.Policies](err)
	}
	out := client.Policies{Policies: make([]client.Policy, len(all))}
	for i := range all {
		out.Policies[i] = wirePolicy(ctx, &all[i])
	}
	return ok(out)
}

// wirePolicy also says what is to be said of the policy before it fails a task. Who made
// it is, like the audit log, not for tokens that are for certain queues.
func wirePolicy(ctx context.Context, named *policy.Named) client.Policy {
	out := client.Policy{
		Name: named.Name, Source: string(named.Source), Version: named.Version, Policy: client.PlainJSON(task.HideJSON(named.Form)), Preset: named.Preset,
		UpdatedAt: wireTime(named.UpdatedAt), UsedBy: named.UsedBy,
	}
	if scoped(ctx) == nil {
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
	if named.Source == policy.Preset {
		return out
	}
	for _, w := range report.Warnings {
		out.Warnings = append(out.Warnings, client.PlanWarning{Code: w.Code, Field: w.Field, Message: w.Message})
	}
	return out
}
