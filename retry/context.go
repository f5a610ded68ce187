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
	if info, ok := ctx.Value(infoKey{}).(*Info); ok {
		return *info, true
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
	parent context.Context
	info   Info
	limit  time.Time // when the attempt's own time is over, zero for none
	cause  error     // of an end at limit

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
	case c.expired(clock):
		return c.real().Err()
	}
	return c.parent.Err()
}

// Value answers with the parent's values and the attempt's [Info]. The real
// context, where there is one, answers instead of the parent, so that the context
// package finds it below contexts made from this one.
func (c *attemptContext) Value(key any) any {
	if key == (infoKey{}) {
		return c.outermost()
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

// outermost is the attempt's own info, unless it is a first attempt inside a
// repeated one.
func (c *attemptContext) outermost() *Info {
	if c.info.Attempt == 1 {
		if outer, ok := c.parent.Value(infoKey{}).(*Info); ok && outer.Attempt > 1 {
			return outer
		}
	}
	return &c.info
}

// String keeps fmt from reading fields that change.
func (c *attemptContext) String() string {
	return fmt.Sprintf("retry.Attempt(%d)", c.info.Attempt)
}

// expired reports whether the attempt's own time is over.
func (c *attemptContext) expired(now func() time.Time) bool {
	return !c.limit.IsZero() && !now().Before(c.limit)
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
		c.actual, c.cancel = context.WithDeadlineCause(parent, c.limit, c.cause)
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
	case c.expired(clock):
		c.ended = context.DeadlineExceeded
	default:
		c.ended = context.Canceled
	}
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
