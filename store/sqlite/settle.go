package sqlite

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var (
	// finish copies a running row to the ended ones. Inputs: id, claim,
	// state, finished at, started at (null: as claimed), outcome, result,
	// error (null: as on the row), 1 if the attempt did not start. Changes
	// nothing unless the row runs under the claim.
	finish = &query{`INSERT OR FAIL INTO outlast_done
(id, state, run_at, claim, attempt, crashes, priority, node, started_at, cancel, key, seq, queue, type, target, policy, spec,
 created_at, finished_at, last_error, outcome, result, payload)
SELECT t.id, ?3, t.run_at, r.claim, t.attempt + 1 - ?9, t.crashes, t.priority, r.node, ifnull(?5, r.started_at), r.cancel, t.key, t.seq, t.queue,
 t.type, t.target, t.policy, t.spec, t.created_at, ?4, ifnull(?8, t.last_error), ?6, ?7, t.payload
FROM outlast_run r CROSS JOIN outlast_task t ON t.id = r.id WHERE r.id = ?1 AND r.claim = ?2`}

	// finishMany is finish for rows of (id, claim, finished at, started at,
	// result) that succeeded.
	finishMany = &query{`WITH s (id, claim, finished_at, started_at, result) AS (VALUES ` + valueRows(manyRows, 5) + `)
INSERT OR FAIL INTO outlast_done
(id, state, run_at, claim, attempt, crashes, priority, node, started_at, cancel, key, seq, queue, type, target, policy, spec,
 created_at, finished_at, last_error, outcome, result, payload)
SELECT t.id, 2, t.run_at, r.claim, t.attempt + 1, t.crashes, t.priority, r.node, ifnull(s.started_at, r.started_at), r.cancel, t.key, t.seq, t.queue,
 t.type, t.target, t.policy, t.spec, t.created_at, s.finished_at, t.last_error, 'succeeded', s.result, t.payload
FROM s CROSS JOIN outlast_run r ON r.id = s.id AND r.claim = s.claim CROSS JOIN outlast_task t ON t.id = r.id`}

	// deleteTasks deletes rows that were copied elsewhere before.
	deleteTasks = newIDQuery(`DELETE FROM outlast_task WHERE id IN (@ids)`)
	deleteRuns  = newIDQuery(`DELETE FROM outlast_run WHERE id IN (@ids)`)

	// selectRunning reads what a settlement needs to know of a live row.
	selectRunning = &query{`SELECT ` + entryColumns + `, state, claim, cancel, priority, node, started_at, unstarted
FROM outlast_live WHERE id = ?`}

	// putBack makes a row pending again that selectRunning saw running under
	// the settlement's claim. Inputs: id, run_at, rank, attempt, claim,
	// error (null: keep), unstarted claim, now, started at. Its row in
	// outlast_run is deleted with it.
	putBack = &query{`UPDATE OR FAIL outlast_task SET run_at = ?2, rank = ?3, started_at = ?9, attempt = ?4, claim = ?5, last_error = ifnull(?6, last_error), unstarted = ?7, updated_at = ?8 WHERE id = ?1`}

	// addAttempt records an ended attempt.
	addAttempt = &query{`INSERT OR FAIL INTO outlast_attempt (id, claim, number, node, started_at, ended_at, outcome, failure, next_delay)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`}
)

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	var results []store.Settled
	err := s.write(ctx, "settle", func(tx *tx) error {
		results = make([]store.Settled, len(settlements))
		batch := settling{tx: tx}
		for i := 0; i < len(settlements); i++ {
			if n, err := batch.succeedMany(settlements[i:], results[i:]); n > 0 || err != nil {
				if err != nil {
					return err
				}
				i += n - 1
				continue
			}
			refused, err := tx.item(func() error { return batch.settle(&settlements[i], &results[i]) })
			if err != nil {
				return err
			}
			if refused != nil {
				results[i] = store.Settled{Status: store.StatusRefused, Err: refused}
			}
		}
		return batch.flush()
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// settling is one call of Settle inside its transaction. Rows that were
// copied to the ended ones are deleted together at its end.
type settling struct {
	tx    *tx
	ended []task.ID
}

func (b *settling) flush() error {
	ended := b.ended
	b.ended = b.ended[:0]
	return deleteLive(b.tx, ended)
}

func deleteLive(s session, ids []task.ID) error {
	if _, err := deleteTasks.exec(s, ids); err != nil {
		return err
	}
	_, err := deleteRuns.exec(s, ids)
	return err
}

// liveRow is what selectRunning reads.
type liveRow struct {
	entry                   store.Entry
	state, claim, unstarted int64
	cancel                  bool
	priority                int
	node                    string
	startedAt               time.Time
}

func selectLive(s session, id task.ID) (live liveRow, found bool, err error) {
	found, err = one(s, selectRunning, func(r row) {
		live = liveRow{entry: scanEntry(r), state: r.int(11), claim: r.int(12), cancel: r.bool(13),
			priority: int(r.int(14)), node: r.text(15), startedAt: r.time(16), unstarted: r.int(17)}
	}, id)
	return live, found, err
}

// settle ends one attempt and reports what became of it.
func (b *settling) settle(s *store.Settlement, result *store.Settled) error {
	if err := checkSettlement(s); err != nil {
		*result = store.Settled{Status: store.StatusRefused, Err: err}
		return nil
	}
	if s.Outcome == task.OutcomeSucceeded && !mutant("settle_without_claim_check") {
		done, err := b.succeed(s, result)
		if done || err != nil {
			return err
		}
	}
	if err := b.flush(); err != nil {
		return err
	}
	live, found, err := selectLive(b.tx, s.Task.ID)
	if err != nil {
		return err
	}
	if !found || live.state != running || live.claim != s.Task.Claim && !mutant("settle_without_claim_check") {
		*result, err = b.repeated(s, live, found)
		return err
	}
	a := attemptOf(s, &live)
	switch {
	case s.Outcome == task.OutcomeDead:
		err = b.die(a, &live, result)
	case s.Outcome == task.OutcomeSucceeded:
		err = b.end(a, succeeded, result)
	case s.Outcome == task.OutcomeCanceled, live.cancel:
		a.outcome = task.OutcomeCanceled
		err = b.end(a, canceled, result)
	default:
		err = b.retry(a, &live, result)
	}
	return err
}

// checkSettlement refuses data that must not get into the database.
func checkSettlement(s *store.Settlement) error {
	if len(s.Result) > task.MaxResult {
		return &task.Error{Code: task.CodeTooLarge, Message: "the result is too large"}
	}
	for i := range s.Follow {
		if err := checkInsert(&s.Follow[i]); err != nil {
			return err
		}
	}
	switch s.Outcome {
	case task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeDead, task.OutcomeCanceled:
		return nil
	}
	return task.Invalid("outcome", "no attempt ends as "+task.Quote(string(s.Outcome)), "")
}

// succeedMany settles the next manyRows settlements by one statement if all
// are plain successes. If one of them turns out to be stale, the group starts
// again, one by one.
func (b *settling) succeedMany(settlements []store.Settlement, results []store.Settled) (int, error) {
	if b.tx.careful || len(settlements) < manyRows || mutant("settle_without_claim_check") {
		return 0, nil
	}
	args := make([]any, 0, 5*manyRows)
	for i := range settlements[:manyRows] {
		s := &settlements[i]
		if s.Outcome != task.OutcomeSucceeded || len(s.Follow) > 0 || s.Unstarted || s.Failure != nil || checkSettlement(s) != nil {
			return 0, nil
		}
		args = append(args, s.Task.ID[:], s.Task.Claim, b.endOf(s), micro(s.StartedAt), s.Result)
	}
	n, err := b.tx.exec(finishMany, args...)
	if err != nil {
		return 0, err
	}
	if n != manyRows {
		return 0, errPartly
	}
	for i := range settlements[:manyRows] {
		b.ended = append(b.ended, settlements[i].Task.ID)
		results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
	}
	return manyRows, nil
}

// succeed is the short way of the common case: no row is read.
func (b *settling) succeed(s *store.Settlement, result *store.Settled) (done bool, err error) {
	n, err := b.tx.exec(finish, s.Task.ID, s.Task.Claim, succeeded, b.endOf(s), micro(s.StartedAt),
		string(task.OutcomeSucceeded), s.Result, nil, 0)
	if err != nil || n == 0 {
		return false, err
	}
	b.ended = append(b.ended, s.Task.ID)
	*result = store.Settled{Status: store.StatusOK, State: task.Succeeded}
	if b.tx.careful {
		if err := b.flush(); err != nil { // inside the item's savepoint
			return true, err
		}
	}
	return true, insertFollow(b.tx, s.Follow)
}

func (b *settling) endOf(s *store.Settlement) int64 {
	if s.EndedAt.IsZero() {
		return b.tx.now
	}
	return s.EndedAt.UnixMicro()
}

// attempt is the attempt that a settlement ends.
type attempt struct {
	*store.Settlement
	id      task.ID
	claim   int64
	number  int // as it is recorded
	after   int // attempts spent once it has ended
	outcome task.Outcome
	node    string
	started time.Time
}

func attemptOf(s *store.Settlement, live *liveRow) *attempt {
	a := &attempt{Settlement: s, id: s.Task.ID, claim: live.claim, number: live.entry.Attempt, after: live.entry.Attempt,
		outcome: s.Outcome, node: live.node, started: s.StartedAt}
	if a.started.IsZero() {
		a.started = live.startedAt
	}
	free := s.Outcome == task.OutcomeSnoozed || s.Outcome == task.OutcomeReleased
	if s.Unstarted || free {
		a.after = max(0, a.after-1)
	}
	return a
}

// record writes the history row of an attempt, if it has one.
func (b *settling) record(a *attempt, delay time.Duration) error {
	if a.Unstarted {
		return nil
	}
	failure, err := failureText(a.Failure)
	if err != nil {
		return err
	}
	_, err = b.tx.exec(addAttempt, a.id, a.claim, a.number, optional(a.node), micro(a.started), b.endOf(a.Settlement),
		string(a.outcome), failure, delay.Microseconds())
	return err
}

// end moves the row to the ended ones, whose row also records the attempt
// unless that has a failure of its own.
func (b *settling) end(a *attempt, state int, result *store.Settled) error {
	failure, err := failureText(a.Failure)
	if err != nil {
		return err
	}
	outcome, spent := optional(a.outcome), a.number-a.after
	if !a.Unstarted && state == canceled && a.Outcome != task.OutcomeCanceled {
		spent = 0
	}
	if a.Unstarted || a.Failure != nil {
		outcome = ""
		if err := b.record(a, 0); err != nil {
			return err
		}
	}
	_, err = b.tx.exec(finish, a.id, a.claim, state, b.endOf(a.Settlement), micro(a.started), outcome, a.Result, failure, spent)
	if err != nil {
		return err
	}
	b.ended = append(b.ended, a.id)
	*result = store.Settled{Status: store.StatusOK, State: states[state]}
	if err := b.flush(); err != nil {
		return err
	}
	return insertFollow(b.tx, a.Follow)
}

// retry puts the row back to wait for its next run.
func (b *settling) retry(a *attempt, live *liveRow, result *store.Settled) error {
	entry := live.entry
	entry.RunAt, entry.Park, entry.Attempt = b.tx.now, 0, a.after
	if !a.RunAt.IsZero() {
		entry.RunAt = a.RunAt.UnixMicro()
	}
	entry.Rank = task.Rank(fromMicro(entry.RunAt), live.priority)
	if err := b.record(a, delayOf(fromMicro(b.endOf(a.Settlement)), entry.RunAt)); err != nil {
		return err
	}
	failure, err := failureText(a.Failure)
	if err != nil {
		return err
	}
	claim, unstarted := live.claim, any(nil)
	if a.Outcome == task.OutcomeReleased {
		claim = max(claim+1, b.tx.now)
	}
	if a.Unstarted {
		unstarted = live.claim
	}
	_, err = b.tx.exec(putBack, a.id, entry.RunAt, entry.Rank, entry.Attempt, claim, failure, unstarted, b.tx.now, micro(live.startedAt))
	if err == nil {
		_, err = deleteRuns.exec(b.tx, []task.ID{a.id})
	}
	if err != nil {
		return err
	}
	*result = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
	return insertFollow(b.tx, a.Follow)
}
