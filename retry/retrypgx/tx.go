package retrypgx

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/wholetx"
)

// RollbackTimeout bounds a rollback, which does not end with the attempt that it
// belongs to. After it the connection is closed.
const RollbackTimeout = 5 * time.Second

// Error is the end of a transaction that the database had a part in. Errors of the
// function's own are returned as they are.
type Error = wholetx.Error

// ErrUnknownOutcome is matched by the error of a COMMIT after which nobody knows
// whether the transaction took place.
var ErrUnknownOutcome = wholetx.ErrUnknownOutcome

// Forgive lets the transaction go on after a conflict that ended only one
// statement: lock_not_available (55P03) or object_in_use (55006). Call it in the
// function, with the function's context, after a nested transaction has been rolled
// back. It reports whether there was such a conflict.
func Forgive(ctx context.Context) bool { return wholetx.Forgive(ctx) }

// Beginner is a *pgx.Conn, *pgxpool.Pool or *pgxpool.Conn.
type Beginner interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Tx runs fn in a transaction of db and commits it, again and again from BEGIN as p
// says. It returns nil after a COMMIT that worked, else a [*retry.Error] whose Last
// is an [*Error] or fn's own error. BEGIN, COMMIT and what fn does run under the
// context of the attempt. A panic of fn rolls back and goes on.
//
// A db that is a single connection stays lost when it is lost; repeating then helps
// only with a pool.
func Tx(ctx context.Context, db Beginner, p *retry.Policy, options pgx.TxOptions,
	fn func(ctx context.Context, tx pgx.Tx) error, opts ...retry.CallOption) error {
	return retry.Do(ctx, p, func(ctx context.Context) error { return attempt(ctx, db, options, fn) }, opts...)
}

// attempt runs the transaction once.
func attempt(ctx context.Context, db Beginner, options pgx.TxOptions, fn func(context.Context, pgx.Tx) error) error {
	begun, err := db.BeginTx(ctx, options)
	if err != nil {
		return wholetx.Begun(err)
	}
	watch := &wholetx.Watch{}
	tx := &outerTx{watchedTx: watchedTx{begun, watch}}
	returned := false
	defer func() {
		if !returned { // fn panicked, or ended its goroutine
			_ = tx.undo(ctx)
		}
	}()
	err = fn(watch.Into(ctx), tx)
	returned = true
	switch {
	case tx.end == committed:
		return wholetx.Ended("committed", err)
	case err == nil && tx.end == rolledBack && watch.Broken() == nil:
		return wholetx.Ended("rolled back", nil)
	case err == nil && watch.Broken() == nil:
		return watch.Committed(tx.Commit(ctx))
	}
	return watch.RolledBack(err, tx.undo(ctx))
}

// ending is how the transaction was ended.
type ending uint8

const (
	notEnded ending = iota
	committed
	rolledBack
)

// outerTx is the transaction itself.
type outerTx struct {
	watchedTx
	end ending
}

// Commit implements [pgx.Tx].
func (t *outerTx) Commit(ctx context.Context) error {
	if t.end == notEnded {
		t.watch.Committing()
		t.end = committed
	}
	return t.Tx.Commit(ctx)
}

// Rollback implements [pgx.Tx].
func (t *outerTx) Rollback(ctx context.Context) error {
	err := t.Tx.Rollback(ctx)
	if err == nil && t.end == notEnded {
		t.end = rolledBack
	}
	return err
}

// undo rolls back unless the function has done so, also when the attempt's context
// has ended.
func (t *outerTx) undo(ctx context.Context) error {
	if t.end == rolledBack {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RollbackTimeout)
	defer cancel()
	err := t.Rollback(ctx)
	if err == nil {
		return nil // the connection may be somebody else's by now
	}
	if conn := t.Conn(); conn != nil && conn.IsClosed() {
		return nil // there is no connection any more, and so no transaction
	}
	return err
}
