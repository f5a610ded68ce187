package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

// coldQueries are the statements of package sqlstore as statements of this one.
var coldQueries = func() map[*sqlstore.Query]*query {
	all := map[*sqlstore.Query]*query{}
	for _, q := range sqlstore.Queries() {
		all[q] = newQuery(q.Text)
	}
	all[sqlstore.InsertLane].spread = []string{sqlstore.InsertLane.Text, insertAnchor}
	return all
}()

// insertAnchor is what goes with a lane where tables are distributed.
const insertAnchor = `INSERT INTO outlast_anchor (lane) VALUES ($1::bigint) ON CONFLICT DO NOTHING`

// database implements [sqlstore.Database].
type database struct{ *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.read(ctx, func(c session) error { return fn(coldSession{ctx, c, d.spread}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.lookUp(ctx, func(c session, _ int64) error { return fn(coldSession{ctx, c, d.spread}) })
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, _ string, fn func(sqlstore.Tx) error) error {
	return d.write(ctx, func(t *tx) error { return fn(t.cold(ctx)) })
}

type coldSession struct {
	ctx    context.Context
	on     session
	spread bool
}

// Run implements [sqlstore.Session].
func (c coldSession) Run(calls ...*sqlstore.Call) error {
	own := make([]*call, len(calls))
	for i, one := range calls {
		own[i] = &call{query: coldQueries[one.Query], args: one.Args}
		if one.Scan != nil {
			own[i].scan = func(r row) error { return one.Scan(r) }
		}
	}
	err := c.on.run(c.ctx, own...)
	for i := range own {
		calls[i].Changed = own[i].changed
	}
	return err
}

// Pending implements [sqlstore.Session].
func (c coldSession) Pending(lanes []uint16, most int) (int, error) {
	return backlog.Pending(&counter{c.ctx, c.on, c.spread}, lanes, most)
}

func (t *tx) cold(ctx context.Context) sqlstore.Tx {
	return sqlstore.Tx{Session: coldSession{ctx, t, t.store.spread}, Now: t.now}
}

// log writes what is said of a change into the audit log.
func (t *tx) log(ctx context.Context, audit []store.Audit) error {
	return sqlstore.Log(t.cold(ctx), audit)
}

// Change implements [store.Config].
func (s *Store) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	if err := objects.Check(&change); err != nil {
		return nil, err
	}
	var changed *store.Changed
	err := s.write(ctx, func(t *tx) (err error) {
		changed, err = objects.Apply(&tables{sqlstore.Tables{Tx: t.cold(ctx)}, ctx, t}, &change)
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
	ctx context.Context
	own *tx
}

// Enqueue implements [objects.Tables].
func (t *tables) Enqueue(items []store.Insert) ([]store.Inserted, error) {
	inserted, err := insertAll(t.ctx, t.own, t.own.store, t.own.now, items)
	if refusal(err) {
		err = refusedData(err)
	}
	return inserted, err
}
