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

const (
	// watchedMost is how many of the letters sent back last are watched.
	watchedMost = 1000
	// leastOutcomes is how many outcomes a share of failures needs.
	leastOutcomes = 10
	// patience is how long an outcome is waited for.
	patience = 10 * time.Minute
	// lookAgain is the time between two looks at letters that have no outcome.
	lookAgain = 250 * time.Millisecond
)

// outcome is what has become of a letter that was sent back.
type outcome int

const (
	open      outcome = iota // nothing yet
	failing                  // its attempt has failed and is to be repeated
	failed                   // it is dead again
	succeeded                // for good
	other                    // canceled or gone: it is not counted
	late                     // too slow to be waited for: it is not counted
)

func (o outcome) isFinal() bool { return o == failed || o == succeeded || o == other || o == late }

type watched struct {
	id      task.ID
	outcome outcome
}

// watch is what has become of the letters that were sent back last.
type watch struct{ letters []watched }

func (v *watch) add(ids []task.ID, skipped map[task.ID]bool) {
	for _, id := range ids {
		if !skipped[id] {
			v.letters = append(v.letters, watched{id: id})
		}
	}
	if more := len(v.letters) - watchedMost; more > 0 {
		v.letters = slices.Delete(v.letters, 0, more)
	}
}

func (v *watch) count(wanted ...outcome) (n int) {
	for i := range v.letters {
		if slices.Contains(wanted, v.letters[i].outcome) {
			n++
		}
	}
	return n
}

// look reads what has become of the letters without a final outcome.
func (v *watch) look(ctx context.Context, query store.Query, o *redrive, now time.Time) error {
	var ids []task.ID
	for i := range v.letters {
		if !v.letters[i].outcome.isFinal() {
			ids = append(ids, v.letters[i].id)
		}
	}
	found, err := operation.Find(ctx, query, ids)
	if err != nil {
		return err
	}
	for i := range v.letters {
		if l := &v.letters[i]; !l.outcome.isFinal() {
			l.outcome = outcomeOf(found[l.id], o, now)
		}
	}
	return nil
}

func outcomeOf(t *task.Task, o *redrive, now time.Time) outcome {
	switch {
	case t == nil || t.State == task.Canceled:
		return other
	case t.Spec.Redrive != o.ID || t.State == task.Dead:
		return failed // another redrive finds a letter only when it died again
	case t.State == task.Succeeded:
		return succeeded
	case hasFailed(t, o.KeepAttempts):
		return failing
	case now.Sub(t.Spec.RedrivenAt) > patience:
		return late
	}
	return open
}

// hasFailed reports whether an attempt of a task that was sent back, and is
// live, has failed since.
func hasFailed(t *task.Task, kept bool) bool {
	switch {
	case kept: // by two clocks, for want of better
		return t.LastError != nil && t.LastError.Type != task.DispatchFailure && t.LastError.At.After(t.Spec.RedrivenAt)
	case t.State == task.Running:
		return t.Attempt > 1
	}
	return t.Attempt > 0
}

// room is how many letters may go now; 0 to look again later.
func (w *work) room(ctx context.Context, o *redrive) (int, error) {
	if !o.watches() {
		return redriveBatch, nil
	}
	if err := w.look(ctx, o); err != nil {
		return 0, err
	}
	if o.StopIfFailing > 0 {
		if reason := w.watch.tooMany(o); reason != "" {
			return 0, w.end(ctx, store.OperationFailed, reason)
		}
	}
	switch {
	case o.awaitsCanary() && o.Sent < o.Canary && o.Done < o.Planned: // what was skipped proves nothing
		return min(o.Canary-o.Sent, redriveBatch), nil
	case o.awaitsCanary():
		return w.canary(ctx, o)
	case o.StopIfFailing > 0 && o.Done < o.Planned:
		ended, doubtful := w.watch.count(succeeded, failed, failing, other, late), w.watch.count(open)
		if room := min(max(leastOutcomes, ended), watchedMost) - doubtful; room > 0 {
			return room, nil
		}
		return 0, w.wait(ctx, fmt.Sprintf("%d letters have no outcome yet", doubtful))
	}
	return redriveBatch, nil
}

// look brings what is known of the letters sent back last up to date.
func (w *work) look(ctx context.Context, o *redrive) error {
	if w.watch == nil {
		v := &watch{}
		for from := max(0, o.Done-watchedMost); from < o.Done; {
			number := from / operation.ChunkSize
			part, err := w.chunk(ctx, number)
			if err != nil {
				return err
			}
			first := from % operation.ChunkSize
			skipped := map[task.ID]bool{}
			ids := part.Between(first, o.Done-number*operation.ChunkSize)
			for i, id := range ids {
				skipped[id] = part.IsSkipped(first + i)
			}
			v.add(ids, skipped)
			from += len(ids)
		}
		w.watch = v
	}
	return w.watch.look(ctx, w.r.backend, o, time.Now())
}

// tooMany says why an operation is to stop, "" if it is not.
func (v *watch) tooMany(o *redrive) string {
	died := v.count(failed)
	bad := died + v.count(failing)
	known := bad + v.count(succeeded)
	least := leastOutcomes
	if o.Complete {
		least = min(least, o.Planned-o.Skipped)
	}
	if known < max(least, 1) || float64(bad) <= o.StopIfFailing*float64(known) {
		return ""
	}
	return fmt.Sprintf("%d of the last %d letters with an outcome had failed again (%d were dead, %d to be repeated), more than the share of %g", bad, known, died, bad-died, o.StopIfFailing)
}

// canary decides what becomes of the operation when all of its canary was sent.
func (w *work) canary(ctx context.Context, o *redrive) (int, error) {
	sent := len(w.watch.letters)
	good, bad := w.watch.count(succeeded), w.watch.count(failed)
	switch {
	case bad > 0:
		return 0, w.end(ctx, store.OperationFailed, fmt.Sprintf("the canary failed: %d of %d letters have died again", bad, sent))
	case good+w.watch.count(other) == sent:
		if good < sent {
			return 0, w.overdue(ctx, fmt.Sprintf("the canary is undecided: %d of %d letters succeeded, the others were canceled or are gone", good, sent))
		}
		return 0, w.passed(ctx)
	case w.watch.count(late) > 0 || time.Since(o.CanaryAt) > patience:
		return 0, w.overdue(ctx, fmt.Sprintf("the canary did not end within %v: %d of %d letters succeeded", patience, good, sent))
	}
	return 0, w.wait(ctx, fmt.Sprintf("canary: %d of %d letters succeeded", good, sent))
}

// passed lets the letters after the canary go.
func (w *work) passed(ctx context.Context) error {
	_, err := w.hold.Update(ctx, func(o *redrive) ([]store.Audit, error) {
		o.Passed, o.Waiting = true, ""
		w.tell(o)
		return nil, nil
	})
	return err
}

// overdue pauses the operation until somebody decides.
func (w *work) overdue(ctx context.Context, reason string) error {
	_, err := w.hold.Update(ctx, func(o *redrive) ([]store.Audit, error) {
		o.State, o.Error, o.Overdue, o.Waiting = store.OperationPaused, reason, true, ""
		w.tell(o)
		return []store.Audit{o.stopped("operation.pause")}, nil
	})
	if err != nil {
		return err
	}
	w.r.log.Warn("operation.stopped", "operation", w.hold.ID, "reason", reason)
	return operation.ErrOver
}

// wait notes what the operation waits for, if that is new.
func (w *work) wait(ctx context.Context, reason string) error {
	_, err := w.hold.Update(ctx, func(o *redrive) ([]store.Audit, error) {
		before := o.Progress
		o.Waiting = reason
		if w.tell(o); o.Progress == before {
			return nil, operation.ErrUnchanged
		}
		return nil, nil
	})
	return err
}

// tell puts what is known of the letters into the progress.
func (w *work) tell(o *redrive) {
	if w.watch != nil {
		o.Succeeded, o.Failing = w.watch.count(succeeded), w.watch.count(failed, failing)
	}
}
