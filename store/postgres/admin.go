package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

var (
	// requestCancel leaves the claim alone: a success that still arrives
	// is kept.
	requestCancel = newQuery(`UPDATE outlast_run SET cancel = true WHERE id = $1::uuid /*lane of $1::uuid*/`)

	// moveRun moves a pending row, under the lock of its lane. Inputs: id,
	// run_at, rank, now.
	moveRun = newQuery(`UPDATE outlast_task SET run_at = $2::bigint, rank = $3::bigint, park = 0, updated_at = $4::bigint WHERE id = $1::uuid /*lane of $1::uuid*/`)

	releaseKey = newQuery(`DELETE FROM outlast_key_hold WHERE key = $2::text AND lane IN (SELECT lane FROM outlast_lane WHERE queue = $1::text)`)

	// queueLanes and releaseLane are releaseKey where tables are distributed.
	queueLanes  = newQuery(`SELECT lane FROM outlast_lane WHERE queue = $1::text ORDER BY lane`)
	releaseLane = newQuery(`DELETE FROM outlast_key_hold WHERE lane = $1::integer AND key = $2::text`)
)

// Cancel implements [store.Admin].
func (s *Store) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (changed *task.Task, err error) {
	err = s.partitioning(ctx, func() error {
		changed, err = s.change(ctx, id, task.Cancel, audit, func(t *tx, live *ending.Row) (done bool, err error) {
			if live.State == task.Running {
				n, err := exec(ctx, t, requestCancel, id)
				if err == nil && t.store.spread {
					_, err = exec(ctx, t, noteCancel, live.Node, id)
				}
				return n == 1, err // it may have ended just now
			}
			_, err = exec(ctx, t, endRow, id, canceled, live.Claim, int64(0), t.now, t.now, live.Entry.Attempt, nil, nil, "", nil, false)
			return true, err
		})
		return err
	})
	return changed, err
}

// Reschedule implements [store.Admin].
func (s *Store) Reschedule(ctx context.Context, id task.ID, at store.Time, audit ...store.Audit) (*task.Task, error) {
	if at.After(check.Farthest) {
		return nil, task.Invalid("run_at", "the time is too far away", "")
	}
	return s.change(ctx, id, task.Reschedule, audit, func(t *tx, live *ending.Row) (bool, error) {
		runAt := at.Truncate(time.Microsecond)
		if at.IsZero() {
			runAt = t.time()
		}
		_, err := exec(ctx, t, moveRun, id, runAt.UnixMicro(), task.Rank(runAt, live.Priority), t.now)
		return true, err
	})
}

// change reads a live task under the lock of its lane, so that it cannot be
// claimed meanwhile, changes it and returns it as it then stands.
func (s *Store) change(ctx context.Context, id task.ID, event task.Event, audit []store.Audit, apply func(t *tx, live *ending.Row) (done bool, err error)) (*task.Task, error) {
	var changed *task.Task
	err := s.write(ctx, func(t *tx) error {
		if _, err := exec(ctx, t, lockLanes, []int32{int32(id.Lane())}); err != nil {
			return err
		}
		var before task.Task
		for done := false; !done; {
			live, err := t.readRow(ctx, id)
			if err != nil {
				return err
			}
			if err := allowed(ctx, t, id, live, event); err != nil {
				return err
			}
			if live == nil {
				continue // it has just been inserted, or sent back
			}
			before = task.Task{State: live.State, RunAt: time.UnixMicro(live.Entry.RunAt), CancelRequested: live.Cancel}
			if done, err = apply(t, live); err != nil {
				return err
			}
		}
		var err error
		if changed, err = get(ctx, t, id); err != nil {
			return err
		}
		return objects.Log(&tables{ctx, t}, store.AuditTask(audit, &before, changed), t.time())
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
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
		return objects.Log(&tables{ctx, t}, audit, t.time())
	})
	return released, err
}

// releaseSpread releases the key in whichever lane of the queue it is.
func (t *tx) releaseSpread(ctx context.Context, queue, key string) (released bool, err error) {
	var calls []*call
	err = each(ctx, t, queueLanes, func(r row) error {
		calls = append(calls, &call{query: releaseLane, args: []any{int32(r.int(0)), key}})
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
