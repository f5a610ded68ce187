package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	_ store.TxEnqueuer = (*Store)(nil)
	_ store.TxSettler  = (*Store)(nil)
)

// A failed call leaves nothing behind that the caller could commit.
const (
	savepoint  = `SAVEPOINT outlast`
	rollbackTo = `ROLLBACK TO SAVEPOINT outlast`
	release    = `RELEASE SAVEPOINT outlast`
)

// EnqueueTx implements [store.TxEnqueuer]. tx is a [pgx.Tx], or a *sql.Tx of
// any PostgreSQL driver, on the database of the store; its search path does
// not matter.
func (s *Store) EnqueueTx(ctx context.Context, tx any, items []store.Insert) (inserted []store.Inserted, err error) {
	foreign, err := s.foreignOf(tx)
	if err != nil {
		return nil, err
	}
	if err := checkBatch(items); err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return []store.Inserted{}, nil
	}
	err = foreign.apart(ctx, func(session wire.Session) error {
		t := &txOf{Session: session, store: s, callers: true}
		if err := t.look(ctx); err != nil {
			return err
		}
		if inserted, err = insertAll(ctx, t, items); err == nil {
			err = t.addCounts(ctx)
		}
		if err != nil || !t.dated {
			return err
		}
		return s.noneEndedSince(ctx, items, inserted)
	})
	if err != nil {
		return nil, s.elsewhere(err)
	}
	return inserted, nil
}

// elsewhere recognises a caller's transaction on a database that is not the store's.
func (s *Store) elsewhere(err error) error {
	switch wire.CodeOf(err) {
	case wire.CodeNoTable, wire.CodeNoSchema:
		return &task.Error{Code: task.CodeInvalid, Message: fmt.Sprintf("the transaction's database has no tables of Outlast in the schema %s: %s", quote(s.schema), wire.MessageOf(err)),
			Hint: "begin it on the database of the store, " + quote(s.pool.Config().ConnConfig.Database), Fields: []task.Field{{Path: "tx", Message: "on another database"}}, Err: err}
	}
	return s.explained(err)
}

// SettleTx implements [store.TxSettler]; see EnqueueTx about tx.
func (s *Store) SettleTx(ctx context.Context, tx any, settlement store.Settlement) (settled store.Settled, err error) {
	foreign, err := s.foreignOf(tx)
	if err != nil {
		return settled, err
	}
	if settlement.Task == nil || settlement.Outcome != task.OutcomeSucceeded {
		return settled, task.Invalid("outcome", "a transaction of the caller ends an attempt as succeeded only", "")
	}
	if err := check.Settlement(&settlement); err != nil {
		return store.Settled{Status: store.StatusRefused, Err: err}, nil
	}
	err = foreign.apart(ctx, func(session wire.Session) error {
		t := &txOf{Session: session, store: s, callers: true}
		if err := t.look(ctx); err != nil {
			return err
		}
		if settled, err = t.settle(ctx, &settlement, false); err != nil {
			return err
		}
		return t.addCounts(ctx)
	})
	var refused errRefused
	switch {
	case errors.As(err, &refused):
		return store.Settled{Status: store.StatusRefused, Err: refused.error}, nil
	case wire.CodeOf(err) == wire.CodeNoPartition:
		// The caller's transaction goes on to be good for something only if it
		// begins again, when the partition will be there.
		return store.Settled{}, errors.Join(err, s.makePartitions(context.WithoutCancel(ctx), 1))
	case wire.Refusal(err):
		return store.Settled{Status: store.StatusRefused, Err: refusedData(err)}, nil
	}
	return settled, s.elsewhere(err)
}

// txOf is a transaction of a caller.
type txOf = tx

// lookAround reads the clock, and whether all statements see one snapshot.
var lookAround = wire.NewQuery(`SELECT ` + wire.NowMicro + `, CASE WHEN current_setting('transaction_isolation') IN ('read committed', 'read uncommitted') THEN 0 ELSE 1 END::bigint`)

// look learns about the caller's transaction.
func (t *tx) look(ctx context.Context) error {
	_, err := wire.One(ctx, t, lookAround, func(r wire.Row) { t.now, t.dated = r.Int(0), r.Bool(1) }, t.store.offset())
	if err == nil && t.store.spread {
		_, err = wire.Exec(ctx, t, localSettings)
	}
	return err
}

// foreign is a transaction of a caller.
type foreign interface {
	// apart runs fn so that a failure undoes what it changed. It fails if the
	// transaction has ended.
	apart(ctx context.Context, fn func(wire.Session) error) error
}

func (s *Store) foreignOf(tx any) (foreign, error) {
	switch tx := tx.(type) {
	case pgx.Tx:
		return &pgxTx{tx, s}, nil
	case *sql.Tx:
		if tx != nil {
			return &sqlTx{tx, s}, nil
		}
	}
	return nil, task.Invalid("tx", fmt.Sprintf("a %T is not a transaction of pgx or database/sql", tx), "pass a pgx.Tx or a *sql.Tx")
}

// pgxTx runs our statements on the connection of the caller's transaction.
type pgxTx struct {
	tx    pgx.Tx
	store *Store
}

func (f *pgxTx) apart(ctx context.Context, fn func(wire.Session) error) error {
	if _, err := f.tx.Exec(ctx, savepoint); err != nil {
		return err
	}
	return finish(ctx, fn(f.store.newConn(f.tx.Conn())), func(ctx context.Context, text string) error {
		_, err := f.tx.Exec(ctx, text)
		return err
	})
}

// finish ends what savepoint began.
func finish(ctx context.Context, err error, exec func(ctx context.Context, text string) error) error {
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		if undo := exec(ctx, rollbackTo); undo != nil {
			return errors.Join(err, undo)
		}
	}
	return errors.Join(err, exec(ctx, release))
}

// sqlTx runs our statements through database/sql.
type sqlTx struct {
	tx    *sql.Tx
	store *Store
}

func (f *sqlTx) apart(ctx context.Context, fn func(wire.Session) error) error {
	if _, err := f.tx.ExecContext(ctx, savepoint); err != nil {
		return err
	}
	return finish(ctx, fn(wire.OverSQL(f.tx, f.store.book)), func(ctx context.Context, text string) error {
		_, err := f.tx.ExecContext(ctx, text)
		return err
	})
}
