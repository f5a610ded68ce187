package outlast

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// traceEnqueue begins the span of a call that enqueues; the first draft names it. It
// is not checked yet, so what is no name is left out.
func (c *Client) traceEnqueue(ctx context.Context, first *Draft, count int) (context.Context, tracing.Enqueue) {
	if c.tracer == nil {
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
	return c.tracer.Enqueue(ctx, kind, queue, first.TraceParent, count)
}

// traceAttempt is [engine.Config.Trace]. Deliveries of alerts are the engine's own
// affair.
func (c *Client) traceAttempt(ctx context.Context, run *engine.Run) (context.Context, func(*store.Settlement)) {
	if isInternal(run.Task.Queue) {
		return ctx, nil
	}
	return c.tracer.Attempt(ctx, run)
}

// traceLeased records the attempts of remote workers, which run elsewhere.
func (c *Client) traceLeased(o engine.Outcome) {
	if s := o.Settlement; task.Leased(s.Task.Node) && !s.Unstarted {
		c.tracer.Leased(s, o.Policy)
	}
}
