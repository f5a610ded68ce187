package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// coldQueries are the statements of package sqlstore, and those that it is given, as
// statements of this one.
var coldQueries = func() map[*sqlstore.Query]*wire.Query {
	all := map[*sqlstore.Query]*wire.Query{}
	for _, q := range sqlstore.Queries() {
		all[q] = wire.NewQuery(q.Text)
	}
	all[sqlstore.InsertLane] = wire.NewQuery(sqlstore.InsertLane.Text, sqlstore.InsertLane.Text, insertAnchor)
	return all
}()

// coldQuery is a statement of this package for package sqlstore; see newQuery.
func coldQuery(text string, spread ...string) *sqlstore.Query {
	q := &sqlstore.Query{Text: text}
	coldQueries[q] = wire.NewQuery(text, spread...)
	return q
}

// insertAnchor is what goes with a lane where tables are distributed.
const insertAnchor = `INSERT INTO outlast_anchor (lane) VALUES ($1::bigint) ON CONFLICT DO NOTHING`

// database implements [sqlstore.Database].
type database struct{ store *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.read(ctx, func(c wire.Session) error { return fn(&coldSession{ctx, c, d.store}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.lookUp(ctx, func(c wire.Session, _ int64) error { return fn(&coldSession{ctx, c, d.store}) })
}

// Survey implements [sqlstore.Database].
func (d database) Survey(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.snapshot(ctx, func(c wire.Session) error { return fn(&coldSession{ctx, c, d.store}) })
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, _ string, fn func(sqlstore.Tx) error) error {
	return d.store.partitioning(ctx, func() error {
		return d.store.write(ctx, func(t *tx) error { return fn(t.cold(ctx)) })
	})
}

// Change implements [sqlstore.Database].
func (d database) Change(ctx context.Context, _ int64, fn func(sqlstore.Tx) error) error {
	return d.Write(ctx, "", fn)
}

// coldSession implements [sqlstore.Session].
type coldSession struct {
	ctx   context.Context
	on    wire.Session
	store *Store
}

// Run implements [sqlstore.Session].
func (c *coldSession) Run(calls ...*sqlstore.Call) error {
	own := make([]*wire.Call, len(calls))
	for i, one := range calls {
		own[i] = &wire.Call{Query: coldQueries[one.Query], Args: one.Args}
		if own[i].Query == nil {
			own[i].Text = c.store.book.Numbered(one.Query.Text)
		}
		if one.Scan != nil {
			own[i].Scan = func(r wire.Row) error { return one.Scan(r) }
		}
	}
	err := c.on.Run(c.ctx, own...)
	for i := range own {
		calls[i].Changed = own[i].Changed
	}
	return err
}

// coldTx implements [sqlstore.Changer].
type coldTx struct {
	ctx context.Context
	*tx
}

func (t *tx) reader(ctx context.Context) *coldSession { return &coldSession{ctx, t, t.store} }

func (t *tx) cold(ctx context.Context) sqlstore.Tx {
	return sqlstore.Tx{Session: t.reader(ctx), Changer: coldTx{ctx, t}, Now: t.now}
}

// Insert implements [sqlstore.Changer].
func (t coldTx) Insert(items []store.Insert) ([]store.Inserted, error) {
	inserted, err := insertAll(t.ctx, t.tx, t.store, t.now, items)
	if wire.Refusal(err) {
		err = refusedData(err)
	}
	return inserted, err
}

// get reads a task whatever its table; CodeNotFound.
func get(ctx context.Context, s wire.Session, id task.ID) (*task.Task, error) {
	return sqlstore.Get(&coldSession{ctx: ctx, on: s}, getTask, id)
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.lookUp(ctx, func(c wire.Session, _ int64) (err error) {
		found, err = get(ctx, c, id)
		return err
	})
	return found, err
}
