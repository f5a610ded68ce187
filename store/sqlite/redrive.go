package sqlite

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// revive copies a dead letter back to the live tasks. Inputs: id, lane,
	// run_at, rank, attempts, payload (null: its own), now, spec.
	revive = &query{sql: `INSERT OR FAIL INTO outlast_task
(id, state, node, lane, park, rank, run_at, claim, attempt, crashes, priority, key, seq, queue, type, target, policy, spec, created_at, updated_at, last_error, failed_at, payload)
SELECT id, 5, ifnull(node, ''), ?2, 0, ?4, ?3, claim, ?5, 0, priority, key, seq, queue, type, target, policy, ?8, created_at, ?7, last_error, finished_at, ifnull(?6, payload)
FROM outlast_dead WHERE id = ?1`}

	// letterOf reads what the counters and redrive need of a dead letter.
	letterOf = &query{sql: `SELECT type, reason, category, fingerprint, priority, attempt, spec, queue, claim FROM outlast_dead WHERE id = ?`}

	deleteLetter = &query{sql: `DELETE FROM outlast_dead WHERE id = ?`}
	dropHold     = &query{sql: `DELETE FROM outlast_key_hold WHERE id = ?`}
)

// Redrive implements [store.Admin].
func (s *Store) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	if !store.Fits(options.Payload, task.MaxPayload) {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	err = s.write(ctx, "redrive", func(tx *tx) error {
		done, missing = nil, nil
		for i, id := range ids {
			var at time.Time
			if i < len(options.RunAt) {
				at = options.RunAt[i]
			}
			found, err := redriveOne(tx, id, at, options)
			if err != nil {
				return err
			}
			if found != nil {
				done = append(done, *found)
			} else {
				missing = append(missing, id)
			}
		}
		if len(done) == 0 {
			return nil
		}
		if _, err := tx.exec(dropEmptyCounts); err != nil {
			return err
		}
		return tx.log(options.Audit)
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

func redriveOne(tx *tx, id task.ID, at time.Time, options store.RedriveOptions) (*store.Redriven, error) {
	dead, was := stored.Letter{ID: id}, store.Redriven{ID: id}
	var priority int
	var spec task.Spec
	found, err := one(tx, letterOf, func(r row) {
		dead.Type, dead.Reason, dead.Category, dead.Fingerprint = r.Text(0), r.Text(1), r.Text(2), r.Text(3)
		priority, was.Type, was.Attempt, was.Queue, was.Claim = int(r.Int(4)), dead.Type, int(r.Int(5)), r.Text(7), r.Int(8)
		spec = stored.SpecOf(r.Blob(6))
	}, id)
	if err != nil || !found || spec.Unreadable != "" { // what cannot be read cannot be written again
		return nil, err
	}
	if options.Operation != "" && spec.Redrive == options.Operation {
		return nil, nil
	}
	was.TraceParent = spec.TraceParent
	spec = spec.Redriven(tx.time(), options.Operation)
	text, err := specText(&spec)
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		at = tx.time()
	}
	attempts := 0
	if options.KeepAttempts {
		attempts = was.Attempt
	}
	_, err = tx.exec(revive, id, id.Lane(), at.UnixMicro(), task.Rank(at, priority), attempts, options.Payload, tx.now, text)
	if err != nil {
		return nil, err
	}
	if err := unpackAttempts(tx, id); err != nil {
		return nil, err
	}
	return &was, removeLetter(tx, &dead)
}

// unpackAttempts puts the history of a dead letter back into its table.
func unpackAttempts(tx *tx, id task.ID) error {
	history, err := deadAttempts(tx, id)
	if err != nil {
		return err
	}
	for _, a := range history {
		_, err := tx.exec(addAttempt, id, a.Claim, a.Number, optional(a.Node), fromNull(a.StartedAt), fromNull(a.EndedAt),
			string(a.Outcome), optional(a.Failure), a.NextDelay, optional(a.Label))
		if err != nil {
			return err
		}
	}
	return nil
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

// Purge implements [store.Admin].
func (s *Store) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) (purged []*task.Task, err error) {
	if limit <= 0 {
		return nil, nil
	}
	err = s.write(ctx, "purge", func(tx *tx) error {
		w := deadWhere(filter)
		q := &query{sql: `SELECT ` + deadColumns + `, category, fingerprint FROM outlast_dead WHERE ` + w.String() + ` ORDER BY id LIMIT ?`}
		var letters []stored.Letter
		purged = nil
		err := tx.once().each(q, func(r row) error {
			t := scanTask(r)
			purged = append(purged, t)
			letters = append(letters, stored.Letter{ID: t.ID, Type: t.Type, Reason: string(t.DeadReason), Category: r.Text(taskWidth), Fingerprint: r.Text(taskWidth + 1)})
			return nil
		}, append(w.Args, limit)...)
		for i := range letters {
			if err == nil {
				err = removeLetter(tx, &letters[i])
			}
		}
		if err != nil || len(purged) == 0 {
			return err
		}
		if _, err := tx.exec(dropEmptyCounts); err != nil {
			return err
		}
		return tx.log(audit)
	})
	if err != nil {
		return nil, err
	}
	return purged, nil
}
