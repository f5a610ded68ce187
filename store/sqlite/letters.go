package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters implements [store.Query].
func (s *Store) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) (letters []store.Letter, err error) {
	w := deadWhere(filter)
	w.And(`id > ?`, after)
	q := &query{sql: `SELECT id, key, seq FROM outlast_dead WHERE ` + w.String() + ` ORDER BY id LIMIT ?`}
	err = s.read(ctx, func(c *conn) error {
		letters = nil
		return c.each(q, func(r row) error {
			letters = append(letters, store.Letter{ID: r.ID(0), Key: r.Text(1), Seq: r.Int(2)})
			return nil
		}, append(w.Args, max(0, limit))...)
	})
	if err != nil {
		return nil, err
	}
	return letters, nil
}
