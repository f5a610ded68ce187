package server

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
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

func (s *Server) addOperations() {
	handle(s, route{
		method: "GET", path: "/v1/operations/{id}/items", id: "list-operation-items", needs: token.View, scope: byBody, tag: "operations", answers: []int{200},
		summary: "What has become of each letter of a redrive, or of each task, in the order in which they go",
		about:   "Kept as long as dead letters are, from the end of the operation. What was done at once, such as a redrive by ids without rate, canary and stop_if_failing, is no operation and has no report. A part that is damaged is a conflict, one that is missing is not found.",
		errors:  []task.Code{task.CodeNotFound, task.CodeConflict},
	}, func(ctx context.Context, in *itemsInput) (answer[client.OperationItems], error) {
		page, err := pageOf(in.Limit, in.Cursor)
		if err != nil {
			return fail[client.OperationItems](err)
		}
		if err := s.inOperation(ctx, in.ID); err != nil {
			return fail[client.OperationItems](err)
		}
		items, next, err := s.items(ctx, in.ID, page)
		if err != nil {
			return fail[client.OperationItems](err)
		}
		return ok(client.OperationItems{Items: items, NextCursor: next})
	})
	handle(s, route{
		method: "GET", path: "/v1/operations", id: "list-operations", needs: token.View, scope: filtered, tag: "operations", answers: []int{200}, summary: "List operations, newest first",
	}, func(ctx context.Context, in *operationsInput) (answer[client.Operations], error) {
		page, err := pageOf(in.Limit, "")
		if err != nil {
			return fail[client.Operations](err)
		}
		if page.Limit == 0 {
			page.Limit = 100
		}
		operations, err := s.inspect.Operations.List(ctx, page.Limit, queuesOf(ctx)...)
		if err != nil {
			return fail[client.Operations](err)
		}
		out := client.Operations{Operations: make([]client.Operation, len(operations))}
		for i := range operations {
			out.Operations[i] = wireOperation(&operations[i])
		}
		return ok(out)
	})
	for _, call := range []struct {
		method, verb, summary string
		do                    func(context.Context, string) (*store.Operation, error)
	}{
		{"GET", "", "Get an operation and its progress", func(ctx context.Context, id string) (*store.Operation, error) {
			return s.inspect.Operations.Get(ctx, id)
		}},
		{"POST", "pause", "Pause an operation", s.inspect.Operations.Pause},
		{"POST", "resume", "Resume a paused operation", s.inspect.Operations.Resume},
		{"POST", "cancel", "Cancel an operation; what it has done stays done", s.inspect.Operations.Cancel},
	} {
		r := route{
			method: call.method, path: "/v1/operations/{id}", id: "get-operation", needs: token.View, scope: byBody, tag: "operations", answers: []int{200},
			summary: call.summary, errors: []task.Code{task.CodeNotFound},
		}
		if call.verb != "" {
			r.path, r.id = r.path+"/"+call.verb, call.verb+"-operation"
			r.needs = token.Operate
			r.errors = append(r.errors, task.CodeConflict)
		}
		handle(s, r, func(ctx context.Context, in *operationID) (answer[client.Operation], error) {
			if err := s.inOperation(ctx, in.ID); err != nil {
				return fail[client.Operation](err)
			}
			operation, err := call.do(ctx, in.ID)
			if err != nil {
				return fail[client.Operation](s.refusal(ctx, call.verb, in.ID, err))
			}
			return ok(wireOperation(operation))
		})
	}
}

// items is a page of the report of an operation of whatever kind.
func (s *Server) items(ctx context.Context, id string, page store.Page) ([]client.OperationItem, string, error) {
	if operation, err := s.inspect.Operations.Get(ctx, id); err == nil && bulk.Is(operation.Kind) {
		items, next, err := s.inspect.Operations.BulkItems(ctx, id, page)
		return bulkItems(items), next, err
	}
	items, next, err := s.inspect.Operations.RedriveItems(ctx, id, page)
	return wireItems(items), next, err
}

// inOperation answers an operation on other queues than the token's as if there
// were none.
func (s *Server) inOperation(ctx context.Context, id string) error {
	if scoped(ctx) == nil {
		return nil
	}
	_, err := s.inspect.Operations.Get(ctx, id, queuesOf(ctx)...)
	return err
}

// refusal completes the conflict of a change of an operation: what was asked,
// the state that does not allow it, and what to do.
func (s *Server) refusal(ctx context.Context, verb, id string, err error) error {
	if verb == "" || !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return err
	}
	operation, lookErr := s.inspect.Operations.Get(ctx, id)
	if lookErr != nil {
		return err
	}
	refused := &task.Error{
		Code: task.CodeConflict, State: task.State(operation.State), Err: err,
		Message: "cannot " + verb + " the operation: it is " + string(operation.State), Hint: "it has ended: begin a new one",
	}
	if operation.State == store.OperationRunning || operation.State == store.OperationPaused {
		refused.Hint = "its state has changed: try again"
	}
	return refused
}
