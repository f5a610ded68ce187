package mysql

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// SettleTx implements [store.TxSettler]. tx is a *sql.Tx on the same database.
// The rows of the task stay locked until it ends.
func (s *Store) SettleTx(ctx context.Context, foreign any, settlement store.Settlement) (store.Settled, error) {
	on, err := transaction(foreign)
	if err != nil {
		return store.Settled{}, err
	}
	if err := checkSettlement(&settlement); err != nil {
		return store.Settled{}, err
	}
	if settlement.Outcome != task.OutcomeSucceeded {
		return store.Settled{}, task.Invalid("outcome", "only a success is settled in a caller's transaction", "return the error instead")
	}
	tx := &tx{session: &session{ctx, on}, store: s, foreign: true}
	if status, err := tx.runs(&settlement); status != "" || err != nil {
		return store.Settled{Status: status}, s.elsewhere(err)
	}
	seq, err := s.reserve(ctx, keyed(follows(&settlement)))
	if err != nil {
		return store.Settled{}, err
	}
	var settled store.Settled
	err = tx.apart(func() error {
		return (&settling{tx: tx, seq: &seq}).run([]settleItem{{&settlement, &settled}})
	})
	if err != nil {
		return store.Settled{}, s.elsewhere(err)
	}
	return settled, nil
}

// apart runs fn so that a failure undoes what it changed, and only that.
func (tx *tx) apart(fn func() error) error {
	if _, err := tx.exec(`SAVEPOINT outlast_settle`); err != nil {
		return err
	}
	err := fn()
	end := `RELEASE SAVEPOINT outlast_settle`
	if err != nil {
		end = `ROLLBACK TO SAVEPOINT outlast_settle`
	}
	if _, failed := tx.exec(end); failed != nil && numbered(err) != deadlock { // which has undone the whole transaction
		return errors.Join(err, failed)
	}
	return err
}

// runsUnder reads under which claim a task runs, null if it does not.
const runsUnder = `SELECT r.claim FROM outlast_task t LEFT JOIN outlast_run r ON r.id = t.id WHERE t.id = ?`

// runs answers a settlement whose task does not run under its claim; the
// status is "" if it does. It locks nothing: at REPEATABLE READ, a locking read
// that finds no row would keep others from inserting any near it.
func (tx *tx) runs(s *store.Settlement) (store.Status, error) {
	var claim number
	found, err := tx.first(runsUnder, []any{&claim}, s.Task.ID)
	switch {
	case err != nil:
		return "", err
	case !found:
		return store.StatusNotFound, nil
	case int64(claim) != s.Task.Claim || claim == 0:
		return store.StatusStale, nil
	}
	return "", nil
}
