package sqlite

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// scanLimit is how many rows of one table a page reads, so that what is asked of each
// takes a few ten milliseconds: two tables stay far below
// 20 000.
const scanLimit = 4000

// Find implements [store.Query]: a merge of the tables by id.
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) (found []*task.Task, next string, err error) {
	asked, err := pages.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	err = s.read(ctx, func(c *conn) (err error) {
		if filter.IDs != nil {
			found, next, err = findIDs(c, filter, asked)
			return err
		}
		found, next, err = findMerged(c, filter, asked)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return found, next, nil
}

func findMerged(c *conn, filter store.Filter, asked pages.Request) (found []*task.Task, next string, err error) {
	few, err := fewPending(c, filter)
	if err != nil {
		return nil, "", err
	}
	return asked.Read(func(before cursor.Place, limit int) ([]*task.Task, cursor.Place, error) {
		var windows []pages.Window
		for _, source := range sources(filter, asked.Bare) {
			source.few = few
			for _, filter := range source.parts(filter) {
				windows = append(windows, func(limit int) ([]*task.Task, cursor.Place, error) {
					return readWindow(c, &source, filter, &asked, before, limit)
				})
			}
		}
		return asked.Merge(windows, limit)
	})
}

func readWindow(c *conn, s *source, filter store.Filter, asked *pages.Request, before cursor.Place, limit int) (rows []*task.Task, end cursor.Place, err error) {
	q, args := s.window(filter, before, limit)
	bytes := int64(0)
	err = c.once().each(q, func(r row) error {
		rows, bytes = append(rows, scanTask(r)), max(bytes, r.Int(taskWidth))
		return nil
	}, args...)
	if err != nil {
		return nil, end, err
	}
	asked.Sort(rows)
	if len(rows) >= limit || bytes >= pages.MostBytes {
		return rows, asked.PlaceOf(rows[len(rows)-1]), nil
	}
	end, err = windowEnd(c, s, filter, before)
	return rows, end, err
}

// pendingFew finds whether there are more live tasks than a window.
var pendingFew = &query{sql: fmt.Sprintf(`SELECT count(*) < %d FROM (SELECT 1 FROM outlast_task INDEXED BY outlast_task_rank WHERE state = 5 LIMIT %[1]d)`, scanLimit)}

// fewPending reports whether a list of pending or live tasks can look at all live
// ones; else it walks the ended ones too.
func fewPending(c *conn, filter store.Filter) (few bool, err error) {
	if filter.State != task.Pending && !filter.Live {
		return false, nil
	}
	_, err = one(c, pendingFew, func(r row) { few = r.Bool(0) })
	return few, err
}

// windowEnd is the lowest place that the window has covered, zero if it has
// covered all.
func windowEnd(c *conn, s *source, f store.Filter, before cursor.Place) (end cursor.Place, err error) {
	q, args := s.floor(f, before)
	_, err = one(c.once(), q, func(r row) { end = cursor.Place{At: r.Int(0), ID: r.ID(1)} }, args...)
	return end, err
}

// findIDs lookups each of the ids, unless another part of the filter is against.
func findIDs(c *conn, filter store.Filter, asked pages.Request) (found []*task.Task, next string, err error) {
	lookups := lookupsOf(filter, asked.Bare)
	defer func() {
		for i := range lookups {
			c.forget(lookups[i].query)
		}
	}()
	return asked.ReadByID(filter.IDs, func(id task.ID) (*task.Task, error) {
		for i := range lookups {
			lookups[i].args[0] = id
			found, err := tasks(c, nil, lookups[i].query, lookups[i].args...)
			if err != nil || len(found) > 0 {
				return append(found, nil)[0], err
			}
		}
		return nil, nil
	})
}

// lookup is a statement for one task. Its first argument is the id.
type lookup struct {
	query *query
	args  []any
}

// lookupsOf are the statements that look for a task of the filter.
func lookupsOf(filter store.Filter, bare bool) (lookups []lookup) {
	for _, source := range sources(filter, bare) {
		w := &where.Where{}
		w.And(`id = ?`, task.ID{})
		w.IDs(filter)
		source.rest(w, filter)
		lookups = append(lookups, lookup{&query{sql: `SELECT ` + source.columns + ` FROM ` + source.table + ` WHERE ` + w.String()}, w.Args})
	}
	return lookups
}

// pendingOfQueue counts the pending tasks of a queue by its lanes, whatever else there
// is. Inputs: queue, limit.
var pendingOfQueue = &query{sql: `SELECT count(*) FROM (SELECT 1 FROM outlast_task INDEXED BY outlast_task_rank
WHERE state = 5 AND lane IN (SELECT lane FROM outlast_lane WHERE queue = ?) AND num NOT IN (SELECT num FROM outlast_run) LIMIT ?)`}

// Count implements [store.Query].
func (s *Store) Count(ctx context.Context, filter store.Filter, limit int) (n int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	filter = where.Exact(filter)
	err = s.read(ctx, func(c *conn) error {
		n = 0
		if where.PendingOf(filter) {
			_, err := one(c, pendingOfQueue, func(r row) { n = int(r.Int(0)) }, filter.Queue, limit)
			return err
		}
		if kind, name, ok := where.Counter(filter); ok {
			all, err := sqlstore.KeptCount(coldSession{c}, kind, name)
			n = min(all, limit)
			return err
		}
		if filter.IDs != nil {
			found, _, err := findIDs(c, filter, pages.Request{Limit: limit, Bare: true})
			n = len(found)
			return err
		}
		for _, source := range sources(filter, true) {
			w := &where.Where{}
			source.few = true
			source.index(w, filter)
			w.IDs(filter)
			source.rest(w, filter)
			q := &query{sql: `SELECT count(*) FROM (SELECT 1 FROM ` + source.table + ` WHERE ` + w.String() + ` LIMIT ?)`}
			_, err := one(c.once(), q, func(r row) { n += int(r.Int(0)) }, append(w.Args, limit-n)...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// onceSession runs statements that are made for one call: they are not kept.
type onceSession struct{ *conn }

func (c *conn) once() session { return onceSession{c} }

func (o onceSession) each(q *query, scan func(row) error, args ...any) error {
	defer o.forget(q)
	q.long = true
	return o.conn.each(q, scan, args...)
}

func (c *conn) forget(q *query) {
	if stmt, ok := c.stmts[q]; ok {
		delete(c.stmts, q)
		_ = stmt.Close()
	}
}
