package tasks

import (
	"context"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type bulkInput struct{ Body client.Bulk }

func (c *calls) addBulk(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/tasks/bulk", ID: "bulk-tasks", Needs: inspect.PermissionOperate, Scope: scope.ByBody, Tag: "tasks", Answers: []int{202, 200},
		Summary: "Cancel, retry or reschedule many tasks, by ids or by filter",
		About: "200 with what has become of each of up to 100 ids, and for a dry run, which only counts and shows a sample. 202 for more ids and for a filter: an operation that survives a restart; " +
			"follow it under /v1/operations. It does to each task what the call for one does; tasks whose state does not fit are left alone and reported.",
		Errors: []task.Code{task.CodeConflict},
	}, c.bulk)
}

func (c *calls) bulk(ctx context.Context, in *bulkInput) (*route.Answer[client.Bulked], error) {
	request, err := bulkRequest(&in.Body)
	if err != nil {
		return nil, err
	}
	if err := bulk.Check(&request); err != nil { // also where none of the tasks is the token's
		return nil, query.InFilter[client.TaskFilter](err)
	}
	ids, filter, others, err := c.bounds.Chosen(ctx, request.IDs, request.Filter)
	if err != nil {
		return nil, err
	}
	request.IDs, request.Filter = ids, filter
	out := &route.Answer[client.Bulked]{Status: http.StatusOK, Body: client.Bulked{DryRun: request.DryRun}}
	if filter != nil || len(ids) > 0 {
		result, err := c.tasks.Bulk(ctx, request)
		if err != nil {
			return nil, query.InFilter[client.TaskFilter](err)
		}
		body := &out.Body
		body.Operation, body.Matched, body.AtLeast = result.Operation, result.Matched, result.AtLeast
		body.Until = wire.Time(result.Until)
		sample, err := c.tasks.View(ctx, result.Sample...)
		if err != nil {
			return nil, err
		}
		body.Results, body.Sample = bulkResults(result.Items), bulkSamples(sample)
	}
	for _, id := range others { // tasks of other queues are none
		out.Body.Results = append(out.Body.Results, client.BulkResult{ID: id, Status: string(inspect.BulkMissing)})
	}
	if out.Body.Operation != "" {
		out.Status = http.StatusAccepted
	}
	return out, nil
}

// bulkRequest refuses what names neither ids nor a filter, or both, and a time that
// does not go with the action.
func bulkRequest(in *client.Bulk) (inspect.BulkRequest, error) {
	request := inspect.BulkRequest{Action: inspect.BulkAction(in.Action), IDs: in.IDs, Filter: query.TaskFilterOf(in.Filter), RunAt: in.RunAt.Time, Reason: in.Reason, DryRun: in.DryRun}
	switch {
	case len(in.IDs) > 0 && in.Filter != nil:
		return request, task.Invalid("filter", "ids and filter are both given", "give one of them")
	case len(in.IDs) == 0 && in.Filter == nil:
		return request, task.Invalid("filter", "neither ids nor a filter is given", `the filter {} means every task`)
	case in.Delay == nil:
		return request, nil
	case !request.RunAt.IsZero():
		return request, task.Invalid("delay", "delay and run_at are both given", "give one of them")
	case *in.Delay < 0:
		return request, task.Invalid("delay", "must not be negative", "0s is now")
	}
	request.RunAt = time.Now().Add(time.Duration(*in.Delay))
	return request, nil
}

func bulkResults(items []inspect.BulkItem) []client.BulkResult {
	out := make([]client.BulkResult, len(items))
	for i := range items {
		out[i] = client.BulkResult{ID: items[i].ID, Status: string(items[i].Status)}
		if t := items[i].Task; t != nil {
			out[i].State = string(t.State)
		}
	}
	return out
}

func bulkSamples(tasks []*inspect.View) []client.BulkSample {
	out := make([]client.BulkSample, len(tasks))
	for i, t := range tasks {
		out[i] = client.BulkSample{
			ID: t.ID, Type: t.Type, Queue: t.Queue, Key: t.Key, State: string(t.State), Attempt: t.Attempt, MaxAttempts: t.MaxAttempts,
			RunAt: wire.Time(t.RunAt), Waiting: string(t.Waiting), NextCheck: wire.Time(t.NextCheck),
		}
		if t.LastError != nil {
			out[i].Category, out[i].Message = t.LastError.Category, t.LastError.Message
		}
	}
	return out
}
