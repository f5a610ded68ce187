// Package taskgroups is the calls about groups of tasks with one callback.
package taskgroups

import (
	"context"
	"errors"
	"net/http"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type groupID struct {
	ID task.ID `path:"id" doc:"Id of the group."`
}

type createInput struct {
	Body client.TaskGroupDraft
}

type listInput struct {
	State  string `query:"state" enum:"open,closed,done" doc:"Groups in this state only."`
	Limit  *int   `query:"limit" doc:"Groups per page, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

type calls struct{ groups inspect.TaskGroups }

// Add adds the calls about groups of tasks.
func Add(to *route.Table, groups inspect.TaskGroups) {
	c := &calls{groups}
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/task-groups", ID: "create-task-group", Needs: inspect.PermissionEnqueue, Scope: scope.ByBody, Tag: "task groups", Answers: []int{201, 200},
		Summary: "Create a group of tasks with one callback",
		About: "201 with the new group, which is open; 200 with the group that was there, for a repeated id of the same label and callback. Enqueue its members with their field group, then close it: " +
			"the callback is enqueued once when all of them have ended. Without a payload of its own the callback gets {group, label, members, succeeded, dead, canceled, created_at, closed_at}.",
		Errors: []task.Code{task.CodeIDConflict},
	}, c.create)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/task-groups", ID: "list-task-groups", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "task groups", Summary: "List groups of tasks, newest first", About: "A page may be short or empty and still have a cursor.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/task-groups/{id}", ID: "get-task-group", Needs: inspect.PermissionView, Scope: scope.ByBody, Tag: "task groups", Summary: "Get a group of tasks with its members by outcome", About: "state says whether it takes members, waits for them, or has enqueued its callback.",
		Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *groupID) (*route.Answer[client.TaskGroup], error) {
		group, err := c.get(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		return route.OK(wire.TaskGroup(group))
	})
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/task-groups/{id}/close", ID: "close-task-group", Needs: inspect.PermissionEnqueue, Scope: scope.ByBody, Tag: "task groups", Summary: "Close a group of tasks to new members",
		About:  "Where all members have ended, or there are none, the callback is enqueued. A group that is closed already is no error.",
		Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *groupID) (*route.Answer[client.TaskGroup], error) {
		if _, err := c.get(ctx, in.ID); err != nil {
			return nil, err
		}
		group, err := c.groups.Close(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		return route.OK(wire.TaskGroup(group))
	})
}

func (c *calls) create(ctx context.Context, in *createInput) (*route.Answer[client.TaskGroup], error) {
	draft := task.Group{ID: in.Body.ID, Label: in.Body.Label}
	if follow := wire.FollowOf(&in.Body.Callback); follow != nil {
		draft.Callback = *follow
	}
	status := http.StatusCreated
	if !draft.ID.IsZero() {
		_, err := c.groups.Get(ctx, draft.ID)
		switch {
		case err == nil:
			status = http.StatusOK
		case !errors.Is(err, &task.Error{Code: task.CodeNotFound}):
			return nil, err
		}
	}
	group, err := c.groups.Create(ctx, draft)
	if err != nil {
		return nil, err
	}
	return &route.Answer[client.TaskGroup]{Status: status, Location: "/v1/task-groups/" + group.ID.String(), Body: wire.TaskGroup(group)}, nil
}

// get answers a group with a callback in another queue than the token's as if there were none.
func (c *calls) get(ctx context.Context, id task.ID) (*task.Group, error) {
	group, err := c.groups.Get(ctx, id)
	if err == nil && !covers(ctx, group) {
		return nil, task.NotFound("group of tasks", id.String())
	}
	return group, err
}

func covers(ctx context.Context, group *task.Group) bool {
	t := scope.Narrow(ctx)
	return t == nil || t.Covers(group.Callback.Queue)
}

func (c *calls) list(ctx context.Context, in *listInput) (*route.Answer[client.TaskGroups], error) {
	most, err := query.Most(in.Limit)
	if err != nil {
		return nil, err
	}
	var before task.ID
	if in.Cursor != "" {
		if before, err = task.ParseID(in.Cursor); err != nil {
			return nil, task.Invalid("cursor", "is not a cursor of this list", "take next_cursor of the page before")
		}
	}
	switch state := task.GroupState(in.State); state {
	case "", task.GroupOpen, task.GroupClosed, task.GroupDone:
	default:
		return nil, task.Invalid("state", task.Quote(in.State)+" is none of open, closed and done", "")
	}
	groups, err := c.own(ctx, task.GroupState(in.State), before, most)
	if err != nil {
		return nil, err
	}
	out := client.TaskGroups{TaskGroups: make([]client.TaskGroup, len(groups))}
	for i := range groups {
		out.TaskGroups[i] = wire.TaskGroup(&groups[i])
	}
	if len(groups) == most {
		out.NextCursor = groups[most-1].ID.String()
	}
	return route.OK(out)
}

// own lists the groups that the caller may see, a page of them. It reads past others: neither
// their number nor their ids show in a page or its cursor.
func (c *calls) own(ctx context.Context, state task.GroupState, before task.ID, most int) (own []task.Group, err error) {
	for {
		groups, err := c.groups.List(ctx, state, before, most)
		if err != nil {
			return nil, err
		}
		for i := range groups {
			if covers(ctx, &groups[i]) {
				own = append(own, groups[i])
			}
			if len(own) == most {
				return own, nil
			}
		}
		if len(groups) < most {
			return own, nil
		}
		before = groups[most-1].ID
	}
}
