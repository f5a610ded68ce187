package sqlite

import (
	"cmp"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// bury copies a running row to the dead letters. Inputs: id, finished
	// at, started at, attempts spent, error, reason, category, fingerprint,
	// fallback, attempts as JSON.
	bury = &query{sql: `INSERT OR FAIL INTO outlast_dead
(id, run_at, claim, attempt, crashes, priority, node, started_at, cancel, key, seq, queue, type, target, policy, spec,
 created_at, finished_at, last_error, reason, category, fingerprint, fallback, attempts, payload)
SELECT id, run_at, claim, ?4, crashes, priority, node, ifnull(?3, started_at), cancel, key, seq, queue, type, target, policy, spec,
 created_at, ?2, ifnull(?5, last_error), ?6, ?7, ?8, ?9, ?10, payload FROM outlast_live WHERE id = ?1`}

	// deleteBuried deletes a row that bury has copied.
	deleteBuried = &query{sql: `DELETE FROM outlast_task WHERE id = ?`}

	// lastError reads the error that a live row keeps.
	lastError = &query{sql: `SELECT last_error FROM outlast_task WHERE id = ? AND state = 5`}

	deleteAttempts = newIDQuery(`DELETE FROM outlast_attempt WHERE id IN (@ids)`)

	// holdKey blocks a key by a dead letter, which was its head.
	holdKey = &query{sql: `INSERT OR REPLACE INTO outlast_key_hold (lane, key, id, mode, since) VALUES (?, ?, ?, ?, ?)`}

	// count adds to one counter.
	count = &query{sql: `INSERT INTO outlast_dead_count (kind, name, count) VALUES (?1, ?2, ?3)
ON CONFLICT (kind, name) DO UPDATE SET count = count + ?3`}

	// countGroup adds one letter to its group. Inputs: fingerprint, type,
	// reason, category, message, time, id.
	countGroup = &query{sql: `INSERT INTO outlast_dead_group (fingerprint, count, type, reason, category, message, first_seen, last_seen, example)
VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
ON CONFLICT (fingerprint) DO UPDATE SET count = count + 1, reason = ?3, message = ?5, example = ?7,
last_seen = max(last_seen, ?6), first_seen = min(first_seen, ?6)`}
)

// die moves the row to the dead letters, with its attempts, the hold on its
// key and the counters.
func (b *settling) die(a *ending.Attempt, live *liveRow, result *store.Settled) error {
	if err := b.record(a, 0); err != nil {
		return err
	}
	failure, err := b.lastFailure(a)
	if err != nil {
		return err
	}
	dead := stored.NewLetter(a.ID, live.Entry.Type, a.DeadReason, failure, b.tx.now)
	attempts, err := packAttempts(b.tx, a.ID)
	if err != nil {
		return err
	}
	text, err := failureText(failure)
	if err != nil {
		return err
	}
	var fallback any
	if !a.Task.FallbackTask.IsZero() {
		fallback = a.Task.FallbackTask
	}
	_, err = b.tx.exec(bury, a.ID, dead.At, stored.MicroOrNull(a.Started), a.After, text, dead.Reason, dead.Category, dead.Fingerprint,
		fallback, attempts)
	if err != nil {
		return err
	}
	if err := deleteRun(b.tx, a.ID); err != nil {
		return err
	}
	if _, err := b.tx.exec(deleteBuried, a.ID); err != nil {
		return err
	}
	if _, err := deleteAttempts.exec(b.tx, []task.ID{a.ID}); err != nil {
		return err
	}
	if err := b.hold(a, live); err != nil {
		return err
	}
	if err := countLetter(b.tx, &dead); err != nil {
		return err
	}
	*result = store.Settled{Status: store.StatusOK, State: task.Dead}
	if err := countEnds(b.tx, task.Dead, a.Task); err != nil {
		return err
	}
	return b.follow(a.Follow)
}

func (b *settling) hold(a *ending.Attempt, live *liveRow) error {
	if live.Entry.Key == "" || a.OrderOnDead == "skip" {
		return nil
	}
	_, err := b.tx.exec(holdKey, a.ID.Lane(), live.Entry.Key, a.ID, cmp.Or(a.OrderOnDead, "block"), b.tx.now)
	return err
}

// lastFailure is the settlement's failure, else the one that the row keeps.
func (b *settling) lastFailure(a *ending.Attempt) (failure *task.Failure, err error) {
	if a.Failure != nil {
		return a.Failure, nil
	}
	_, err = one(b.tx, lastError, func(r row) { failure = stored.FailureOf(r.Blob(0)) }, a.ID)
	return failure, err
}

// packAttempts is the history of a task as JSON, the last 100 of it.
func packAttempts(s session, id task.ID) (any, error) {
	history, err := sqlstore.History(cold(s), &own, id)
	if err != nil {
		return nil, err
	}
	return jsonText(stored.Attempts(history))
}

// countLetter adds a new letter to the counters.
func countLetter(s session, dead *stored.Letter) error {
	if err := addCounts(s, dead, 1); err != nil {
		return err
	}
	_, err := s.exec(countGroup, dead.Fingerprint, dead.Type, dead.Reason, dead.Category, dead.Message, dead.At, dead.ID)
	return err
}

func addCounts(s session, dead *stored.Letter, n int) error {
	for _, c := range dead.Counters() {
		if _, err := s.exec(count, c[0], c[1], n); err != nil {
			return err
		}
	}
	return nil
}

var (
	dropEmptyCounts = &query{sql: `DELETE FROM outlast_dead_count WHERE count = 0`}
	lowerGroup      = &query{sql: `UPDATE outlast_dead_group SET count = count - 1 WHERE fingerprint = ?`}
	dropEmptyGroup  = &query{sql: `DELETE FROM outlast_dead_group WHERE fingerprint = ? AND count <= 0`}

	// replaceExample gives a group another example when its own is gone.
	// Runs after the letter was deleted.
	replaceExample = &query{sql: `UPDATE outlast_dead_group SET example =
(SELECT d.id FROM outlast_dead d WHERE d.fingerprint = ?1 ORDER BY d.id DESC LIMIT 1) WHERE fingerprint = ?1 AND example = ?2`}
)

// uncount takes a letter that was deleted out of the counters.
func uncount(s session, dead *stored.Letter) error {
	if err := addCounts(s, dead, -1); err != nil {
		return err
	}
	for _, q := range [...]*query{lowerGroup, dropEmptyGroup} {
		if _, err := s.exec(q, dead.Fingerprint); err != nil {
			return err
		}
	}
	_, err := s.exec(replaceExample, dead.Fingerprint, dead.ID)
	return err
}
