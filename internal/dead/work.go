package dead

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// work is what one node does for an operation.
type work struct {
	r     *Redriver
	hold  *operation.Hold[redrive, *redrive]
	next  time.Time
	part  *operation.Chunk // the chunk of the plan that is at hand
	place int              // its number
	watch *watch
}

// Step does what comes next, and says how long to wait after it.
func (w *work) Step(ctx context.Context) (wait time.Duration, err error) {
	if wait, err = w.step(ctx); err != nil {
		w.part, w.watch = nil, nil // the step may have been made all the same: on disk is how far it came
	}
	return wait, err
}

func (w *work) step(ctx context.Context) (time.Duration, error) {
	o, err := w.hold.Read(ctx)
	if err != nil {
		return 0, err
	}
	if o.Done >= o.Planned && !o.Complete {
		return 0, w.plan(ctx, o)
	}
	room, err := w.room(ctx, o)
	if err != nil {
		return 0, err
	}
	if room == 0 {
		return lookAgain, nil
	}
	if o.Done >= o.Planned {
		return 0, w.end(ctx, store.OperationDone, "")
	}
	if wait := time.Until(w.next); wait > 0 {
		return min(wait, time.Second), nil // it may be paused or canceled meanwhile
	}
	return 0, w.sendSome(ctx, o, room)
}

// Fail ends the operation.
func (w *work) Fail(ctx context.Context, reason string) error {
	return w.end(ctx, store.OperationFailed, reason)
}

// plan puts the next window into the plan.
func (w *work) plan(ctx context.Context, o *redrive) error {
	ids, cursor, all, err := w.collect(ctx, o)
	if err != nil {
		return err
	}
	o.Cursor = cursor
	return w.r.Extend(ctx, o, ids, all)
}

// chunk reads the chunk of a number, once.
func (w *work) chunk(ctx context.Context, number int) (*operation.Chunk, error) {
	if w.part == nil || w.place != number {
		part, err := w.r.ReadChunk(ctx, w.hold.ID, number)
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
	part, err := w.chunk(ctx, o.Done/operation.ChunkSize)
	if err != nil {
		return err
	}
	from := o.Done % operation.ChunkSize
	ids, start := part.Between(from, from+min(room, batchAt(o.Rate))), time.Now()
	n := len(ids)
	if n == 0 {
		return w.Fail(ctx, fmt.Sprintf("chunk %d of the plan has %d letters only", w.place, part.Len()))
	}
	_, missing, err := w.r.send(ctx, ids, store.RedriveOptions{
		Operation: o.ID, KeepAttempts: o.KeepAttempts, Payload: o.payload(), RunAt: spreadOver(n, start, o.Rate),
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
func (w *work) skip(ctx context.Context, part *operation.Chunk, from int, ids, missing []task.ID) (skipped map[task.ID]bool, err error) {
	if len(missing) == 0 {
		return nil, nil
	}
	found, err := operation.Find(ctx, w.r.backend, missing)
	if err != nil {
		return nil, err
	}
	skipped = make(map[task.ID]bool, len(missing))
	for _, id := range missing {
		if t := found[id]; t == nil || t.Spec.Redrive != w.hold.ID {
			skipped[id] = true
			part.Skip(from + slices.Index(ids, id))
		}
	}
	if len(skipped) == 0 {
		return nil, nil
	}
	if err := w.r.WriteChunk(ctx, w.hold.ID, w.place, part); err != nil {
		return nil, err // another node may have been faster
	}
	return skipped, nil
}

// note counts letters that were handled.
func (w *work) note(ctx context.Context, done, n, skipped int) error {
	return w.hold.Note(ctx, done, n, func(o *redrive) {
		o.Sent += n - skipped
		o.Skipped += skipped
		w.tell(o)
		if o.Canary > 0 && (o.Sent >= o.Canary || o.Done >= o.Matched) && o.CanaryAt.IsZero() {
			o.CanaryAt = time.Now()
		}
	})
}

// end ends the operation. A failure is an act of the program: the audit log has it.
func (w *work) end(ctx context.Context, state store.OperationState, message string) error {
	o, err := w.hold.End(ctx, state, message, func(o *redrive) []store.Audit {
		w.tell(o)
		if state == store.OperationFailed {
			return []store.Audit{o.stopped("operation.stop")}
		}
		return nil
	})
	if o != nil && w.r.ended != nil {
		w.r.ended(o.Operation)
	}
	return err
}

// stopped is a row of the audit log about an operation that the program has stopped.
func (o *redrive) stopped(action string) store.Audit {
	return o.Acted(action, map[string]any{"state": store.OperationRunning}, map[string]any{"state": o.State, "reason": o.Error})
}

// batchAt is how many letters go at once at a rate: about a second's worth.
func batchAt(rate float64) int {
	if rate <= 0 {
		return redriveBatch
	}
	return int(min(max(rate, 1), redriveBatch))
}
