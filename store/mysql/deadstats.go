package mysql

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/internal/where"
)

const (
	selectCounts = `SELECT kind, name, total FROM outlast_dead_count WHERE total <> 0`

	selectGroups = `SELECT fingerprint, total, type, reason, category, message, first_seen, last_seen, example
FROM outlast_dead_group ORDER BY total DESC, last_seen DESC, fingerprint LIMIT ?`

	selectGroup = `SELECT fingerprint, total, type, reason, category, message, first_seen, last_seen, example
FROM outlast_dead_group WHERE fingerprint = ?`

	// The counters of dead letters that answer a count: of one kind and name, and
	// of a group.
	counterOf = `SELECT total FROM outlast_dead_count WHERE kind = ? AND name = ?`
	groupSize = `SELECT total FROM outlast_dead_group WHERE fingerprint = ?`

	// describeGroups describes groups by the newest letter of each that
	// matched.
	describeGroups = `SELECT g.fingerprint, g.n, d.type, d.reason, d.category, COALESCE(JSON_UNQUOTE(JSON_EXTRACT(CONVERT(d.last_error USING utf8mb4), '$.message')), ''),
 @first, g.newest, d.id
FROM (@groups) g STRAIGHT_JOIN outlast_dead d ON d.id = g.id ORDER BY g.n DESC, g.newest DESC, g.fingerprint LIMIT ?`
)

// kept is a count that a counter has.
func (s *session) kept(kind, name string) (n int, err error) {
	query, args := counterOf, []any{kind, name}
	if kind == "fingerprint" {
		query, args = groupSize, args[1:]
	}
	_, err = s.first(query, []any{&n}, args...)
	return n, err
}

// DeadStats implements [store.Query].
func (s *Store) DeadStats(ctx context.Context) (*store.DeadStats, error) {
	var stats *store.DeadStats
	err := s.read(ctx, func(c *session) (err error) {
		stats, err = c.deadStats(selectCounts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stats, nil
}

func (s *session) deadStats(query string) (*store.DeadStats, error) {
	stats := stored.NewStats()
	err := s.each(query, func(rows *sql.Rows) error {
		var kind, name string
		var n int
		err := rows.Scan(&kind, &name, &n)
		stored.Count(stats, kind, name, n)
		return err
	})
	return stats, err
}

// DeadGroups implements [store.Query]. Without a filter, or with a
// fingerprint alone, it reads counters, with another it counts the letters that match, and does not examine those older
// than the newest of [where.Grouped] that an index and the times of the filter select.
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) (groups []store.DeadGroup, err error) {
	if limit <= 0 {
		limit = pages.Default
	}
	query, args := groupsOf(filter, limit)
	switch {
	case where.Empty(filter):
		query, args = selectGroups, []any{limit}
	case where.OnlyGroup(filter):
		query, args = selectGroup, []any{filter.Fingerprint}
	}
	err = s.snapshot(ctx, func(c *session) error {
		groups = nil
		return c.each(query, func(rows *sql.Rows) error {
			var g store.DeadGroup
			var firstSeen, lastSeen number
			var message text
			err := rows.Scan(&g.Fingerprint, &g.Count, &g.Type, &g.Reason, &g.Category, &message, &firstSeen, &lastSeen, (*identity)(&g.Example))
			g.FirstSeen, g.LastSeen, g.Message = firstSeen.time(), lastSeen.time(), string(message)
			groups = append(groups, g)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return groups, nil
}

// groupsOf groups the letters that match among the newest. The newest of a
// group is found by its time and id as one value: their bytes in order.
func groupsOf(filter store.Filter, limit int) (string, []any) {
	from, match := deadOf(filter)
	newest := `SELECT ` + from.id + ` FROM ` + from.table + ` WHERE ` + from.where.String() + ` ORDER BY ` + from.id + ` DESC LIMIT ` + strconv.Itoa(where.Grouped(filter))
	first := `COALESCE((SELECT first_seen FROM outlast_dead_group w WHERE w.fingerprint = g.fingerprint), 0)`
	if len(filter.Queues) > 0 { // that of the group may be of a letter of another queue
		first = `g.oldest`
	}
	grouped := `SELECT d.fingerprint, COUNT(*) AS n, MIN(d.finished_at) AS oldest, MAX(d.finished_at) AS newest,
 UNHEX(SUBSTRING(MAX(CONCAT(LPAD(HEX(d.finished_at), 16, '0'), HEX(d.id))), 17)) AS id
FROM (` + newest + `) w STRAIGHT_JOIN outlast_dead d ON d.id = w.id STRAIGHT_JOIN outlast_task t ON t.id = d.id` + from.joins() +
		` WHERE ` + match.String() + ` GROUP BY d.fingerprint`
	return strings.NewReplacer("@groups", grouped, "@first", first).Replace(describeGroups), append(append(from.where.Args, match.Args...), limit)
}
