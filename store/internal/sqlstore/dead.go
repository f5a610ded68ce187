package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

const groupColumns = `fingerprint, "count", type, reason, category, message, first_seen, last_seen, example`

var (
	selectCounts = query(`SELECT kind, name, "count" FROM outlast_dead_count WHERE "count" <> 0`)
	selectCount  = query(`SELECT "count" FROM outlast_dead_count WHERE kind = $1::text AND name = $2::text`)

	selectGroups = query(`SELECT ` + groupColumns + ` FROM outlast_dead_group ORDER BY "count" DESC, last_seen DESC, fingerprint LIMIT $1::bigint`)
	selectGroup  = query(`SELECT ` + groupColumns + ` FROM outlast_dead_group WHERE fingerprint = $1::text`)
	groupSize    = query(`SELECT "count" FROM outlast_dead_group WHERE fingerprint = $1::text`)
)

// scanGroup reads a group of dead letters: its fingerprint, count, type, reason, category,
// message, when it was seen first and last, an example.
func scanGroup(r Row) store.DeadGroup {
	return store.DeadGroup{
		Fingerprint: r.Text(0), Count: int(r.Int(1)), Type: r.Text(2), Reason: task.DeadReason(r.Text(3)), Category: r.Text(4),
		Message: r.Text(5), FirstSeen: r.Time(6), LastSeen: r.Time(7), Example: r.ID(8),
	}
}

// DeadStats implements [store.Query].
func (c Cold) DeadStats(ctx context.Context) (*store.DeadStats, error) {
	return reading(ctx, c, func(s Session) (*store.DeadStats, error) { return statsOf(s, selectCounts) })
}

func statsOf(s Session, q *Query) (*store.DeadStats, error) {
	stats := stored.NewStats()
	return stats, s.Run(&Call{Query: q, Scan: func(r Row) error {
		stored.Count(stats, r.Text(0), r.Text(1), int(r.Int(2)))
		return nil
	}})
}

// keptCount is a count of dead letters that a counter has: of one kind and name, or of a
// fingerprint.
func keptCount(s Session, kind, name string) (int, error) {
	q, args := selectCount, []any{kind, name}
	if kind == "fingerprint" {
		q, args = groupSize, args[1:]
	}
	n, _, err := first(s, q, intOf, args...)
	return int(n), err
}

// keptGroups reads groups from their counters, if the filter is none or one of a
// fingerprint alone.
func keptGroups(ctx context.Context, c Cold, filter store.Filter, limit int) (groups []store.DeadGroup, kept bool, err error) {
	q, arg := selectGroups, any(limit)
	switch {
	case where.OnlyGroup(filter):
		q, arg = selectGroup, filter.Fingerprint
	case !where.Empty(filter):
		return nil, false, nil
	}
	groups, err = reading(ctx, c, func(s Session) ([]store.DeadGroup, error) { return all(s, q, scanGroup, arg) })
	return groups, true, err
}

var firstSeen = query(`SELECT first_seen FROM outlast_dead_group WHERE fingerprint = $1::text`)

// DeadGroups implements [store.Query]. Without a filter, or with a fingerprint alone, it
// reads counters, with another it counts the letters that match, and does not examine
// those older than the newest of [where.Grouped]: beyond them, counts are of the newest
// alone, so that the cost is bounded.
func (c Cold) DeadGroups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	if limit <= 0 {
		limit = pages.Default
	}
	if groups, kept, err := keptGroups(ctx, c, filter, limit); kept {
		return groups, err
	}
	newest, args := c.newest(filter)
	seen := c.own.FirstSeen
	if len(filter.Queues) > 0 { // that of the group may be of a letter of another queue
		seen = c.own.FirstOf
	}
	q := Made(strings.NewReplacer("@newest", newest, "@first", seen).Replace(c.own.Groups))
	return reading(ctx, c, func(s Session) ([]store.DeadGroup, error) {
		groups, err := all(s, q, scanGroup, append(args, limit)...)
		if err != nil || seen != "NULL" || len(groups) == 0 {
			return groups, err
		}
		calls := make([]*Call, len(groups))
		for i := range groups {
			calls[i] = &Call{Query: firstSeen, Args: []any{groups[i].Fingerprint}, Scan: func(r Row) error {
				groups[i].FirstSeen = r.Time(0)
				return nil
			}}
		}
		return groups, s.Run(calls...)
	})
}

// DeadTrend implements [store.Query]. It looks at the letters that a filtered
// DeadGroups looks at.
func (c Cold) DeadTrend(ctx context.Context, filter store.Filter, since store.Time) ([]store.DeadPart, error) {
	newest, args := c.newest(filter)
	q := Made(strings.Replace(c.own.Trend, "@newest", newest, 1))
	return reading(ctx, c, func(s Session) ([]store.DeadPart, error) {
		return all(s, q, scanPart, append([]any{since.UnixMicro()}, args...)...)
	})
}

func scanPart(r Row) store.DeadPart {
	return store.DeadPart{Fingerprint: r.Text(0), Reason: task.DeadReason(r.Text(1)), Target: r.Text(2), Node: r.Text(3), Hour: r.Int(4), Count: int(r.Int(5))}
}

// newest is the text behind FROM for the letters that match, among the newest of those
// that an index and the times of the filter select.
func (c Cold) newest(filter store.Filter) (text string, args []any) {
	dead := c.dead(filter)
	matching := dead.Index.With(&dead.Rest)
	newest, joins := &dead.Index, ""
	if filter.IDs != nil {
		newest, joins = matching, dead.Joins
	}
	return fmt.Sprintf(`(SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d) %s WHERE %s`, c.own.Newest, dead.Table+joins, newest, dead.Order(),
		where.Grouped(filter), c.own.Whole, matching), append(append([]any{}, newest.Args...), matching.Args...)
}
