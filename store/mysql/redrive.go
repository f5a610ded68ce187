package mysql

import (
	"context"
	"database/sql"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockLetters locks dead letters with their tasks, the task first, and
	// reads what redrive and the counters need.
	lockLetters = `SELECT t.id, d.type, d.reason, d.category, d.fingerprint, t.priority, d.attempt, d.claim, t.spec, d.attempts, d.last_error, t.order_key, t.seq, t.queue, d.finished_at
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

// lockedLetter is a dead letter that is locked.
type lockedLetter struct {
	stored.Letter
	priority, attempt int
	claim, seq, at    int64
	key, queue        string
	spec              task.Spec
	attempts          []byte
	lastError         []byte
}

// was is what is told of the letter when it was sent back.
func (l *lockedLetter) was() store.Redriven {
	return store.Redriven{ID: l.ID, Type: l.Type, Queue: l.queue, Attempt: l.attempt, Claim: l.claim, TraceParent: l.spec.TraceParent}
}

func (tx *tx) lockLetters(wanted []task.ID) (map[task.ID]*lockedLetter, error) {
	sorted := append([]task.ID{}, wanted...)
	sortIDs(sorted)
	letters := make(map[task.ID]*lockedLetter, len(wanted))
	err := ids(sorted, lockLetters, func(query string) error {
		return tx.each(query, func(rows *sql.Rows) error {
			l := &lockedLetter{}
			var key, queue text
			var seq number
			var spec []byte
			err := rows.Scan((*identity)(&l.ID), &l.Type, &l.Reason, &l.Category, &l.Fingerprint, &l.priority, &l.attempt, &l.claim,
				&spec, &l.attempts, &l.lastError, &key, &seq, &queue, &l.at)
			l.key, l.seq, l.queue = string(key), int64(seq), string(queue)
			l.spec = stored.SpecOf(spec)
			letters[l.ID] = l
			return err
		})
	})
	return letters, err
}

// Redrive implements [store.Admin]. What is large goes back in several transactions.
func (s *Store) Redrive(ctx context.Context, wanted []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	if !store.Fits(options.Payload, task.MaxPayload) {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	sizes := make(map[task.ID]int, len(wanted))
	err = s.read(ctx, func(on *session) error {
		return ids(wanted, weighLetters, func(query string) error {
			return on.each(query, func(rows *sql.Rows) error {
				var id task.ID
				var size int
				err := rows.Scan((*identity)(&id), &size)
				sizes[id] = size
				return err
			})
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return stored.Redrive(wanted, sizes, options, func(ids []task.ID, options store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
		return s.redrive(ctx, ids, options)
	})
}

// redrive sends letters back in one transaction.
func (s *Store) redrive(ctx context.Context, wanted []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	err = s.write(ctx, "redrive", func(tx *tx) error {
		done, missing = nil, nil
		letters, err := tx.lockLetters(wanted)
		if err != nil {
			return err
		}
		history := insertion{on: tx.session, head: insertAttempts}
		again := insertion{on: tx.session, head: revive, tail: reviveOver}
		var gone []stored.Letter
		for i, id := range wanted {
			l := letters[id]
			if l == nil || l.spec.Unreadable != "" || options.Operation != "" && l.spec.Redrive == options.Operation {
				missing = append(missing, id)
				continue
			}
			delete(letters, id) // the next of the same id finds nothing
			at := tx.time()
			if i < len(options.RunAt) && !options.RunAt[i].IsZero() {
				at = options.RunAt[i]
			}
			if err := tx.again(l, at, options, &again); err != nil {
				return err
			}
			if err := unpack(l, &history); err != nil {
				return err
			}
			done, gone = append(done, l.was()), append(gone, l.Letter)
		}
		if err := again.flush(); err != nil {
			return err
		}
		if err := history.flush(); err != nil {
			return err
		}
		if err := tx.replacePayload(gone, options.Payload); err != nil {
			return err
		}
		if err := tx.deleteLetters(gone); err != nil || len(done) == 0 {
			return err
		}
		return tx.log(options.Audit)
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

// again is the row of a letter in revive.
func (tx *tx) again(l *lockedLetter, at time.Time, options store.RedriveOptions, again *insertion) error {
	redriven := l.spec.Redriven(tx.time(), options.Operation)
	text, err := encoded(stored.Spec(&redriven))
	if err != nil {
		return err
	}
	failure := stored.FailureOf(l.lastError)
	attempts := 0
	if options.KeepAttempts {
		attempts = l.attempt
	}
	turn := turnOf(&store.Entry{Key: l.key, Seq: l.seq, Attempt: attempts})
	return again.add(l.ID, l.ID.Lane(), at.UnixMicro(), task.Rank(at, l.priority), l.claim, attempts, tx.now, text, l.lastError, categoryOf(failure), turn, l.at)
}

// replacePayload gives the tasks of letters a payload, unless it is nil.
func (tx *tx) replacePayload(letters []stored.Letter, payload []byte) error {
	if payload == nil {
		return nil
	}
	all := make([]task.ID, len(letters))
	for i := range letters {
		all[i] = letters[i].ID
	}
	_, err := tx.execIDs(all, replacePayload, payload, len(payload))
	return err
}

// unpack puts the history of a dead letter back into its table.
func unpack(l *lockedLetter, history *insertion) error {
	attempts, err := stored.ParseAttempts(l.attempts)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		err := history.add(l.ID, a.Claim, a.Number, a.Node, fromNull(a.StartedAt), a.EndedAt, string(a.Outcome), []byte(a.Failure), a.NextDelay, optional(a.Label))
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
		if _, err := tx.execIDs(all, deleteFailed); err != nil {
			return err
		}
		if _, err := tx.execIDs(all, purgeTasks); err != nil || len(purged) == 0 {
			return err
		}
		return tx.log(audit)
	})
	if err != nil {
		return nil, err
	}
	return purged, nil
}
