package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

var coldQueries = func() map[*sqlstore.Query]*query {
	all := map[*sqlstore.Query]*query{}
	for _, q := range sqlstore.Queries() {
		all[q] = &query{sql: q.SQLite()}
	}
	return all
}()

// database implements [sqlstore.Database].
type database struct{ *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.read(ctx, func(c *conn) error { return fn(coldSession{c}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.Read(ctx, fn)
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, kind string, fn func(sqlstore.Tx) error) error {
	return d.write(ctx, kind, func(tx *tx) error { return tx.apart(func() error { return fn(tx.cold()) }) })
}

type coldSession struct{ session }

// Run implements [sqlstore.Session].
func (c coldSession) Run(calls ...*sqlstore.Call) (err error) {
	for _, one := range calls {
		q := coldQueries[one.Query]
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

// Pending implements [sqlstore.Session].
func (c coldSession) Pending(lanes []uint16, most int) (int, error) {
	return backlog.Pending(counter(c), lanes, most)
}

func (tx *tx) cold() sqlstore.Tx { return sqlstore.Tx{Session: coldSession{tx.conn}, Now: tx.now} }

// log writes what is said of a change into the audit log.
func (tx *tx) log(audit []store.Audit) error { return sqlstore.Log(tx.cold(), audit) }

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	var changed *store.Changed
	err := s.write(ctx, "change", func(tx *tx) error {
		return tx.apart(func() (err error) {
			changed, err = objects.Apply(&tables{sqlstore.Tables{Tx: tx.cold()}, tx}, &change)
			return err
		})
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
}

// Enqueue implements [objects.Tables].
func (t *tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	return insertAll(t.own.conn, &arrival{t.own.now, t.own.store.standIn()}, items, false)
}
