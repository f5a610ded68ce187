package tasks

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/body"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type enqueueInput struct {
	Wait  client.Duration `query:"wait" doc:"Wait this long for the end of the task, at most 10m."`
	Trace string          `header:"traceparent" doc:"W3C trace context, for a body without trace_parent."`
	Body  client.Draft
}

func (c *calls) addEnqueue(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/tasks", ID: "enqueue-task", Needs: inspect.PermissionEnqueue, Scope: scope.ByBody, Tag: "tasks", Answers: []int{201, 200, 202},
		Summary: "Enqueue a task",
		About: "201 with the new task, which is on disk; 200 with the task that was there, for a repeated id or dedupe key of the same content. " +
			"With wait: 200 with the finished task, or 202 with the task as it stands when the time is over.",
		Errors: []task.Code{task.CodeDedupeConflict, task.CodeIDConflict, task.CodeQueueFull, task.CodeDedupeBusy, task.CodeNotFound},
	}, c.enqueue)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/tasks/batch", ID: "enqueue-batch", Needs: inspect.PermissionEnqueue, Scope: scope.ByBody, Tag: "tasks",
		Limit: body.MaxBatch, Request: reflect.TypeFor[client.Batch](),
		Summary: "Enqueue up to 1000 tasks", About: "With atomic all or none: one bad task refuses the batch. Otherwise each has its own result, in the same order.",
		Errors: []task.Code{task.CodeDedupeConflict, task.CodeIDConflict, task.CodeQueueFull, task.CodeNotFound},
	}, c.batch)
}

func (c *calls) enqueue(ctx context.Context, in *enqueueInput) (*route.Answer[client.Task], error) {
	if err := checkWait(in.Wait); err != nil {
		return nil, err
	}
	if in.Body.TraceParent == "" {
		in.Body.TraceParent = traceParent(in.Trace)
	}
	receipt, err := c.node.Enqueue(ctx, draftOf(&in.Body))
	if err != nil {
		return nil, err
	}
	out := &route.Answer[client.Task]{Status: http.StatusCreated, Location: "/v1/tasks/" + receipt.Task.ID.String()}
	if receipt.Existing {
		out.Status = http.StatusOK
	}
	if in.Wait > 0 {
		return c.wait(ctx, receipt.Task.ID, in.Wait, out)
	}
	return c.shown(ctx, receipt.Task, out)
}

func (c *calls) shown(ctx context.Context, t *outlast.Task, out *route.Answer[client.Task]) (*route.Answer[client.Task], error) {
	views, err := c.tasks.View(ctx, t)
	if err != nil {
		return nil, err
	}
	out.Body = wire.Task(views[0])
	return out, nil
}

// traceParent drops a header that is not in the form of W3C trace context: it
// was not meant for us, and must not spoil the enqueue.
func traceParent(header string) string {
	if len(header) < 55 || len(header) > 512 || header[2] != '-' || header[35] != '-' || header[52] != '-' ||
		header[:2] == "ff" || header[:2] == "00" && len(header) > 55 || len(header) > 55 && header[55] != '-' ||
		strings.Trim(header[3:35], "0") == "" || strings.Trim(header[36:52], "0") == "" {
		return ""
	}
	for i, c := range []byte(header) {
		if (c != '-' || i != 2 && i != 35 && i < 52) && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ""
		}
	}
	return header
}

func draftOf(d *client.Draft) outlast.Draft {
	draft := outlast.Draft{
		ID: d.ID, Type: d.Type, Queue: d.Queue, Payload: d.Payload,
		Delay: time.Duration(d.Delay), RunAt: d.RunAt.Time, Priority: d.Priority,
		Key: d.Key, ShareKey: d.ShareKey, DedupeKey: d.DedupeKey, DedupeWindow: time.Duration(d.DedupeWindow),
		Policy: d.Policy, MaxAttempts: d.MaxAttempts, Timeout: time.Duration(d.Timeout),
		Deadline: d.Deadline.Time, TTL: time.Duration(d.TTL), Metadata: d.Metadata, Target: wire.RequestOf(d.Target),
		Fallback: wire.FollowOf(d.Fallback), OnSuccess: wire.FollowOf(d.OnSuccess), OnDead: wire.FollowOf(d.OnDead),
		Alert: d.Alert, TraceParent: d.TraceParent, Group: d.Group,
	}
	serving.SetRetry(&draft, d.Retry)
	return draft
}
