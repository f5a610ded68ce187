package operation

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Begin stores a new operation with what is known of it, and starts to work on it if
// this node takes part. The row of the audit log gets its subject.
func (r *Runner[T, W]) Begin(ctx context.Context, o W, kind string, matched int, audit store.Audit) (id string, err error) {
	now, b := time.Now(), o.base()
	b.Operation = &store.Operation{
		ID: task.NewID(now, source{}).String(), Kind: kind, State: store.OperationRunning, Node: r.Self(), Matched: matched, CreatedAt: now,
	}
	audit.Subject = subject(b.ID)
	if err := r.Put(ctx, o, audit); err != nil {
		return "", err
	}
	r.Take(b.Operation)
	return b.ID, nil
}

type source struct{}

func (source) Uint64() uint64 { return rand.Uint64() }

// QueuesOf are the queues that tasks are of, "" among them where this node does not
// know one.
func (r *Runner[T, W]) QueuesOf(ids []task.ID) (queues []string) {
	of := map[uint16]string{}
	for _, lane := range r.Node.Topology().Lanes {
		of[lane.Number] = lane.Queue
	}
	for _, id := range ids {
		if queue := of[id.Lane()]; !slices.Contains(queues, queue) {
			queues = append(queues, queue)
		}
	}
	return queues
}

// Put stores an operation as it was changed; code "conflict" if another has changed it.
func (r *Runner[T, W]) Put(ctx context.Context, o W, audit ...store.Audit) error {
	if err := Save[T, W](o); err != nil {
		return err
	}
	stored, err := r.Backend.PutOperation(ctx, *o.base().Operation, audit...)
	if err == nil {
		o.base().Operation = stored
	}
	return err
}

// ErrUnchanged ends an [Runner.Update] without writing and without an error.
var ErrUnchanged = errors.New("nothing to change")

// Update changes an operation as it stands, again if another was faster. One that does
// not open here is Unread. The rows of the audit log are written with the change.
func (r *Runner[T, W]) Update(ctx context.Context, id string, change func(W) ([]store.Audit, error)) (W, error) {
	for {
		stored, err := r.Backend.Operation(ctx, id)
		if err != nil {
			return nil, err
		}
		o, err := Read[T, W](stored)
		if err != nil && !o.base().Unread {
			return nil, err
		}
		rows, err := change(o)
		switch {
		case errors.Is(err, ErrUnchanged):
			return o, nil
		case err != nil:
			return o, err
		}
		if err = r.Put(ctx, o, rows...); err == nil {
			return o, nil
		}
		if !isCode(err, task.CodeConflict) || ctx.Err() != nil {
			return nil, err
		}
	}
}

// Pause stops a running operation after its current batch, until [Runner.Resume].
func (r *Runner[T, W]) Pause(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.move(ctx, id, audit, store.OperationPaused, store.OperationRunning)
}

// Resume lets a paused operation go on, on this node if it takes part.
func (r *Runner[T, W]) Resume(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	defer r.Look()
	return r.move(ctx, id, audit, store.OperationRunning, store.OperationPaused)
}

// Cancel ends an operation after its current batch. What was done stays done. It needs
// no key of an operation that is encrypted: that one may be lost.
func (r *Runner[T, W]) Cancel(ctx context.Context, id string, audit store.Audit) (*store.Operation, error) {
	return r.move(ctx, id, audit, store.OperationCanceled, store.OperationRunning, store.OperationPaused)
}

// move moves an operation to a state from one of the given ones; from any other it is
// a conflict. A repeat is none, and changes nothing.
func (r *Runner[T, W]) move(ctx context.Context, id string, audit store.Audit, to store.OperationState, from ...store.OperationState) (*store.Operation, error) {
	o, err := r.Update(ctx, id, func(o W) ([]store.Audit, error) {
		b := o.base()
		was := b.State
		switch {
		case b.Unread && to != store.OperationCanceled:
			return nil, sealed()
		case was == to:
			return nil, ErrUnchanged
		case !slices.Contains(from, was):
			return nil, &task.Error{Code: task.CodeConflict, Message: "the operation is " + string(was)}
		case to == store.OperationCanceled:
			b.FinishedAt = time.Now()
		case to == store.OperationRunning:
			b.Error = ""
			if self := r.Self(); self != "" {
				b.Node = self
			}
		}
		b.State, o.progress().Waiting = to, ""
		audit.Subject, audit.Before, audit.After = subject(id), stateText(was), stateText(to)
		return []store.Audit{audit}, nil
	})
	if o == nil {
		return nil, err
	}
	return o.base().Operation, err
}

// subject is an operation in the audit log.
func subject(id string) string { return "operation/" + id }

// stateText is a state in the audit log.
func stateText(state store.OperationState) []byte { return []byte(`{"state":"` + string(state) + `"}`) }

// Acted is a row of the audit log about what the program has done by itself.
func (b *Base) Acted(action string, before, after map[string]any) store.Audit {
	row := store.Audit{Actor: "outlast", Action: action, Subject: subject(b.ID)}
	row.Before, _ = json.Marshal(before) // plain values
	row.After, _ = json.Marshal(after)
	return row
}
