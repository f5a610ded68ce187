package dead

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// KindRedrive is the kind of the operations of this package.
const KindRedrive = "redrive"

// saved is a request as the operation keeps it.
type saved struct {
	Filter       store.Filter `json:"filter"`
	Rate         float64      `json:"rate,omitempty"`
	KeepAttempts bool         `json:"keep_attempts,omitempty"`
	Payload      []byte       `json:"payload,omitempty"`
	HasPayload   bool         `json:"has_payload,omitempty"` // an empty one replaces, too
}

// begin saves an operation and starts to work on it.
func (r *Redriver) begin(ctx context.Context, request *Request) (Result, error) {
	now := time.Now()
	filter := Letters(*request.Filter)
	// A letter that fails again must not be sent back again: only those count
	// that died before the operation began. On the node's clock, so one that
	// died within the clocks' difference may be left out or sent twice.
	if filter.DiedBefore.IsZero() || filter.DiedBefore.After(now) {
		filter.DiedBefore = now
	}
	matched, err := r.backend.Count(ctx, filter, mostCounted)
	if err != nil {
		return Result{}, err
	}
	text, err := json.Marshal(saved{
		Filter: filter, Rate: request.Rate, KeepAttempts: request.KeepAttempts,
		Payload: request.Payload, HasPayload: request.Payload != nil,
	})
	if err != nil {
		return Result{}, err
	}
	operation, err := r.backend.PutOperation(ctx, store.Operation{
		ID: newOperationID(now), Kind: KindRedrive, State: store.OperationRunning,
		Request: text, Node: r.self(), Matched: matched, CreatedAt: now,
	})
	if err != nil {
		return Result{}, err
	}
	r.take(operation)
	return Result{Operation: operation.ID, Matched: matched}, nil
}

// request is the saved form read back.
func request(operation *store.Operation) (*Request, error) {
	var s saved
	if err := json.Unmarshal(operation.Request, &s); err != nil {
		return nil, err
	}
	if s.HasPayload && s.Payload == nil {
		s.Payload = []byte{}
	}
	return &Request{Filter: &s.Filter, Rate: s.Rate, KeepAttempts: s.KeepAttempts, Payload: s.Payload}, nil
}

// Pause stops a running operation after its current batch, until [Redriver.Resume].
func (r *Redriver) Pause(ctx context.Context, id string) (*store.Operation, error) {
	return r.change(ctx, id, store.OperationPaused, store.OperationRunning)
}

// Resume lets a paused operation go on.
func (r *Redriver) Resume(ctx context.Context, id string) (*store.Operation, error) {
	operation, err := r.change(ctx, id, store.OperationRunning, store.OperationPaused)
	r.look()
	return operation, err
}

// Cancel ends an operation after its current batch. What was sent back stays.
func (r *Redriver) Cancel(ctx context.Context, id string) (*store.Operation, error) {
	return r.change(ctx, id, store.OperationCanceled, store.OperationRunning, store.OperationPaused)
}

// change moves an operation to a state from one of the given ones; from any
// other it is a conflict. A repeat is none.
func (r *Redriver) change(ctx context.Context, id string, to store.OperationState, from ...store.OperationState) (*store.Operation, error) {
	return r.update(ctx, id, func(operation *store.Operation) error {
		if operation.State == to {
			return errUnchanged
		}
		for _, state := range from {
			if operation.State == state {
				operation.State = to
				if to == store.OperationCanceled {
					operation.FinishedAt = time.Now()
				}
				return nil
			}
		}
		return &task.Error{Code: task.CodeConflict, Message: "the operation is " + string(operation.State)}
	})
}

// errUnchanged ends an update without writing.
var errUnchanged = &task.Error{Code: task.CodeConflict, Message: "nothing to change"}

// update changes an operation as it stands, again if another was faster.
func (r *Redriver) update(ctx context.Context, id string, change func(*store.Operation) error) (*store.Operation, error) {
	for {
		operation, err := r.backend.Operation(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := change(operation); err == errUnchanged { //nolint:errorlint // a sentinel of this file
			return operation, nil
		} else if err != nil {
			return operation, err
		}
		stored, err := r.backend.PutOperation(ctx, *operation)
		if !isCode(err, task.CodeConflict) {
			return stored, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}
