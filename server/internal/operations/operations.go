// Package operations is the calls about operations: redrives and actions on many tasks that
// go on by themselves.
package operations

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type operationID struct {
	ID string `path:"id" doc:"Id of the operation."`
}

type operationsInput struct {
	Limit *int `query:"limit" doc:"Operations, 1 to 500, 100 when absent."`
}

type itemsInput struct {
	ID     string `path:"id" doc:"Id of the operation."`
	Limit  *int   `query:"limit" doc:"Items per page, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"next_cursor of the page before."`
}

type calls struct{ operations inspect.Operations }

// Add adds the calls about operations.
func Add(to *route.Table, operations inspect.Operations) {
	c := &calls{operations}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/operations/{id}/items", ID: "list-operation-items", Needs: inspect.PermissionView, Scope: scope.ByBody, Tag: "operations",
		Summary: "List the letters or tasks of an operation in order, with the outcome of each",
		About:   "Kept as long as dead letters are, from the end of the operation. What was done at once, such as a redrive by ids without rate, canary and stop_if_failing, is no operation and has no report. A part that is damaged is a conflict, one that is missing is not found.",
		Errors:  []task.Code{task.CodeNotFound, task.CodeConflict},
	}, func(ctx context.Context, in *itemsInput) (*route.Answer[client.OperationItems], error) {
		page, err := query.Page(in.Limit, in.Cursor)
		if err != nil {
			return nil, err
		}
		if err := c.within(ctx, in.ID); err != nil {
			return nil, err
		}
		items, next, err := c.items(ctx, in.ID, page)
		if err != nil {
			return nil, err
		}
		return route.OK(client.OperationItems{Items: items, NextCursor: next})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/operations", ID: "list-operations", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "operations", Summary: "List operations, newest first", About: "Also those that have ended.",
	}, func(ctx context.Context, in *operationsInput) (*route.Answer[client.Operations], error) {
		most, err := query.Most(in.Limit)
		if err != nil {
			return nil, err
		}
		operations, err := c.operations.List(ctx, most, scope.Queues(ctx)...)
		if err != nil {
			return nil, err
		}
		return route.OK(client.Operations{Operations: wire.Each(operations, c.wireOperation)})
	})
	for _, call := range []struct {
		method, verb, summary, about string
		do                           func(context.Context, string) (*store.Operation, error)
	}{
		{"GET", "", "Get an operation and its progress", "GET /v1/operations/{id}/items tells what has become of each letter or task.", func(ctx context.Context, id string) (*store.Operation, error) {
			return c.operations.Get(ctx, id)
		}},
		{"POST", "pause", "Pause an operation", "It stops after the batch that is under way.", c.operations.Pause},
		{"POST", "resume", "Resume a paused operation", "It goes on where it stopped.", c.operations.Resume},
		{"POST", "cancel", "Cancel an operation, without undoing what is done", "It ends after the batch that is under way.", c.operations.Cancel},
	} {
		r := route.Route{
			Method: call.method, Path: "/v1/operations/{id}", ID: "get-operation", Needs: inspect.PermissionView, Scope: scope.ByBody, Tag: "operations",
			Summary: call.summary, About: call.about, Errors: []task.Code{task.CodeNotFound},
		}
		if call.verb != "" {
			r.Path, r.ID = r.Path+"/"+call.verb, call.verb+"-operation"
			r.Needs = inspect.PermissionOperate
			r.Errors = append(r.Errors, task.CodeConflict)
		}
		route.Handle(to, r, func(ctx context.Context, in *operationID) (*route.Answer[client.Operation], error) {
			if err := c.within(ctx, in.ID); err != nil {
				return nil, err
			}
			operation, err := call.do(ctx, in.ID)
			if err != nil {
				return nil, c.refusal(ctx, call.verb, in.ID, err)
			}
			return route.OK(c.wireOperation(operation))
		})
	}
}

// items is a page of the report of an operation of whatever kind.
func (c *calls) items(ctx context.Context, id string, page store.Page) ([]client.OperationItem, string, error) {
	if operation, err := c.operations.Get(ctx, id); err == nil && bulk.Is(operation.Kind) {
		items, next, err := c.operations.BulkItems(ctx, id, page)
		return bulkItems(items), next, err
	}
	items, next, err := c.operations.RedriveItems(ctx, id, page)
	return redriveItems(items), next, err
}

// within answers an operation on other queues than the token's as if there
// were none.
func (c *calls) within(ctx context.Context, id string) error {
	if scope.Narrow(ctx) == nil {
		return nil
	}
	_, err := c.operations.Get(ctx, id, scope.Queues(ctx)...)
	return err
}

// refusal completes the conflict of a change of an operation: what was asked,
// the state that does not allow it, and what to do.
func (c *calls) refusal(ctx context.Context, verb, id string, err error) error {
	if verb == "" || !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return err
	}
	operation, lookErr := c.operations.Get(ctx, id)
	if lookErr != nil {
		return err
	}
	refused := &task.Error{
		Code: task.CodeConflict, State: task.State(operation.State), Err: err,
		Message: "cannot " + verb + " the operation: it is " + string(operation.State), Hint: "it has ended: start a new one",
	}
	if operation.State == store.OperationRunning || operation.State == store.OperationPaused {
		refused.Hint = "its state has changed: try again"
	}
	return refused
}
