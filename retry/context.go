package retry

import (
	"context"
	"fmt"
	"sync"
	"time"
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
		return Info{attempt.number, attempt.most, attempt.deadline}, true
	case *Info:
		return *attempt, true
	}
	return Info{}, false
}

// WithOuter marks ctx as belonging to an attempt, for adapters that learn of it
// from a header.
func WithOuter(ctx context.Context, info Info) context.Context {
	return context.WithValue(ctx, infoKey{}, &info)
}

// attemptContext is the context of one attempt. Most functions never wait for
// their context, so what can be waited for, a real context with its timer, is
// made when somebody asks for it. Until then the attempt costs one allocation.
type attemptContext struct {
	parent       context.Context
	number, most int
	deadline     time.Time // of all attempts, zero for none
	limit        time.Time // when the attempt's own time is over, zero for none

	mu     sync.Mutex
	actual context.Context // nil until it is needed
	cancel context.CancelFunc
	ended  error // context.Canceled or DeadlineExceeded; set by end while actual is nil
}

// Deadline is the earlier one of the parent's and the attempt's own.
func (c *attemptContext) Deadline() (time.Time, bool) {
	deadline, ok := c.parent.Deadline()
	if !c.limit.IsZero() && (!ok || c.limit.Before(deadline)) {
		return c.limit, true
	}
	return deadline, ok
}

// Done makes the real context.
func (c *attemptContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.real().Done()
}

// Err looks at the clock as long as no timer does.
func (c *attemptContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.actual != nil:
		return c.actual.Err()
	case c.ended != nil:
		return c.ended
	case c.expired():
		return c.real().Err()
	}
	return c.parent.Err()
}

// Value answers with the parent's values and the attempt's [Info]. The real
// context, where there is one, answers instead of the parent, so that the context
// package finds it below contexts made from this one.
func (c *attemptContext) Value(key any) any {
	if key == (infoKey{}) {
		return c.attempt()
	}
	c.mu.Lock()
	from := c.actual
	if from == nil && c.ended != nil {
		from = c.real()
	}
	c.mu.Unlock()
	if from == nil {
		from = c.parent
	}
	return from.Value(key)
}

// attempt is what Value answers for infoKey: the context itself, unless it is a
// first attempt inside a repeated one.
func (c *attemptContext) attempt() any {
	if c.number == 1 {
		if info, ok := Outer(c.parent); ok && info.Attempt > 1 {
			return c.parent.Value(infoKey{})
		}
	}
	return c
}

// String keeps fmt from reading fields that change.
func (c *attemptContext) String() string {
	return fmt.Sprintf("retry.Attempt(%d)", c.number)
}

// expired reports whether the attempt's own time is over.
func (c *attemptContext) expired() bool {
	return !c.limit.IsZero() && !clock().Before(c.limit)
}

// timedOut reports whether the context ended at the attempt's own limit.
func (c *attemptContext) timedOut() bool {
	return !c.limit.IsZero() && context.Cause(c) == ErrAttemptTimeout //nolint:errorlint // the very value
}

// real returns the real context, made if need be. The caller holds the lock.
func (c *attemptContext) real() context.Context {
	if c.actual != nil {
		return c.actual
	}
	parent := c.parent
	if c.ended != nil { // what happens to the parent from now on comes too late
		parent = context.WithoutCancel(parent)
	}
	if c.limit.IsZero() || c.ended == context.Canceled { //nolint:errorlint // set by end to this very value
		c.actual, c.cancel = context.WithCancel(parent)
	} else {
		cause := ErrAttemptTimeout
		if c.limit.Equal(c.deadline) {
			cause = ErrDeadline
		}
		c.actual, c.cancel = context.WithDeadlineCause(parent, c.limit, cause)
	}
	if c.ended != nil {
		c.cancel()
	}
	return c.actual
}

// end cancels the context: the attempt is over.
func (c *attemptContext) end() {
	c.mu.Lock()
	cancel := c.cancel
	switch {
	case c.actual != nil || c.ended != nil:
	case c.parent.Err() != nil:
		c.actual = c.parent
	case c.expired():
		c.ended = context.DeadlineExceeded
	default:
		c.ended = context.Canceled
	}
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
