package mysql

import (
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// row implements [sqlstore.Row].
type row []any

// rowScanner reads rows of as many columns as there are.
func rowScanner(scan func(sqlstore.Row) error) func(*sql.Rows) error {
	var values row
	var places []any
	return func(rows *sql.Rows) error {
		if values == nil {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			values, places = make(row, len(columns)), make([]any, len(columns))
			for i := range values {
				places[i] = &values[i]
			}
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		return scan(values)
	}
}

// Int implements [sqlstore.Row].
func (r row) Int(i int) int64 {
	var n number
	_ = n.Scan(r[i]) // columns of numbers hold numbers
	return int64(n)
}

// Bool implements [sqlstore.Row].
func (r row) Bool(i int) bool { return r.Int(i) != 0 }

// Text implements [sqlstore.Row].
func (r row) Text(i int) string { return string(r.Blob(i)) }

// Blob implements [sqlstore.Row].
func (r row) Blob(i int) []byte {
	switch v := r[i].(type) {
	case nil:
		return nil
	case []byte: // a copy: Scan makes it
		return v
	default:
		return fmt.Append(nil, v)
	}
}

// ID implements [sqlstore.Row].
func (r row) ID(i int) (id task.ID) {
	copy(id[:], r.Blob(i))
	return id
}

// Time implements [sqlstore.Row].
func (r row) Time(i int) time.Time { return number(r.Int(i)).time() }

// number is a column of whole numbers; null is 0.
type number int64

// Scan implements sql.Scanner.
func (n *number) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*n = 0
	case int64:
		*n = number(v)
	case uint64:
		*n = number(v)
	case []byte:
		parsed, err := strconv.ParseInt(string(v), 10, 64)
		*n = number(parsed)
		return err
	default:
		return fmt.Errorf("mysql: a column of numbers holds a %T", value)
	}
	return nil
}

func (n number) time() time.Time { return stored.Time(int64(n)) }

// whole is number as an int.
type whole int

// Scan implements sql.Scanner.
func (w *whole) Scan(value any) error {
	var n number
	err := n.Scan(value)
	*w = whole(n)
	return err
}

// text is a column of text; null is "".
type text string

// Scan implements sql.Scanner.
func (t *text) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*t = ""
	case []byte:
		*t = text(v)
	case string:
		*t = text(v)
	default:
		return fmt.Errorf("mysql: a column of text holds a %T", value)
	}
	return nil
}

// names are texts that many rows have, each kept once.
type names map[string]string

// name is a column of text that is not null, of which many rows have the same.
type name struct {
	to    *string
	among names
}

// Scan implements sql.Scanner.
func (n name) Scan(value any) error {
	if v, ok := value.([]byte); ok {
		known, found := n.among[string(v)]
		if !found {
			known = string(v)
			n.among[known] = known
		}
		*n.to = known
		return nil
	}
	return (*text)(n.to).Scan(value)
}

// identity is a column of ids; null is the zero id.
type identity task.ID

// Scan implements sql.Scanner.
func (i *identity) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*i = identity{}
	case []byte:
		if copy(i[:], v) != len(i) {
			return fmt.Errorf("mysql: an id has %d bytes", len(v))
		}
	default:
		return fmt.Errorf("mysql: a column of ids holds a %T", value)
	}
	return nil
}

// optional is text that is stored as null when empty.
func optional(value string) any {
	if value == "" {
		return nil
	}
	return value
}
