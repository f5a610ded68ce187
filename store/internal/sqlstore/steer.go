package sqlstore

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// Cancel implements [store.Admin].
func (c Cold) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	return c.change(ctx, "cancel", id, &store.Steering{Event: task.Cancel}, audit)
}

// Reschedule implements [store.Admin].
func (c Cold) Reschedule(ctx context.Context, id task.ID, at store.Time, audit ...store.Audit) (*task.Task, error) {
	if at.After(check.Farthest) {
		return nil, task.Invalid("run_at", "the time is too far away", "")
	}
	return c.change(ctx, "reschedule", id, &store.Steering{Event: task.Reschedule, At: at}, audit)
}

// change changes a task and returns it as it then stands.
func (c Cold) change(ctx context.Context, kind string, id task.ID, steering *store.Steering, audit []store.Audit) (*task.Task, error) {
	return writing(ctx, c, kind, func(tx Tx) (*task.Task, error) {
		before, err := tx.Steer(steering, id)
		if err != nil {
			return nil, err
		}
		after, err := Get(tx, c.own.Get, id)
		if err != nil {
			return nil, err
		}
		return after, Log(tx, store.AuditTask(audit, before, after))
	})
}

// Steer implements [store.Admin].
func (c Cold) Steer(ctx context.Context, steering store.Steering) (steered []store.Steered, put *store.Operation, err error) {
	if err := steer.Check(&steering); err != nil {
		return nil, nil, err
	}
	err = c.db.Write(ctx, "steer", func(tx Tx) (err error) {
		put = nil
		if steered, err = tx.SteerAll(&steering); err != nil {
			return err
		}
		noted, err := steer.Noted(&steering, steered)
		if err == nil && noted != nil {
			put, err = putOperation(tx, *noted)
		}
		if err != nil {
			return err
		}
		return Log(tx, steer.Audit(&steering, steered))
	})
	if err != nil {
		return nil, nil, err
	}
	return steered, put, nil
}

// SteerEach steers task by task, in the order of their ids, as all lock them.
func SteerEach(tx Tx, steering *store.Steering) ([]store.Steered, error) {
	byID := make(map[task.ID]store.Steered, len(steering.IDs))
	for _, id := range slices.SortedFunc(slices.Values(steering.IDs), task.ID.Compare) {
		before, err := tx.Steer(steering, id)
		if err == nil {
			byID[id] = steer.Done(before, steering, now(tx))
			continue
		}
		refused, ok := steer.Refused(id, err)
		if !ok {
			return nil, err
		}
		byID[id] = refused
	}
	steered := make([]store.Steered, len(steering.IDs))
	for i, id := range steering.IDs {
		steered[i] = byID[id]
	}
	return steered, nil
}
