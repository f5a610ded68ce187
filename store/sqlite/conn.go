package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// query is one SQL statement. Connections keep it prepared, by its address.
//
// Statements of the hot path say OR FAIL: whatever fails undoes its whole
// transaction or savepoint, so SQLite need not keep a journal by which to
// undo the statement alone, which costs a fifth.
type query struct {
	sql  string
	long bool // may take long: it ends with its context, at some cost per row
}

// session runs statements: a connection of ours or a caller's transaction.
type session interface {
	// exec runs a statement and returns the number of rows changed.
	exec(q *query, args ...any) (int64, error)
	// each calls scan with every row; the row is only valid until it returns.
	each(q *query, scan func(row) error, args ...any) error
}

// one returns whether there was a row, after scanning the first.
func one(s session, q *query, scan func(row), args ...any) (bool, error) {
	found := false
	err := s.each(q, func(r row) error {
		if !found {
			scan(r)
		}
		found = true
		return nil
	}, args...)
	return found, err
}

// conn is one connection with its prepared statements. It talks to the
// driver below database/sql, whose cost per statement is more than that of
// most statements here. Not safe for concurrent use.
type conn struct {
	sql   *sql.Conn
	raw   driver.Conn // valid inside do
	ctx   context.Context
	stmts map[*query]prepared
	named []driver.NamedValue
	names
}

type prepared interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func newConn(ctx context.Context, db *sql.DB) (*conn, error) {
	inner, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{sql: inner, stmts: map[*query]prepared{}, names: names{}}, nil
}

// do runs fn with the connection, under ctx.
func (c *conn) do(ctx context.Context, fn func() error) error {
	return c.sql.Raw(func(raw any) error {
		inner, ok := raw.(driver.Conn)
		if !ok {
			return fmt.Errorf("sqlite: the driver's connection is a %T", raw)
		}
		c.raw, c.ctx = inner, ctx
		defer func() { c.raw, c.ctx = nil, nil }()
		return fn()
	})
}

// close finalises the statements and closes the connection.
func (c *conn) close() error {
	var errs []error
	errs = append(errs, c.sql.Raw(func(any) error {
		for _, stmt := range c.stmts {
			errs = append(errs, stmt.Close())
		}
		return nil
	}))
	clear(c.stmts)
	return errors.Join(append(errs, c.sql.Close())...)
}

func (c *conn) prepare(q *query) (prepared, error) {
	if stmt, ok := c.stmts[q]; ok {
		return stmt, nil
	}
	inner, err := c.raw.Prepare(q.sql)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, firstLine(q.sql))
	}
	stmt, ok := inner.(prepared)
	if !ok {
		return nil, errors.New("sqlite: the driver's statements take no context")
	}
	c.stmts[q] = stmt
	return stmt, nil
}

func (c *conn) bind(args []any) []driver.NamedValue {
	c.named = c.named[:0]
	for i, arg := range args {
		c.named = append(c.named, driver.NamedValue{Ordinal: i + 1, Value: plain(arg)})
	}
	return c.named
}

// plain turns our types into those that every driver takes.
func plain(arg any) any {
	switch v := arg.(type) {
	case int:
		return int64(v)
	case uint16:
		return int64(v)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case task.ID:
		return v[:]
	case optional:
		if v == "" {
			return nil
		}
		return string(v)
	case []byte:
		if v == nil {
			return nil
		}
	}
	return arg
}

// optional is text that is stored as null when empty.
type optional string

func (c *conn) exec(q *query, args ...any) (int64, error) {
	stmt, err := c.prepare(q)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(c.ctx, c.bind(args))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (c *conn) each(q *query, scan func(row) error, args ...any) (err error) {
	stmt, err := c.prepare(q)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(c.ctx, c.bind(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if quick, ok := rows.(stepper); ok && !q.long {
		return c.step(quick, scan)
	}
	values := make(row, len(rows.Columns()))
	for {
		if err := rows.Next(values); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := scan(values); err != nil {
			return err
		}
	}
}

// stepper is what the rows of github.com/ncruces/go-sqlite3 can do beyond
// the interface of database/sql, which has them look up the declaration of
// every column of every query, and look for times in every text.
type stepper interface {
	Step() bool
	Err() error
	ColumnCount() int
	ColumnsRaw(dest ...any) error
}

func (c *conn) step(rows stepper, scan func(row) error) error {
	values := make([]any, rows.ColumnCount())
	view := make(row, len(values))
	for rows.Step() {
		if err := errors.Join(c.ctx.Err(), rows.ColumnsRaw(values...)); err != nil {
			return err
		}
		for i := range values {
			view[i] = values[i]
		}
		if err := scan(view); err != nil {
			return err
		}
	}
	return rows.Err()
}

// names are texts that occur in many rows: all share one string.
type names map[string]string

// maxNames bounds the names that are kept.
const maxNames = 1000

func (n names) name(r row, i int) string {
	raw, ok := r[i].([]byte)
	if !ok {
		return r.Text(i)
	}
	if known, ok := n[string(raw)]; ok {
		return known
	}
	if len(n) >= maxNames {
		clear(n)
	}
	name := string(raw)
	n[name] = name
	return name
}

// row is one row of a result. Its getters copy.
type row []driver.Value

func (r row) Int(i int) int64 {
	v, _ := r[i].(int64)
	return v
}

func (r row) Bool(i int) bool { return r.Int(i) != 0 }

func (r row) Text(i int) string {
	switch v := r[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time: // drivers make times of text that looks like one
		return v.Format(time.RFC3339Nano)
	}
	return ""
}

func (r row) Blob(i int) []byte {
	switch v := r[i].(type) {
	case []byte:
		return append([]byte{}, v...)
	case string:
		return []byte(v)
	case time.Time:
		return []byte(r.Text(i))
	}
	return nil
}

func (r row) ID(i int) (id task.ID) {
	if v, ok := r[i].([]byte); ok {
		copy(id[:], v)
	}
	return id
}

func (r row) Time(i int) time.Time { return stored.Time(r.Int(i)) }

// busy reports whether another connection holds the lock that was wanted.
func busy(err error) bool {
	var temporary interface{ Temporary() bool }
	if errors.As(err, &temporary) {
		return temporary.Temporary()
	}
	return err != nil && strings.Contains(err.Error(), "locked")
}

// refusedError is data that cannot be stored, found out midway.
type refusedError struct{ text string }

func (e refusedError) Error() string { return e.text }

// refusal reports whether the database refused the data of a statement, as
// opposed to failing.
func refusal(err error) bool {
	if err == nil {
		return false
	}
	if errors.As(err, new(refusedError)) {
		return true
	}
	for _, text := range [...]string{"constraint", "too big", "mismatch", "string or blob"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
