package engine

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Run is one attempt in progress. Handlers must not change it.
type Run struct {
	Task        *task.Task
	Policy      *retry.Policy
	MaxAttempts int       // 0 for unlimited
	Deadline    time.Time // for all attempts together, zero for none

	attempt *attempt
}

// attempt is one claimed task on its way from claim to settled.
type attempt struct {
	run   Run
	entry *agenda.Entry
	ctx   attemptContext
	began time.Time

	completion atomic.Pointer[completion] // nil unless the handler has asked for one
	steps      steps.Attempt

	settled atomic.Bool  // its end was handed in: later ones are dropped
	end     decided      // what it came to, once it is handed in
	local   bool         // the store has refused it, and it has become a failure of this node
	again   bool         // a store that refuses it again is asked no more
	kept    error        // what a handler returned whose success was recorded before; see complete.go
	before  *attempt     // in answered
	lease   *lease.Lease // nil unless a remote worker runs it
	overdue bool         // claimed past all gates, because its deadline has passed

	traced func(*store.Settlement)         // ends its trace; nil for none
	within atomic.Pointer[context.Context] // that has more values than ctx, nil for none
}

// Lent reports whether the owner of the task's lane has left it to this node, by a
// park mark: because the owner cannot start the type, or may not make the call.
func (r *Run) Lent() bool { return r.attempt != nil && r.attempt.entry.Mark != 0 }

// Within says in which context, made from the attempt's, its work is done: observers find
// its values when the attempt has ended.
func (r *Run) Within(ctx context.Context) {
	if r.attempt != nil {
		r.attempt.within.Store(&ctx)
	}
}

// follow makes a policy that of the attempt.
func (r *Run) follow(policy *retry.Policy) {
	r.Policy, r.MaxAttempts = policy, policy.MaxAttempts()
	if r.Task.Spec.MaxAttempts > 0 && !policy.IsOnce() {
		r.MaxAttempts = r.Task.Spec.MaxAttempts
	}
}

// Ended implements [lease.Attempt].
func (a *attempt) Ended() bool { return a.settled.Load() }

// ends reports whether the attempt ends now: whoever is told so, once, says how.
func (a *attempt) ends() bool { return !a.settled.Swap(true) }

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

// afterwards is the context of an attempt that has ended, for observers: it has the
// values that the attempt's had, and never ends.
type afterwards attempt

// Deadline implements [context.Context].
func (*afterwards) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context].
func (*afterwards) Done() <-chan struct{} { return nil }

// Err implements [context.Context].
func (*afterwards) Err() error { return nil }

// Value implements [context.Context].
func (a *afterwards) Value(key any) any {
	if ctx := a.within.Load(); ctx != nil {
		return (*ctx).Value(key)
	}
	return nil
}

// answered are attempts that have ended and of which the guards of their targets
// have not heard yet. They hear of it before they are asked again, whether it is
// settled or not: a slow store is no reason to go on calling a target that fails.
// The zero value is empty; it is safe for concurrent use.
type answered struct{ last atomic.Pointer[attempt] }

func (s *answered) add(a *attempt) {
	for {
		a.before = s.last.Load()
		if s.last.CompareAndSwap(a.before, a) {
			return
		}
	}
}

// taken takes all, and yields them in the order in which they were added.
func (s *answered) taken(yield func(*attempt) bool) {
	var first *attempt
	for a := s.last.Swap(nil); a != nil; {
		before := a.before
		a.before, first, a = first, a, before
	}
	for a := first; a != nil; {
		next := a.before
		if a.before = nil; !yield(a) {
			return
		}
		a = next
	}
}

// completion is what a handler has asked for of its attempt. It is made before
// the store is asked, and stays.
type completion struct {
	mu         sync.Mutex // never held during a store call
	tx         any        // the transaction that did it last
	settlement store.Settlement
}

// by reports whether tx has completed the task before.
func (c *completion) by(tx any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return tx != nil && reflect.TypeOf(tx) == reflect.TypeOf(c.tx) && reflect.ValueOf(tx).Comparable() && tx == c.tx
}

func (c *completion) note(tx any, s store.Settlement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tx, c.settlement = tx, s
}
