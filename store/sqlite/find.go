package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/task"
)

const (
	scanLimit   = 9000 // rows of one table read by one page: two tables stay below 20 000
	defaultPage = 100
	maxPage     = 500
)

// Find implements [store.Query]: a merge of the tables by id.
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) (found []*task.Task, next string, err error) {
	limit := page.Limit
	if limit == 0 {
		limit = defaultPage
	}
	if limit < 1 || limit > maxPage {
		return nil, "", task.Invalid("limit", "it is not between 1 and 500", "")
	}
	name, err := json.Marshal(filter)
	if err != nil {
		return nil, "", task.Invalid("filter", err.Error(), "")
	}
	var before task.ID
	if page.Cursor != "" {
		if before, err = cursor.Decode(page.Cursor, string(name)); err != nil {
			return nil, "", err
		}
	}
	var floor task.ID
	err = s.read(ctx, func(c *conn) (err error) {
		if filter.IDs != nil {
			found, floor, err = findIDs(c, filter, before, limit)
			return err
		}
		found, floor, err = findMerged(c, filter, before, limit)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if !floor.IsZero() {
		next = cursor.Encode(floor, string(name))
	}
	return found, next, nil
}

func newestFirst(a, b *task.Task) int { return bytes.Compare(b.ID[:], a.ID[:]) }

// findMerged reads a window of every table. Below the highest of the
// windows' ends nothing is known; the page stops there. floor is the id at
// which the next page begins, zero after the last.
func findMerged(c *conn, filter store.Filter, before task.ID, limit int) (found []*task.Task, floor task.ID, err error) {
	few, err := fewPending(c, filter)
	if err != nil {
		return nil, floor, err
	}
	for _, source := range sources(filter) {
		source.few = few
		q, args := source.window(filter, before, "DESC", source.columns, limit)
		rows, err := tasks(c.once(), nil, q, args...)
		if err != nil {
			return nil, floor, err
		}
		end, err := windowEnd(c, &source, filter, before, rows, limit)
		if err != nil {
			return nil, floor, err
		}
		if bytes.Compare(end[:], floor[:]) > 0 {
			floor = end
		}
		found = append(found, rows...)
	}
	slices.SortFunc(found, newestFirst)
	for i, t := range found {
		if bytes.Compare(t.ID[:], floor[:]) < 0 {
			found = found[:i]
			break
		}
	}
	if len(found) >= limit {
		if len(found) > limit || floor.IsZero() || floor != found[limit-1].ID {
			floor = more(found, limit, floor)
		}
		found = found[:limit]
	}
	return found, floor, nil
}

// pendingFew finds whether there are more live tasks than a window.
var pendingFew = &query{sql: fmt.Sprintf(`SELECT count(*) < %d FROM (SELECT 1 FROM outlast_task INDEXED BY outlast_task_rank WHERE state = 5 LIMIT %[1]d)`, scanLimit)}

// fewPending reports whether a list of pending tasks can look at all live
// ones; else it walks the ended ones too.
func fewPending(c *conn, filter store.Filter) (few bool, err error) {
	if filter.State != task.Pending {
		return false, nil
	}
	_, err = one(c, pendingFew, func(r row) { few = r.bool(0) })
	return few, err
}

// more is where the next page begins when this one is full.
func more(found []*task.Task, limit int, floor task.ID) task.ID {
	if len(found) == limit && floor.IsZero() {
		return floor
	}
	return found[limit-1].ID
}

// windowEnd is the lowest id that the window has covered, zero if it has
// covered all.
func windowEnd(c *conn, s *source, f store.Filter, before task.ID, rows []*task.Task, limit int) (end task.ID, err error) {
	if len(rows) >= limit {
		return rows[len(rows)-1].ID, nil
	}
	q, args := s.floor(f, before)
	_, err = one(c.once(), q, func(r row) { end = r.id(0) }, args...)
	return end, err
}

// findIDs gets each of the ids, unless another part of the filter is against.
func findIDs(c *conn, filter store.Filter, before task.ID, limit int) (found []*task.Task, floor task.ID, err error) {
	ids := slices.Clone(filter.IDs)
	slices.SortFunc(ids, func(a, b task.ID) int { return bytes.Compare(b[:], a[:]) })
	for _, id := range slices.Compact(ids) {
		if !before.IsZero() && bytes.Compare(id[:], before[:]) >= 0 {
			continue
		}
		if len(found) == limit {
			return found, found[limit-1].ID, nil
		}
		t, err := findID(c, filter, id)
		if err != nil {
			return nil, floor, err
		}
		if t != nil {
			found = append(found, t)
		}
	}
	return found, floor, nil
}

func findID(c *conn, filter store.Filter, id task.ID) (*task.Task, error) {
	for _, source := range sources(filter) {
		w := &where{}
		w.and(`id = ?`, id)
		w.idRange(filter, task.ID{})
		w.rest(&source, filter)
		q := &query{sql: `SELECT ` + source.columns + ` FROM ` + source.table + ` WHERE ` + w.String()}
		found, err := tasks(c.once(), nil, q, w.args...)
		if err != nil || len(found) > 0 {
			return append(found, nil)[0], err
		}
	}
	return nil, nil
}

// Count implements [store.Query].
func (s *Store) Count(ctx context.Context, filter store.Filter, limit int) (n int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	err = s.read(ctx, func(c *conn) error {
		n = 0
		if filter.IDs != nil {
			found, _, err := findIDs(c, filter, task.ID{}, limit)
			n = len(found)
			return err
		}
		for _, source := range sources(filter) {
			w := &where{}
			source.few = true
			source.index(w, filter)
			w.idRange(filter, task.ID{})
			w.rest(&source, filter)
			q := &query{sql: `SELECT count(*) FROM (SELECT 1 FROM ` + source.table + ` WHERE ` + w.String() + ` LIMIT ?)`}
			_, err := one(c.once(), q, func(r row) { n += int(r.int(0)) }, append(w.args, limit-n)...)
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
