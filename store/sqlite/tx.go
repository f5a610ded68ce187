package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// A failed call leaves nothing behind that the caller could commit.
	txBegin = &query{sql: `SAVEPOINT outlast`}
	txUndo  = &query{sql: `ROLLBACK TO outlast`}
	txEnd   = &query{sql: `RELEASE outlast`}
)

// EnqueueTx implements [store.TxEnqueuer]. tx is a *sql.Tx of any SQLite
// driver on the same file. Begin it with BEGIN IMMEDIATE (_txlock=immediate)
// if it reads before it enqueues, lest SQLite refuse the later write.
func (s *Store) EnqueueTx(ctx context.Context, tx any, items []store.Insert) (inserted []store.Inserted, err error) {
	foreign, err := foreignOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if err := check.Insert(&items[i]); err != nil {
			return nil, err
		}
	}
	err = foreign.apart(func() error {
		inserted, err = insertAll(foreign, s.arrival(), items, false)
		return err
	})
	if err != nil {
		return nil, err
	}
	return inserted, nil
}

// SettleTx implements [store.TxSettler]; see EnqueueTx about tx.
func (s *Store) SettleTx(ctx context.Context, tx any, settlement store.Settlement) (settled store.Settled, err error) {
	foreign, err := foreignOf(ctx, tx)
	if err != nil {
		return settled, err
	}
	if settlement.Task == nil || settlement.Outcome != task.OutcomeSucceeded {
		return settled, task.Invalid("outcome", "a transaction of the caller ends an attempt as succeeded only", "")
	}
	if err := check.Settlement(&settlement); err != nil {
		return store.Settled{Status: store.StatusRefused, Err: err}, nil
	}
	err = foreign.apart(func() error {
		settled, err = s.succeedTx(foreign, &settlement)
		return err
	})
	if err != nil && refusal(err) {
		return store.Settled{Status: store.StatusRefused, Err: err}, nil
	}
	return settled, err
}

func (s *Store) succeedTx(foreign *foreignSession, settlement *store.Settlement) (store.Settled, error) {
	id, arrival, end := settlement.Task.ID, s.arrival(), settlement.EndedAt
	if end.IsZero() {
		end = stored.Time(arrival.now)
	}
	n, err := foreign.exec(finish, id, settlement.Task.Claim, succeeded, end.UnixMicro(), stored.MicroOrNull(settlement.StartedAt),
		string(task.OutcomeSucceeded), settlement.Result, nil, 0)
	switch {
	case err != nil:
		return store.Settled{}, err
	case n == 0:
		return lateTx(foreign, id)
	}
	if err := deleteRun(foreign, id); err != nil {
		return store.Settled{}, err
	}
	if err := countEnds(foreign, task.Succeeded, settlement.Task); err != nil {
		return store.Settled{}, err
	}
	return store.Settled{Status: store.StatusOK, State: task.Succeeded}, insertFollow(foreign, arrival, settlement.Follow)
}

// lateTx answers for a row that does not run under the claim: it ended, by
// this very claim perhaps, or it has another one.
func lateTx(s session, id task.ID) (store.Settled, error) {
	_, err := get(s, id)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return store.Settled{Status: store.StatusNotFound}, nil
	}
	return store.Settled{Status: store.StatusStale}, err
}

func (s *Store) arrival() *arrival { return &arrival{s.now(), s.standIn()} }

func foreignOf(ctx context.Context, tx any) (*foreignSession, error) {
	foreign, ok := tx.(*sql.Tx)
	if !ok || foreign == nil {
		return nil, task.Invalid("tx", fmt.Sprintf("a %T is not a transaction of database/sql", tx), "pass a *sql.Tx")
	}
	return &foreignSession{ctx, foreign}, nil
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

// apart runs fn so that a failure undoes what it changed.
func (f *foreignSession) apart(fn func() error) error {
	if _, err := f.exec(txBegin); err != nil {
		return err
	}
	err := fn()
	f.ctx = context.WithoutCancel(f.ctx)
	if err != nil {
		if _, undo := f.exec(txUndo); undo != nil {
			return errors.Join(err, undo)
		}
	}
	if _, end := f.exec(txEnd); end != nil {
		return errors.Join(err, end)
	}
	return err
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
