package mysql

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters implements [store.Query].
func (s *Store) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) (letters []store.Letter, err error) {
	from, match := deadOf(filter)
	from.where.And(from.id+` > ?`, after)
	query := `SELECT t.id, t.order_key, t.seq FROM ` + from.table + from.joins() + ` WHERE ` + from.where.String() + ` AND ` + match.String() +
		` ORDER BY ` + from.id + ` LIMIT ?`
	args := append(append(from.where.Args, match.Args...), max(0, limit))
	err = s.read(ctx, func(c *session) error {
		letters = nil
		return c.each(query, func(rows *sql.Rows) error {
			var l store.Letter
			var key text
			var seq number
			err := rows.Scan((*identity)(&l.ID), &key, &seq)
			l.Key, l.Seq = string(key), int64(seq)
			letters = append(letters, l)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return letters, nil
}
