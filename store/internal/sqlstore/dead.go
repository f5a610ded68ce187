package sqlstore

import (
	"context"
	"fmt"
	"maps"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

const groupColumns = `fingerprint, "count", type, reason, category, message, first_seen, last_seen, example`

var (
	selectCounts = query(`SELECT kind, name, "count" FROM outlast_dead_count WHERE "count" <> 0`)
	selectCount  = query(`SELECT "count" FROM outlast_dead_count WHERE kind = $1::text AND name = $2::text`)
	recount      = query(`SELECT 'total', '', count(*) FROM outlast_dead HAVING count(*) > 0
UNION ALL SELECT 'type', type, count(*) FROM outlast_dead GROUP BY type
UNION ALL SELECT 'reason', reason, count(*) FROM outlast_dead GROUP BY reason
UNION ALL SELECT 'category', category, count(*) FROM outlast_dead GROUP BY category`)

	selectGroups = query(`SELECT ` + groupColumns + ` FROM outlast_dead_group ORDER BY "count" DESC, last_seen DESC, fingerprint LIMIT $1::bigint`)
	selectGroup  = query(`SELECT ` + groupColumns + ` FROM outlast_dead_group WHERE fingerprint = $1::text`)
	groupSize    = query(`SELECT "count" FROM outlast_dead_group WHERE fingerprint = $1::text`)
)

// ScanGroup reads a group of dead letters: its fingerprint, count, type, reason, category,
// message, when it was seen first and last, an example.
func ScanGroup(r Row) store.DeadGroup {
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

// KeptCount is a count of dead letters that a counter has: of one kind and name, or of a
// fingerprint.
func KeptCount(s Session, kind, name string) (int, error) {
	q, args := selectCount, []any{kind, name}
	if kind == "fingerprint" {
		q, args = groupSize, args[1:]
	}
	n, _, err := first(s, q, intOf, args...)
	return int(n), err
}

// KeptGroups reads groups from their counters, if the filter is none or one of a
// fingerprint alone.
func KeptGroups(ctx context.Context, c Cold, filter store.Filter, limit int) (groups []store.DeadGroup, kept bool, err error) {
	q, arg := selectGroups, any(limit)
	switch {
	case where.OnlyGroup(filter):
		q, arg = selectGroup, filter.Fingerprint
	case !where.Empty(filter):
		return nil, false, nil
	}
	groups, err = reading(ctx, c, func(s Session) ([]store.DeadGroup, error) { return all(s, q, ScanGroup, arg) })
	return groups, true, err
}

// CheckCounts says if the counters of dead letters are wrong.
func CheckCounts(s Session) (wrong []string, err error) {
	kept, err := statsOf(s, selectCounts)
	if err != nil {
		return nil, err
	}
	counted, err := statsOf(s, recount)
	if err == nil && !equal(kept, counted) {
		wrong = append(wrong, fmt.Sprintf("dead letters are miscounted: kept %+v, counted %+v", *kept, *counted))
	}
	return wrong, err
}

func equal(a, b *store.DeadStats) bool {
	return a.Total == b.Total && maps.Equal(a.ByType, b.ByType) && maps.Equal(a.ByReason, b.ByReason) && maps.Equal(a.ByCategory, b.ByCategory)
}
