package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

// EnqueueTx implements [store.TxEnqueuer]. tx is a *sql.Tx of any SQLite
// driver on the same file. Begin it with BEGIN IMMEDIATE (_txlock=immediate)
// if it reads before it enqueues, lest SQLite refuse the later write.
func (s *Store) EnqueueTx(ctx context.Context, tx any, items []store.Insert) ([]store.Inserted, error) {
	foreign, ok := tx.(*sql.Tx)
	if !ok || foreign == nil {
		return nil, task.Invalid("tx", fmt.Sprintf("a %T is not a transaction of database/sql", tx), "pass a *sql.Tx")
	}
	for i := range items {
		if err := check.Insert(&items[i]); err != nil {
			return nil, err
		}
	}
	return insertAll(&foreignSession{ctx, foreign}, &arrival{s.now(), s.standIn()}, items, false)
}

// foreignSession runs our statements in a caller's transaction.
type foreignSession struct {
	ctx context.Context
	tx  *sql.Tx
}

func (f *foreignSession) exec(q *query, args ...any) (int64, error) {
	result, err := f.tx.ExecContext(f.ctx, q.sql, plainAll(args)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (f *foreignSession) each(q *query, scan func(row) error, args ...any) (err error) {
	rows, err := f.tx.QueryContext(f.ctx, q.sql, plainAll(args)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	copied := make(row, len(columns))
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for i := range values {
			copied[i] = driver.Value(values[i])
		}
		if err := scan(copied); err != nil {
			return err
		}
	}
	return rows.Err()
}

func plainAll(args []any) []any {
	out := make([]any, len(args))
	for i := range args {
		out[i] = plain(args[i])
	}
	return out
}
