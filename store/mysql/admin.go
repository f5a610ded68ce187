package mysql

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockTask locks a row, in the order of all: the task, what runs, what
	// ended.
	lockTask = `SELECT ` + taskColumns + ` FROM outlast_task t` + knownJoins + ` WHERE t.id = ? FOR UPDATE`

	// requestCancel leaves the claim alone: a success that still arrives is
	// kept.
	requestCancel = `UPDATE outlast_run SET cancel = 1 WHERE id = ?`
	noteCancel    = `INSERT INTO outlast_cancel (id, node) VALUES (?, ?) ON DUPLICATE KEY UPDATE node = VALUES(node)`

	// cancelTask ends a row that waits; how it ended is the row in
	// outlast_done.
	cancelTask = `INSERT INTO outlast_done (id, claim, attempt, node, started_at, finished_at, cancel, outcome)
SELECT id, claim, attempt, '', started_at, ?, 0, '' FROM outlast_task WHERE id = ?`

	// moveRun moves a row that waits.
	moveRun = `UPDATE outlast_task SET run_at = ?, run_rank = ?, park = 0, updated_at = ? WHERE id = ?`

	releaseKey = `DELETE h FROM outlast_lane l STRAIGHT_JOIN outlast_key_hold h ON h.lane = l.lane AND h.line = ? WHERE l.queue = ?`
)

// Cancel implements [store.Admin].
func (s *Store) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	return s.change(ctx, "cancel", id, audit, endCanceled)
}

func endCanceled(tx *tx, t *task.Task) error {
	switch t.State {
	case task.Running:
		if _, err := tx.exec(requestCancel, t.ID); err != nil {
			return err
		}
		_, err := tx.exec(noteCancel, t.ID, t.Node)
		return err
	case task.Pending:
		if _, err := tx.exec(cancelTask, tx.now, t.ID); err != nil {
			return err
		}
		_, err := tx.execIDs([]task.ID{t.ID}, endTasks, canceled)
		return err
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
			return moveTask(tx, t, tx.time())
		}
		return moveTask(tx, t, at)
	})
}

func moveTask(tx *tx, t *task.Task, runAt store.Time) error {
	if _, err := t.State.Next(task.Reschedule); err != nil {
		return err
	}
	_, err := tx.exec(moveRun, runAt.UnixMicro(), task.Rank(runAt, t.Priority), tx.now, t.ID)
	return err
}

// change locks a task, changes it and returns it as it then stands.
func (s *Store) change(ctx context.Context, kind string, id task.ID, audit []store.Audit, change func(tx *tx, t *task.Task) error) (*task.Task, error) {
	var changed *task.Task
	err := s.write(ctx, kind, func(tx *tx) error {
		t, err := tx.task(lockTask, id)
		if err != nil {
			return err
		}
		if err := change(tx, t); err != nil {
			return err
		}
		changed, err = tx.task(getTask, id)
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
		n, err := tx.changed(releaseKey, key, queue)
		released = n > 0
		if err != nil || !released {
			return err
		}
		return tx.log(audit)
	})
	return released && err == nil, err
}
