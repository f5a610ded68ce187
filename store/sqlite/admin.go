package sqlite

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/steer"
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
)

// Steer implements [sqlstore.Changer].
func (t coldTx) Steer(steering *store.Steering, id task.ID) (*task.Task, error) {
	before, err := get(t, id)
	if err == nil {
		_, err = before.State.Next(steering.Event)
	}
	switch {
	case err != nil:
	case steering.Event == task.Reschedule:
		runAt := steer.RunAt(steering, t.time())
		_, err = t.exec(moveRun, id, runAt.UnixMicro(), task.Rank(runAt, before.Priority), t.now)
	case before.State == task.Running:
		_, err = t.exec(requestCancel, id)
	default:
		if _, err = t.exec(asRunning, id); err == nil {
			err = endCanceled(t.tx, id, before.Claim)
		}
		if err == nil {
			err = countEnds(t, task.Canceled, before)
		}
	}
	return before, err
}

// SteerAll implements [sqlstore.Changer].
func (t coldTx) SteerAll(steering *store.Steering) ([]store.Steered, error) {
	return sqlstore.SteerEach(sqlstore.Tx{Session: t.on, Changer: t, Now: t.now}, steering)
}
