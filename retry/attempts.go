package retry

import (
	"context"
	"iter"
)

// Try is one attempt of the loop form. It is not safe for concurrent use.
type Try struct {
	operation *operation
	ctx       context.Context
	number    int
	done      bool
	next      bool  // Done has begun another attempt
	result    error // of Done
}

// Attempts is the loop form of [Do]:
//
//	for a := range p.Attempts(ctx) {
//		err = a.Done(call(a.Context()))
//	}
//
// A loop that is left early, or whose body ends without Done, gives up. When not
// even the first attempt may be made, because a guard refuses it or ctx has ended,
// the body runs once with a context that has ended, and Done returns the reason.
func (p *Policy) Attempts(ctx context.Context, opts ...CallOption) iter.Seq[*Try] {
	return func(yield func(*Try) bool) {
		var o operation
		o.open(ctx, p, opts)
		if !o.pause() || !o.begin() {
			yield(o.refused())
			return
		}
		var t *Try
		defer func() { t.leave() }()
		for again := true; again; again = t.next {
			t = &Try{operation: &o, ctx: o.current, number: o.number}
			if !yield(t) {
				return
			}
		}
	}
}

// refused is the only attempt of an operation that may not make any.
func (o *operation) refused() *Try {
	ctx, cancel := context.WithCancelCause(o.ctx)
	cancel(o.result.Reason)
	return &Try{operation: o, ctx: ctx, number: 1}
}

// leave ends the operation if its loop was left before that.
func (t *Try) leave() {
	o := t.operation
	switch {
	case t.next: // by a break after Done: the attempt that Done has begun is not made
		o.retract()
		o.stop(errAbandoned)
		o.outcome() //nolint:errcheck // nobody asks any more
	case o.running:
		o.abandon(errAbandoned, Canceled)
	}
}

// Context is the context of the attempt.
func (t *Try) Context() context.Context { return t.ctx }

// Number counts from 1.
func (t *Try) Number() int { return t.number }

// Done ends the attempt. Nil ends the loop. Otherwise Done waits for the next
// attempt and returns err; or, when there is none, an [*Error]. Called again, it
// returns the same.
func (t *Try) Done(err error) error {
	if t.done {
		return t.result
	}
	t.done = true
	o := t.operation
	if o.running && o.settle(err) && o.pause() && o.begin() {
		t.next, t.result = true, err
		return err
	}
	o.pace()
	t.result = o.outcome()
	return t.result
}
