package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

var (
	// requestCancel leaves the claim alone: a success that still arrives
	// is kept. What runs by the claim log is set apart before.
	requestCancel = newQuery(`UPDATE outlast_run SET cancel = true WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// moveRun moves a pending row, under the lock of its lane. Inputs: id,
	// run_at, rank, now.
	moveRun = newQuery(`UPDATE outlast_task SET run_at = $2::bigint, rank = $3::bigint, park = 0, updated_at = $4::bigint WHERE id = $1::uuid /*lane of $1::uuid*/`)

	releaseKey = newQuery(`DELETE FROM outlast_key_hold WHERE key = $2::text AND lane IN (SELECT lane FROM outlast_lane WHERE queue = $1::text)`)

	// queueLanes and releaseLane are releaseKey where tables are distributed.
	queueLanes  = newQuery(`SELECT lane FROM outlast_lane WHERE queue = $1::text ORDER BY lane`)
	releaseLane = newQuery(`DELETE FROM outlast_key_hold WHERE lane = $1::integer AND key = $2::text`)
)

// applying changes a live row that was read under the lock of its lane. It is not
// done if the row has ended just now.
type applying func(ctx context.Context, t *tx, id task.ID, live *ending.Row) (done bool, err error)

// Cancel implements [store.Admin].
func (s *Store) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (changed *task.Task, err error) {
	err = s.partitioning(ctx, func() error {
		changed, err = s.change(ctx, id, task.Cancel, audit, cancelRow)
		return err
	})
	return changed, err
}

func cancelRow(ctx context.Context, t *tx, id task.ID, live *ending.Row) (done bool, err error) {
	calls := t.cancelCalls(id, live)
	err = t.run(ctx, calls...)
	return live.State != task.Running || calls[len(calls)-1].changed == 1, err
}

// cancelCalls end a pending row, or ask for the end of a running one, of which the
// last says whether it still runs.
func (t *tx) cancelCalls(id task.ID, live *ending.Row) []*call {
	if live.State != task.Running {
		return []*call{{query: endRow, args: []any{id, canceled, live.Claim, int64(0), t.now, t.now, live.Entry.Attempt, nil, nil, "", nil, false, nil}}}
	}
	calls := []*call{{query: setOneApart, args: []any{id, live.Claim}}}
	if t.store.spread {
		calls = append(calls, &call{query: noteCancel, args: []any{live.Node, id}})
	}
	return append(calls, &call{query: requestCancel, args: []any{id}})
}

// Reschedule implements [store.Admin].
func (s *Store) Reschedule(ctx context.Context, id task.ID, at store.Time, audit ...store.Audit) (*task.Task, error) {
	if at.After(check.Farthest) {
		return nil, task.Invalid("run_at", "the time is too far away", "")
	}
	return s.change(ctx, id, task.Reschedule, audit, func(ctx context.Context, t *tx, id task.ID, live *ending.Row) (bool, error) {
		runAt := at.Truncate(time.Microsecond)
		if at.IsZero() {
			runAt = t.time()
		}
		return true, t.run(ctx, t.moveCall(id, live, runAt))
	})
}

func (t *tx) moveCall(id task.ID, live *ending.Row, runAt time.Time) *call {
	return &call{query: moveRun, args: []any{id, runAt.UnixMicro(), task.Rank(runAt, live.Priority), t.now}}
}

// change reads a live task under the lock of its lane, so that it cannot be
// claimed meanwhile, changes it and returns it as it then stands.
func (s *Store) change(ctx context.Context, id task.ID, event task.Event, audit []store.Audit, apply applying) (*task.Task, error) {
	var changed *task.Task
	err := s.write(ctx, func(t *tx) error {
		if _, err := exec(ctx, t, lockToChange, int32(id.Lane())); err != nil {
			return err
		}
		live, err := t.changeOne(ctx, id, event, apply)
		if err != nil {
			return err
		}
		before := task.Task{State: live.State, RunAt: time.UnixMicro(live.Entry.RunAt), CancelRequested: live.Cancel}
		if changed, err = get(ctx, t, id); err != nil {
			return err
		}
		return t.log(ctx, store.AuditTask(audit, &before, changed))
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// changeOne changes a live row of a lane that is locked, and returns it as it was.
func (t *tx) changeOne(ctx context.Context, id task.ID, event task.Event, apply applying) (*ending.Row, error) {
	for {
		live, err := t.readRow(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := allowed(ctx, t, id, live, event); err != nil {
			return nil, err
		}
		if live == nil {
			continue // it has just been inserted, or sent back
		}
		if done, err := apply(ctx, t, id, live); err != nil || done {
			return live, err
		}
	}
}

// allowed refuses an event that the state of the task does not allow. A task
// of which no live row was seen may be live by now.
func allowed(ctx context.Context, s session, id task.ID, live *ending.Row, event task.Event) error {
	if live != nil {
		_, err := live.State.Next(event)
		return err
	}
	now, err := get(ctx, s, id)
	if err != nil {
		return err
	}
	_, err = now.State.Next(event)
	return err
}

// ReleaseKey implements [store.Admin].
func (s *Store) ReleaseKey(ctx context.Context, queue, key string, audit ...store.Audit) (released bool, err error) {
	err = s.write(ctx, func(t *tx) (err error) {
		if s.spread {
			released, err = t.releaseSpread(ctx, queue, key)
		} else {
			var n int64
			n, err = exec(ctx, t, releaseKey, queue, key)
			released = n > 0
		}
		if err != nil || !released {
			return err
		}
		return t.log(ctx, audit)
	})
	return released, err
}

// releaseSpread releases the key in whichever lane of the queue it is.
func (t *tx) releaseSpread(ctx context.Context, queue, key string) (released bool, err error) {
	var calls []*call
	err = each(ctx, t, queueLanes, func(r row) error {
		calls = append(calls, &call{query: releaseLane, args: []any{int32(r.Int(0)), key}})
		return nil
	}, queue)
	if err != nil || len(calls) == 0 {
		return false, err
	}
	err = t.run(ctx, calls...)
	for _, one := range calls {
		released = released || one.changed > 0
	}
	return released, err
}
