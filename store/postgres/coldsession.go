package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
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

func (t *tx) reader(ctx context.Context) *coldSession { return &coldSession{ctx, t, t.store} }
