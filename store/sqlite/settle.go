package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// finish ends a running row in its place. Inputs: id, claim, state,
	// finished at, started at (null: as claimed), outcome (null: the row is
	// no record of the attempt), result, error (null: as on the row), 1 if
	// the attempt did not start, label. Changes nothing unless the row runs under
	// the claim. Its row in outlast_run is deleted next.
	finish = &query{sql: `UPDATE OR FAIL outlast_task SET state = ?3, park = 0, claim = r.claim, attempt = attempt + 1 - ?9, updated_at = ?4,
 started_at = ifnull(?5, r.started_at), node = r.node, cancel = r.cancel, last_error = ifnull(?8, last_error), outcome = ifnull(?6, ''), result = ?7, label = ?10
FROM outlast_run r WHERE outlast_task.id = ?1 AND state = 5 AND r.num = outlast_task.num AND r.claim = ?2`}

	// runEnded deletes what says that a row runs.
	runEnded = &query{sql: `DELETE FROM outlast_run WHERE num = (SELECT num FROM outlast_task WHERE id = ?)`}

	// selectRunning reads what a settlement needs to know of a live row.
	selectRunning = &query{sql: `SELECT ` + entryColumns + `, state, claim, cancel, priority, node, started_at, unstarted, num
FROM outlast_live WHERE id = ?`}

	// putBack makes a row pending again that was read running under the
	// settlement's claim, in the same write transaction. Inputs: num, run_at,
	// rank, attempt, claim, error (null: keep), unstarted claim, now, started
	// at, when it failed (null: keep). Its row in outlast_run is deleted with it.
	putBack = &query{sql: `UPDATE OR FAIL outlast_task SET run_at = ?2, rank = ?3, started_at = ?9, attempt = ?4, claim = ?5, last_error = ifnull(?6, last_error), unstarted = ?7, updated_at = ?8, failed_at = ifnull(?10, failed_at) WHERE num = ?1`}

	// forgetRuns keeps the newest of the runs of a live task that cost no attempt.
	// Inputs: id, how many to keep.
	forgetRuns = &query{sql: `DELETE FROM outlast_attempt WHERE id = ?1 AND outcome IN ('snoozed', 'released') AND claim <
 (SELECT claim FROM outlast_attempt WHERE id = ?1 AND outcome IN ('snoozed', 'released') ORDER BY claim DESC LIMIT 1 OFFSET ?2 - 1)`}

	// addAttempt records an ended attempt, addAttempts many.
	addAttempt  = &query{sql: addAttemptsOf(1)}
	addAttempts = &query{sql: addAttemptsOf(manyRows)}
)

const historyColumns = 10

func addAttemptsOf(rows int) string {
	return `INSERT OR FAIL INTO outlast_attempt (id, claim, number, node, started_at, ended_at, outcome, failure, next_delay, label) VALUES ` +
		valueRows(rows, historyColumns)
}

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	var results []store.Settled
	err := s.write(ctx, "settle", func(tx *tx) error {
		results = make([]store.Settled, len(settlements))
		batch := settling{tx: tx}
		for i := 0; i < len(settlements); i++ {
			if n, err := batch.settleMany(settlements[i:], results[i:]); n > 0 || err != nil {
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
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// settling is one call of Settle inside its transaction.
type settling struct{ tx *tx }

func deleteRun(s session, id task.ID) error {
	_, err := s.exec(runEnded, id)
	return err
}

// liveRow is what selectRunning reads.
type liveRow struct {
	ending.Row
	num int64
}

func selectLive(s session, id task.ID) (live liveRow, found bool, err error) {
	found, err = one(s, selectRunning, func(r row) {
		live = scanLive(r)
	}, id)
	return live, found, err
}

func scanLive(r row) liveRow {
	return liveRow{ending.Row{Entry: scanEntry(r), State: sqlstore.States[r.Int(12)], Claim: r.Int(13), Cancel: r.Bool(14),
		Priority: int(r.Int(15)), Node: r.Text(16), StartedAt: r.Time(17), Unstarted: r.Int(18)}, r.Int(19)}
}

// settle ends one attempt and reports what became of it.
func (b *settling) settle(s *store.Settlement, result *store.Settled) error {
	if err := check.Settlement(s); err != nil {
		*result = store.Settled{Status: store.StatusRefused, Err: err}
		return nil
	}
	if s.Outcome == task.OutcomeSucceeded {
		done, err := b.succeed(s, result)
		if done || err != nil {
			return err
		}
	}
	live, found, err := selectLive(b.tx, s.Task.ID)
	if err != nil {
		return err
	}
	if !found || live.State != task.Running || live.Claim != s.Task.Claim {
		*result, err = b.repeated(s, live, found)
		return err
	}
	a := ending.Of(s, &live.Row, b.tx.now)
	switch a.Outcome {
	case task.OutcomeDead:
		err = b.die(a, &live, result)
	case task.OutcomeSucceeded:
		err = b.end(a, succeeded, result)
	case task.OutcomeCanceled:
		err = b.end(a, canceled, result)
	default:
		err = b.retry(a, &live, result)
	}
	return err
}

// succeed is the short way of the common case: no row is read.
func (b *settling) succeed(s *store.Settlement, result *store.Settled) (done bool, err error) {
	n, err := b.tx.exec(finish, s.Task.ID, s.Task.Claim, succeeded, b.endOf(s), stored.MicroOrNull(s.StartedAt),
		string(task.OutcomeSucceeded), s.Result, nil, 0, labelText(s))
	if err != nil || n == 0 {
		return false, err
	}
	if err := deleteRun(b.tx, s.Task.ID); err != nil {
		return true, err
	}
	*result = store.Settled{Status: store.StatusOK, State: task.Succeeded}
	if err := countEnds(b.tx, task.Succeeded, s.Task); err != nil {
		return true, err
	}
	return true, b.follow(s.Follow)
}

// countEnds counts tasks that have ended in a state, those that are members of groups.
func countEnds(s session, state task.State, ended ...*task.Task) error {
	var counts grouped.Tally
	for _, t := range ended {
		counts.Ended(t, state)
	}
	if len(counts) == 0 {
		return nil
	}
	return sqlstore.AddCounts(cold(s), counts, false)
}

func (b *settling) follow(items []store.Insert) error {
	return insertFollow(b.tx, &arrival{b.tx.now, b.tx.store.standIn()}, items)
}

func (b *settling) endOf(s *store.Settlement) int64 {
	if s.EndedAt.IsZero() {
		return b.tx.now
	}
	return s.EndedAt.UnixMicro()
}

// record writes the history row of an attempt, if it has one.
func (b *settling) record(a *ending.Attempt, delay int64) error {
	if a.Unstarted {
		return nil
	}
	row, err := historyRow(a, delay)
	if err == nil {
		_, err = b.tx.exec(addAttempt, row[:]...)
	}
	return err
}

func historyRow(a *ending.Attempt, delay int64) (row [historyColumns]any, err error) {
	failure, err := failureText(a.Failure)
	return [historyColumns]any{a.ID, a.Claim, a.Number, optional(a.Node), stored.MicroOrNull(a.Started), a.Ended,
		string(a.Outcome), failure, delay, labelText(a.Settlement)}, err
}

// end ends the row, which also records the attempt
// unless that has a failure of its own.
func (b *settling) end(a *ending.Attempt, state int, result *store.Settled) error {
	failure, err := failureText(a.Failure)
	if err != nil {
		return err
	}
	outcome := optional(a.Outcome)
	if a.Unstarted || a.Failure != nil {
		outcome = ""
		if err := b.record(a, 0); err != nil {
			return err
		}
	}
	_, err = b.tx.exec(finish, a.ID, a.Claim, state, a.Ended, stored.MicroOrNull(a.Started), outcome, a.Result, failure, a.Number-a.After, labelText(a.Settlement))
	if err != nil {
		return err
	}
	if err := deleteRun(b.tx, a.ID); err != nil {
		return err
	}
	*result = store.Settled{Status: store.StatusOK, State: sqlstore.States[state]}
	if err := countEnds(b.tx, result.State, a.Task); err != nil {
		return err
	}
	return b.follow(a.Follow)
}

// retry puts the row back to wait for its next run.
func (b *settling) retry(a *ending.Attempt, live *liveRow, result *store.Settled) error {
	if err := b.look(a); err != nil {
		return err
	}
	entry := a.Retry(&live.Row, b.tx.now)
	if err := b.record(a, a.Delay(entry.RunAt)); err != nil {
		return err
	}
	if a.Outcome != task.OutcomeFailed && !a.Unstarted {
		if _, err := b.tx.exec(forgetRuns, a.ID, store.KeptRuns); err != nil {
			return err
		}
	}
	if err := b.putBack(a, live, &entry); err != nil {
		return err
	}
	if err := deleteRun(b.tx, a.ID); err != nil {
		return err
	}
	*result = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
	return b.follow(a.Follow)
}

// look lets a task run at once that would wait for a signal that is there.
func (b *settling) look(a *ending.Attempt) error {
	if len(a.Awaits) == 0 {
		return nil
	}
	steps, err := stepsIn(b.tx, []task.ID{a.ID})
	if err == nil && signals.Ready(a.Task, steps, a.Awaits) {
		a.Due()
	}
	return err
}

func (b *settling) putBack(a *ending.Attempt, live *liveRow, entry *store.Entry) error {
	failure, err := failureText(a.Failure)
	if err != nil {
		return err
	}
	unstarted := any(nil)
	if a.Unstarted {
		unstarted = live.Claim
	}
	_, err = b.tx.exec(putBack, live.num, entry.RunAt, entry.Rank, entry.Attempt, a.ClaimAfter(b.tx.now), failure, unstarted, b.tx.now, stored.MicroOrNull(live.StartedAt), stored.OrNull(a.FailedAt()))
	return err
}

var (
	// attemptOutcome reads how the attempt of a claim was recorded.
	attemptOutcome = &query{sql: `SELECT outcome FROM outlast_attempt WHERE id = ? AND claim = ?`}

	// endedBy reads the state and claim of an ended task.
	endedBy = &query{sql: `SELECT state, claim FROM outlast_task WHERE id = ?1 AND state <> 5 UNION ALL SELECT 3, claim FROM outlast_dead WHERE id = ?1`}
)

// repeated answers a settlement whose row does not run under its claim.
func (b *settling) repeated(s *store.Settlement, live liveRow, found bool) (store.Settled, error) {
	if !found {
		_, err := one(b.tx, endedBy, func(r row) {
			live.State, live.Claim, found = sqlstore.States[r.Int(0)], r.Int(1), true
		}, s.Task.ID)
		if err != nil {
			return store.Settled{}, err
		}
	}
	if !found {
		return ending.Repeated(s, nil, ""), nil
	}
	var recorded task.Outcome
	_, err := one(b.tx, attemptOutcome, func(r row) { recorded = task.Outcome(r.Text(0)) }, s.Task.ID, s.Task.Claim)
	if err == nil && live.State == task.Dead { // its attempts went with it
		var history []stored.Attempt
		history, err = sqlstore.DeadHistory(cold(b.tx), s.Task.ID)
		for _, attempt := range history {
			if attempt.Claim == s.Task.Claim {
				recorded = attempt.Outcome
			}
		}
	}
	return ending.Repeated(s, &live.Row, recorded), err
}
