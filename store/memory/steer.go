package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// Steer implements [store.Admin].
func (s *Store) Steer(ctx context.Context, steering store.Steering) ([]store.Steered, *store.Operation, error) {
	if err := steer.Check(&steering); err != nil {
		return nil, nil, err
	}
	now, err := s.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if steering.Operation != nil {
		if err := d.isCurrent(steering.Operation); err != nil {
			return nil, nil, err
		}
	}
	steered := make([]store.Steered, len(steering.IDs))
	for i, id := range steering.IDs {
		steered[i] = d.steer(&steering, id, now)
		if steered[i].Err == nil {
			s.commit(id.Lane())
		}
	}
	noted, err := steer.Noted(&steering, steered)
	if err != nil {
		return nil, nil, err
	}
	var put *store.Operation
	if noted != nil {
		put = d.putOperation(*noted, now)
		s.commit()
	}
	return steered, put, d.log(steer.Audit(&steering, steered), now)
}

func (d *data) steer(steering *store.Steering, id task.ID, now time.Time) store.Steered {
	r, err := d.liveRow(id)
	if err != nil {
		return store.Steered{ID: id, Err: err}
	}
	before, change := r.Task, cancelRow
	if steering.Event == task.Reschedule {
		change = moveRow(steer.RunAt(steering, now))
	}
	if err := change(d, r, now); err != nil {
		return store.Steered{ID: id, Err: err}
	}
	return steer.Done(&before, steering, now)
}
