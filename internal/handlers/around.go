package handlers

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/outlast-dev/outlast/task"
)

// Call runs a task of a type, whose payload it decodes.
type Call func(ctx context.Context, payload []byte) (result []byte, err error)

// Middleware stands around calls; [outlast.Middleware] says what it may do.
type Middleware = func(ctx context.Context, payload []byte, next func(ctx context.Context, payload []byte) error) error

// Around puts middleware around a call, the first outermost; with none it is the call
// itself. The result is that of the call that has succeeded last, if all succeeds.
func Around(call Call, all []Middleware) Call {
	all = slices.DeleteFunc(slices.Clone(all), func(m Middleware) bool { return m == nil }) // refused at the start
	if len(all) == 0 {
		return call
	}
	next := innermost(call)
	for _, m := range slices.Backward(all) {
		inner := next
		next = func(ctx context.Context, payload []byte) error { return m(ctx, payload, inner) }
	}
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		kept := &resultContext{Context: ctx}
		if err := next(kept, payload); err != nil {
			return nil, err
		}
		if result := kept.result.Load(); result != nil {
			return *result, nil
		}
		return nil, nil
	}
}

// resultContext is the context that middleware gets: the result goes past it.
type resultContext struct {
	context.Context
	result atomic.Pointer[[]byte]
}

type resultKey struct{}

// Value implements [context.Context].
func (c *resultContext) Value(key any) any {
	if key == (resultKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// innermost is a call that leaves its result in the context.
func innermost(call Call) func(ctx context.Context, payload []byte) error {
	return func(ctx context.Context, payload []byte) error {
		kept, ok := ctx.Value(resultKey{}).(*resultContext)
		if !ok {
			return &task.Error{Code: task.CodeInternal, Message: "middleware has called the handler with a context of its own",
				Hint: "make it from the one that the middleware got"}
		}
		result, err := call(ctx, payload)
		if err == nil {
			kept.result.Store(&result)
		}
		return err
	}
}
