package admission

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/task"
)

const (
	// lookEvery is how old what a client that has not started knows of its store may be.
	lookEvery = time.Second
	// lookTime is how long a look may take.
	lookTime = 10 * time.Second
)

// Early lets a client that has not started accept tasks: it reads what that needs at the first
// call, and again when what it knows is a second old. Calls share a look, and none waits longer
// than its context. A call in a transaction of its caller waits for nothing that writes: that
// may wait for the transaction. It is safe for concurrent use.
type Early struct {
	// Check reads once what changes seldom, and refuses a store that cannot be worked on.
	Check func(ctx context.Context) error
	// Prepare writes once what is missing.
	Prepare func(ctx context.Context) error
	// Refresh reads what may have changed.
	Refresh func(ctx context.Context) error

	reads, writes chan struct{} // taken by who does that
	checked       bool          // held by reads
	prepared      atomic.Bool
	seen          atomic.Pointer[time.Time] // when the last look began
}

// NewEarly makes what a client that was opened knows of its store: nothing so far.
func NewEarly(check, prepare, refresh func(ctx context.Context) error) *Early {
	return &Early{Check: check, Prepare: prepare, Refresh: refresh, reads: make(chan struct{}, 1), writes: make(chan struct{}, 1)}
}

// Ready sees to it that a call can be accepted, in a transaction of its caller or not.
func (e *Early) Ready(ctx context.Context, inTx bool) error {
	if e.fresh() && (inTx || e.prepared.Load()) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var err error
	if !inTx && !e.prepared.Load() {
		err = within(limited, e.writes, e.prepare)
	}
	if err == nil {
		err = within(limited, e.reads, e.look)
	}
	if _, typed := errors.AsType[*task.Error](err); err == nil || typed || ctx.Err() != nil {
		return err
	}
	return &task.Error{Code: task.CodeUnavailable, Err: err, RetryAfter: time.Second, Message: "the store did not answer: " + err.Error(),
		Hint: "nothing was accepted; try again"}
}

// Alone does what prepares a client otherwise, such as its start, while nobody looks.
func (e *Early) Alone(ctx context.Context, do func(ctx context.Context) error) error {
	return within(ctx, e.writes, func(ctx context.Context) error {
		return within(ctx, e.reads, func(ctx context.Context) error {
			err := do(ctx)
			if err == nil {
				e.checked = true
				e.done()
			}
			return err
		})
	})
}

func (e *Early) fresh() bool {
	seen := e.seen.Load()
	return seen != nil && time.Since(*seen) < lookEvery
}

func (e *Early) prepare(ctx context.Context) error {
	if e.prepared.Load() {
		return nil
	}
	if err := e.Prepare(ctx); err != nil {
		return err
	}
	return within(ctx, e.reads, func(context.Context) error { // a look that began before does not know what was made
		e.done()
		return nil
	})
}

// done says that what was missing is there, and is to be seen. Held by reads.
func (e *Early) done() {
	e.seen.Store(nil)
	e.prepared.Store(true)
}

func (e *Early) look(ctx context.Context) error {
	if e.fresh() {
		return nil
	}
	began := time.Now()
	if !e.checked {
		if err := e.Check(ctx); err != nil {
			return err
		}
		e.checked = true
	}
	if err := e.Refresh(ctx); err != nil {
		return err
	}
	e.seen.Store(&began)
	return nil
}

// within does something while it has a place, for which it waits no longer than ctx.
func within(ctx context.Context, place chan struct{}, do func(ctx context.Context) error) error {
	select {
	case place <- struct{}{}:
		defer func() { <-place }()
		return do(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}
