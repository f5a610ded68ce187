package sqlite

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// DeadGroups implements [store.Query]. Without a filter, or with a
// fingerprint alone, it reads counters, with another it counts the letters that match, and does not examine those older
// than the newest of [where.Grouped]; see groupsQuery.
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) (groups []store.DeadGroup, err error) {
	if limit <= 0 {
		limit = pages.Default
	}
	if groups, kept, err := sqlstore.KeptGroups(ctx, s.cold, filter, limit); kept {
		return groups, err
	}
	q, args := groupsQuery(filter, limit)
	err = s.read(ctx, func(c *conn) error {
		groups = nil
		return c.once().each(q, func(r row) error {
			groups = append(groups, sqlstore.ScanGroup(r))
			return nil
		}, args...)
	})
	return groups, err
}

// groupsQuery groups the dead letters that match among the newest
// of those that the filter's index and times select, so that its cost is
// bounded: beyond them, counts are of the newest alone. Inputs: the filter's
// values, limit. It reads one snapshot. The bare columns are those of the
// row with the largest finished_at, as SQLite defines for max().
func groupsQuery(filter store.Filter, limit int) (*query, []any) {
	newest, matching := &where.Where{}, deadWhere(filter)
	deadSource.indexed(newest, filter)
	newest.IDs(filter)
	if filter.IDs != nil {
		newest = matching.Copy()
	}
	first := `(SELECT first_seen FROM outlast_dead_group g WHERE g.fingerprint = d.fingerprint)`
	if len(filter.Queues) > 0 { // that of the group may be of a letter of another queue
		first = `(SELECT min(finished_at) FROM newest n WHERE n.fingerprint = d.fingerprint)`
	}
	return &query{sql: fmt.Sprintf(`WITH newest AS (SELECT id, fingerprint, type, reason, category, last_error, finished_at FROM (SELECT * FROM outlast_dead WHERE %s ORDER BY id DESC LIMIT %d) d WHERE %s)
SELECT fingerprint, count(*) AS n, type, reason, category, ifnull(last_error ->> '$.message', ''), %s, max(finished_at) AS last, id
FROM newest d GROUP BY fingerprint ORDER BY n DESC, last DESC, fingerprint LIMIT ?`,
		newest, where.Grouped(filter), matching, first)}, append(append(newest.Args, matching.Args...), limit)
}

// deadWhere is a whole filter as a condition on dead letters.
func deadWhere(filter store.Filter) *where.Where {
	w := &where.Where{}
	deadSource.indexed(w, filter)
	w.IDs(filter)
	deadSource.rest(w, filter)
	if filter.State != "" && filter.State != task.Dead {
		w.And(`0`)
	}
	if filter.IDs != nil {
		text := `id IN (null`
		for _, id := range filter.IDs {
			text += `, ?`
			w.Args = append(w.Args, id)
		}
		w.And(text + `)`)
	}
	return w
}
