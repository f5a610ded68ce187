package server

import (
	"context"

	"github.com/outlast-dev/outlast/client"
)

type planInput struct {
	Body client.PlanRequest `optional:"true"`
}

// maxPlanBody is far more than a policy needs.
const maxPlanBody = 64 << 10

func (s *Server) addPolicies() {
	handle(s, route{
		method: "POST", path: "/v1/policies/plan", id: "plan-policy", tag: "policies", answers: []int{200}, limit: maxPlanBody,
		summary: "Plan a policy: its delays, success, load and what is wrong with it",
		about: "The body holds the keys of a policy, or preset, together with what it is planned for; without any it plans the default policy. " +
			"With solve it finds the largest first interval, multiplier or number of retries that keeps the limit. Nothing is stored.",
	}, planPolicy)
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
