package mysql

import (
	"context"
	"database/sql"
	"fmt"
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
