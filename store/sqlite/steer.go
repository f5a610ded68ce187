package sqlite

import (
	"context"

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
	err = s.write(ctx, "steer", func(tx *tx) error {
		return tx.apart(func() (err error) {
			steered, put, err = tx.steerAll(&steering)
			return err
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return steered, put, nil
}

func (tx *tx) steerAll(steering *store.Steering) (steered []store.Steered, put *store.Operation, err error) {
	if steered, err = tx.steer(steering); err != nil {
		return nil, nil, err
	}
	noted, err := steer.Noted(steering, steered)
	if err == nil && noted != nil {
		put, err = sqlstore.PutOperation(tx.cold(), *noted)
	}
	if err != nil {
		return nil, nil, err
	}
	return steered, put, tx.log(steer.Audit(steering, steered))
}

func (tx *tx) steer(steering *store.Steering) ([]store.Steered, error) {
	steered := make([]store.Steered, len(steering.IDs))
	for i, id := range steering.IDs {
		t, err := get(tx, id)
		if err == nil {
			err = tx.steerOne(steering, t)
		}
		if err == nil {
			steered[i] = steer.Done(t, steering, tx.time())
			continue
		}
		refused, ok := steer.Refused(id, err)
		if !ok {
			return nil, err
		}
		steered[i] = refused
	}
	return steered, nil
}

func (tx *tx) steerOne(steering *store.Steering, t *task.Task) error {
	if steering.Event == task.Cancel {
		return cancelTask(tx, t)
	}
	return rescheduleTask(tx, t, steer.RunAt(steering, tx.time()))
}
