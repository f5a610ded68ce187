package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

var (
	// requestCancel leaves the claim alone: a success that still arrives
	// is kept.
	requestCancel = &query{sql: `UPDATE outlast_run SET cancel = 1 WHERE num = (SELECT num FROM outlast_task WHERE id = ?)`}

	// asRunning lets finish, which fences by claim, end a pending row.
	asRunning = &query{sql: `INSERT INTO outlast_run (num, claim, node, started_at)
SELECT num, max(claim, 0), '', ifnull(max(started_at, 0), 0) FROM outlast_task WHERE id = ? AND state = 5`}

	// moveRun moves a pending row. Inputs: id, run_at, rank, now.
	moveRun = &query{sql: `UPDATE outlast_task SET run_at = ?2, rank = ?3, park = 0, updated_at = ?4 WHERE id = ?1`}

	releaseKey = &query{sql: `DELETE FROM outlast_key_hold WHERE key = ?2 AND lane IN (SELECT lane FROM outlast_lane WHERE queue = ?1)`}
)

// Cancel implements [store.Admin].
func (s *Store) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	return s.change(ctx, "cancel", id, audit, cancelTask)
}

func cancelTask(tx *tx, t *task.Task) error {
	switch t.State {
	case task.Running:
		_, err := tx.exec(requestCancel, t.ID)
		return err
	case task.Pending:
		if _, err := tx.exec(asRunning, t.ID); err != nil {
			return err
		}
		return endCanceled(tx, t.ID, t.Claim)
	}
	_, err := t.State.Next(task.Cancel)
	return err
}

// Reschedule implements [store.Admin].
func (s *Store) Reschedule(ctx context.Context, id task.ID, at store.Time, audit ...store.Audit) (*task.Task, error) {
	if at.After(check.Farthest) {
		return nil, task.Invalid("run_at", "the time is too far away", "")
	}
	return s.change(ctx, "reschedule", id, audit, func(tx *tx, t *task.Task) error {
		if at.IsZero() {
			return rescheduleTask(tx, t, tx.time())
		}
		return rescheduleTask(tx, t, at)
	})
}

func rescheduleTask(tx *tx, t *task.Task, runAt store.Time) error {
	if _, err := t.State.Next(task.Reschedule); err != nil {
		return err
	}
	_, err := tx.exec(moveRun, t.ID, runAt.UnixMicro(), task.Rank(runAt, t.Priority), tx.now)
	return err
}

// change reads a task, changes it and returns it as it then stands.
func (s *Store) change(ctx context.Context, kind string, id task.ID, audit []store.Audit, change func(tx *tx, t *task.Task) error) (*task.Task, error) {
	var changed *task.Task
	err := s.write(ctx, kind, func(tx *tx) error {
		t, err := get(tx, id)
		if err != nil {
			return err
		}
		if err := change(tx, t); err != nil {
			return err
		}
		changed, err = get(tx, id)
		if err != nil {
			return err
		}
		return tx.log(store.AuditTask(audit, t, changed))
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// ReleaseKey implements [store.Admin].
func (s *Store) ReleaseKey(ctx context.Context, queue, key string, audit ...store.Audit) (released bool, err error) {
	err = s.write(ctx, "release_key", func(tx *tx) error {
		n, err := tx.exec(releaseKey, queue, key)
		released = n > 0
		if err != nil || !released {
			return err
		}
		return tx.log(audit)
	})
	return released, err
}
