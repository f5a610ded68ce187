package sqlite

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

var (
	// runsEnded deletes rows of outlast_run, if they are of a claim and a
	// node and have no cancel request: the fence of many successes. Inputs:
	// nums, claim, node. The number of rows deleted says whether all were.
	runsEnded = &query{sql: `DELETE FROM outlast_run WHERE num IN (` + markList(chunk) + `) AND claim = ?101 AND node = ?102 AND cancel IS NULL`}

	// finishRow ends a row in its place that runsEnded found running in the
	// same write transaction, finishRows many. Inputs per row: num, id, claim,
	// node, started at, finished at, result, label. That num is still the row of id
	// is checked here.
	finishRow  = &query{sql: finishRowsOf(1)}
	finishRows = &query{sql: finishRowsOf(manyRows)}

	// runningMany reads what settlements need to know of running rows, as
	// selectRunning does, in the order of nums.
	runningMany = &query{sql: `WITH s (num) AS (VALUES ` + valueRows(manyRows, 1) + `)
SELECT id, run_at, rank, seq, park, t.key, type, target, attempt + 1, crashes, length(payload), 1, r.claim, r.cancel, priority, r.node, r.started_at,
 unstarted, t.num
FROM s CROSS JOIN outlast_run r ON r.num = s.num CROSS JOIN outlast_task t ON t.num = s.num`}

	// deleteRunsMany deletes what runningMany read in the same transaction.
	deleteRunsMany = &query{sql: `DELETE FROM outlast_run WHERE num IN (` + markList(manyRows) + `)`}
)

const finishColumns = 8

func finishRowsOf(rows int) string {
	return `WITH s (num, id, claim, node, started_at, finished_at, result, label) AS (VALUES ` + valueRows(rows, finishColumns) + `)
UPDATE OR FAIL outlast_task SET state = 2, claim = s.claim, attempt = attempt + 1, node = s.node, started_at = s.started_at,
 updated_at = s.finished_at, result = s.result, label = s.label
FROM s WHERE outlast_task.num = s.num AND outlast_task.id = s.id AND state = 5`
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

// claimNode is what the fence of many successes compares.
type claimNode struct {
	claim int64
	node  string
}

// succeedMany ends successes. If one turns out to be stale, not running or
// canceled, the transaction starts again, one by one.
func (b *settling) succeedMany(plain []place, results []store.Settled) error {
	groups := map[claimNode][]int64{}
	for _, s := range plain {
		fence := claimNode{s.Task.Claim, s.Task.Node}
		groups[fence] = append(groups[fence], s.num)
	}
	for fence, nums := range groups {
		if err := b.endRuns(fence, nums); err != nil {
			return err
		}
	}
	for i, s := range plain {
		delete(b.tx.store.claimed, s.Task.ID)
		results[i] = store.Settled{Status: store.StatusOK, State: task.Succeeded}
	}
	for len(plain) > 0 {
		q, n := finishRow, 1
		if len(plain) >= manyRows {
			q, n = finishRows, manyRows
		}
		args := make([]any, 0, finishColumns*n)
		for _, s := range plain[:n] {
			args = append(args, s.num, s.Task.ID[:], s.Task.Claim, s.Task.Node, s.StartedAt.UnixMicro(), b.endOf(s.Settlement), s.Result, labelText(s.Settlement))
		}
		ended, err := b.tx.exec(q, args...)
		if err != nil {
			return err
		}
		if ended != int64(n) {
			return errPartly
		}
		plain = plain[n:]
	}
	return nil
}

func (b *settling) endRuns(fence claimNode, nums []int64) error {
	for len(nums) > 0 {
		n := min(len(nums), chunk)
		args := make([]any, 0, chunk+2)
		for i := range chunk {
			if i < n {
				args = append(args, nums[i])
			} else {
				args = append(args, nil)
			}
		}
		ended, err := b.tx.exec(runsEnded, append(args, fence.claim, fence.node)...)
		if err != nil {
			return err
		}
		if ended != int64(n) {
			return errPartly
		}
		nums = nums[n:]
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
