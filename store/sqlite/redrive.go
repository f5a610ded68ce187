package sqlite

import (
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// revive copies a dead letter back to the live tasks. Inputs: id, lane,
	// run_at, rank, attempts, payload (null: its own), now, spec, share key.
	revive = &query{sql: `INSERT OR FAIL INTO outlast_task
(id, state, node, lane, park, rank, run_at, claim, attempt, crashes, priority, key, seq, queue, type, target, policy, spec, created_at, updated_at, last_error, failed_at, payload, share_key)
SELECT id, 5, ifnull(node, ''), ?2, 0, ?4, ?3, claim, ?5, 0, priority, key, seq, queue, type, target, policy, ?8, created_at, ?7, last_error, finished_at, ifnull(?6, payload), ?9
FROM outlast_dead WHERE id = ?1`}

	// letterOf reads what the counters and redrive need of a dead letter.
	letterOf = coldQuery(`SELECT id, type, reason, category, fingerprint, priority, attempt, claim, queue, spec, attempts FROM outlast_dead WHERE id = $1::uuid`)

	// weighLetter tells how much of a dead letter goes back.
	weighLetter = coldQuery(`SELECT ifnull(octet_length(spec), 0) + ifnull(octet_length(attempts), 0) + ifnull(octet_length(payload), 0) FROM outlast_dead WHERE id = $1::uuid`)

	deleteLetter = &query{sql: `DELETE FROM outlast_dead WHERE id = ?`}
	dropHold     = &query{sql: `DELETE FROM outlast_key_hold WHERE id = ?`}
)

// Weigh implements [sqlstore.Database].
func (d database) Weigh(on sqlstore.Session, ids []task.ID) (map[task.ID]int, error) {
	sizes := make(map[task.ID]int, len(ids))
	for _, id := range ids {
		err := on.Run(&sqlstore.Call{Query: weighLetter, Args: []any{id}, Scan: func(r sqlstore.Row) error {
			sizes[id] = int(r.Int(0))
			return nil
		}})
		if err != nil {
			return nil, err
		}
	}
	return sizes, nil
}

// Letters implements [sqlstore.Changer].
func (t coldTx) Letters(ids []task.ID) (map[task.ID]*sqlstore.Letter, error) {
	letters := make(map[task.ID]*sqlstore.Letter, len(ids))
	for _, id := range ids {
		err := t.on.Run(&sqlstore.Call{Query: letterOf, Args: []any{id}, Scan: func(r sqlstore.Row) error {
			letters[id] = sqlstore.ScanLetter(r)
			return nil
		}})
		if err != nil {
			return nil, err
		}
	}
	return letters, nil
}

// Revive implements [sqlstore.Changer].
func (t coldTx) Revive(letters []*sqlstore.Letter, payload []byte) error {
	for _, l := range letters {
		text, err := jsonText(l.Text, nil)
		if err != nil {
			return err
		}
		if _, err = t.exec(revive, l.ID, l.ID.Lane(), l.RunAt.UnixMicro(), task.Rank(l.RunAt, l.Priority), l.Spent, payload, t.now, text, optional(l.Spec.ShareKey)); err != nil {
			return err
		}
		for _, a := range l.History {
			_, err := t.exec(addAttempt, l.ID, a.Claim, a.Number, optional(a.Node), stored.OrNull(a.StartedAt), stored.OrNull(a.EndedAt),
				string(a.Outcome), optional(a.Failure), a.NextDelay, optional(a.Label))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Doom implements [sqlstore.Changer].
func (t coldTx) Doom(dead *sqlstore.Source, limit int) (tasks []*task.Task, letters []stored.Letter, err error) {
	text, args := dead.Oldest(deadColumns+sqlstore.Doomed, limit)
	err = t.on.Run(sqlstore.Doom(text, args, &tasks, &letters))
	return tasks, letters, err
}

// Remove implements [sqlstore.Changer].
func (t coldTx) Remove(letters []stored.Letter, whole bool) error {
	ids := make([]task.ID, len(letters))
	for i := range letters {
		ids[i] = letters[i].ID
		if err := removeLetter(t, &letters[i]); err != nil {
			return err
		}
	}
	if whole {
		if _, err := deleteSteps.exec(t, ids); err != nil {
			return err
		}
	}
	_, err := t.exec(dropEmptyCounts)
	return err
}

// removeLetter deletes a dead letter with the hold on its key and takes it
// out of the counters.
func removeLetter(s session, dead *stored.Letter) error {
	for _, q := range [...]*query{deleteLetter, dropHold} {
		if _, err := s.exec(q, dead.ID); err != nil {
			return err
		}
	}
	return uncount(s, dead)
}
