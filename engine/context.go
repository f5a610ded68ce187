package engine

import (
	"context"
	"sync"
	"time"
)

// attemptContext is the context of one attempt. It ends at its limit, with its
// parent, and by [attemptContext.cancel]. Most handlers are done before they ask
// whether it has ended, so the real context, with its timer and its place among
// the parent's children, is made by the first who asks.
type attemptContext struct {
	parent context.Context
	limit  time.Time // zero for none
	why    error     // the cause at the limit

	mu    sync.Mutex
	real  context.Context // nil until somebody asks
	stop  func(cause error)
	cause error // for which it was canceled before it was real
	over  bool  // the attempt has ended
}

// Deadline implements [context.Context].
func (c *attemptContext) Deadline() (time.Time, bool) { return c.limit, !c.limit.IsZero() }

// Done implements [context.Context].
func (c *attemptContext) Done() <-chan struct{} { return c.made().Done() }

// Err implements [context.Context].
func (c *attemptContext) Err() error { return c.made().Err() }

// Value implements [context.Context]. There are no values but those by which
// package context finds its own.
func (c *attemptContext) Value(key any) any {
	if c.parent.Value(key) == nil {
		return nil
	}
	return c.made().Value(key)
}

func (c *attemptContext) made() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real != nil {
		return c.real
	}
	ctx, cancel := context.WithCancelCause(c.parent)
	c.real, c.stop = ctx, cancel
	switch {
	case c.over || c.cause != nil:
		cancel(c.cause)
	case !c.limit.IsZero():
		timed, release := context.WithDeadlineCause(ctx, c.limit, c.why)
		c.real, c.stop = timed, func(cause error) { cancel(cause); release() }
	}
	return c.real
}

// cancel ends the context.
func (c *attemptContext) cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real != nil {
		c.stop(cause)
	} else if c.cause == nil {
		c.cause = cause
	}
}

// end says what has ended the context before the attempt was over, nil for
// nothing, and ends it.
func (c *attemptContext) end(now time.Time) (cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	switch {
	case c.real != nil:
		cause = context.Cause(c.real)
		c.stop(nil)
	case c.cause != nil:
		cause = c.cause
	case c.parent.Err() != nil:
		cause = context.Cause(c.parent)
	case !c.limit.IsZero() && !now.Before(c.limit):
		cause = c.why
	}
	return cause
}
