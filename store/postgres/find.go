package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// Find implements [store.Query]: a merge of the tables by id, in one
// snapshot, in which each task is in one table.
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) (found []*task.Task, next string, err error) {
	asked, err := pages.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	err = s.snapshot(ctx, func(c session) (err error) {
		if filter.IDs != nil {
			found, next, err = asked.ReadByID(filter.IDs, func(id task.ID) (*task.Task, error) { return s.findID(ctx, c, filter, id, asked.Bare) })
			return err
		}
		found, next, err = asked.Read(func(before cursor.Place, limit int) ([]*task.Task, cursor.Place, error) {
			var windows []pages.Window
			for _, source := range sourcesOf(filter, asked.Bare) {
				for _, filter := range source.parts(filter) {
					windows = append(windows, func(limit int) ([]*task.Task, cursor.Place, error) {
						return s.window(ctx, c, source, filter, &asked, before, limit)
					})
				}
			}
			return asked.Merge(windows, limit)
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return found, next, nil
}

func (s *Store) window(ctx context.Context, c session, source *source, filter store.Filter, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, end cursor.Place, err error) {
	if s.spread {
		return s.spreadWindow(ctx, c, source, filter, asked, before, limit)
	}
	text, args := s.numbered(source.window(filter, before, limit))
	bytes := int64(0)
	err = c.run(ctx, &call{text: text, args: args, scan: func(r row) error {
		found, bytes = append(found, scanTask(r)), r.Int(taskWidth)
		return nil
	}})
	if err != nil {
		return nil, end, err
	}
	if len(found) >= limit || bytes >= pages.MostBytes {
		return found, asked.PlaceOf(found[len(found)-1]), nil
	}
	end, err = s.floor(ctx, c, source, filter, before)
	return found, end, err
}

func (s *Store) floor(ctx context.Context, c session, source *source, filter store.Filter, before cursor.Place) (end cursor.Place, err error) {
	text, args := s.numbered(source.floor(filter, before))
	err = c.run(ctx, &call{text: text, args: args, scan: func(r row) error {
		end = placeIn(r)
		return nil
	}})
	return end, err
}

// placeIn is the place that a row begins with.
func placeIn(r row) cursor.Place { return cursor.Place{At: r.Int(0), ID: r.ID(1)} }

// spreadWindow asks first how large the rows are: each machine sends as many of them as
// a page takes at most.
func (s *Store) spreadWindow(ctx context.Context, c session, source *source, filter store.Filter, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, end cursor.Place, err error) {
	if end, err = s.floor(ctx, c, source, filter, before); err != nil {
		return nil, end, err
	}
	bytes := int64(0)
	text, args := s.numbered(source.spreadWindow(source.place(filter)+`, `+source.size, filter, before, end, limit))
	err = c.run(ctx, &call{text: text, args: args, scan: func(r row) error {
		if bytes < pages.MostBytes {
			if bytes += r.Int(2); bytes >= pages.MostBytes {
				end = placeIn(r)
			}
		}
		return nil
	}})
	if err != nil {
		return nil, end, err
	}
	text, args = s.numbered(source.spreadWindow(source.columns, filter, before, end, limit))
	if err := c.run(ctx, &call{text: text, args: args, scan: collect(&found)}); err != nil {
		return nil, end, err
	}
	if len(found) >= limit {
		end = asked.PlaceOf(found[len(found)-1])
	}
	return found, end, nil
}

// findID gets a task unless another part of the filter is against it.
func (s *Store) findID(ctx context.Context, c session, filter store.Filter, id task.ID, bare bool) (*task.Task, error) {
	for _, source := range sourcesOf(filter, bare) {
		w := &where.Where{}
		w.And(`id = ?`, id)
		w.And(`lane = ?::integer`, int32(id.Lane()))
		w.IDs(filter)
		source.rest(w, filter)
		text, args := s.numbered(`SELECT `+source.columns+` FROM `+source.table+` WHERE `+w.String(), w.Args)
		var found []*task.Task
		if err := c.run(ctx, &call{text: text, args: args, scan: collect(&found)}); err != nil {
			return nil, err
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	return nil, nil
}

// pendingOfQueue counts the pending tasks of a queue, whatever else there is: the live
// ones lane by lane, without those that run. That each lane is read in the order of its
// index keeps the planner from reading the table. Inputs: queue, limit.
var pendingOfQueue = newQuery(`WITH running AS MATERIALIZED (SELECT count(*) AS n FROM outlast_running r WHERE r.lane = ANY(ARRAY(SELECT l.lane FROM outlast_lane l WHERE l.queue = $1::text)))
SELECT greatest(0, (SELECT count(*) FROM (SELECT 1 FROM outlast_lane l CROSS JOIN LATERAL
 (SELECT 1 FROM outlast_task t WHERE t.lane = l.lane ORDER BY t.park, t.rank LIMIT $2::bigint + (SELECT n FROM running)) x
 WHERE l.queue = $1::text LIMIT $2::bigint + (SELECT n FROM running)) live) - (SELECT n FROM running))`)

// Count implements [store.Query].
func (s *Store) Count(ctx context.Context, filter store.Filter, limit int) (n int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	filter = where.Exact(filter)
	err = s.snapshot(ctx, func(c session) error {
		n = 0
		if where.PendingOf(filter) && !s.spread {
			return each(ctx, c, pendingOfQueue, func(r row) error {
				n = int(r.Int(0))
				return nil
			}, filter.Queue, limit)
		}
		if kind, name, ok := where.Counter(filter); ok {
			all, err := sqlstore.KeptCount(coldSession{ctx, c, s.spread}, kind, name)
			n = min(all, limit)
			return err
		}
		if filter.IDs != nil {
			all := pages.Request{Limit: limit}
			found, _, err := all.ByID(filter.IDs, func(id task.ID) (*task.Task, error) { return s.findID(ctx, c, filter, id, true) })
			n = len(found)
			return err
		}
		for _, source := range sourcesOf(filter, true) {
			w := &where.Where{}
			source.index(w, filter)
			w.IDs(filter)
			source.rest(w, filter)
			text, args := s.numbered(`SELECT count(*) FROM (SELECT 1 FROM `+source.table+` WHERE `+w.String()+` LIMIT ?) x`, append(w.Args, limit-n))
			err := c.run(ctx, &call{text: text, args: args, scan: func(r row) error {
				n += int(r.Int(0))
				return nil
			}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
