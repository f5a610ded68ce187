package retrysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/wholetx"
)

// conn is a connection of the driver for one transaction: it tells the watch about
// every error and asks it before every statement. It offers what database/sql
// looks for in a connection, and does what database/sql does where the driver
// lacks it.
type conn struct {
	driver.Conn
	ctx   context.Context // of the attempt
	watch wholetx.Watch
	given bool // to the transaction's own database
	dirty bool // not to go back to the pool
	end   ending
}

// ending is how the driver ended the transaction.
type ending uint8

const (
	notEnded ending = iota
	committed
	rolledBack
)

// Connect implements [driver.Connector]: there is one connection.
func (c *conn) Connect(context.Context) (driver.Conn, error) {
	if c.given {
		return nil, driver.ErrBadConn
	}
	c.given = true
	return c, nil
}

// Driver implements [driver.Connector]; nobody asks.
func (c *conn) Driver() driver.Driver { return nil }

// Close leaves the connection to the pool that it came from.
func (c *conn) Close() error { return nil }

// run runs fn in a transaction of the connection and ends it.
func (c *conn) run(options *sql.TxOptions, fn func(context.Context, *sql.Tx) error) error {
	db := sql.OpenDB(c)
	defer func() { _ = db.Close() }()
	// The end of the attempt's context must not roll back in the background, while
	// the connection goes back to the pool. The driver gets that context all the
	// same, see BeginTx and next.
	tx, err := db.BeginTx(context.WithoutCancel(c.ctx), options)
	if err != nil {
		return c.notBegun(err)
	}
	returned := false
	defer func() {
		if !returned { // fn panicked, or ended its goroutine
			_ = c.rollback(tx)
		}
	}()
	err = fn(c.watch.Into(c.ctx), tx)
	returned = true
	switch {
	case c.end == committed:
		return wholetx.Ended("committed", err)
	case err == nil && c.end == rolledBack && c.watch.Broken() == nil:
		return wholetx.Ended("rolled back", nil)
	case err == nil && c.watch.Broken() == nil:
		return c.commit(tx)
	}
	return c.watch.RolledBack(err, c.rollback(tx))
}

// notBegun is the end of an attempt without a transaction. A connection whose state
// is in doubt is not used again.
func (c *conn) notBegun(err error) error {
	c.dirty = retry.Classify(err).Effect == retry.Maybe || errors.Is(err, driver.ErrBadConn)
	if errors.Is(err, driver.ErrBadConn) {
		return errStale
	}
	return wholetx.Begun(err)
}

// commit ends the transaction. A connection whose COMMIT ended in doubt is not used
// again.
func (c *conn) commit(tx *sql.Tx) error {
	err := c.watch.Committed(tx.Commit())
	if failed, ok := errors.AsType[*Error](err); ok {
		c.dirty = failed.Unknown || errors.Is(err, driver.ErrBadConn)
	}
	return err
}

// rollback ends the transaction unless the function has done so. A connection whose
// ROLLBACK failed is not used again.
func (c *conn) rollback(tx *sql.Tx) error {
	err := tx.Rollback()
	if c.end == rolledBack {
		err = nil
	}
	if err != nil || c.ctx.Err() != nil && !c.resets() {
		c.dirty = true
	}
	if errors.Is(err, driver.ErrBadConn) {
		return nil // there is no connection any more, and so no transaction
	}
	return err
}

// resets reports drivers that promise to clean a connection whose context ended
// in the middle of something, by the same rule as database/sql.
func (c *conn) resets() bool {
	_, resets := c.Conn.(driver.SessionResetter)
	_, tells := c.Conn.(driver.Validator)
	return resets && tells
}

// BeginTx begins under the attempt's own context.
func (c *conn) BeginTx(_ context.Context, options driver.TxOptions) (driver.Tx, error) {
	var tx driver.Tx
	var err error
	begin, ok := c.Conn.(driver.ConnBeginTx)
	switch {
	case ok:
		tx, err = begin.BeginTx(c.ctx, options)
	case options.Isolation != driver.IsolationLevel(sql.LevelDefault):
		return nil, errors.New("the driver has no isolation levels")
	case options.ReadOnly:
		return nil, errors.New("the driver has no read-only transactions")
	default:
		tx, err = c.Conn.Begin() //nolint:staticcheck // the driver has nothing newer
	}
	if err != nil {
		return nil, err
	}
	return &driverTx{tx, c}, nil
}

// driverTx is a transaction of the driver.
type driverTx struct {
	driver.Tx
	conn *conn
}

func (t *driverTx) Commit() error {
	t.conn.watch.Committing()
	t.conn.end = committed
	return t.Tx.Commit()
}

func (t *driverTx) Rollback() error {
	err := t.Tx.Rollback()
	if err == nil {
		t.conn.end = rolledBack
	}
	return err
}

// next reports what speaks against sending a statement.
func (c *conn) next(ctx context.Context) error {
	if err := c.watch.Next(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.ctx.Err()
}

// saw tells the watch about an error, except those by which drivers talk to
// database/sql.
func (c *conn) saw(err error) error {
	if err == nil || errors.Is(err, driver.ErrSkip) || errors.Is(err, driver.ErrRemoveArgument) {
		return err
	}
	return c.watch.Saw(err)
}

// ExecContext implements [driver.ExecerContext].
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.next(ctx); err != nil {
		return nil, err
	}
	result, err := c.exec(ctx, query, args)
	if err == nil {
		c.watch.Statement(query)
	}
	return result, c.saw(err)
}

func (c *conn) exec(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if execer, ok := c.Conn.(driver.ExecerContext); ok {
		return execer.ExecContext(ctx, query, args)
	}
	execer, ok := c.Conn.(driver.Execer) //nolint:staticcheck // for drivers that have nothing newer
	if !ok {
		return nil, driver.ErrSkip
	}
	values, err := unnamed(args)
	if err != nil {
		return nil, err
	}
	return execer.Exec(query, values)
}

// QueryContext implements [driver.QueryerContext].
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.next(ctx); err != nil {
		return nil, err
	}
	found, err := c.query(ctx, query, args)
	if err != nil {
		return nil, c.saw(err)
	}
	return &rows{found, c}, nil
}

func (c *conn) query(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if queryer, ok := c.Conn.(driver.QueryerContext); ok {
		return queryer.QueryContext(ctx, query, args)
	}
	queryer, ok := c.Conn.(driver.Queryer) //nolint:staticcheck // for drivers that have nothing newer
	if !ok {
		return nil, driver.ErrSkip
	}
	values, err := unnamed(args)
	if err != nil {
		return nil, err
	}
	return queryer.Query(query, values)
}

// PrepareContext implements [driver.ConnPrepareContext].
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.next(ctx); err != nil {
		return nil, err
	}
	var prepared driver.Stmt
	var err error
	if preparer, ok := c.Conn.(driver.ConnPrepareContext); ok {
		prepared, err = preparer.PrepareContext(ctx, query)
	} else {
		prepared, err = c.Conn.Prepare(query)
	}
	if err != nil {
		return nil, c.saw(err)
	}
	watched := &stmt{prepared, c, query}
	if converter, ok := prepared.(driver.ColumnConverter); ok { //nolint:staticcheck // for drivers that have nothing newer
		return &convertingStmt{watched, converter}, nil
	}
	return watched, nil
}

// CheckNamedValue implements [driver.NamedValueChecker].
func (c *conn) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}

// unnamed is for drivers that know no names of arguments.
func unnamed(args []driver.NamedValue) ([]driver.Value, error) {
	values := make([]driver.Value, len(args))
	for i, arg := range args {
		if arg.Name != "" {
			return nil, errors.New("the driver has no named arguments")
		}
		values[i] = arg.Value
	}
	return values, nil
}
