package postgres

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// session runs statements one after the other: in a transaction of the
// store's own, in one of a caller, or each by itself.
type session interface {
	// run runs calls in one round trip.
	run(ctx context.Context, calls ...*call) error
}

// call is one statement with its arguments.
type call struct {
	query   *query
	text    string // instead of query: a statement that is not kept
	args    []any
	start   func()          // is called before the statement is sent, each time
	scan    func(row) error // nil drops the rows
	changed int64           // rows, afterwards
}

// exec runs a statement and returns how many rows it changed or returned.
func exec(ctx context.Context, s session, q *query, args ...any) (int64, error) {
	c := &call{query: q, args: args}
	err := s.run(ctx, c)
	return c.changed, err
}

// each runs a statement and scans its rows.
func each(ctx context.Context, s session, q *query, scan func(row) error, args ...any) error {
	return s.run(ctx, &call{query: q, args: args, scan: scan})
}

// one runs a statement of at most one row and reports whether there is one.
func one(ctx context.Context, s session, q *query, scan func(row), args ...any) (found bool, err error) {
	err = each(ctx, s, q, func(r row) error {
		found = true
		scan(r)
		return nil
	}, args...)
	return found, err
}

// conn runs statements on a connection. Calls that go together are one
// pipeline with one Sync at its end, hence one transaction, unless the
// connection is in a transaction already ("Pipelining" in the manual's
// chapter on the protocol).
type conn struct {
	pg    *pgconn.PgConn
	texts [][]statement
	// named says that statements may be prepared under a name, which stays
	// with the connection.
	named bool
	// sent is told each statement, with its values in the binary format.
	sent func(text string, values [][]byte)
}

// newConn uses a connection as its owner has configured it: whoever tells pgx
// to keep no prepared statements has a reason, such as a pooler that changes
// connections with each transaction.
func (s *Store) newConn(c *pgx.Conn) *conn {
	return &conn{pg: c.PgConn(), texts: s.texts, named: c.Config().DefaultQueryExecMode == pgx.QueryExecModeCacheStatement, sent: s.sent}
}

var binaryFormat = []int16{pgx.BinaryFormatCode}

func (c *conn) run(ctx context.Context, calls ...*call) error {
	var batch pgconn.Batch
	for _, call := range calls {
		if call.start != nil {
			call.start()
		}
		if err := c.queue(ctx, &batch, call); err != nil {
			return err
		}
	}
	if c.pg.IsClosed() {
		return errClosed
	}
	results := c.pg.ExecBatch(ctx, &batch)
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
func (c *conn) parts(call *call) int {
	if call.query == nil {
		return 1
	}
	return len(c.texts[call.query.index])
}

func (c *conn) queue(ctx context.Context, batch *pgconn.Batch, call *call) error {
	values := make([][]byte, len(call.args))
	for i, arg := range call.args {
		value, err := encode(arg)
		if err != nil {
			return err
		}
		values[i] = value
	}
	if call.query == nil {
		batch.ExecParams(call.text, values, nil, binaryFormat, binaryFormat)
		return nil
	}
	for i := range c.texts[call.query.index] {
		s := &c.texts[call.query.index][i]
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

func (c *conn) prepare(ctx context.Context, s *statement) error {
	prepared, _ := c.pg.CustomData()[preparedKey].(map[string]bool)
	if prepared[s.name] {
		return nil
	}
	_, err := c.pg.Prepare(ctx, s.name, s.text, nil)
	// A name that is taken is taken by the same text. The error may have ended
	// a transaction, which is repeated.
	if err == nil || codeOf(err) == codeStatementThere {
		if prepared == nil {
			prepared = map[string]bool{}
			c.pg.CustomData()[preparedKey] = prepared
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
func (c *conn) explain(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == codeNoStatement {
		delete(c.pg.CustomData(), preparedKey)
	}
	return err
}

// readAll reads the results of the statements that the call is; the first is
// its answer.
func (c *call) readAll(results *pgconn.MultiResultReader, parts int) (failed error) {
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
func (c *call) read(results *pgconn.ResultReader) error {
	var failed error
	for results.NextRow() {
		if c.scan != nil && failed == nil {
			failed = c.scan(results.Values())
		}
	}
	tag, err := results.Close()
	if err != nil {
		return err
	}
	c.changed = tag.RowsAffected()
	return failed
}
