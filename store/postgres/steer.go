package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// Steer implements [store.Admin].
func (s *Store) Steer(ctx context.Context, steering store.Steering) (steered []store.Steered, put *store.Operation, err error) {
	if err := steer.Check(&steering); err != nil {
		return nil, nil, err
	}
	err = s.partitioning(ctx, func() error {
		return s.write(ctx, func(t *tx) (err error) {
			if steered, err = t.steer(ctx, &steering); err != nil {
				return err
			}
			noted, err := steer.Noted(&steering, steered)
			if err != nil {
				return err
			}
			if noted != nil {
				if put, err = sqlstore.PutOperation(t.cold(ctx), *noted); err != nil {
					return err
				}
			}
			return t.log(ctx, steer.Audit(&steering, steered))
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return steered, put, nil
}

// steer reads all rows in one round trip, under the locks of their lanes, and
// changes those that are live in another; what has moved meanwhile goes one by one.
func (t *tx) steer(ctx context.Context, steering *store.Steering) ([]store.Steered, error) {
	rows, queues, err := t.steerRows(ctx, steering.IDs)
	if err != nil {
		return nil, err
	}
	var calls []*call
	running := map[int]*call{} // tells whether the task still ran
	steered := make([]store.Steered, len(rows))
	for i, id := range steering.IDs {
		if rows[i] == nil {
			continue
		}
		if _, err := rows[i].State.Next(steering.Event); err != nil {
			steered[i] = store.Steered{ID: id, Err: err}
			continue
		}
		changes := t.steerCalls(steering, id, rows[i])
		if rows[i].State == task.Running {
			running[i] = changes[len(changes)-1]
		}
		calls = append(calls, changes...)
		steered[i] = steer.Done(liveTask(rows[i], queues[id.Lane()]), steering, t.time())
	}
	if len(calls) > 0 {
		if err := t.run(ctx, calls...); err != nil {
			return nil, err
		}
	}
	for i, id := range steering.IDs {
		if asked := running[i]; rows[i] != nil && (asked == nil || asked.changed == 1) {
			continue
		}
		if steered[i], err = t.steerOne(ctx, steering, id, queues[id.Lane()]); err != nil {
			return nil, err
		}
	}
	return steered, nil
}

func (t *tx) steerRows(ctx context.Context, ids []task.ID) (rows []*ending.Row, queues map[uint16]string, err error) {
	queues = map[uint16]string{}
	for _, id := range ids {
		queues[id.Lane()] = ""
	}
	var calls []*call
	lanes := make([]uint16, 0, len(queues))
	for lane := range queues {
		lanes = append(lanes, lane)
	}
	slices.Sort(lanes)
	for _, lane := range lanes {
		calls = append(calls, &call{query: lockToChange, args: []any{int32(lane)}, scan: func(r row) error {
			queues[uint16(r.Int(0))] = r.Text(1)
			return nil
		}})
	}
	rows = make([]*ending.Row, len(ids))
	for i, id := range ids {
		calls = append(calls, rowCall(id, &rows[i]))
	}
	if len(calls) == 0 {
		return nil, nil, nil
	}
	return rows, queues, t.run(ctx, calls...)
}

func (t *tx) steerCalls(steering *store.Steering, id task.ID, live *ending.Row) []*call {
	if steering.Event == task.Cancel {
		return t.cancelCalls(id, live)
	}
	return []*call{t.moveCall(id, live, steer.RunAt(steering, t.time()))}
}

// steerOne steers a task of which no live row was seen, or whose row has gone.
func (t *tx) steerOne(ctx context.Context, steering *store.Steering, id task.ID, queue string) (store.Steered, error) {
	live, err := t.changeOne(ctx, id, steering.Event, func(ctx context.Context, t *tx, id task.ID, live *ending.Row) (bool, error) {
		calls := t.steerCalls(steering, id, live)
		err := t.run(ctx, calls...)
		return live.State != task.Running || calls[len(calls)-1].changed == 1, err
	})
	if err == nil {
		return steer.Done(liveTask(live, queue), steering, t.time()), nil
	}
	if refused, ok := steer.Refused(id, err); ok {
		return refused, nil
	}
	return store.Steered{}, err
}

// liveTask is what is known of a task by its row.
func liveTask(r *ending.Row, queue string) *task.Task {
	e := &r.Entry
	return &task.Task{
		ID: e.ID, Queue: queue, Type: e.Type, State: r.State, Priority: r.Priority, RunAt: time.UnixMicro(e.RunAt).UTC(), Key: e.Key, Seq: e.Seq,
		Target: e.Target, Attempt: e.Attempt, Crashes: e.Crashes, Claim: r.Claim, Node: r.Node, StartedAt: r.StartedAt, CancelRequested: r.Cancel, Park: e.Park,
	}
}
