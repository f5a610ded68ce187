package server

import (
	"context"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type bulkInput struct{ Body client.Bulk }

func (s *Server) addBulk() {
	handle(s, route{
		method: "POST", path: "/v1/tasks/bulk", id: "bulk-tasks", needs: token.Operate, scope: byBody, tag: "tasks", answers: []int{202, 200},
		summary: "Cancel, retry or reschedule many tasks, by ids or by filter",
		about: "200 with what has become of each of up to 100 ids, and for a dry run, which only counts and shows a sample. 202 for more ids and for a filter: an operation that survives a restart; " +
			"follow it under /v1/operations. It does to each task what the call for one does; tasks whose state does not fit are left alone and reported.",
		errors: []task.Code{task.CodeConflict},
	}, s.bulk)
}

func (s *Server) bulk(ctx context.Context, in *bulkInput) (answer[client.Bulked], error) {
	request, err := bulkRequest(&in.Body)
	if err != nil {
		return fail[client.Bulked](err)
	}
	if err := request.Check(); err != nil { // also where none of the tasks is the token's
		return fail[client.Bulked](inFilter[client.TaskFilter](err))
	}
	ids, filter, others, err := s.scopedLetters(ctx, request.IDs, request.Filter)
	if err != nil {
		return fail[client.Bulked](err)
	}
	request.IDs, request.Filter = ids, filter
	out := answer[client.Bulked]{Status: http.StatusOK, Body: &client.Bulked{DryRun: request.DryRun}}
	if filter != nil || len(ids) > 0 {
		result, err := s.inspect.Tasks.Bulk(ctx, request)
		if err != nil {
			return fail[client.Bulked](inFilter[client.TaskFilter](err))
		}
		body := out.Body
		body.Operation, body.Matched, body.AtLeast = result.Operation, result.Matched, result.AtLeast
		body.Until = wireTime(result.Until)
		sample, err := s.inspect.Tasks.View(ctx, result.Sample...)
		if err != nil {
			return fail[client.Bulked](err)
		}
		body.Results, body.Sample = bulkResults(result.Items), bulkSamples(sample)
	}
	for _, id := range others { // tasks of other queues are none
		out.Body.Results = append(out.Body.Results, client.BulkResult{ID: id, Status: string(bulk.Missing)})
	}
	if out.Body.Operation != "" {
		out.Status = http.StatusAccepted
	}
	return out, nil
}

// bulkRequest refuses what names neither ids nor a filter, or both, and a time that
// does not go with the action.
func bulkRequest(in *client.Bulk) (bulk.Request, error) {
	request := bulk.Request{Action: bulk.Action(in.Action), IDs: in.IDs, Filter: taskFilter(in.Filter), RunAt: in.RunAt.Time, Reason: in.Reason, DryRun: in.DryRun}
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

func taskFilter(f *client.TaskFilter) *store.Filter {
	if f == nil {
		return nil
	}
	return &store.Filter{
		State: task.State(f.State), Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: f.Since.Time,
		Until: f.Until.Time, FailedSince: f.FailedSince.Time, FailedUntil: f.FailedUntil.Time, Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Search: f.Q,
	}
}

// wireBulk gives the request that an operation keeps the form in which it was made.
func wireBulk(o *store.Operation) (request *client.Bulk, named int) {
	r, named := bulk.RequestOf(o)
	if r == nil {
		return nil, 0
	}
	out := &client.Bulk{Action: string(r.Action), RunAt: wireTime(r.RunAt), Reason: r.Reason}
	if f := r.Filter; f != nil {
		out.Filter = &client.TaskFilter{
			State: string(f.State), Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: wireTime(f.Since),
			Until: wireTime(f.Until), FailedSince: wireTime(f.FailedSince), FailedUntil: wireTime(f.FailedUntil), Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Q: f.Search,
		}
	}
	return out, named
}

func bulkResults(items []bulk.Item) []client.BulkResult {
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
			RunAt: wireTime(t.RunAt), Waiting: string(t.Waiting), NextCheck: wireTime(t.NextCheck),
		}
		if t.LastError != nil {
			out[i].Category, out[i].Message = t.LastError.Category, t.LastError.Message
		}
	}
	return out
}

// bulkItems is a page of the report of an action on tasks.
func bulkItems(items []bulk.Item) []client.OperationItem {
	out := make([]client.OperationItem, len(items))
	for i := range items {
		item := &items[i]
		out[i] = client.OperationItem{Place: item.Place, ID: item.ID, Status: string(item.Status)}
		if t := item.Task; t != nil {
			out[i].State, out[i].Type, out[i].Queue, out[i].Key, out[i].Attempt = string(t.State), t.Type, t.Queue, t.Key, t.Attempt
			out[i].Error, out[i].At = wireFailure(t.LastError), wireTime(t.UpdatedAt)
		}
	}
	return out
}
