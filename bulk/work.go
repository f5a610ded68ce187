package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// batchSize is how many tasks are done in one transaction. It holds the locks of
	// their lanes, so it is short.
	batchSize = 200
	// errorPause is the wait after the store did not answer.
	errorPause = time.Second
)

// errOver ends the work on an operation that was paused, canceled or taken over, or
// has come to its end.
var errOver = errors.New("nothing is left to do here")

// work works on an operation until it has ended or is no longer this node's. All
// that must outlive the node is in the operation and its plan.
func (r *Runner) work(ctx context.Context, stored *store.Operation) {
	for node := stored.Node; ctx.Err() == nil; {
		err := r.step(ctx, stored.ID, node)
		switch {
		case errors.Is(err, errOver) || ctx.Err() != nil:
			return
		case isCode(err, task.CodeInvalid) || isCode(err, task.CodeTooLarge):
			if errors.Is(r.end(ctx, stored.ID, node, store.OperationFailed, err.Error()), errOver) {
				return
			}
		case isCode(err, task.CodeConflict):
			continue // it has changed meanwhile: look at it again
		case err != nil:
			r.log.Warn("operation.repeated", "operation", stored.ID, "error", err)
		}
		if err != nil && !background.Sleep(ctx, errorPause) {
			return
		}
	}
}

// step does what comes next.
func (r *Runner) step(ctx context.Context, id, node string) error {
	stored, err := r.backend.Operation(ctx, id)
	if err != nil {
		return err
	}
	o, err := opened(stored)
	switch {
	case err != nil || !o.isOf(node):
		return errOver // the next look leaves it to others
	case !o.Progress.Complete:
		return r.plan(ctx, o)
	case len(o.Results) > 0 && (o.Done%chunkSize == 0 || o.Done == o.Progress.Planned):
		return r.keepResults(ctx, o)
	case o.Done >= o.Progress.Planned:
		return r.end(ctx, id, node, store.OperationDone, "")
	}
	return r.steerSome(ctx, o)
}

func (o *work) isOf(node string) bool {
	return !o.unread && o.State == store.OperationRunning && o.Node == node
}

// put stores the operation as it was changed, unless another has changed it.
func (r *Runner) put(ctx context.Context, o *work, audit ...store.Audit) error {
	if err := o.save(); err != nil {
		return err
	}
	_, err := r.backend.PutOperation(ctx, *o.Operation, audit...)
	return err
}

// plan puts the next chunk into the plan.
func (r *Runner) plan(ctx context.Context, o *work) error {
	ids, cursor, all, err := r.collect(ctx, o)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		c := &chunk{}
		for _, id := range ids {
			c.IDs = append(c.IDs, id[:]...)
		}
		if err := r.writeChunk(ctx, o, o.Progress.Planned/chunkSize, c); err != nil {
			return err
		}
	}
	p := &o.Progress
	p.Planned, p.Cursor, p.Complete = p.Planned+len(ids), cursor, all
	p.Waiting = fmt.Sprintf("the list of tasks: %d so far", p.Planned)
	o.Matched = max(o.Matched, p.Planned)
	if all {
		o.IDs, o.Matched, p.Waiting = nil, p.Planned, ""
	}
	return r.put(ctx, o)
}

// steerSome does the next tasks of the plan, and notes in the same transaction what
// became of each.
func (r *Runner) steerSome(ctx context.Context, o *work) error {
	c, err := r.readChunk(ctx, o.ID, o.Done/chunkSize)
	if err != nil {
		return err
	}
	from := o.Done % chunkSize
	to := min(from+batchSize, c.len())
	if from >= to {
		return r.end(ctx, o.ID, o.Node, store.OperationFailed, fmt.Sprintf("chunk %d of the plan has %d tasks only", o.Done/chunkSize, c.len()))
	}
	request := Request{Action: o.Action, RunAt: o.RunAt}
	steering := request.steering(c.ids(from, to))
	steering.Operation = o.Operation
	steering.Note = func(stored *store.Operation, steered []store.Steered) error {
		noted, err := opened(stored)
		if err != nil {
			return err
		}
		noted.note(steered)
		return noted.save()
	}
	steered, _, err := r.backend.Steer(ctx, steering)
	if err != nil {
		return err
	}
	r.tell(steered)
	return nil
}

// note writes down what was done.
func (o *work) note(steered []store.Steered) {
	for i := range steered {
		o.Results = append(o.Results, letters[became(&steered[i])])
		if steered[i].Err == nil {
			o.Progress.Changed++
		} else {
			o.Progress.Skipped++
		}
	}
	o.Done += len(steered)
}

// keepResults moves the results of a chunk that is done from the operation to it.
func (r *Runner) keepResults(ctx context.Context, o *work) error {
	number := (o.Done - 1) / chunkSize
	c, err := r.readChunk(ctx, o.ID, number)
	if err != nil {
		return err
	}
	c.Results = o.Results
	if err := r.writeChunk(ctx, o, number, c); err != nil {
		return err
	}
	o.Results = nil
	return r.put(ctx, o)
}

// end ends the operation, if it is still the node's, and returns errOver. That it has
// ended is an act of the program, with its numbers.
func (r *Runner) end(ctx context.Context, id, node string, state store.OperationState, message string) error {
	ended, err := r.update(ctx, id, func(o *work) ([]store.Audit, error) {
		if !o.isOf(node) {
			return nil, errOver
		}
		o.State, o.Error, o.FinishedAt, o.Progress.Waiting = state, message, time.Now(), ""
		return []store.Audit{o.ended()}, nil
	})
	if err != nil {
		return err
	}
	if state == store.OperationFailed {
		r.log.Warn("operation.stopped", "operation", id, "reason", message, "done", ended.Done, "matched", ended.Matched)
	}
	return errOver
}

// ended is a row of the audit log about what the operation has done.
func (o *work) ended() store.Audit {
	before, _ := json.Marshal(map[string]any{"state": store.OperationRunning, "matched": o.Matched})
	after, _ := json.Marshal(map[string]any{ // plain values
		"state": o.State, "done": o.Done, "changed": o.Progress.Changed, "skipped": o.Progress.Skipped, "reason": o.Error,
	})
	return store.Audit{Actor: "outlast", Action: "operation.end", Subject: operation.Subject(o.ID), Before: before, After: after}
}
