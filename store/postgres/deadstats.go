package postgres

import (
	"context"
	"fmt"
	"maps"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

var (
	selectCounts = newQuery(`SELECT kind, name, count FROM outlast_dead_count WHERE count <> 0`)

	selectGroups = newQuery(`SELECT fingerprint, count, type, reason, category, message, first_seen, last_seen, example
FROM outlast_dead_group ORDER BY count DESC, last_seen DESC, fingerprint LIMIT $1::bigint`)

	selectGroup = newQuery(`SELECT fingerprint, count, type, reason, category, message, first_seen, last_seen, example
FROM outlast_dead_group WHERE fingerprint = $1::text`)

	selectFirstSeen = newQuery(`SELECT fingerprint, first_seen FROM outlast_dead_group WHERE fingerprint = ANY($1::text[])`)

	recount = newQuery(`SELECT 'total', '', count(*) FROM outlast_dead HAVING count(*) > 0
UNION ALL SELECT 'type', type, count(*) FROM outlast_dead GROUP BY type
UNION ALL SELECT 'reason', reason, count(*) FROM outlast_dead GROUP BY reason
UNION ALL SELECT 'category', category, count(*) FROM outlast_dead GROUP BY category`)
)

// The counters of dead letters that answer a count: of one kind and name, and of a
// group.
var (
	counterOf = newQuery(`SELECT count FROM outlast_dead_count WHERE kind = $1::text AND name = $2::text`)
	groupSize = newQuery(`SELECT count FROM outlast_dead_group WHERE fingerprint = $1::text`)
)

// kept is a count that a counter has.
func kept(ctx context.Context, s session, kind, name string) (n int, err error) {
	q, args := counterOf, []any{kind, name}
	if kind == "fingerprint" {
		q, args = groupSize, args[1:]
	}
	_, err = one(ctx, s, q, func(r row) { n = int(r.int(0)) }, args...)
	return n, err
}

// DeadStats implements [store.Query].
func (s *Store) DeadStats(ctx context.Context) (stats *store.DeadStats, err error) {
	err = s.read(ctx, func(c session) (err error) {
		stats, err = readStats(ctx, c, selectCounts)
		return err
	})
	return stats, err
}

func readStats(ctx context.Context, s session, q *query) (*store.DeadStats, error) {
	stats := stored.NewStats()
	err := each(ctx, s, q, func(r row) error {
		stored.Count(stats, r.text(0), r.text(1), int(r.int(2)))
		return nil
	})
	return stats, err
}

func equalStats(a, b *store.DeadStats) bool {
	return a.Total == b.Total && maps.Equal(a.ByType, b.ByType) && maps.Equal(a.ByReason, b.ByReason) && maps.Equal(a.ByCategory, b.ByCategory)
}

// DeadGroups implements [store.Query]. Without a filter, or with a
// fingerprint alone, it reads counters, with another it counts the letters that match, and does not examine those older
// than the newest of [where.Grouped]; see groupsOf.
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) (groups []store.DeadGroup, err error) {
	if limit <= 0 {
		limit = pages.Default
	}
	c, counted := &call{query: selectGroups, args: []any{limit}}, true
	switch {
	case where.OnlyGroup(filter):
		c = &call{query: selectGroup, args: []any{filter.Fingerprint}}
	case !where.Empty(filter):
		text, args := s.numbered(groupsOf(filter, limit, s.spread))
		c, counted = &call{text: text, args: args}, len(filter.Queues) > 0
	}
	c.start, c.scan = func() { groups = nil }, func(r row) error {
		groups = append(groups, store.DeadGroup{
			Fingerprint: r.text(0), Count: int(r.int(1)), Type: r.text(2), Reason: task.DeadReason(r.text(3)), Category: r.text(4),
			Message: r.text(5), FirstSeen: r.time(6), LastSeen: r.time(7), Example: r.id(8),
		})
		return nil
	}
	err = s.read(ctx, func(session session) error {
		if err := session.run(ctx, c); err != nil || !s.spread || counted {
			return err
		}
		return firstSeen(ctx, session, groups)
	})
	return groups, err
}

// firstSeen fills in when groups were seen first, where a statement cannot
// join what is on other machines with what is on the coordinator.
func firstSeen(ctx context.Context, s session, groups []store.DeadGroup) error {
	at := make(map[string]*store.DeadGroup, len(groups))
	var prints []string
	for i := range groups {
		at[groups[i].Fingerprint], prints = &groups[i], append(prints, groups[i].Fingerprint)
	}
	return each(ctx, s, selectFirstSeen, func(r row) error {
		at[r.text(0)].FirstSeen = r.time(1)
		return nil
	}, prints)
}

// groupsOf groups the dead letters that match among the newest of
// those that the filter's index and times select, so that its cost is
// bounded: beyond them, counts are of the newest alone. Of each group the
// letter that died last stands for it: its text alone is taken apart.
func groupsOf(filter store.Filter, limit int, spread bool) (text string, args []any) {
	first := `(SELECT first_seen FROM outlast_dead_group g WHERE g.fingerprint = d.fingerprint)`
	switch {
	case len(filter.Queues) > 0: // that of the group may be of a letter of another queue
		first = `first`
	case spread:
		first = `NULL::bigint` // see firstSeen
	}
	newest, matching := &where.Where{}, deadWhere(filter)
	deadSource.indexed(newest, filter)
	newest.IDs(filter)
	if filter.IDs != nil {
		newest = matching.Copy()
	}
	return fmt.Sprintf(`SELECT fingerprint, n, type, reason, category, coalesce(%s, ''), %s, finished_at, id FROM (
SELECT * FROM (SELECT DISTINCT ON (fingerprint) fingerprint, count(*) OVER (PARTITION BY fingerprint) AS n, min(finished_at) OVER (PARTITION BY fingerprint) AS first, type, reason, category, last_error, finished_at, id
FROM (SELECT * FROM outlast_dead WHERE %s ORDER BY id DESC LIMIT %d) d WHERE %s ORDER BY fingerprint, finished_at DESC, id DESC) g
ORDER BY n DESC, finished_at DESC, fingerprint LIMIT ?) d ORDER BY n DESC, finished_at DESC, fingerprint`, field("last_error", "message"), first, newest, where.Grouped(filter), matching),
		append(append(newest.Args, matching.Args...), limit)
}
