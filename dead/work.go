package dead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// work is what one node does for an operation. All that must outlive the node
// is in the operation and its plan: work is made anew from them.
type work struct {
	r     *Redriver
	id    string
	node  string // that does it, as the operation names it
	next  time.Time
	part  *chunk // the chunk of the plan that is at hand
	place int    // its number
	watch *watch
}

func newWork(r *Redriver, operation *store.Operation) *work {
	return &work{r: r, id: operation.ID, node: operation.Node}
}

// errNotOurs ends the work on an operation that was paused, canceled or taken
// over; errEnded ends that on one which has come to its end.
var (
	errNotOurs = errors.New("the operation is no longer ours")
	errEnded   = errors.New("the operation has ended")
)

// run works until the operation has ended or is no longer ours.
func (w *work) run(ctx context.Context) {
	for {
		wait, err := w.step(ctx)
		if errors.Is(err, errNotOurs) || errors.Is(err, errEnded) || ctx.Err() != nil {
			return
		}
		if err != nil {
			w.part, w.watch = nil, nil // the step may have been made all the same: on disk is how far it came
			err = w.failed(ctx, err)
			wait = errorPause
		}
		if errors.Is(err, errEnded) || wait > 0 && !background.Sleep(ctx, wait) {
			return
		}
	}
}

// failed ends the operation if an error will not go away, and else says that
// the step is repeated.
func (w *work) failed(ctx context.Context, err error) error {
	if isCode(err, task.CodeInvalid) || isCode(err, task.CodeTooLarge) {
		return w.end(ctx, store.OperationFailed, err.Error())
	}
	w.r.log.Warn("operation.repeated", "operation", w.id, "error", err)
	return nil
}

// step does what comes next, and says how long to wait after it.
func (w *work) step(ctx context.Context) (time.Duration, error) {
	operation, err := w.r.backend.Operation(ctx, w.id)
	if err != nil {
		return 0, err
	}
	o, err := opened(operation)
	switch {
	case err != nil:
		return 0, errNotOurs // the next look leaves it to others
	case !w.isOurs(o):
		return 0, errNotOurs
	case o.Done >= o.Progress.Planned && !o.Progress.Complete:
		return 0, w.plan(ctx, o)
	}
	room, err := w.room(ctx, o)
	if err != nil {
		return 0, err
	}
	if room == 0 {
		return lookAgain, nil
	}
	if o.Done >= o.Progress.Planned {
		return 0, w.end(ctx, store.OperationDone, "")
	}
	if wait := time.Until(w.next); wait > 0 {
		return min(wait, time.Second), nil // it may be paused or canceled meanwhile
	}
	return 0, w.sendSome(ctx, o, room)
}

func (w *work) isOurs(o *redrive) bool {
	return !o.unread && o.State == store.OperationRunning && o.Node == w.node
}

// plan puts the next window into the plan.
func (w *work) plan(ctx context.Context, o *redrive) error {
	ids, cursor, all, err := w.r.collect(ctx, o)
	if err != nil {
		return err
	}
	if err := w.r.writePlan(ctx, o.Operation, o.Progress.Planned/chunkSize, ids); err != nil {
		return err
	}
	planned := o.Progress.Planned
	_, err = w.r.update(ctx, w.id, func(o *redrive) ([]store.Audit, error) {
		if !w.isOurs(o) || o.Progress.Planned != planned {
			return nil, errNotOurs
		}
		o.IDs = nil
		o.Progress.Planned, o.Progress.Cursor, o.Progress.Complete = planned+len(ids), cursor, all
		o.Matched = max(o.Matched, o.Progress.Planned)
		if all {
			o.Matched = o.Progress.Planned
		}
		return nil, nil
	})
	return err
}

// chunk reads the chunk of a number, once.
func (w *work) chunk(ctx context.Context, number int) (*chunk, error) {
	if w.part == nil || w.place != number {
		part, err := w.r.readChunk(ctx, w.id, number)
		if err != nil {
			return nil, err
		}
		w.part, w.place = part, number
	}
	return w.part, nil
}

// sendSome sends the next letters of the plan back, no more than room, and
// notes them.
func (w *work) sendSome(ctx context.Context, o *redrive, room int) error {
	part, err := w.chunk(ctx, o.Done/chunkSize)
	if err != nil {
		return err
	}
	from := o.Done % chunkSize
	n := min(room, batchAt(o.Rate), part.len()-from)
	if n <= 0 {
		return w.end(ctx, store.OperationFailed, fmt.Sprintf("chunk %d of the plan has %d letters only", w.place, part.len()))
	}
	ids, start := part.ids(from, from+n), time.Now()
	_, missing, err := w.r.send(ctx, ids, store.RedriveOptions{
		Operation: w.id, KeepAttempts: o.KeepAttempts, Payload: o.Payload, RunAt: spreadOver(n, start, o.Rate),
	})
	if err != nil {
		return err
	}
	skipped, err := w.skip(ctx, part, from, ids, missing)
	if err != nil {
		return err
	}
	if err := w.note(ctx, o.Done, n, len(skipped)); err != nil {
		return err
	}
	if w.watch != nil {
		w.watch.add(ids, skipped)
	}
	w.next = start.Add(spread(n-len(skipped), o.Rate))
	return nil
}

// skip marks what was missing in the plan, but for letters that this very
// operation had sent back before its node ended.
func (w *work) skip(ctx context.Context, part *chunk, from int, ids, missing []task.ID) (skipped map[task.ID]bool, err error) {
	if len(missing) == 0 {
		return nil, nil
	}
	found, err := w.r.find(ctx, missing)
	if err != nil {
		return nil, err
	}
	skipped = make(map[task.ID]bool, len(missing))
	for _, id := range missing {
		if t := found[id]; t == nil || t.Spec.Redrive != w.id {
			skipped[id] = true
			part.skip(from + slices.Index(ids, id))
		}
	}
	if len(skipped) == 0 {
		return nil, nil
	}
	if err := w.r.writeChunk(ctx, w.id, w.place, part); err != nil {
		w.part = nil // another node may have been faster
		return nil, err
	}
	return skipped, nil
}

// note counts letters that were handled: also when the operation was paused or
// canceled meanwhile, but not after another node has taken it.
func (w *work) note(ctx context.Context, done, n, skipped int) error {
	_, err := w.r.update(ctx, w.id, func(o *redrive) ([]store.Audit, error) {
		if o.Node != w.node || o.Done != done {
			return nil, errNotOurs
		}
		o.Done += n
		o.Progress.Sent += n - skipped
		o.Progress.Skipped += skipped
		o.Progress.Waiting = ""
		w.tell(o)
		if o.Canary > 0 && (o.Progress.Sent >= o.Canary || o.Done >= o.Matched) && o.Progress.CanaryAt.IsZero() {
			o.Progress.CanaryAt = time.Now()
		}
		return nil, nil
	})
	return err
}

// end ends the operation, if it is still ours, and returns errEnded. A failure
// is an act of the program: the audit log has it.
func (w *work) end(ctx context.Context, state store.OperationState, message string) error {
	o, err := w.r.update(ctx, w.id, func(o *redrive) ([]store.Audit, error) {
		if !w.isOurs(o) {
			return nil, errNotOurs
		}
		o.State, o.Error, o.FinishedAt, o.Progress.Waiting = state, message, time.Now(), ""
		w.tell(o)
		if state == store.OperationFailed {
			return []store.Audit{stopped(w.id, "operation.stop", state, message)}, nil
		}
		return nil, nil
	})
	if err != nil {
		if !errors.Is(err, errNotOurs) && ctx.Err() == nil {
			w.r.log.Warn("operation.unfinished", "operation", w.id, "error", err)
		}
		return err
	}
	if state == store.OperationFailed {
		w.r.log.Warn("operation.stopped", "operation", w.id, "reason", message, "done", o.Done, "matched", o.Matched)
	}
	if w.r.ended != nil {
		w.r.ended(o.Operation)
	}
	return errEnded
}

// stopped is a row of the audit log about what the program has done by itself.
func stopped(id, action string, state store.OperationState, reason string) store.Audit {
	after, _ := json.Marshal(map[string]string{"state": string(state), "reason": reason}) // plain values
	return store.Audit{Actor: "outlast", Action: action, Subject: operation.Subject(id), Before: operation.StateText(store.OperationRunning), After: after}
}

// batchAt is how many letters go at once at a rate: about a second's worth.
func batchAt(rate float64) int {
	if rate <= 0 {
		return redriveBatch
	}
	return int(min(max(rate, 1), redriveBatch))
}
