package retrypgx

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/retry"
)

// server is a scripted pool: it records statements and answers the n-th time of each
// with the n-th error.
type server struct {
	script map[string][]error
	log    []string
}

func (s *server) answer(statement string) error {
	s.log = append(s.log, statement)
	if left := s.script[statement]; len(left) > 0 {
		s.script[statement] = left[1:]
		return left[0]
	}
	return nil
}

func (s *server) seen() string { return strings.Join(s.log, ", ") }

func (s *server) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	statement := strings.TrimSpace("BEGIN " + string(options.IsoLevel))
	if err := s.answer(statement); err != nil {
		return nil, err
	}
	return &fakeTx{server: s}, ctx.Err()
}

// fakeTx is a transaction or, with a name, a savepoint.
type fakeTx struct {
	server *server
	name   string
	closed bool
}

func (t *fakeTx) Begin(context.Context) (pgx.Tx, error) {
	return &fakeTx{server: t.server, name: " savepoint"}, t.server.answer("SAVEPOINT")
}

func (t *fakeTx) end(ctx context.Context, how string) error {
	if t.closed {
		return pgx.ErrTxClosed
	}
	t.closed = true
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.server.answer(how + t.name)
}

func (t *fakeTx) Commit(ctx context.Context) error   { return t.end(ctx, "COMMIT") }
func (t *fakeTx) Rollback(ctx context.Context) error { return t.end(ctx, "ROLLBACK") }
func (t *fakeTx) Conn() *pgx.Conn                    { return nil }
func (t *fakeTx) LargeObjects() pgx.LargeObjects     { return pgx.LargeObjects{} }

func (t *fakeTx) Exec(ctx context.Context, sql string, _ ...any) (pgconn.CommandTag, error) {
	if err := ctx.Err(); err != nil {
		return pgconn.CommandTag{}, err
	}
	return pgconn.NewCommandTag("OK"), t.server.answer(sql)
}

func (t *fakeTx) Query(_ context.Context, sql string, _ ...any) (pgx.Rows, error) {
	return &fakeRows{err: t.server.answer(sql)}, nil // pgx gives most errors with the rows
}

func (t *fakeTx) QueryRow(_ context.Context, sql string, _ ...any) pgx.Row {
	return &fakeRows{err: t.server.answer(sql)}
}

func (t *fakeTx) Prepare(_ context.Context, name, _ string) (*pgconn.StatementDescription, error) {
	return &pgconn.StatementDescription{Name: name}, t.server.answer("prepare")
}

func (t *fakeTx) CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error) {
	return 1, t.server.answer("copy")
}

func (t *fakeTx) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults {
	return &fakeBatch{err: t.server.answer("batch")}
}

type fakeRows struct {
	failedRows
	err error
}

func (r *fakeRows) Err() error        { return r.err }
func (r *fakeRows) Scan(...any) error { return r.err }

type fakeBatch struct {
	failedBatch
	err error
}

func (b *fakeBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b *fakeBatch) Query() (pgx.Rows, error)         { return &fakeRows{err: b.err}, nil }
func (b *fakeBatch) QueryRow() pgx.Row                { return &fakeRows{err: b.err} }
func (b *fakeBatch) Close() error                     { return b.err }

func code(state string) error { return &pgconn.PgError{Code: state, Message: "scripted"} }

// policy is three attempts without a wait.
func policy(t *testing.T, options ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(append([]retry.Option{retry.Fixed(time.Nanosecond), retry.NoJitter(), retry.Attempts(3)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exec runs statements and returns the first error.
func exec(ctx context.Context, tx pgx.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
