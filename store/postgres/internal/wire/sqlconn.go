package wire

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"strings"
)

// sqlConn runs statements in a transaction of database/sql.
type sqlConn struct {
	tx   *sql.Tx
	book *Book
}

// OverSQL runs statements in a transaction of database/sql.
func OverSQL(tx *sql.Tx, book *Book) Session { return &sqlConn{tx, book} }

// Run implements [Session].
func (f *sqlConn) Run(ctx context.Context, calls ...*Call) error {
	for _, call := range calls {
		if call.Start != nil {
			call.Start()
		}
		if err := f.one(ctx, call); err != nil {
			return err
		}
	}
	return nil
}

func (f *sqlConn) one(ctx context.Context, c *Call) error {
	args := make([]any, len(c.Args))
	for i, arg := range c.Args {
		args[i] = literal(arg)
	}
	if c.Query == nil {
		return f.statement(ctx, c, c.Text, args)
	}
	for i, s := range f.book.texts[c.Query.index] {
		answer := c
		if i > 0 {
			answer = &Call{}
		}
		if err := f.statement(ctx, answer, s.text, args[:s.params]); err != nil {
			return err
		}
	}
	return nil
}

func (f *sqlConn) statement(ctx context.Context, call *Call, text string, args []any) (err error) {
	if call.Scan == nil && !strings.HasPrefix(text, "SELECT") {
		result, err := f.tx.ExecContext(ctx, text, args...)
		if err != nil {
			return err
		}
		call.Changed, err = result.RowsAffected()
		return err
	}
	rows, err := f.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for call.Changed = 0; rows.Next(); call.Changed++ {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if call.Scan == nil {
			continue
		}
		if err := call.Scan(rowOf(values)); err != nil {
			return err
		}
	}
	return rows.Err()
}

// rowOf makes of what a driver gives what the protocol would have.
func rowOf(values []any) Row {
	r := make(Row, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case []byte:
			r[i] = v
		case string:
			r[i] = []byte(v)
		case int64:
			r[i] = binary.BigEndian.AppendUint64(nil, uint64(v))
		case bool:
			r[i] = []byte{truth(v)}
		}
	}
	return r
}
