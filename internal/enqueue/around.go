package enqueue

import (
	"context"
	"maps"
	"strconv"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/task"
)

// Middleware stands around calls that enqueue; [outlast.Middleware] says what it may do.
type Middleware = func(ctx context.Context, all []drafts.Draft, next Next) ([]Receipt, error)

// Next enqueues what middleware hands on.
type Next = func(ctx context.Context, all []drafts.Draft) ([]Receipt, error)

// around lets middleware see copies of drafts on their way to do.
func (e *Enqueuer) around(ctx context.Context, count int, draft func(i int) drafts.Draft, do Next) ([]Receipt, error) {
	own := make([]drafts.Draft, count)
	for i := range own {
		own[i] = draft(i)
		detach(&own[i])
	}
	c := &around{e, ctx, count, do, false}
	receipts, err := c.layer(e.middleware)(ctx, own)
	if err == nil {
		err = complete(receipts, count)
	}
	if err != nil {
		if !c.reached {
			err = e.refused(ctx, err)
		}
		return nil, err
	}
	for i := range receipts {
		if !c.reached {
			_ = e.refused(ctx, receipts[i].Err)
		}
	}
	return receipts, nil
}

// detach gives a draft metadata and headers of its own, which may be changed.
func detach(d *drafts.Draft) {
	d.Metadata = maps.Clone(d.Metadata)
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	if d.Target != nil {
		target := *d.Target
		target.Headers = maps.Clone(target.Headers)
		d.Target = &target
	}
}

// around is one call on its way through middleware.
type around struct {
	*Enqueuer
	caller  context.Context
	count   int
	do      Next
	reached bool // middleware has handed the drafts on
}

// layer is what stands from some middleware on.
func (a *around) layer(rest []Middleware) Next {
	if len(rest) == 0 {
		return a.innermost
	}
	return func(ctx context.Context, all []drafts.Draft) ([]Receipt, error) {
		return rest[0](ctx, all, a.layer(rest[1:]))
	}
}

// innermost hands the drafts in. What bounds the caller bounds middleware too, whatever
// context it passes on.
func (a *around) innermost(ctx context.Context, all []drafts.Draft) ([]Receipt, error) {
	if len(all) != a.count {
		return nil, &task.Error{Code: task.CodeInternal, Message: "middleware has made " + strconv.Itoa(len(all)) + " drafts of " + strconv.Itoa(a.count),
			Hint: "change drafts in their places; enqueue more by a call of its own"}
	}
	if queues, bounded := a.caller.Value(queuesKey{}).([]string); bounded {
		ctx = Within(ctx, queues...)
	}
	for i := range all {
		if len(all[i].Metadata) == 0 {
			all[i].Metadata = nil
		}
	}
	a.reached = true
	return a.do(ctx, all)
}

// complete refuses receipts of middleware that do not belong to the drafts.
func complete(receipts []Receipt, count int) error {
	whole := len(receipts) == count
	for i := range receipts {
		whole = whole && (receipts[i].Err != nil || receipts[i].Task != nil)
	}
	if whole {
		return nil
	}
	return &task.Error{Code: task.CodeInternal, Message: "middleware has returned receipts that are not those of the drafts",
		Hint: "return what next returned, or an error"}
}

// at hands out drafts one by one.
func at(all []drafts.Draft) func(i int) drafts.Draft {
	return func(i int) drafts.Draft { return all[i] }
}
