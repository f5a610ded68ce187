package mysql

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

// keptQuery is a statement of package sqlstore, and which argument each place takes.
type keptQuery struct {
	text   string
	places []int
}

// coldQueries are the statements of package sqlstore, and those that it is given.
var coldQueries = func() map[*sqlstore.Query]keptQuery {
	all := map[*sqlstore.Query]keptQuery{}
	for _, q := range sqlstore.Queries() {
		text, places := q.MySQL()
		all[q] = keptQuery{text, places}
	}
	return all
}()

// coldQuery is a statement of this package for package sqlstore.
func coldQuery(text string) *sqlstore.Query {
	q := &sqlstore.Query{Text: text}
	text, places := q.MySQL()
	coldQueries[q] = keptQuery{text, places}
	return q
}

// database implements [sqlstore.Database].
type database struct{ store *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.read(ctx, func(c *session) error { return fn(coldSession{c}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.snapshot(ctx, func(c *session) error { return fn(coldSession{c}) })
}

// Survey implements [sqlstore.Database].
func (d database) Survey(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.Snapshot(ctx, fn)
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, kind string, fn func(sqlstore.Tx) error) error {
	return d.store.write(ctx, kind, func(tx *tx) error { return fn(coldTx{tx, 0}.whole()) })
}

// Change implements [sqlstore.Database].
func (d database) Change(ctx context.Context, keyed int64, fn func(sqlstore.Tx) error) error {
	seq, err := d.store.reserve(ctx, keyed)
	if err != nil {
		return err
	}
	return d.store.write(ctx, "change", func(tx *tx) error { return fn(coldTx{tx, seq}.whole()) })
}

// coldSession implements [sqlstore.Session].
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
	text, args := one.Query.Text, one.Args
	if q, kept := coldQueries[one.Query]; kept {
		text, args = q.text, make([]any, len(q.places))
		for i, place := range q.places {
			args[i] = one.Args[place]
		}
	}
	if one.Scan != nil {
		return c.each(text, rowScanner(one.Scan), args...)
	}
	one.Changed, err = c.changed(text, args...)
	if one.Query.Fresh && numbered(err) == duplicateKey {
		return nil
	}
	return err
}

// coldTx implements [sqlstore.Changer].
type coldTx struct {
	*tx
	seq int64 // before that of the first keyed task
}

func (t coldTx) whole() sqlstore.Tx {
	return sqlstore.Tx{Session: coldSession{t.session}, Changer: t, Now: t.now}
}

// Insert implements [sqlstore.Changer].
func (t coldTx) Insert(items []store.Insert) ([]store.Inserted, error) {
	wanted := make([]*store.Insert, len(items))
	for i := range items {
		wanted[i] = &items[i]
	}
	rows, err := rowsOf(wanted, t.now, t.seq)
	if err != nil {
		return nil, task.Invalid("task", "it cannot be stored: "+err.Error(), "")
	}
	if err := t.insertAll(rows); err != nil {
		return nil, err
	}
	inserted := make([]store.Inserted, len(rows))
	for i, row := range rows {
		inserted[i] = row.inserted()
	}
	return inserted, nil
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.read(ctx, func(c *session) (err error) {
		found, err = sqlstore.Get(coldSession{c}, getTask, id)
		return err
	})
	return found, err
}
