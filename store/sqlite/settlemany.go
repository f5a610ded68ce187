package sqlite

import (
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	// runsEnded deletes rows of outlast_run, if they are of a claim and a
	// node and have no cancel request: the fence of many successes. Inputs:
	// nums, claim, node. The number of rows deleted says whether all were.
	runsEnded = &query{sql: `DELETE FROM outlast_run WHERE num IN (` + markList(chunk) + `) AND claim = ?101 AND node = ?102 AND cancel IS NULL`}

	// finishRow ends a row in its place that runsEnded found running in the
	// same write transaction, finishRows many. Inputs per row: num, id, started
	// at, finished at, result; then, of all: claim, node, label. That num is still
	// the row of id is checked here.
	finishRow  = &query{sql: finishRowsOf(1)}
	finishRows = &query{sql: finishRowsOf(manyRows)}

	// runningMany reads what settlements need to know of running rows, as
	// selectRunning does, in the order of nums.
	runningMany = &query{sql: `WITH s (num) AS (VALUES ` + valueRows(manyRows, 1) + `)
SELECT id, run_at, rank, seq, park, t.key, type, target, attempt + 1, crashes, length(payload), t.share_key, 1, r.claim, r.cancel, priority, r.node, r.started_at,
 unstarted, t.num
FROM s CROSS JOIN outlast_run r ON r.num = s.num CROSS JOIN outlast_task t ON t.num = s.num`}

	// deleteRunsMany deletes what runningMany read in the same transaction.
	deleteRunsMany = &query{sql: `DELETE FROM outlast_run WHERE num IN (` + markList(manyRows) + `)`}
)

const finishColumns = 5

func finishRowsOf(rows int) string {
	return fmt.Sprintf(`WITH s (num, id, started_at, finished_at, result) AS (VALUES `+valueRows(rows, finishColumns)+`)
UPDATE OR FAIL outlast_task SET state = 2, claim = ?%d, attempt = attempt + 1, node = ?%d, started_at = s.started_at,
 updated_at = s.finished_at, result = s.result, label = ?%d
FROM s WHERE outlast_task.num = s.num AND outlast_task.id = s.id AND state = 5`, finishColumns*rows+1, finishColumns*rows+2, finishColumns*rows+3)
}

// fewest is how many settlements are worth a statement for many.
const fewest = 4

// settleMany settles the first settlements together, as far as all of them
// are of one plain kind and were claimed through this store. It returns how
// many it has settled: none means that the first must go alone.
func (b *settling) settleMany(settlements []store.Settlement, results []store.Settled) (int, error) {
	if b.tx.careful {
		return 0, nil
	}
	outcome := settlements[0].Outcome
	plain := make([]place, 0, min(len(settlements), 1000))
	for i := range settlements {
		num, ok := b.plain(&settlements[i], outcome)
		if !ok {
			break
		}
		plain = append(plain, place{num, &settlements[i]})
	}
	switch {
	case len(plain) < fewest:
		return 0, nil
	case outcome == task.OutcomeSucceeded:
		return len(plain), b.succeedMany(plain, results)
	case outcome == task.OutcomeFailed:
		return b.failMany(plain, results)
	}
	return 0, nil
}

// place is a settlement and the likely row of its task.
type place struct {
	num int64
	*store.Settlement
}

// plain finds the row of a settlement that has nothing unusual.
func (b *settling) plain(s *store.Settlement, outcome task.Outcome) (num int64, ok bool) {
	if s.Outcome != outcome || len(s.Follow) > 0 || s.Unstarted || check.Settlement(s) != nil {
		return 0, false
	}
	if outcome == task.OutcomeSucceeded && (s.Failure != nil || s.StartedAt.IsZero() || s.Task.Node == "") {
		return 0, false
	}
	num, ok = b.tx.store.claimed[s.Task.ID]
	return num, ok
}

// fence is what the fence of many successes compares, and what else they have
// in common.
type fence struct {
	claim       int64
	node, label string
}

// succeedMany ends successes. If one turns out to be stale, not running or
// canceled, the transaction starts again, one by one.
func (b *settling) succeedMany(plain []place, results []store.Settled) error {
	groups := map[fence][]place{}
	var counts grouped.Tally
	for i, s := range plain {
		counts.Ended(s.Task, task.Succeeded)
		of := fence{s.Task.Claim, s.Task.Node, s.Label.String()}
		groups[of] = append(groups[of], s)
		delete(b.tx.store.claimed, s.Task.ID)
		results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
	}
	for of, group := range groups {
		if err := b.endRuns(of, group); err != nil {
			return err
		}
		if err := b.finish(of, group); err != nil {
			return err
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return sqlstore.AddCounts(cold(b.tx), counts, false)
}

func (b *settling) endRuns(of fence, group []place) error {
	for len(group) > 0 {
		n := min(len(group), chunk)
		args := make([]any, chunk, chunk+2)
		for i, s := range group[:n] {
			args[i] = s.num
		}
		ended, err := b.tx.exec(runsEnded, append(args, of.claim, of.node)...)
		if err != nil {
			return err
		}
		if ended != int64(n) {
			return errPartly
		}
		group = group[n:]
	}
	return nil
}

func (b *settling) finish(of fence, group []place) error {
	for len(group) > 0 {
		q, n := finishRow, 1
		if len(group) >= manyRows {
			q, n = finishRows, manyRows
		}
		args := make([]any, 0, finishColumns*n+3)
		for _, s := range group[:n] {
			args = append(args, s.num, s.Task.ID[:], s.StartedAt.UnixMicro(), b.endOf(s.Settlement), s.Result)
		}
		ended, err := b.tx.exec(q, append(args, of.claim, of.node, optional(of.label))...)
		if err != nil {
			return err
		}
		if ended != int64(n) {
			return errPartly
		}
		group = group[n:]
	}
	return nil
}

// failMany puts failures back, in full portions. It reads first, so what is
// stale is left to the way one by one with nothing changed.
func (b *settling) failMany(plain []place, results []store.Settled) (settled int, err error) {
	for len(plain) >= manyRows {
		rows, err := b.readMany(plain[:manyRows])
		if err != nil || rows == nil {
			return settled, err
		}
		if err := b.retryMany(plain[:manyRows], rows, results); err != nil {
			return settled, err
		}
		plain, results, settled = plain[manyRows:], results[manyRows:], settled+manyRows
	}
	return settled, nil
}

// readMany reads the rows of settlements, or nothing unless all of them run
// under the claims settled, without a cancel request.
func (b *settling) readMany(plain []place) (rows []liveRow, err error) {
	nums := make([]any, len(plain))
	for i := range plain {
		nums[i] = plain[i].num
	}
	err = b.tx.each(runningMany, func(r row) error {
		rows = append(rows, scanLive(r))
		return nil
	}, nums...)
	if err != nil || len(rows) != len(plain) {
		return nil, err
	}
	for i, s := range plain {
		live := &rows[i]
		if live.Entry.ID != s.Task.ID || live.Claim != s.Task.Claim || live.Cancel {
			return nil, nil
		}
	}
	return rows, nil
}

func (b *settling) retryMany(plain []place, rows []liveRow, results []store.Settled) error {
	history, nums := make([]any, 0, historyColumns*len(plain)), make([]any, len(plain))
	for i := range rows {
		live := &rows[i]
		a := ending.Of(plain[i].Settlement, &live.Row, b.tx.now)
		entry := a.Retry(&live.Row, b.tx.now)
		line, err := historyRow(a, a.Delay(entry.RunAt))
		if err != nil {
			return err
		}
		if err := b.putBack(a, live, &entry); err != nil {
			return err
		}
		history, nums[i] = append(history, line[:]...), live.num
		delete(b.tx.store.claimed, a.ID)
		results[i] = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
	}
	if _, err := b.tx.exec(addAttempts, history...); err != nil {
		return err
	}
	n, err := b.tx.exec(deleteRunsMany, nums...)
	if err == nil && n != int64(len(nums)) {
		err = errPartly // two settlements of one task
	}
	return err
}
