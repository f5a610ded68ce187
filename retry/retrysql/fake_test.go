package retrysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// server is a scripted database. It records what each connection is asked to do.
type server struct {
	mu     sync.Mutex
	script map[string][]error // the answers to the n-th time of a statement
	log    []string
	opened int
	// waits are statements that last until their context ends.
	waits map[string]bool
}

// open is a pool of connections to the server.
func (s *server) open(t *testing.T) *sql.DB {
	db := sql.OpenDB(s)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func (s *server) Driver() driver.Driver { return nil }

func (s *server) Connect(context.Context) (driver.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return &fakeConn{server: s, number: s.opened}, nil
}

// answer records a statement and returns the scripted error.
func (s *server) answer(conn int, statement string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%d %s", conn, statement))
	if left := s.script[statement]; len(left) > 0 {
		s.script[statement] = left[1:]
		return left[0]
	}
	return nil
}

// done returns the record and forgets it.
func (s *server) done() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := strings.Join(s.log, ", ")
	s.log = nil
	return log
}

type fakeConn struct {
	server *server
	number int
}

func (c *fakeConn) answer(statement string) error { return c.server.answer(c.number, statement) }

func (c *fakeConn) Close() error                       { return c.answer("close") }
func (c *fakeConn) ResetSession(context.Context) error { return nil }
func (c *fakeConn) IsValid() bool                      { return true }
func (c *fakeConn) Begin() (driver.Tx, error)          { return nil, errors.New("not used") }

func (c *fakeConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	statement := "BEGIN"
	if o.Isolation != 0 || o.ReadOnly {
		statement += fmt.Sprintf(" %v %v", sql.IsolationLevel(o.Isolation), o.ReadOnly)
	}
	if err := c.answer(statement); err != nil {
		return nil, err
	}
	if c.server.waits["BEGIN"] {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return c, nil
}

func (c *fakeConn) Commit() error   { return c.answer("COMMIT") }
func (c *fakeConn) Rollback() error { return c.answer("ROLLBACK") }

func (c *fakeConn) Prepare(query string) (driver.Stmt, error) {
	if err := c.answer("prepare " + query); err != nil {
		return nil, err
	}
	return &fakeStmt{c, query}, nil
}

func (c *fakeConn) ExecContext(ctx context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	if c.server.waits[query] {
		_ = c.answer(query)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return driver.RowsAffected(1), c.answer(query)
}

// QueryContext answers with one row; the error for "… row" comes with it.
func (c *fakeConn) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if err := c.answer(query); err != nil {
		return nil, err
	}
	return &fakeRows{conn: c, query: query}, nil
}

type fakeStmt struct {
	conn  *fakeConn
	query string
}

func (s *fakeStmt) Close() error  { return nil }
func (s *fakeStmt) NumInput() int { return -1 }
func (s *fakeStmt) Exec([]driver.Value) (driver.Result, error) {
	return driver.RowsAffected(1), s.conn.answer(s.query)
}

func (s *fakeStmt) Query([]driver.Value) (driver.Rows, error) {
	return s.conn.QueryContext(context.Background(), s.query, nil)
}

type fakeRows struct {
	conn  *fakeConn
	query string
	read  bool
}

func (r *fakeRows) Columns() []string { return []string{"n"} }
func (r *fakeRows) Close() error      { return nil }
func (r *fakeRows) Next(dest []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read, dest[0] = true, int64(1)
	if strings.HasSuffix(r.query, "rows") {
		return r.conn.answer("row")
	}
	return nil
}

// coded is an error with an SQLSTATE.
type coded string

func (e coded) Error() string    { return "SQLSTATE " + string(e) }
func (e coded) SQLState() string { return string(e) }

// MySQLError has the shape of that of github.com/go-sql-driver/mysql.
type MySQLError struct{ Number uint16 }

func (e *MySQLError) Error() string { return fmt.Sprintf("Error %d", e.Number) }

var (
	errSerialization = coded("40001")
	errAborted       = coded("25P02")
	errUnique        = coded("23505")
	errDeadlock      = &MySQLError{1213}
	errLockWait      = &MySQLError{1205}
	errNoWait        = &MySQLError{3572}
	errLost          = io.ErrUnexpectedEOF
	errOwn           = errors.New("not enough money")
)

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
func exec(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
