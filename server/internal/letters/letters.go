// Package letters is the calls about dead letters: find, group, redrive, purge, export.
package letters

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type deadQuery struct {
	query.Tasks
	Reason      task.DeadReason `query:"reason" doc:"exhausted, permanent, expired, crash_loop, no_handler or rejected."`
	Fingerprint string          `query:"fingerprint" doc:"Fingerprint of the last error."`
	DiedBefore  client.Time     `query:"died_before" doc:"Died before."`
}

// scoped is the filter that is asked for, within the token's queues.
func (q *deadQuery) scoped(ctx context.Context) (store.Filter, error) {
	filter, err := q.Filter()
	if err != nil {
		return filter, err
	}
	filter.Reason, filter.Fingerprint, filter.DiedBefore = q.Reason, q.Fingerprint, q.DiedBefore.Time
	return scope.Filter(ctx, filter)
}

type deadInput struct {
	deadQuery
	Limit  *int   `query:"limit" doc:"Letters per page, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

type calls struct {
	letters inspect.Letters
	tasks   inspect.Tasks
	bounds  *scope.Bounds
}

// Add adds the calls about dead letters.
func Add(to *route.Table, letters inspect.Letters, tasks inspect.Tasks, bounds *scope.Bounds) {
	c := &calls{letters, tasks, bounds}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/dead", ID: "list-dead", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "dead letters",
		Summary: "Find dead letters, newest first", About: "A page may be short or empty and still have a cursor, as those of GET /v1/tasks.",
	}, func(ctx context.Context, in *deadInput) (*route.Answer[client.Tasks], error) {
		page, err := query.Page(in.Limit, in.Cursor)
		if err != nil {
			return nil, err
		}
		filter, err := in.scoped(ctx)
		if err != nil {
			return nil, err
		}
		views, next, err := c.letters.Find(ctx, filter, page)
		if err != nil {
			return nil, err
		}
		return route.OK(client.Tasks{Tasks: wire.Tasks(views), NextCursor: next})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/dead/{id}", ID: "get-dead", Needs: inspect.PermissionView, Scope: scope.ByTask, Tag: "dead letters",
		Summary: "Get a dead letter with all its attempts and steps", About: "A task that is no dead letter is not found here: GET /v1/tasks/{id} shows it.", Errors: []task.Code{task.CodeNotFound},
	}, c.letter)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/dead/stats", ID: "count-dead", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "dead letters", Summary: "Count dead letters", About: "By type, by reason and by the category of the last error.",
	}, func(ctx context.Context, _ *route.None) (*route.Answer[client.DeadStats], error) {
		stats, err := c.letters.Stats(ctx)
		if err != nil {
			return nil, err
		}
		return route.OK(client.DeadStats(*stats))
	})
	c.addGroups(to)
	c.addActions(to)
	c.addExport(to)
}

func (c *calls) letter(ctx context.Context, in *scope.TaskID) (*route.Answer[client.Letter], error) {
	view, err := c.bounds.View(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if view.State != task.Dead {
		return nil, &task.Error{Code: task.CodeNotFound, Message: "task " + in.ID.String() + " is not a dead letter: it is " + string(view.State),
			State: view.State, Hint: "GET /v1/tasks/" + in.ID.String() + " shows it"}
	}
	attempts, err := c.tasks.Attempts(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return route.OK(client.Letter{Task: wire.Task(view), Attempts: wire.Attempts(attempts)})
}
