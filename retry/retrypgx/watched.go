package retrypgx

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/wholetx"
)

// watchedTx tells the watch about every error of the database and asks it before
// every statement. Large objects and what the function does with Conn are not
// watched; PostgreSQL itself lets a failed transaction do nothing more.
type watchedTx struct {
	pgx.Tx
	watch *wholetx.Watch
}

// saw tells the watch about errors of the server and of the connection, not about
// those of reading a row into a variable.
func (t *watchedTx) saw(err error) error {
	if err == nil {
		return nil
	}
	if _, answered := errors.AsType[*pgconn.PgError](err); answered {
		return t.watch.Saw(err)
	}
	if c := retry.Classify(err).Category; c == retry.Network || c == retry.Unsent {
		return t.watch.Saw(err)
	}
	return err
}

// Exec implements [pgx.Tx].
func (t *watchedTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.watch.Next(); err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := t.Tx.Exec(ctx, sql, args...)
	if err == nil {
		t.watch.Statement(sql)
	}
	return tag, t.saw(err)
}

// Query implements [pgx.Tx].
func (t *watchedTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := t.watch.Next(); err != nil {
		return failedRows{err}, err
	}
	rows, err := t.Tx.Query(ctx, sql, args...)
	return &watchedRows{rows, t}, t.saw(err)
}

// QueryRow implements [pgx.Tx].
func (t *watchedTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := t.watch.Next(); err != nil {
		return failedRows{err}
	}
	return &watchedRow{t.Tx.QueryRow(ctx, sql, args...), t}
}

// Prepare implements [pgx.Tx].
func (t *watchedTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := t.watch.Next(); err != nil {
		return nil, err
	}
	prepared, err := t.Tx.Prepare(ctx, name, sql)
	return prepared, t.saw(err)
}

// CopyFrom implements [pgx.Tx].
func (t *watchedTx) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if err := t.watch.Next(); err != nil {
		return 0, err
	}
	n, err := t.Tx.CopyFrom(ctx, table, columns, rows)
	return n, t.saw(err)
}

// SendBatch implements [pgx.Tx].
func (t *watchedTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	if err := t.watch.Next(); err != nil {
		return failedBatch{err}
	}
	return &watchedBatch{t.Tx.SendBatch(ctx, batch), t}
}

// Begin implements [pgx.Tx]: a savepoint.
func (t *watchedTx) Begin(ctx context.Context) (pgx.Tx, error) {
	if err := t.watch.Next(); err != nil {
		return nil, err
	}
	nested, err := t.Tx.Begin(ctx)
	if err != nil {
		return nil, t.saw(err)
	}
	return &nestedTx{watchedTx{nested, t.watch}}, nil
}

// nestedTx is a savepoint.
type nestedTx struct{ watchedTx }

// Commit implements [pgx.Tx].
func (t *nestedTx) Commit(ctx context.Context) error {
	if err := t.watch.Next(); err != nil {
		return err
	}
	return t.saw(t.Tx.Commit(ctx))
}

// Rollback implements [pgx.Tx]: the errors since the savepoint are undone.
func (t *nestedTx) Rollback(ctx context.Context) error {
	err := t.Tx.Rollback(ctx)
	if err == nil {
		t.watch.Undone()
	}
	return t.saw(err)
}

// watchedRows are the rows of a query, whose error may come with any of them.
type watchedRows struct {
	pgx.Rows
	tx *watchedTx
}

// Next implements [pgx.Rows].
func (r *watchedRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	_ = r.tx.saw(r.Rows.Err())
	return false
}

// Close implements [pgx.Rows].
func (r *watchedRows) Close() {
	r.Rows.Close()
	_ = r.tx.saw(r.Rows.Err())
}

// Err implements [pgx.Rows].
func (r *watchedRows) Err() error { return r.tx.saw(r.Rows.Err()) }

type watchedRow struct {
	pgx.Row
	tx *watchedTx
}

// Scan implements [pgx.Row].
func (r *watchedRow) Scan(dest ...any) error { return r.tx.saw(r.Row.Scan(dest...)) }

// watchedBatch are the results of a batch.
type watchedBatch struct {
	pgx.BatchResults
	tx *watchedTx
}

// Exec implements [pgx.BatchResults].
func (b *watchedBatch) Exec() (pgconn.CommandTag, error) {
	tag, err := b.BatchResults.Exec()
	return tag, b.tx.saw(err)
}

// Query implements [pgx.BatchResults].
func (b *watchedBatch) Query() (pgx.Rows, error) {
	rows, err := b.BatchResults.Query()
	return &watchedRows{rows, b.tx}, b.tx.saw(err)
}

// QueryRow implements [pgx.BatchResults].
func (b *watchedBatch) QueryRow() pgx.Row {
	return &watchedRow{b.BatchResults.QueryRow(), b.tx}
}

// Close implements [pgx.BatchResults].
func (b *watchedBatch) Close() error { return b.tx.saw(b.BatchResults.Close()) }
