package enqueue

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/task"
)

// trace begins the span of a call that enqueues; the first draft names it. It
// is not checked yet, so what is no name is left out.
func (e *Enqueuer) trace(ctx context.Context, first *drafts.Draft, count int) (context.Context, tracing.Enqueue) {
	if e.tracer == nil {
		return ctx, tracing.Enqueue{}
	}
	kind := first.Type
	if kind == "" && first.Target != nil {
		kind = task.HTTPType
	}
	if !accept.IsName(kind) || len(kind) > task.MaxName {
		kind = "task"
	}
	queue := cmp.Or(first.Queue, task.DefaultQueue)
	if !accept.IsName(queue) || len(queue) > task.MaxName {
		queue = ""
	}
	return e.tracer.Enqueue(ctx, kind, queue, first.TraceParent, count)
}
