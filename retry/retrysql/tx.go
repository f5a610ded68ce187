package retrysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/wholetx"
)

// Error is the end of a transaction that the database had a part in. Errors of the
// function's own are returned as they are.
type Error = wholetx.Error

// ErrUnknownOutcome is matched by the error of a COMMIT after which nobody knows
// whether the transaction took place.
var ErrUnknownOutcome = wholetx.ErrUnknownOutcome

// Forgive lets the transaction go on after a conflict that ended only one
// statement, such as a SELECT … FOR UPDATE NOWAIT that met a lock. Call it in the
// function, with the function's context, when the function has dealt with the
// error. It reports whether there was such a conflict: deadlocks and serialization
// failures end the transaction and cannot be forgiven. PostgreSQL wants a ROLLBACK
// TO a savepoint next.
func Forgive(ctx context.Context) bool { return wholetx.Forgive(ctx) }

// Tx runs fn in a transaction of db and commits it, again and again from BEGIN as p
// says. Options are those of [sql.DB.BeginTx]; nil are the database's. It returns
// nil after a COMMIT that worked, else a [*retry.Error] whose Last is an [*Error]
// or fn's own error.
//
// Each attempt takes a connection from db; BEGIN and the transaction run under the
// context of the attempt. Kept connections that turn out to be dead at BEGIN are
// replaced without that being an attempt. A panic of fn rolls back and goes on.
//
// The transaction belongs to a database of its own around the connection, which is
// how the driver is watched. Statements that were prepared on db cannot be used
// through tx.Stmt; prepare them on tx.
func Tx(ctx context.Context, db *sql.DB, p *retry.Policy, options *sql.TxOptions,
	fn func(ctx context.Context, tx *sql.Tx) error, opts ...retry.CallOption) error {
	return retry.Do(ctx, p, func(ctx context.Context) error {
		for stale := db.Stats().OpenConnections; ; stale-- {
			err := attempt(ctx, db, options, fn)
			if err != errStale { //nolint:errorlint // errors that wrap it mean something else
				return err
			}
			if stale <= 0 {
				return wholetx.Begun(err)
			}
		}
	}, opts...)
}

// errStale is the cause of an attempt that ended at BEGIN because the connection
// had died in the pool.
var errStale = driver.ErrBadConn

// attempt runs the transaction once. It returns errStale itself, and nothing that
// wraps it, when BEGIN was not sent.
func attempt(ctx context.Context, db *sql.DB, options *sql.TxOptions, fn func(context.Context, *sql.Tx) error) (err error) {
	kept, err := db.Conn(ctx)
	if err != nil {
		return wholetx.Begun(err)
	}
	defer func() { _ = kept.Close() }() // gives the connection back; it fails only if that was done already
	rawErr := kept.Raw(func(raw any) error {
		conn := &conn{Conn: raw.(driver.Conn), ctx: ctx}
		if err = conn.run(options, fn); conn.dirty {
			return driver.ErrBadConn
		}
		return nil
	})
	if err == nil && rawErr != nil && !errors.Is(rawErr, driver.ErrBadConn) {
		return wholetx.Begun(rawErr) // the connection was not to be had
	}
	return err
}
