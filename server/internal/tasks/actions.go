package tasks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type cancelInput struct {
	scope.TaskID
	Body client.Cancellation `optional:"true"`
}

type rescheduleInput struct {
	scope.TaskID
	Body client.Reschedule `optional:"refused"`
}

type signalInput struct {
	scope.TaskID
	Name string          `path:"name" doc:"Name of the signal, percent-encoded."`
	Body json.RawMessage `optional:"true"`
}

// addSignals adds the call by which a task gets what its handler waits for.
func (c *calls) addSignals(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/tasks/{id}/signals/{name}", ID: "signal-task", Needs: inspect.PermissionOperate, Scope: scope.ByTask, Tag: "tasks",
		Summary: "Send a signal to a task that waits or will wait for it",
		About: "The body is the payload, any JSON of at most 64 KiB, or nothing. The first signal of a name stands: a repeat with the same payload is answered with repeated, whatever became of the task, " +
			"and another payload is a conflict. So is a signal for a task that has ended, or that has waited for it in vain.",
		Errors: []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeTooLarge},
	}, func(ctx context.Context, in *signalInput) (*route.Answer[client.Signaled], error) {
		done, err := c.steps.Signal(ctx, in.ID, in.Name, in.Body)
		if err != nil {
			return nil, err
		}
		return route.OK(client.Signaled{ID: in.ID, Name: done.Name, At: wire.Time(done.EndedAt), Repeated: done.Repeated, State: string(done.State), Woken: done.Woken})
	})
}

func (c *calls) addActions(to *route.Table) {
	action := route.Route{Method: "POST", Needs: inspect.PermissionOperate, Scope: scope.ByTask, Tag: "tasks", Errors: []task.Code{task.CodeNotFound, task.CodeConflict}}
	cancel, again, move := action, action, action
	cancel.Path, cancel.ID, cancel.Summary = "/v1/tasks/{id}/cancel", "cancel-task", "Cancel a pending task, or ask a running one to stop"
	cancel.About = "What the steps of the task have done stays done, unless compensate is given: then compensation_task undoes it once the task is canceled, whatever becomes of this node. It is an own task of the engine, and waits while the queue outlast.alerts is paused. POST /v1/tasks/bulk cancels without compensation."
	again.Path, again.ID, again.Summary = "/v1/tasks/{id}/retry", "retry-task", "Run the next attempt now"
	again.About = "A dead letter has no next attempt: redrive it with POST /v1/dead/redrive."
	move.Path, move.ID, move.Summary = "/v1/tasks/{id}/reschedule", "reschedule-task", "Move the next attempt of a pending task"
	move.About = "Either run_at or delay is required."
	route.Handle(to, cancel, func(ctx context.Context, in *cancelInput) (*route.Answer[client.Task], error) {
		if in.Body.Compensate {
			return oneTask(c.tasks.Cancel(ctx, in.ID, inspect.Compensate))
		}
		return oneTask(c.tasks.Cancel(ctx, in.ID))
	})
	route.Handle(to, again, func(ctx context.Context, in *scope.TaskID) (*route.Answer[client.Task], error) {
		return oneTask(c.tasks.RetryNow(ctx, in.ID))
	})
	route.Handle(to, move, func(ctx context.Context, in *rescheduleInput) (*route.Answer[client.Task], error) {
		at, delay := in.Body.RunAt.Time, in.Body.Delay
		switch {
		case at.IsZero() && delay == nil:
			return nil, task.Invalid("run_at", "run_at or delay is required", "to run it now, use POST /v1/tasks/{id}/retry")
		case !at.IsZero() && delay != nil:
			return nil, task.Invalid("delay", "delay and run_at are both given", "give one of them")
		case delay != nil && *delay < 0:
			return nil, task.Invalid("delay", "must not be negative", "0s is now")
		case delay != nil:
			at = time.Now().Add(time.Duration(*delay))
		}
		return oneTask(c.tasks.Reschedule(ctx, in.ID, at))
	})
}
