package retry

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/clock"
)

// Info says which attempt of an outer operation a context belongs to.
type Info struct {
	Attempt     int // from 1
	MaxAttempts int // 0 for unlimited
	// Deadline is the end of the time for all attempts, zero for none.
	Deadline time.Time
}

type infoKey struct{}

// Outer returns the attempt that ctx belongs to; false for the first attempt of
// an operation without a per-attempt timeout, which needs no protection. Of
// operations inside each other it is the innermost, but a first attempt inside a
// repeated one counts as part of that.
func Outer(ctx context.Context) (Info, bool) {
	switch attempt := ctx.Value(infoKey{}).(type) {
	case *attemptContext:
		return attempt.info(), true
	case *Info:
		return *attempt, true
	}
	return Info{}, false
}

// isRepeated reports whether ctx belongs to an attempt after the first.
func isRepeated(ctx context.Context) bool {
	switch attempt := ctx.Value(infoKey{}).(type) {
	case *attemptContext:
		return attempt.number > 1
	case *Info:
		return attempt.Attempt > 1
	}
	return false
}

// WithOuter marks ctx as belonging to an attempt, for adapters that learn of it
// from a header.
func WithOuter(ctx context.Context, info Info) context.Context {
	return context.WithValue(ctx, infoKey{}, &info)
}

// attemptContext is the context of one attempt. Most functions never wait for
// their context, so what can be waited for, a real context with its timer, is
// made when somebody asks for it. Until then an attempt costs one small allocation.
type attemptContext struct {
	parent       context.Context
	bounds       *bounds // nil for an attempt without a time of its own
	number, most int32
	actual       atomic.Pointer[actualContext] // nil until it is needed
}

// actualContext is a real context.
type actualContext struct {
	context.Context
	cancel context.CancelFunc
}

// What actual is when the attempt has ended and nobody has asked for a context: in
// time, by its own limit, with its parent.
var finished, tooLate, withParent = new(actualContext), new(actualContext), new(actualContext)

// bounds are the times that a policy gives to attempts.
type bounds struct {
	limit    time.Time // when the attempt's own time is over
	deadline time.Time // of all attempts, zero for none
}

// boundedContext is an attemptContext with bounds, in one allocation.
type boundedContext struct {
	attemptContext
	times bounds
}

// Deadline is the earlier one of the parent's and the attempt's own.
func (c *attemptContext) Deadline() (time.Time, bool) {
	deadline, ok := c.parent.Deadline()
	if b := c.bounds; b != nil && (!ok || b.limit.Before(deadline)) {
		return b.limit, true
	}
	return deadline, ok
}

// Done makes the real context.
func (c *attemptContext) Done() <-chan struct{} { return c.real().Done() }

// Err looks at the clock as long as no timer does.
func (c *attemptContext) Err() error {
	if c.actual.Load() == nil && !c.expired() {
		return c.parent.Err()
	}
	return c.real().Err()
}

// Value answers with the parent's values and the attempt itself. The real
// context, where there is one, answers instead of the parent, so that the context
// package finds it below contexts made from this one.
func (c *attemptContext) Value(key any) any {
	if key == (infoKey{}) {
		return c.attempt()
	}
	if c.actual.Load() == nil {
		return c.parent.Value(key)
	}
	return c.real().Value(key)
}

// attempt is what Value answers for infoKey: the context itself, unless it is a
// first attempt inside a repeated one.
func (c *attemptContext) attempt() any {
	if c.number == 1 && isRepeated(c.parent) {
		return c.parent.Value(infoKey{})
	}
	return c
}

// info describes the attempt.
func (c *attemptContext) info() Info {
	info := Info{Attempt: int(c.number), MaxAttempts: int(c.most)}
	if c.bounds != nil {
		info.Deadline = c.bounds.deadline
	} else {
		info.Deadline, _ = c.parent.Deadline()
	}
	return info
}

// String keeps fmt from reading fields that change.
func (c *attemptContext) String() string { return "retry.Attempt(" + strconv.Itoa(int(c.number)) + ")" }

// expired reports whether the attempt's own time is over.
func (c *attemptContext) expired() bool {
	return c.bounds != nil && !clock.Now().Before(c.bounds.limit)
}

// limitCause is the cause of an end at the attempt's own limit, nil if it did not
// end like that.
func (c *attemptContext) limitCause() error {
	if c.bounds == nil {
		return nil
	}
	if cause := c.bounds.cause(); context.Cause(c) == cause { //nolint:errorlint // the very value
		return cause
	}
	return nil
}

// real returns the real context, made if need be.
func (c *attemptContext) real() context.Context {
	for {
		known := c.actual.Load()
		state := known
		if known == nil {
			state = c.over()
		}
		switch state {
		case withParent:
			return c.parent
		case nil, finished, tooLate:
		default:
			return known
		}
		if made := c.make(state); c.actual.CompareAndSwap(known, made) {
			return made
		} else {
			made.cancel() // somebody else was faster
		}
	}
}

// make returns a new real context, which has ended if state says so.
func (c *attemptContext) make(state *actualContext) *actualContext {
	parent := c.parent
	if state != nil { // what happened to the parent came too late
		parent = context.WithoutCancel(parent)
	}
	made := &actualContext{}
	if c.bounds == nil || state == finished {
		made.Context, made.cancel = context.WithCancel(parent)
	} else {
		made.Context, made.cancel = context.WithDeadlineCause(parent, c.bounds.limit, c.bounds.cause())
	}
	if state != nil {
		made.cancel()
	}
	return made
}

// cause is the context cause of an end at the limit.
func (b *bounds) cause() error {
	if b.limit.Equal(b.deadline) {
		return ErrDeadline
	}
	return ErrAttemptTimeout
}

// over is how the context has ended while nobody looked, nil if it has not. Where
// both limit and parent have ended, the earlier deadline counts, but a cancellation
// of the parent, whose time is not known, counts before both.
func (c *attemptContext) over() *actualContext {
	err, late := c.parent.Err(), c.expired()
	if late && errors.Is(err, context.DeadlineExceeded) {
		deadline, _ := c.parent.Deadline()
		if c.bounds.limit.Before(deadline) {
			err = nil
		}
	}
	switch {
	case err != nil:
		return withParent
	case late:
		return tooLate
	}
	return nil
}

// end cancels the context: the attempt is over.
func (c *attemptContext) end() {
	if c.actual.Load() == nil {
		state := c.over()
		if state == nil {
			state = finished
		}
		if c.actual.CompareAndSwap(nil, state) {
			return
		}
	}
	if made := c.actual.Load(); made.cancel != nil {
		made.cancel()
	}
}
