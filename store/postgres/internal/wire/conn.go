package wire

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Session runs statements one after the other: in a transaction of the
// store's own, in one of a caller, or each by itself.
type Session interface {
	// Run runs calls in one round trip.
	Run(ctx context.Context, calls ...*Call) error
}

// Call is one statement with its arguments.
type Call struct {
	Query   *Query
	Text    string // instead of query: a statement that is not kept
	Args    []any
	Start   func()          // is called before the statement is sent, each time
	Scan    func(Row) error // nil drops the rows
	Changed int64           // rows, afterwards
}

// Exec runs a statement and returns how many rows it changed or returned.
func Exec(ctx context.Context, s Session, q *Query, args ...any) (int64, error) {
	c := &Call{Query: q, Args: args}
	err := s.Run(ctx, c)
	return c.Changed, err
}

// Each runs a statement and scans its rows.
func Each(ctx context.Context, s Session, q *Query, scan func(Row) error, args ...any) error {
	return s.Run(ctx, &Call{Query: q, Args: args, Scan: scan})
}

// One runs a statement of at most one row and reports whether there is one.
func One(ctx context.Context, s Session, q *Query, scan func(Row), args ...any) (found bool, err error) {
	err = Each(ctx, s, q, func(r Row) error {
		found = true
		scan(r)
		return nil
	}, args...)
	return found, err
}

// Conn runs statements on a connection. Calls that go together are one
// pipeline with one Sync at its end, hence one transaction, unless the
// connection is in a transaction already ("Pipelining" in the manual's
// chapter on the protocol).
type Conn struct {
	PG   *pgconn.PgConn
	book *Book
	// named says that statements may be prepared under a name, which stays
	// with the connection.
	named bool
	// sent is told each statement, with its values in the binary format.
	sent func(text string, values [][]byte)
}

// Use uses a connection as its owner has configured it: whoever tells pgx
// to keep no prepared statements has a reason, such as a pooler that changes
// connections with each transaction.
func Use(c *pgx.Conn, book *Book, sent func(text string, values [][]byte)) *Conn {
	return &Conn{PG: c.PgConn(), book: book, named: c.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement, sent: sent}
}

var binaryFormat = []int16{pgx.BinaryFormatCode}

// Run implements [Session].
func (c *Conn) Run(ctx context.Context, calls ...*Call) error {
	var batch pgconn.Batch
	for _, call := range calls {
		if call.Start != nil {
			call.Start()
		}
		if err := c.queue(ctx, &batch, call); err != nil {
			return err
		}
	}
	if c.PG.IsClosed() {
		return errClosed
	}
	results := c.PG.ExecBatch(ctx, &batch)
	var failed error
	for _, call := range calls {
		if err := call.readAll(results, c.parts(call)); err != nil && failed == nil {
			failed = err
		}
	}
	if err := results.Close(); err != nil {
		return unanswered{c.explain(err)}
	}
	return failed
}

// errClosed is a connection on which nothing was sent.
var errClosed = errors.New("postgres: the connection is closed")

// unanswered is an error of a connection on which something was sent: unless the
// server said so itself, nobody knows whether it was done. pgx calls some of these
// errors safe to retry, such as that of a connection which broke before the first
// answer.
type unanswered struct{ error }

func (u unanswered) Unwrap() error     { return u.error }
func (u unanswered) SafeToRetry() bool { return false }

// parts is how many statements a call is.
func (c *Conn) parts(call *Call) int {
	if call.Query == nil {
		return 1
	}
	return len(c.book.texts[call.Query.index])
}

func (c *Conn) queue(ctx context.Context, batch *pgconn.Batch, call *Call) error {
	values := make([][]byte, len(call.Args))
	for i, arg := range call.Args {
		value, err := encode(arg)
		if err != nil {
			return err
		}
		values[i] = value
	}
	if call.Query == nil {
		batch.ExecParams(call.Text, values, nil, binaryFormat, binaryFormat)
		return nil
	}
	for i := range c.book.texts[call.Query.index] {
		s := &c.book.texts[call.Query.index][i]
		if c.sent != nil {
			c.sent(s.text, values[:s.params])
		}
		if !c.named {
			batch.ExecParams(s.text, values[:s.params], nil, binaryFormat, binaryFormat)
			continue
		}
		if err := c.prepare(ctx, s); err != nil {
			return err
		}
		batch.ExecPrepared(s.name, values[:s.params], binaryFormat, binaryFormat)
	}
	return nil
}

// preparedKey is where a connection keeps which statements it has prepared.
const preparedKey = "outlast.prepared"

func (c *Conn) prepare(ctx context.Context, s *statement) error {
	prepared, _ := c.PG.CustomData()[preparedKey].(map[string]bool)
	if prepared[s.name] {
		return nil
	}
	_, err := c.PG.Prepare(ctx, s.name, s.text, nil)
	// A name that is taken is taken by the same text. The error may have ended
	// a transaction, which is repeated.
	if err == nil || CodeOf(err) == codeStatementThere {
		if prepared == nil {
			prepared = map[string]bool{}
			c.PG.CustomData()[preparedKey] = prepared
		}
		prepared[s.name] = true
	}
	if err != nil {
		return c.explain(err)
	}
	return nil
}

// explain forgets what was prepared if the server has forgotten some of it:
// somebody who shares the connection has said DISCARD ALL.
func (c *Conn) explain(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == codeNoStatement {
		delete(c.PG.CustomData(), preparedKey)
	}
	return err
}

// readAll reads the results of the statements that the call is; the first is
// its answer.
func (c *Call) readAll(results *pgconn.MultiResultReader, parts int) (failed error) {
	for part := 0; part < parts && results.NextResult(); part++ {
		reader := results.ResultReader()
		if part > 0 {
			_, err := reader.Close()
			failed = cmp.Or(failed, err)
			continue
		}
		failed = c.read(reader)
	}
	return failed
}

// read reads one result to its end, whatever scan says.
func (c *Call) read(results *pgconn.ResultReader) error {
	var failed error
	for results.NextRow() {
		if c.Scan != nil && failed == nil {
			failed = c.Scan(results.Values())
		}
	}
	tag, err := results.Close()
	if err != nil {
		return err
	}
	c.Changed = tag.RowsAffected()
	return failed
}

var (
	BeginTx    = NewQuery(`BEGIN ISOLATION LEVEL READ COMMITTED`)
	BeginRead  = NewQuery(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	CommitTx   = NewQuery(`COMMIT`)
	rollbackTx = NewQuery(`ROLLBACK`)
)

// Whole runs calls in one transaction and one round trip, at READ COMMITTED
// whatever the default of the database or its user is: statements rely on
// snapshots that are taken under the locks of those before them.
func (c *Conn) Whole(ctx context.Context, calls ...*Call) error {
	err := c.Run(ctx, append(append([]*Call{{Query: BeginTx}}, calls...), &Call{Query: CommitTx})...)
	if err != nil {
		c.Rollback(ctx)
	}
	return err
}

// Rollback ends a transaction that has failed. If that fails too, the pool
// closes the connection, which ends it as well.
func (c *Conn) Rollback(ctx context.Context) {
	if c.PG.IsClosed() || c.PG.TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = c.Run(ctx, &Call{Query: rollbackTx})
}
