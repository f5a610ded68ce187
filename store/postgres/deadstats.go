package postgres

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
)

var selectFirstSeen = newQuery(`SELECT fingerprint, first_seen FROM outlast_dead_group WHERE fingerprint = ANY($1::text[])`)

// DeadGroups implements [store.Query]. Without a filter, or with a
// fingerprint alone, it reads counters, with another it counts the letters that match, and does not examine those older
// than the newest of [where.Grouped]; see groupsOf.
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) (groups []store.DeadGroup, err error) {
	if limit <= 0 {
		limit = pages.Default
	}
	if groups, kept, err := sqlstore.KeptGroups(ctx, s.cold, filter, limit); kept {
		return groups, err
	}
	text, args := s.numbered(groupsOf(filter, limit, s.spread))
	c := &call{text: text, args: args, start: func() { groups = nil }, scan: func(r row) error {
		groups = append(groups, sqlstore.ScanGroup(r))
		return nil
	}}
	err = s.read(ctx, func(session session) error {
		if err := session.run(ctx, c); err != nil || !s.spread || len(filter.Queues) > 0 {
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
		at[r.Text(0)].FirstSeen = r.Time(1)
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
