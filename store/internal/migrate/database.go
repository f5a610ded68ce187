package migrate

import (
	"context"
	"database/sql"
	"errors"
)

// Connection is a *sql.Conn or a *sql.Tx.
type Connection interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// There tells by the number of an error of MySQL or MariaDB that what a
// statement makes is there already, or that what it drops is gone: a table
// (1050), a column (1060), an index (1061, 1091), a constraint (1826), a
// partition (1517), a procedure (1304).
func There(number uint16) bool {
	switch number {
	case 1050, 1060, 1061, 1091, 1826, 1517, 1304:
		return true
	}
	return false
}

// Over is a session over a connection of database/sql. already and denied recognise the
// errors of what is there already and of missing rights; nil where no session needs to be
// [Forgiving].
func Over(connection Connection, already, denied func(error) bool) Session {
	return over{connection, already, denied}
}

type over struct {
	connection      Connection
	already, denied func(error) bool
}

func (o over) Already(err error) bool { return o.already != nil && o.already(err) }
func (o over) Denied(err error) bool  { return o.denied != nil && o.denied(err) }

func (o over) Exec(ctx context.Context, statement string) error {
	_, err := o.connection.ExecContext(ctx, statement)
	return err
}

func (o over) Query(ctx context.Context, query string) (all [][]int64, err error) {
	rows, err := o.connection.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, places := make([]int64, len(columns)), make([]any, len(columns))
		for i := range row {
			places[i] = &row[i]
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
