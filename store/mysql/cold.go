package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

// coldQuery is a statement of package sqlstore, and which argument each place takes.
type coldQuery struct {
	text   string
	places []int
}

var coldQueries = func() map[*sqlstore.Query]coldQuery {
	all := map[*sqlstore.Query]coldQuery{}
	for _, q := range sqlstore.Queries() {
		text, places := q.MySQL()
		all[q] = coldQuery{text, places}
	}
	return all
}()

var nodeColumns = sqlstore.Renamed(sqlstore.NodeColumns)

// database implements [sqlstore.Database].
type database struct{ *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.read(ctx, func(c *session) error { return fn(coldSession{c}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.snapshot(ctx, func(c *session) error { return fn(coldSession{c}) })
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, kind string, fn func(sqlstore.Tx) error) error {
	return d.write(ctx, kind, func(tx *tx) error { return fn(tx.cold()) })
}

type coldSession struct{ *session }

// Run implements [sqlstore.Session].
func (c coldSession) Run(calls ...*sqlstore.Call) error {
	for _, one := range calls {
		if err := c.run(one); err != nil {
			return err
		}
	}
	return nil
}

func (c coldSession) run(one *sqlstore.Call) (err error) {
	q := coldQueries[one.Query]
	args := make([]any, len(q.places))
	for i, place := range q.places {
		args[i] = one.Args[place]
	}
	if one.Scan != nil {
		return c.each(q.text, rowScanner(one.Scan), args...)
	}
	one.Changed, err = c.changed(q.text, args...)
	if one.Query.Fresh && numbered(err) == duplicateKey {
		return nil
	}
	return err
}

// Pending implements [sqlstore.Session].
func (c coldSession) Pending(lanes []uint16, most int) (int, error) {
	return backlog.Pending(counter(c), lanes, most)
}

func (tx *tx) cold() sqlstore.Tx { return sqlstore.Tx{Session: coldSession{tx.session}, Now: tx.now} }

// log writes what is said of a change into the audit log.
func (tx *tx) log(audit []store.Audit) error { return sqlstore.Log(tx.cold(), audit) }

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

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	var items []*store.Insert
	for _, batch := range change.Enqueue {
		for i := range batch.Items {
			items = append(items, &batch.Items[i])
		}
	}
	seq, err := s.reserve(ctx, keyed(items))
	if err != nil {
		return nil, err
	}
	var changed *store.Changed
	err = s.write(ctx, "change", func(tx *tx) (err error) {
		changed, err = objects.Apply(&tables{sqlstore.Tables{Tx: tx.cold()}, tx, seq}, &change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// tables implements [objects.Tables].
type tables struct {
	sqlstore.Tables
	own *tx
	seq int64 // before that of the first keyed task
}

// Enqueue implements [objects.Tables].
func (t *tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	wanted := make([]*store.Insert, len(items))
	for i := range items {
		wanted[i] = &items[i]
	}
	rows, err := rowsOf(wanted, t.own.now, t.seq)
	if err != nil {
		return nil, task.Invalid("task", "it cannot be stored: "+err.Error(), "")
	}
	if err := t.own.insertAll(rows); err != nil {
		return nil, err
	}
	inserted := make([]store.Inserted, len(rows))
	for i, row := range rows {
		inserted[i] = row.inserted()
	}
	return inserted, nil
}
