package mysql

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// Steer implements [store.Admin].
func (s *Store) Steer(ctx context.Context, steering store.Steering) (steered []store.Steered, put *store.Operation, err error) {
	if err := steer.Check(&steering); err != nil {
		return nil, nil, err
	}
	err = s.write(ctx, "steer", func(tx *tx) (err error) {
		if steered, err = tx.steer(&steering); err != nil {
			return err
		}
		noted, err := steer.Noted(&steering, steered)
		if err != nil {
			return err
		}
		if noted != nil {
			if put, err = sqlstore.PutOperation(tx.cold(), *noted); err != nil {
				return err
			}
		}
		return tx.log(steer.Audit(&steering, steered))
	})
	if err != nil {
		return nil, nil, err
	}
	return steered, put, nil
}

// steer locks the rows in the order of their ids, as all do.
func (tx *tx) steer(steering *store.Steering) ([]store.Steered, error) {
	byID := make(map[task.ID]store.Steered, len(steering.IDs))
	for _, id := range slices.SortedFunc(slices.Values(steering.IDs), task.ID.Compare) {
		t, err := tx.task(lockTask, id)
		if err == nil {
			err = tx.steerOne(steering, t)
		}
		if err == nil {
			byID[id] = steer.Done(t, steering, tx.time())
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

func (tx *tx) steerOne(steering *store.Steering, t *task.Task) error {
	if steering.Event == task.Cancel {
		return endCanceled(tx, t)
	}
	return moveTask(tx, t, steer.RunAt(steering, tx.time()))
}
