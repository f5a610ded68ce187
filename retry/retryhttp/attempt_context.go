package retryhttp

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// attemptContext is the context of one attempt. The one that [retry.Do] makes
// ends when the attempt's function returns, but an answer's body is read later:
// so this one follows it only until the answer is there.
type attemptContext struct {
	ctx    context.Context
	cancel context.CancelCauseFunc // nil when the attempt has none of its own
	stop   func() bool             // ends the following
	given  context.Context         // the one of retry.Do
}

// attemptContext derives the context of an attempt from the request's.
func (c *call) attemptContext(given context.Context) attemptContext {
	if given == context.Context(c) {
		return attemptContext{ctx: c.Context}
	}
	ctx, cancel := context.WithCancelCause(c.Context)
	stop := context.AfterFunc(given, func() { cancel(context.Cause(given)) })
	if info, ok := retry.Outer(given); ok {
		ctx = retry.WithOuter(ctx, info)
	}
	return attemptContext{ctx, cancel, stop, given}
}

// end is for attempts without an answer.
func (a *attemptContext) end() {
	if a.cancel != nil {
		a.stop()
		a.cancel(context.Canceled)
	}
}

// keep lets the context live on for the answer's body. What remains of the
// attempt's time then ends it, by the timer that is returned; nil without one.
func (a *attemptContext) keep(all time.Time) *time.Timer {
	if a.cancel == nil || !a.stop() {
		return nil // nothing to keep, or over already
	}
	until, limited := a.given.Deadline()
	if own, ok := a.ctx.Deadline(); !limited || ok && !until.Before(own) {
		return nil // the request's own context ends it
	}
	cause := retry.ErrAttemptTimeout
	if !all.IsZero() && !until.Before(all) {
		cause = retry.ErrDeadline
	}
	return time.AfterFunc(time.Until(until), func() { a.cancel(cause) })
}
