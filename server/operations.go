package server

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type operationID struct {
	ID string `path:"id" doc:"Id of the operation."`
}

type operationsInput struct {
	Limit *int `query:"limit" doc:"Operations, 1 to 500, 100 when absent."`
}

func (s *Server) addOperations() {
	handle(s, route{
		method: "GET", path: "/v1/operations", id: "list-operations", tag: "operations", answers: []int{200}, summary: "List operations, newest first",
	}, func(ctx context.Context, in *operationsInput) (answer[client.Operations], error) {
		page, err := pageOf(in.Limit, "")
		if err != nil {
			return fail[client.Operations](err)
		}
		if page.Limit == 0 {
			page.Limit = 100
		}
		operations, err := s.inspect.Operations(ctx, page.Limit)
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
		{"GET", "", "Get an operation and its progress", s.inspect.Operation},
		{"POST", "pause", "Pause an operation", s.inspect.PauseOperation},
		{"POST", "resume", "Resume a paused operation", s.inspect.ResumeOperation},
		{"POST", "cancel", "Cancel an operation; what it has done stays done", s.inspect.CancelOperation},
	} {
		r := route{
			method: call.method, path: "/v1/operations/{id}", id: "get-operation", tag: "operations", answers: []int{200},
			summary: call.summary, errors: []task.Code{task.CodeNotFound},
		}
		if call.verb != "" {
			r.path, r.id = r.path+"/"+call.verb, call.verb+"-operation"
			r.errors = append(r.errors, task.CodeConflict)
		}
		handle(s, r, func(ctx context.Context, in *operationID) (answer[client.Operation], error) {
			operation, err := call.do(ctx, in.ID)
			if err != nil {
				return fail[client.Operation](err)
			}
			return ok(wireOperation(operation))
		})
	}
}
