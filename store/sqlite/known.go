package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// hasID finds whether there is a task of an id, live or ended.
var hasID = &query{sql: `SELECT EXISTS (SELECT 1 FROM outlast_task WHERE id = ?1) OR EXISTS (SELECT 1 FROM outlast_dead WHERE id = ?1)`}

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) (known []bool, err error) {
	err = s.read(ctx, func(c *conn) error {
		known = make([]bool, len(items))
		for i := range items {
			if known[i], err = isKnown(c, s.now(), &items[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return known, nil
}

func isKnown(s session, now int64, item *store.Insert) (known bool, err error) {
	_, err = one(s, hasID, func(r row) { known = r.Int(0) != 0 }, item.Task.ID)
	if err != nil || known || item.Dedupe == nil {
		return known, err
	}
	_, err = one(s, selectDedupe, func(r row) { known = r.Int(2) != 0 }, item.Dedupe.Lane, item.Task.Queue, item.Dedupe.Key, now)
	return known, err
}
