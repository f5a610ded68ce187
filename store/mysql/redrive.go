package mysql

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockLetters locks dead letters with their tasks, the task first, and
	// reads what redrive and the counters need.
	lockLetters = `SELECT t.id, d.type, d.reason, d.category, d.fingerprint, t.priority, d.attempt, d.claim, t.queue, t.spec, d.attempts, d.last_error, t.order_key, t.seq, d.finished_at
FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_dead d ON d.id = t.id WHERE t.id IN (@ids) AND t.state = 3 FOR UPDATE`

	// weighLetters tells how much of dead letters goes back.
	weighLetters = `SELECT t.id, COALESCE(LENGTH(t.spec), 0) + COALESCE(LENGTH(d.attempts), 0) + t.size
FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_dead d ON d.id = t.id WHERE t.id IN (@ids)`

	deleteDead = `DELETE d FROM outlast_dead d FORCE INDEX (PRIMARY) WHERE d.id IN (@ids)`
	dropHolds  = `DELETE h FROM outlast_key_hold h WHERE h.id IN (@ids)`

	// revive makes dead tasks, which are locked and so exist, pending again, in
	// their places.
	revive = `INSERT INTO outlast_task (id, lane, run_at, run_rank, claim, attempt, updated_at, spec, last_error, category, turn, failed_at) VALUES `

	reviveOver = ` ON DUPLICATE KEY UPDATE state = 0, park = 0, run_at = VALUES(run_at), run_rank = VALUES(run_rank), claim = VALUES(claim),
 attempt = VALUES(attempt), crashes = 0, updated_at = VALUES(updated_at), spec = VALUES(spec), last_error = VALUES(last_error), category = VALUES(category),
 turn = VALUES(turn), failed_at = VALUES(failed_at), line = order_key, unstarted = NULL, started_at = NULL`

	// replacePayload gives tasks one payload. Inputs: payload, size, ids.
	replacePayload = `UPDATE outlast_task FORCE INDEX (PRIMARY) SET payload = ?, size = ? WHERE id IN (@ids)`
)

// Weigh implements [sqlstore.Database].
func (d database) Weigh(on sqlstore.Session, wanted []task.ID) (map[task.ID]int, error) {
	sizes := make(map[task.ID]int, len(wanted))
	err := ids(wanted, weighLetters, func(query string) error {
		return on.Run(&sqlstore.Call{Query: sqlstore.Made(query), Scan: func(r sqlstore.Row) error {
			sizes[r.ID(0)] = int(r.Int(1))
			return nil
		}})
	})
	return sizes, err
}

// Letters implements [sqlstore.Changer].
func (t coldTx) Letters(wanted []task.ID) (map[task.ID]*sqlstore.Letter, error) {
	sorted := append([]task.ID{}, wanted...)
	sortIDs(sorted)
	letters := make(map[task.ID]*sqlstore.Letter, len(wanted))
	err := ids(sorted, lockLetters, func(query string) error {
		return t.each(query, rowScanner(func(r sqlstore.Row) error {
			l := sqlstore.ScanLetter(r)
			l.LastError, l.Key, l.Seq, l.Died = r.Blob(11), r.Text(12), r.Int(13), r.Int(14)
			letters[l.ID] = l
			return nil
		}))
	})
	return letters, err
}

// Revive implements [sqlstore.Changer].
func (t coldTx) Revive(letters []*sqlstore.Letter, payload []byte) error {
	history := insertion{on: t.session, head: insertAttempts}
	again := insertion{on: t.session, head: revive, tail: reviveOver}
	all := make([]task.ID, len(letters))
	for i, l := range letters {
		all[i] = l.ID
		turn := turnOf(&store.Entry{Key: l.Key, Seq: l.Seq, Attempt: l.Spent})
		err := again.add(l.ID, l.ID.Lane(), l.RunAt.UnixMicro(), task.Rank(l.RunAt, l.Priority), l.Claim, l.Spent, t.now, l.Text, l.LastError,
			categoryOf(stored.FailureOf(l.LastError)), turn, l.Died)
		if err != nil {
			return err
		}
		for _, a := range l.History {
			err := history.add(l.ID, a.Claim, a.Number, a.Node, stored.OrNull(a.StartedAt), a.EndedAt, string(a.Outcome), []byte(a.Failure), a.NextDelay, optional(a.Label))
			if err != nil {
				return err
			}
		}
	}
	if err := again.flush(); err != nil {
		return err
	}
	if err := history.flush(); err != nil || payload == nil {
		return err
	}
	_, err := t.execIDs(all, replacePayload, payload, len(payload))
	return err
}

// Doom implements [sqlstore.Changer]: tasks are locked before their letters.
func (t coldTx) Doom(dead *sqlstore.Source, limit int) (tasks []*task.Task, doomed []stored.Letter, err error) {
	text, args := dead.Oldest(taskColumns, limit)
	found, err := t.tasks(text, args...)
	if err != nil {
		return nil, nil, err
	}
	all := make([]task.ID, len(found))
	for i := range found {
		all[i] = found[i].ID
	}
	locked, err := t.Letters(all)
	for _, one := range found {
		if l := locked[one.ID]; l != nil {
			tasks, doomed = append(tasks, one), append(doomed, l.Letter)
		}
	}
	return tasks, doomed, err
}

// Remove implements [sqlstore.Changer].
func (t coldTx) Remove(letters []stored.Letter, whole bool) error {
	all := make([]task.ID, len(letters))
	for i := range letters {
		all[i] = letters[i].ID
	}
	for _, query := range [...]string{deleteDead, dropHolds} {
		if _, err := t.execIDs(all, query); err != nil {
			return err
		}
	}
	if err := t.uncount(letters); err != nil || !whole {
		return err
	}
	for _, query := range [...]string{deleteFailed, deleteSteps, deleteTasks} {
		if _, err := t.execIDs(all, query); err != nil {
			return err
		}
	}
	return nil
}
