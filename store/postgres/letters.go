package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters implements [store.Query].
func (s *Store) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) (letters []store.Letter, err error) {
	w := deadWhere(filter)
	w.And(`id > ?`, after)
	text, args := s.numbered(`SELECT id, key, seq FROM outlast_dead WHERE `+w.String()+` ORDER BY id LIMIT ?`, append(w.Args, max(0, limit)))
	err = s.read(ctx, func(c session) error {
		letters = nil
		return c.run(ctx, &call{text: text, args: args, scan: func(r row) error {
			letters = append(letters, store.Letter{ID: r.ID(0), Key: r.Text(1), Seq: r.Int(2)})
			return nil
		}})
	})
	if err != nil {
		return nil, err
	}
	return letters, nil
}
