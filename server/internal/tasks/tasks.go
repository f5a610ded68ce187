// Package tasks is the calls about tasks: enqueue, find, look at, and change one or many.
package tasks

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// mostUpcoming bounds the list of what is tried again.
const mostUpcoming = 100

type listInput struct {
	query.Tasks
	Waiting string `query:"waiting" doc:"Pending tasks that wait for this reason, as their field waiting says it, such as key blocked."`
	Limit   *int   `query:"limit" doc:"Tasks per page, 1 to 500, 100 when absent."`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before."`
}

type upcomingInput struct {
	Queue string `query:"queue" doc:"Of this queue."`
	Limit *int   `query:"limit" doc:"Tasks, 1 to 100, 10 when absent."`
}

// Node takes tasks in, and waits for their ends. [outlast.Client] implements it.
type Node interface {
	Enqueue(ctx context.Context, draft outlast.Draft) (outlast.Receipt, error)
	EnqueueMany(ctx context.Context, drafts []outlast.Draft, atomic bool) ([]outlast.Receipt, error)
	Wait(ctx context.Context, id task.ID) (*outlast.Task, error)
	RunDue(ctx context.Context, due outlast.Due) (outlast.DueCounts, error)
}

type calls struct {
	node   Node
	tasks  inspect.Tasks
	steps  inspect.Steps
	bounds *scope.Bounds
}

// Add adds the calls about tasks.
func Add(to *route.Table, node Node, tasks inspect.Tasks, steps inspect.Steps, bounds *scope.Bounds) {
	c := &calls{node, tasks, steps, bounds}
	c.addEnqueue(to)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/tasks", ID: "list-tasks", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "tasks",
		Summary: "Find tasks, newest first", About: "With state=failed, failed_since or failed_until, the newest failure comes first. A page may be short or empty and still have a cursor: filters without an index read a bounded number of rows per call, and a page ends with the task that makes it 8 MiB.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/tasks/upcoming", ID: "list-upcoming", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "tasks",
		Summary: "List tasks that wait for a retry, the soonest first",
		About:   "By the time of the next attempt, or when the target that holds a task back is asked again; behind them tasks that wait for something else, such as one of a paused queue. However much waits, a bounded part of it is looked at: complete says whether that was enough.",
	}, c.upcoming)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/tasks/{id}", ID: "get-task", Needs: inspect.PermissionFollow, Scope: scope.ByTask, Tag: "tasks", Answers: []int{200, 202},
		Summary: "Get a task in any state", Errors: []task.Code{task.CodeNotFound},
		About: "With why it waits, what follows it, and the steps that are done of it. With wait: 200 when it has ended, or 202 as it stands when the time is over.",
	}, c.get)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/tasks/{id}/attempts", ID: "list-attempts", Needs: inspect.PermissionView, Scope: scope.ByTask, Tag: "tasks",
		Summary: "List the attempts and steps of a task, oldest first", About: "An attempt that cost nothing repeats its number. Steps have the signals and waits too.", Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *scope.TaskID) (*route.Answer[client.Attempts], error) {
		return c.story(ctx, in.ID)
	})
	c.addActions(to)
	c.addSignals(to)
	c.addBulk(to)
	c.addRunDue(to)
}

func oneTask(view *inspect.View, err error) (*route.Answer[client.Task], error) {
	if err != nil {
		return nil, err
	}
	return route.OK(wire.Task(view))
}

// story is what has become of a task so far.
func (c *calls) story(ctx context.Context, id task.ID) (*route.Answer[client.Attempts], error) {
	attempts, err := c.tasks.Attempts(ctx, id)
	if err != nil {
		return nil, err
	}
	steps, err := c.steps.Of(ctx, id)
	if err != nil {
		return nil, err
	}
	var undone int64
	if len(steps) > 0 {
		row, err := c.tasks.Row(ctx, id)
		if err != nil {
			return nil, err
		}
		undone = row.Spec.Undone
	}
	return route.OK(client.Attempts{Attempts: wire.Attempts(attempts), Steps: wire.Steps(steps, undone)})
}

func (c *calls) list(ctx context.Context, in *listInput) (*route.Answer[client.Tasks], error) {
	page, err := query.Page(in.Limit, in.Cursor)
	if err != nil {
		return nil, err
	}
	filter, err := in.Filter()
	if err == nil {
		filter, err = scope.Filter(ctx, filter)
	}
	if err != nil {
		return nil, err
	}
	if in.Waiting != "" {
		return tasks(c.tasks.FindWaiting(ctx, task.Waiting(in.Waiting), filter, page))
	}
	views, next, err := c.tasks.Find(ctx, filter, page)
	return tasks(views, next, err)
}

func (c *calls) upcoming(ctx context.Context, in *upcomingInput) (*route.Answer[client.Upcoming], error) {
	limit := 0
	if in.Limit != nil {
		if limit = *in.Limit; limit < 1 || limit > mostUpcoming {
			return nil, task.Invalid("limit", fmt.Sprintf("must be 1 to %d, not %d", mostUpcoming, limit), "there are no more pages: GET /v1/tasks has all tasks")
		}
	}
	queues, err := scope.Within(ctx, in.Queue)
	if err != nil {
		return nil, err
	}
	views, complete, err := c.tasks.Upcoming(ctx, queues, limit)
	if err != nil {
		return nil, err
	}
	return route.OK(client.Upcoming{Tasks: wire.Tasks(views), Complete: complete})
}

func tasks(views []*inspect.View, next string, err error) (*route.Answer[client.Tasks], error) {
	if err != nil {
		return nil, err
	}
	return route.OK(client.Tasks{Tasks: wire.Tasks(views), NextCursor: next})
}
