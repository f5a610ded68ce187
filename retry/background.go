package retry

import (
	"context"
	"sync"
	"time"
)

// Handle is an operation that runs in the background; see [Go]. It is safe for
// concurrent use.
type Handle struct {
	fn     func(ctx context.Context) error
	cancel context.CancelCauseFunc
	unhook func() bool
	done   chan struct{}
	err    error // readable once done is closed

	// operation belongs to whoever took the turn: the running attempt, or the one
	// who found waiting true and made it false.
	operation operation

	mu      sync.Mutex
	waiting bool
	timer   *time.Timer
}

// Go is [Do] in the background. It holds no goroutine while it waits.
func Go(ctx context.Context, p *Policy, fn func(ctx context.Context) error, opts ...CallOption) *Handle {
	ctx, cancel := context.WithCancelCause(ctx)
	h := &Handle{fn: fn, cancel: cancel, done: make(chan struct{})}
	h.operation.open(ctx, p, opts)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unhook = context.AfterFunc(ctx, h.interrupt)
	h.waiting, h.timer = true, time.AfterFunc(h.operation.wait, h.wake)
	return h
}

// Stop cancels the pending wait and the running attempt. After Stop no attempt
// starts: a function that is being called at that moment finds its context ended.
// The reason is then [ErrStopped]. Stop does not wait, and may be called from the
// function itself; stopping what has ended does nothing.
func (h *Handle) Stop() { h.cancel(ErrStopped) }

// Wait returns after the last attempt, with what [Do] would have returned.
func (h *Handle) Wait() error {
	<-h.done
	return h.err
}

// Done is closed when the operation has ended.
func (h *Handle) Done() <-chan struct{} { return h.done }

// ValueHandle is a [Handle] of an operation with a result; see [GoValue].
type ValueHandle[T any] struct {
	*Handle
	value T // belongs to the running attempt until the operation has ended
}

// GoValue is [Value] in the background, as [Go] is [Do].
func GoValue[T any](ctx context.Context, p *Policy, fn func(ctx context.Context) (T, error), opts ...CallOption) *ValueHandle[T] {
	h := &ValueHandle[T]{}
	h.Handle = Go(ctx, p, func(ctx context.Context) (err error) {
		h.value, err = fn(ctx)
		return err
	}, opts...)
	return h
}

// Wait returns after the last attempt, with what [Value] would have returned. It may
// be called by several goroutines, and again.
func (h *ValueHandle[T]) Wait() (T, error) {
	err := h.Handle.Wait()
	return h.value, err
}

// wake takes the turn, unless somebody else has it.
func (h *Handle) wake() {
	h.mu.Lock()
	mine := h.waiting
	h.waiting = false
	h.mu.Unlock()
	if mine {
		h.step()
	}
}

// interrupt ends the wait because the context has ended.
func (h *Handle) interrupt() {
	h.mu.Lock()
	h.timer.Stop()
	h.mu.Unlock()
	h.wake()
}

// step has the turn: it makes one attempt, and then waits or ends the operation.
func (h *Handle) step() {
	returned := false
	defer func() {
		if !returned { // the function panicked or ended the goroutine
			h.finish()
		}
	}()
	waits := h.advance()
	returned = true
	if !waits {
		h.finish()
		return
	}
	h.mu.Lock()
	h.waiting = true
	h.timer.Reset(h.operation.wait)
	h.mu.Unlock()
	if h.operation.ctx.Err() != nil { // interrupt may have come while nobody waited
		h.interrupt()
	}
}

// advance makes one attempt. It returns true when there is something to wait for.
func (h *Handle) advance() bool {
	o := &h.operation
	if o.result != nil { // it waited for the outcome only
		return false
	}
	if o.ctx.Err() != nil {
		o.interrupted()
		return false
	}
	if !o.begin() {
		return o.paces()
	}
	if o.ctx.Err() != nil {
		o.retract()
		o.interrupted()
		return false
	}
	return o.settle(o.call(h.fn)) || o.paces()
}

// finish ends the operation.
func (h *Handle) finish() {
	h.err = h.operation.outcome()
	h.unhook()
	h.cancel(nil)
	close(h.done)
}
