package operation

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Worker does what one node does for an operation, a step at a time. All that must
// outlive the node is in the operation and its plan.
type Worker interface {
	// Step does what comes next, and says how long to wait after it. [ErrOver] means
	// that nothing is left to do here; after any other error it is called again.
	Step(ctx context.Context) (wait time.Duration, err error)
	// Fail ends the operation for a reason that will not go away.
	Fail(ctx context.Context, reason string) error
}

// ErrOver ends the work on an operation that was paused, canceled or taken over, or
// has come to its end.
var ErrOver = errors.New("nothing is left to do here")

// Hold is an operation in the hands of the node that works on it. Its methods return
// [ErrOver], and change nothing, when the operation does not run any more or is another
// node's.
type Hold[T any, W kept[T]] struct {
	ID string

	runner *Runner[T, W]
	node   string
}

// Read reads the operation.
func (h *Hold[T, W]) Read(ctx context.Context) (W, error) {
	stored, err := h.runner.Backend.Operation(ctx, h.ID)
	if err != nil {
		return nil, err
	}
	o, err := Read[T, W](stored)
	if err != nil || !o.base().isOf(h.node) {
		return nil, ErrOver // one that does not open is left to others by the next look
	}
	return o, nil
}

// Update changes the operation as [Runner.Update] does.
func (h *Hold[T, W]) Update(ctx context.Context, change func(W) ([]store.Audit, error)) (W, error) {
	return h.runner.Update(ctx, h.ID, func(o W) ([]store.Audit, error) {
		if !o.base().isOf(h.node) {
			return nil, ErrOver
		}
		return change(o)
	})
}

// Note notes items that were handled, if nobody else has: also when the operation was
// paused or canceled meanwhile, but not after another node has taken it.
func (h *Hold[T, W]) Note(ctx context.Context, done, items int, change func(W)) error {
	_, err := h.runner.Update(ctx, h.ID, func(o W) ([]store.Audit, error) {
		b := o.base()
		if b.Node != h.node || b.Done != done {
			return nil, ErrOver
		}
		b.Done, o.progress().Waiting = b.Done+items, ""
		change(o)
		return nil, nil
	})
	return err
}

// End ends the operation, and returns it with [ErrOver]. What also does to it is stored
// with that, and so are the rows of the audit log that it returns.
func (h *Hold[T, W]) End(ctx context.Context, state store.OperationState, message string, also func(W) []store.Audit) (W, error) {
	o, err := h.Update(ctx, func(o W) ([]store.Audit, error) {
		b := o.base()
		b.State, b.Error, b.FinishedAt, o.progress().Waiting = state, message, time.Now(), ""
		return also(o), nil
	})
	if err != nil {
		return nil, err
	}
	if state == store.OperationFailed {
		h.runner.Log.Warn("operation.stopped", "operation", h.ID, "reason", message, "done", o.base().Done, "matched", o.base().Matched)
	}
	return o, ErrOver
}
