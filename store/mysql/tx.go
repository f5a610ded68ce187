package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

// EnqueueTx implements [store.TxEnqueuer]. tx is a *sql.Tx on the same
// database, of any pool, driver and isolation level. The numbers of keyed
// tasks are taken on a connection of the store's own, so that one caller's
// transaction does not hold up all others.
func (s *Store) EnqueueTx(ctx context.Context, foreign any, items []store.Insert) ([]store.Inserted, error) {
	on, err := transaction(foreign)
	if err != nil {
		return nil, err
	}
	wanted := make([]*store.Insert, len(items))
	dedupe := false
	for i := range items {
		if err := check.Insert(&items[i]); err != nil {
			return nil, err
		}
		wanted[i] = &items[i]
		dedupe = dedupe || items[i].Dedupe != nil
	}
	seq, err := s.reserve(ctx, keyed(wanted))
	if err != nil {
		return nil, err
	}
	tx := &tx{session: &session{ctx, on}, store: s, foreign: true}
	if err := tx.readClock(); err != nil {
		return nil, err
	}
	rows, err := rowsOf(wanted, tx.now, seq)
	if err != nil {
		return nil, task.Invalid("task", "it cannot be stored: "+err.Error(), "")
	}
	if err := tx.briefly(dedupe, func() error { return tx.insertAll(rows) }); err != nil {
		return nil, s.elsewhere(err)
	}
	inserted := make([]store.Inserted, len(rows))
	for i, row := range rows {
		inserted[i] = row.inserted()
	}
	return inserted, nil
}

func transaction(foreign any) (*sql.Tx, error) {
	tx, ok := foreign.(*sql.Tx)
	if !ok || tx == nil {
		return nil, task.Invalid("tx", fmt.Sprintf("a %T is not a transaction of database/sql", foreign), "pass a *sql.Tx")
	}
	return tx, nil
}

// reserve takes numbers for keyed tasks.
func (s *Store) reserve(ctx context.Context, n int64) (seq int64, err error) {
	if n == 0 {
		return 0, nil
	}
	err = s.read(ctx, func(c *session) (err error) {
		seq, err = c.seqs(n)
		return err
	})
	return seq, err
}

// briefly runs fn so that a caller's connection waits for a lock no longer
// than a second.
func (tx *tx) briefly(limited bool, fn func() error) error {
	if !limited {
		return fn()
	}
	var before int64
	if err := tx.one(`SELECT @@SESSION.innodb_lock_wait_timeout`, &before); err != nil {
		return err
	}
	if _, err := tx.exec(`SET SESSION innodb_lock_wait_timeout = 1`); err != nil {
		return err
	}
	err := fn()
	back := strings.Replace(`SET SESSION innodb_lock_wait_timeout = @n`, "@n", fmt.Sprint(before), 1)
	if _, end := tx.exec(back); end != nil && err == nil {
		err = end
	}
	return err
}

// SettleTx implements [store.TxSettler]. tx is a *sql.Tx on the same database.
// The rows of the task stay locked until it ends.
func (s *Store) SettleTx(ctx context.Context, foreign any, settlement store.Settlement) (store.Settled, error) {
	on, err := transaction(foreign)
	if err != nil {
		return store.Settled{}, err
	}
	if err := check.Settlement(&settlement); err != nil {
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

// apart runs fn so that a failure undoes what it changed, and only that. One within another
// has a savepoint of its own: a second one of a name would take the place of the first.
func (tx *tx) apart(fn func() error) error {
	name := "outlast_" + strconv.Itoa(tx.depth)
	if _, err := tx.exec(`SAVEPOINT ` + name); err != nil {
		return err
	}
	tx.depth++
	err := fn()
	tx.depth--
	end := `RELEASE SAVEPOINT `
	if err != nil {
		end = `ROLLBACK TO SAVEPOINT `
	}
	if _, failed := tx.exec(end + name); failed != nil && numbered(err) != deadlock { // which has undone the whole transaction
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
