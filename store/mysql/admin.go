package mysql

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// lockTask locks a row, in the order of all: the task, what runs, what
// ended.
var lockTask = coldQuery(`SELECT ` + taskColumns + ` FROM outlast_task t` + knownJoins + ` WHERE t.id = $1::uuid FOR UPDATE`)

const (
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
)

// Steer implements [sqlstore.Changer].
func (t coldTx) Steer(steering *store.Steering, id task.ID) (*task.Task, error) {
	before, err := sqlstore.Get(coldSession{t.session}, lockTask, id)
	if err == nil {
		_, err = before.State.Next(steering.Event)
	}
	switch {
	case err != nil:
	case steering.Event == task.Reschedule:
		runAt := steer.RunAt(steering, t.time())
		_, err = t.exec(moveRun, runAt.UnixMicro(), task.Rank(runAt, before.Priority), t.now, id)
	case before.State == task.Running:
		if _, err = t.exec(requestCancel, id); err == nil {
			_, err = t.exec(noteCancel, id, before.Node)
		}
	default:
		if _, err = t.exec(cancelTask, t.now, id); err == nil {
			_, err = t.execIDs([]task.ID{id}, endTasks, canceled)
		}
	}
	return before, err
}

// SteerAll implements [sqlstore.Changer].
func (t coldTx) SteerAll(steering *store.Steering) ([]store.Steered, error) {
	return sqlstore.SteerEach(t.whole(), steering)
}
