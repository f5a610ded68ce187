// Package workers is the calls of remote workers: poll, extend, keep steps, settle.
package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/body"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const usualLease = 30 * time.Second

type pollInput struct{ Body client.Poll }

type extendInput struct{ Body client.Extend }

type stepsInput struct{ Body client.AddSteps }

type settleInput struct{ Body client.SettleTasks }

// Node hands tasks out and takes back how they ended. [outlast.Client] implements it.
type Node interface {
	Poll(ctx context.Context, poll outlast.Poll) ([]outlast.Leased, error)
	Extend(ctx context.Context, items []outlast.Extension, lease time.Duration) ([]store.Extended, error)
	Settle(ctx context.Context, endings []outlast.Ending) ([]store.Settled, error)
	Steps(ctx context.Context, done []task.Step) ([]error, error)
}

type calls struct {
	node   Node
	tasks  inspect.Tasks
	bounds *scope.Bounds
}

// Add adds the calls of remote workers.
func Add(to *route.Table, node Node, tasks inspect.Tasks, bounds *scope.Bounds) {
	c := &calls{node, tasks, bounds}
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/workers/poll", ID: "poll-tasks", Needs: inspect.PermissionWork, Scope: scope.ByBody, Tag: "workers",
		Summary: "Wait for tasks to run",
		About: "Answers as soon as there is a task, or with none when the time has passed. The tasks of all nodes come, whichever is asked. " +
			"They are leased to the worker: on disk, and not to be lost with this node.",
		Errors: []task.Code{task.CodeUnavailable},
	}, c.poll)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/workers/extend", ID: "extend-tasks", Needs: inspect.PermissionWork, Scope: scope.ByBody, Tag: "workers", Limit: body.MaxBatch,
		Summary: "Extend leases and report progress", About: "Any node can be told. The answers say which tasks are to be stopped.",
	}, c.extend)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/workers/steps", ID: "add-steps", Needs: inspect.PermissionWork, Scope: scope.ByBody, Tag: "workers", Limit: body.MaxBatch,
		Summary: "Save completed steps, so that later attempts skip them",
		About: "Any node can be told. When the answer comes, they are on disk. A repeat under the same claim answers ok. Polls hand out with a task the steps that are not to be done again. " +
			"Tell the end of an attempt only after the answers for its steps: what is told later is not undone if the task dies.",
	}, c.steps)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/workers/settle", ID: "settle-tasks", Needs: inspect.PermissionWork, Scope: scope.ByBody, Tag: "workers", Limit: body.MaxBatch,
		Summary: "Report the outcome of attempts", About: "Any node can be told. When the answer comes, it is on disk. A repeat of the recorded outcome for the same claim answers ok.",
		Errors: []task.Code{task.CodeUnavailable},
	}, c.settle)
}

func (c *calls) poll(ctx context.Context, in *pollInput) (*route.Answer[client.Polled], error) {
	poll := outlast.Poll{
		Worker: in.Body.Worker, Release: in.Body.Release, Queues: in.Body.Queues, Types: in.Body.Types, Most: 1,
		Wait: time.Duration(in.Body.Wait), Lease: orUsual(in.Body.Lease),
	}
	if in.Body.Queues == nil {
		poll.Queues = []string{task.DefaultQueue}
	}
	if t := scope.Narrow(ctx); t != nil {
		for _, queue := range poll.Queues {
			if !t.Covers(queue) {
				return nil, scope.Outside(t, "queues")
			}
		}
	}
	if in.Body.Max != nil {
		poll.Most = *in.Body.Max
	}
	leased, err := c.node.Poll(ctx, poll)
	if err != nil {
		return nil, err
	}
	tasks := make([]*outlast.Task, len(leased))
	for i := range leased {
		tasks[i] = leased[i].Task
	}
	views, err := c.tasks.View(ctx, tasks...)
	if err != nil {
		return nil, err
	}
	out := client.Polled{Tasks: make([]client.LeasedTask, len(leased))}
	for i, view := range views {
		view.Steps = leased[i].Steps
		out.Tasks[i] = client.LeasedTask{
			Task: wire.Task(view), AttemptEnds: wire.Time(leased[i].AttemptEnds),
		}
	}
	return route.OK(out)
}

func orUsual(lease client.Duration) time.Duration {
	if lease == 0 {
		return usualLease
	}
	return time.Duration(lease)
}

func (c *calls) extend(ctx context.Context, in *extendInput) (*route.Answer[client.Extended], error) {
	items := make([]outlast.Extension, len(in.Body.Items))
	for i, item := range in.Body.Items {
		items[i] = outlast.Extension{ID: item.ID, Claim: item.Claim, Progress: orAbsent(item.Progress)}
	}
	lease := orUsual(in.Body.Lease)
	own, err := c.bounds.Own(ctx, idsOf(items, func(e *outlast.Extension) task.ID { return e.ID }))
	if err != nil {
		return nil, err
	}
	var results []store.Extended
	if left := only(items, own); len(left) > 0 || len(items) == 0 {
		if results, err = c.node.Extend(ctx, left, lease); err != nil {
			return nil, err
		}
	}
	out := client.Extended{Results: make([]client.ExtendResult, len(items))}
	for i, result := range spread(results, own, store.Extended{Status: store.StatusStale}) {
		out.Results[i] = client.ExtendResult{ID: items[i].ID, Status: string(result.Status)}
		if result.Status == store.StatusOK {
			out.Results[i].LeaseUntil = wire.Time(time.Now().Add(lease))
		}
		if result.CancelRequested {
			out.Results[i].Status = "canceled"
		}
	}
	return route.OK(out)
}

func (c *calls) settle(ctx context.Context, in *settleInput) (*route.Answer[client.Settled], error) {
	endings := make([]outlast.Ending, len(in.Body.Results))
	var fields []task.Field
	for i := range in.Body.Results {
		r := &in.Body.Results[i]
		wrong, err := endOf(r, fmt.Sprintf("results[%d].", i))
		if wrong != nil && len(fields) < problem.MostFields {
			fields = append(fields, *wrong)
		}
		endings[i] = outlast.Ending{ID: r.ID, Claim: r.Claim, Result: orAbsent(r.Result), Err: err}
	}
	if len(fields) > 0 {
		return nil, &task.Error{Code: task.CodeInvalid, Message: "the results are not valid", Fields: fields, Hint: problem.FieldsHint}
	}
	own, err := c.bounds.Own(ctx, idsOf(endings, func(e *outlast.Ending) task.ID { return e.ID }))
	if err != nil {
		return nil, err
	}
	var settled []store.Settled
	if left := only(endings, own); len(left) > 0 || len(endings) == 0 {
		if settled, err = c.node.Settle(ctx, left); err != nil {
			return nil, err
		}
	}
	out := client.Settled{Results: make([]client.SettleResult, len(endings))}
	for i, result := range spread(settled, own, store.Settled{Status: store.StatusNotFound}) {
		out.Results[i] = client.SettleResult{ID: endings[i].ID, Status: string(result.Status), State: string(result.State)}
	}
	return route.OK(out)
}

// orAbsent is nil for null.
func orAbsent(value json.RawMessage) json.RawMessage {
	if string(value) == "null" {
		return nil
	}
	return value
}
