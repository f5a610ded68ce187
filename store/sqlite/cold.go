package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

// coldQueries are the statements of package sqlstore, and those that it is given, as
// statements of this one.
var coldQueries = func() map[*sqlstore.Query]*query {
	all := map[*sqlstore.Query]*query{}
	for _, q := range sqlstore.Queries() {
		all[q] = &query{sql: q.SQLite()}
	}
	return all
}()

// coldQuery is a statement of this package for package sqlstore.
func coldQuery(text string) *sqlstore.Query {
	q := &sqlstore.Query{Text: text}
	coldQueries[q] = &query{sql: q.SQLite()}
	return q
}

// database implements [sqlstore.Database].
type database struct{ store *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.read(ctx, func(c *conn) error {
		on := cold(c)
		defer on.forget(c)
		return fn(on)
	})
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.Read(ctx, fn)
}

// Survey implements [sqlstore.Database].
func (d database) Survey(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.Read(ctx, fn)
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, kind string, fn func(sqlstore.Tx) error) error {
	return d.store.write(ctx, kind, func(tx *tx) error {
		return tx.apart(func() error {
			on := cold(tx.conn)
			defer on.forget(tx.conn)
			return fn(sqlstore.Tx{Session: on, Changer: coldTx{on, tx}, Now: tx.now})
		})
	})
}

// Change implements [sqlstore.Database].
func (d database) Change(ctx context.Context, _ int64, fn func(sqlstore.Tx) error) error {
	return d.Write(ctx, "change", fn)
}

// coldSession implements [sqlstore.Session].
type coldSession struct {
	session
	made map[*sqlstore.Query]*query // statements that are not kept
}

func cold(s session) *coldSession { return &coldSession{s, map[*sqlstore.Query]*query{}} }

// Run implements [sqlstore.Session].
func (c *coldSession) Run(calls ...*sqlstore.Call) (err error) {
	for _, one := range calls {
		q := c.query(one.Query)
		if one.Scan != nil {
			err = c.each(q, func(r row) error { return one.Scan(r) }, one.Args...)
		} else {
			one.Changed, err = c.exec(q, one.Args...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *coldSession) query(q *sqlstore.Query) *query {
	if kept := coldQueries[q]; kept != nil {
		return kept
	}
	if c.made[q] == nil {
		c.made[q] = &query{sql: q.Text, long: true}
	}
	return c.made[q]
}

// forget drops the statements that were made.
func (c *coldSession) forget(on *conn) {
	for _, q := range c.made {
		if stmt, ok := on.stmts[q]; ok {
			delete(on.stmts, q)
			_ = stmt.Close()
		}
	}
}

// coldTx implements [sqlstore.Changer].
type coldTx struct {
	on *coldSession
	*tx
}

// Insert implements [sqlstore.Changer].
func (t coldTx) Insert(items []store.Insert) ([]store.Inserted, error) {
	return insertAll(t.conn, &arrival{t.now, t.store.standIn()}, items, false)
}

// get reads a task whatever its table; CodeNotFound.
func get(s session, id task.ID) (*task.Task, error) { return sqlstore.Get(cold(s), getTask, id) }

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		found, err = get(c, id)
		return err
	})
	return found, err
}
