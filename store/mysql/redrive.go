package mysql

import (
	"context"
	"database/sql"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockLetters locks dead letters with their tasks, the task first, and
	// reads what redrive and the counters need.
	lockLetters = `SELECT t.id, d.type, d.reason, d.category, d.fingerprint, t.priority, d.attempt, d.claim, t.spec, d.attempts, d.last_error, t.size, t.order_key, t.seq
FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_dead d ON d.id = t.id WHERE t.id IN (@ids) AND t.state = 3 FOR UPDATE`

	deleteDead = `DELETE d FROM outlast_dead d FORCE INDEX (PRIMARY) WHERE d.id IN (@ids)`
	dropHolds  = `DELETE h FROM outlast_key_hold h WHERE h.id IN (@ids)`

	// revive makes a dead task pending again, in its place. Inputs: run at,
	// rank, claim, attempts spent, now, spec, error, category, turn, payload
	// (null: its own), size, id.
	revive = `UPDATE outlast_task SET state = 0, park = 0, run_at = ?, run_rank = ?, claim = ?, attempt = ?, crashes = 0, updated_at = ?, spec = ?,
 last_error = ?, category = ?, turn = ?, line = order_key, unstarted = NULL, started_at = NULL, payload = COALESCE(?, payload), size = ? WHERE id = ?`
)

// lockedLetter is a dead letter that is locked.
type lockedLetter struct {
	stored.Letter
	priority, attempt, size int
	claim, seq              int64
	key                     string
	spec                    task.Spec
	attempts                []byte
	lastError               []byte
}

func (tx *tx) lockLetters(wanted []task.ID) (map[task.ID]*lockedLetter, error) {
	sorted := append([]task.ID{}, wanted...)
	sortIDs(sorted)
	letters := make(map[task.ID]*lockedLetter, len(wanted))
	err := ids(sorted, lockLetters, func(query string, args []any) error {
		return tx.each(query, func(rows *sql.Rows) error {
			l := &lockedLetter{}
			var key text
			var seq number
			var spec []byte
			err := rows.Scan((*identity)(&l.ID), &l.Type, &l.Reason, &l.Category, &l.Fingerprint, &l.priority, &l.attempt, &l.claim,
				&spec, &l.attempts, &l.lastError, &l.size, &key, &seq)
			l.key, l.seq = string(key), int64(seq)
			if err == nil {
				l.spec, err = stored.ParseSpec(spec)
			}
			letters[l.ID] = l
			return err
		}, args...)
	})
	return letters, err
}

// Redrive implements [store.Admin].
func (s *Store) Redrive(ctx context.Context, wanted []task.ID, options store.RedriveOptions) (done, missing []task.ID, err error) {
	if !store.Fits(options.Payload, task.MaxPayload) {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	err = s.write(ctx, "redrive", func(tx *tx) error {
		done, missing = nil, nil
		letters, err := tx.lockLetters(wanted)
		if err != nil {
			return err
		}
		history := insertion{on: tx.session, head: insertAttempts, columns: historyColumns}
		var gone []stored.Letter
		for i, id := range wanted {
			l := letters[id]
			if l == nil || options.Operation != "" && l.spec.Redrive == options.Operation {
				missing = append(missing, id)
				continue
			}
			delete(letters, id) // the next of the same id finds nothing
			at := tx.time()
			if i < len(options.RunAt) && !options.RunAt[i].IsZero() {
				at = options.RunAt[i]
			}
			if err := tx.revive(l, at, options); err != nil {
				return err
			}
			if err := unpack(l, &history); err != nil {
				return err
			}
			done, gone = append(done, id), append(gone, l.Letter)
		}
		if err := history.flush(); err != nil {
			return err
		}
		if err := tx.deleteLetters(gone); err != nil || len(done) == 0 {
			return err
		}
		return objects.Log(&tables{tx: tx}, options.Audit, tx.time())
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

func (tx *tx) revive(l *lockedLetter, at time.Time, options store.RedriveOptions) error {
	redriven := l.spec.Redriven(tx.time(), options.Operation)
	text, err := encoded(stored.Spec(&redriven))
	if err != nil {
		return err
	}
	failure, err := stored.ParseFailure(l.lastError)
	if err != nil {
		return err
	}
	attempts := 0
	if options.KeepAttempts {
		attempts = l.attempt
	}
	size := l.size
	if options.Payload != nil {
		size = len(options.Payload)
	}
	turn := turnOf(&store.Entry{Key: l.key, Seq: l.seq, Attempt: attempts})
	_, err = tx.exec(revive, at.UnixMicro(), task.Rank(at, l.priority), l.claim, attempts, tx.now, text, l.lastError, categoryOf(failure), turn,
		options.Payload, size, l.ID)
	return err
}

// unpack puts the history of a dead letter back into its table.
func unpack(l *lockedLetter, history *insertion) error {
	attempts, err := stored.ParseAttempts(l.attempts)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		err := history.add(l.ID, a.Claim, a.Number, a.Node, fromNull(a.StartedAt), a.EndedAt, string(a.Outcome), []byte(a.Failure), a.NextDelay)
		if err != nil {
			return err
		}
	}
	return nil
}

// purgeTasks deletes the tasks of dead letters.
const purgeTasks = `DELETE t FROM outlast_task t FORCE INDEX (PRIMARY) WHERE t.id IN (@ids)`

// Purge implements [store.Admin].
func (s *Store) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) (purged []*task.Task, err error) {
	if limit <= 0 {
		return nil, nil
	}
	query, args := purgeable(filter, limit)
	err = s.write(ctx, "purge", func(tx *tx) error {
		purged = nil
		found, err := tx.tasks(query, args...)
		if err != nil {
			return err
		}
		all := make([]task.ID, len(found))
		for i := range found {
			all[i] = found[i].ID
		}
		letters, err := tx.lockLetters(all)
		if err != nil {
			return err
		}
		var gone []stored.Letter
		for _, t := range found {
			if l := letters[t.ID]; l != nil {
				purged, gone = append(purged, t), append(gone, l.Letter)
			}
		}
		if err := tx.deleteLetters(gone); err != nil {
			return err
		}
		all = all[:0]
		for i := range gone {
			all = append(all, gone[i].ID)
		}
		if _, err := tx.execIDs(all, purgeTasks); err != nil || len(purged) == 0 {
			return err
		}
		return objects.Log(&tables{tx: tx}, audit, tx.time())
	})
	if err != nil {
		return nil, err
	}
	return purged, nil
}
