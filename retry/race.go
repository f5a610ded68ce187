package retry

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/clock"
)

// Hedged is [Value] with hedging as the policy's [Hedge] says. Fn may run several
// times at once, and so must return what it finds rather than assign it. The first
// success decides; the contexts of the other copies end then, with a cause that
// says so, and their outcomes count for nothing. A copy that fails waits for the
// others.
//
// Without Hedge, without [Idempotent], and inside a repeated attempt of an outer
// operation, Hedged is Value. [Do], [Value], [Attempts] and [Go] do not hedge,
// because they promise to run one attempt at a time.
//
// A panic of a copy goes on in the caller, unless the outcome is decided already.
func Hedged[T any](ctx context.Context, p *Policy, fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	var o operation
	o.open(ctx, p, opts)
	if !o.policy.run.hedged || o.terms.safe != isIdempotent || o.isNested() {
		return Value(ctx, p, fn, opts...)
	}
	var value T
	copies := func(context.Context) (err error) {
		value, err = race(&o, fn)
		return err
	}
	for o.pause() && o.begin() && o.settle(o.call(copies)) {
	}
	o.pace()
	return value, o.outcome()
}

// errLost is the context cause of copies that another one was faster than.
var errLost = errors.New("retry: another copy of the attempt was faster")

// contest runs copies of one attempt beside each other.
type contest[T any] struct {
	ctx     context.Context // of all copies
	fn      func(ctx context.Context) (T, error)
	ended   chan entrant[T]
	decided chan struct{} // closed when no more outcomes are wanted
	event   AttemptEvent  // what is the same for all copies
	run     *running
}

// entrant is one copy and its outcome.
type entrant[T any] struct {
	ticket   ticket
	hedge    bool
	value    T
	err      error
	returned bool
	panicked any // nil for runtime.Goexit
}

// race makes the attempt of o with hedges. The ticket of the copy that decides
// becomes the operation's, which settles it.
func race[T any](o *operation, fn func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithCancelCause(o.current)
	c := contest[T]{
		ctx: ctx, fn: fn, ended: make(chan entrant[T]), decided: make(chan struct{}),
		event: AttemptEvent{Target: o.target.Name, Number: o.number}, run: &o.policy.run,
	}
	defer cancel(errLost)
	defer close(c.decided)

	o.ticket.target = o.target // also without guards: a copy that loses gives its ticket back
	go c.enter(entrant[T]{ticket: o.ticket})
	delay := o.policy.run.hedgeDelay()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for running, left := 1, o.policy.run.hedge.Most; ; {
		select {
		case e := <-c.ended:
			running--
			if e.err != nil && e.returned && running > 0 {
				c.fail(o, &e)
				continue
			}
			o.ticket, o.hedge = e.ticket, e.hedge
			return e.outcome()
		case <-timer.C:
			if hedge, ok := o.hedgeTicket(); ok {
				go c.enter(entrant[T]{ticket: hedge, hedge: true})
				running, left = running+1, left-1
			} else if delay < 0 { // at once or not at all
				left = 0
			}
			if left > 0 {
				timer.Reset(delay)
			}
		}
	}
}

// hedgeTicket asks budget and guards for a hedge.
func (o *operation) hedgeTicket() (ticket, bool) {
	if o.current.Err() != nil {
		return ticket{}, false
	}
	now, budget := clock.Now(), o.target.Budget
	if budget != nil && !budget.withdrawAlways(now) {
		return ticket{}, false
	}
	var k ticket
	err := k.take(o.target, now, false, false, o.policy.run.random)
	if err != nil && budget != nil {
		budget.Return(now, 1)
	}
	return k, err == nil
}

// enter runs one copy, in a goroutine of its own.
func (c *contest[T]) enter(e entrant[T]) {
	defer func() {
		if !e.returned {
			e.panicked, e.err = recover(), errAborted
		}
		select {
		case c.ended <- e:
		case <-c.decided:
			c.lose(&e)
		}
	}()
	e.value, e.err = c.fn(c.ctx)
	e.returned = true
}

// outcome goes on in the caller with how the copy ended.
func (e *entrant[T]) outcome() (T, error) {
	if !e.returned {
		if e.panicked != nil {
			panic(e.panicked)
		}
		runtime.Goexit()
	}
	return e.value, e.err
}

// fail settles a copy that failed while others run.
func (c *contest[T]) fail(o *operation, e *entrant[T]) {
	now, ended := clock.Now(), o.ctx.Err()
	v := o.classify(e.err, ended)
	e.ticket.fail(now, counted(v.Category, ended))
	o.remember(e.err, &v)
	c.observe(e, now, v)
}

// lose gives back what a copy held whose outcome nobody wants.
func (c *contest[T]) lose(e *entrant[T]) {
	now := clock.Now()
	e.ticket.cancel(now)
	if e.panicked != nil {
		panic(e.panicked)
	}
	if e.err == nil && c.run.hedge.Discard != nil {
		c.run.hedge.Discard(e.value)
	}
	c.observe(e, now, Verdict{Category: Canceled, Effect: Maybe})
}

// observe tells of a copy that did not decide.
func (c *contest[T]) observe(e *entrant[T], now time.Time, v Verdict) {
	if told := c.run.observer.Attempt; told != nil {
		event := c.event
		event.Hedge, event.Took, event.Err, event.Verdict = e.hedge, e.ticket.took(now), e.err, v
		if event.Err == nil {
			event.Err = errLost
		}
		told(event)
	}
}
