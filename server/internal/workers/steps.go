package workers

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/task"
)

func (c *calls) steps(ctx context.Context, in *stepsInput) (*route.Answer[client.AddedSteps], error) {
	done := make([]task.Step, len(in.Body.Items))
	for i := range in.Body.Items {
		done[i] = stepOf(&in.Body.Items[i])
	}
	own, err := c.bounds.Own(ctx, idsOf(done, func(s *task.Step) task.ID { return s.Task }))
	if err != nil {
		return nil, err
	}
	var refused []error
	if left := only(done, own); len(left) > 0 || len(done) == 0 {
		if refused, err = c.node.Steps(ctx, left); err != nil {
			return nil, err
		}
	}
	out := client.AddedSteps{Results: make([]client.StepResult, len(done))}
	for i, err := range spread(refused, own, error(task.NotFound("task", ""))) {
		out.Results[i] = stepResult(&done[i], err)
	}
	return route.OK(out)
}

func stepOf(s *client.DoneStep) task.Step {
	out := task.Step{
		Task: s.ID, Claim: s.Claim, Name: s.Name, Occurrence: s.Occurrence, Result: orAbsent(s.Result), Type: s.Type,
		StartedAt: s.StartedAt.Time, Compensation: wire.CompensationOf(s.Compensation),
	}
	if out.Compensation != nil {
		out.Compensation.Payload = orAbsent(out.Compensation.Payload)
	}
	return out
}

// stepResult says what became of a step. Why it was not kept is said but where the status
// says all.
func stepResult(s *task.Step, err error) client.StepResult {
	out := client.StepResult{ID: s.Task, Name: s.Name, Occurrence: cmp.Or(s.Occurrence, 1), Status: "ok"}
	if err == nil {
		return out
	}
	told := problem.Of(err)
	switch told.Code {
	case task.CodeStaleClaim, task.CodeNotFound:
		out.Status = string(told.Code)
	default:
		out.Status, out.Error = "error", told
	}
	return out
}
