package mysql

import (
	"context"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
)

const (
	// describeGroups describes groups by the newest letter of each that
	// matched.
	describeGroups = `SELECT g.fingerprint, g.n, d.type, d.reason, d.category, COALESCE(JSON_UNQUOTE(JSON_EXTRACT(CONVERT(d.last_error USING utf8mb4), '$.message')), ''),
 @first, g.newest, d.id
FROM (@groups) g STRAIGHT_JOIN outlast_dead d ON d.id = g.id ORDER BY g.n DESC, g.newest DESC, g.fingerprint LIMIT ?`
)

// DeadGroups implements [store.Query]. Without a filter, or with a
// fingerprint alone, it reads counters, with another it counts the letters that match, and does not examine those older
// than the newest of [where.Grouped] that an index and the times of the filter select.
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) (groups []store.DeadGroup, err error) {
	if limit <= 0 {
		limit = pages.Default
	}
	if groups, kept, err := sqlstore.KeptGroups(ctx, s.cold, filter, limit); kept {
		return groups, err
	}
	query, args := groupsOf(filter, limit)
	err = s.snapshot(ctx, func(c *session) error {
		groups = nil
		return c.each(query, rowScanner(func(r sqlstore.Row) error {
			groups = append(groups, sqlstore.ScanGroup(r))
			return nil
		}), args...)
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
