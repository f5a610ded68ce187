package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/task"
)

// Signal implements [store.Steps].
func (c Cold) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	if err := signals.Check(&step); err != nil {
		return store.Signaled{}, err
	}
	return writing(ctx, c, "signal", func(tx Tx) (done store.Signaled, err error) {
		t, err := tx.Hold(step.Task, step.Type == task.StepSignal)
		if err != nil {
			return done, err
		}
		all, err := tx.Steps(step.Task)
		if err == nil {
			done, err = signals.Decide(t, all, &step, now(tx))
		}
		if err != nil || !done.Added {
			return done, err
		}
		if err := tx.AddSignal(t, &done.Step); err != nil {
			return done, err
		}
		if done.Woken {
			if _, err := tx.Steer(&store.Steering{Event: task.Reschedule}, step.Task); err != nil {
				return done, err
			}
		}
		return done, Log(tx, audit)
	})
}
