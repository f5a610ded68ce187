package postgres

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// DeadTrend implements [store.Query]. It looks at the letters that a filtered
// DeadGroups looks at, in one snapshot. Inputs: the time, the filter's values.
func (s *Store) DeadTrend(ctx context.Context, filter store.Filter, since store.Time) (parts []store.DeadPart, err error) {
	newest, matching := &where.Where{}, deadWhere(filter)
	deadSource.indexed(newest, filter)
	newest.IDs(filter)
	if filter.IDs != nil {
		newest = matching.Copy()
	}
	text, args := s.numbered(fmt.Sprintf(`SELECT fingerprint, reason, target, coalesce(node, ''), CASE WHEN finished_at >= ?::bigint THEN finished_at / 3600000000 ELSE 0 END AS hour, count(*)
FROM (SELECT * FROM outlast_dead WHERE %s ORDER BY id DESC LIMIT %d) d WHERE %s GROUP BY 1, 2, 3, 4, 5`, newest, where.Grouped(filter), matching),
		append([]any{since.UnixMicro()}, append(newest.Args, matching.Args...)...))
	c := &call{text: text, args: args, start: func() { parts = nil }, scan: func(r row) error {
		parts = append(parts, store.DeadPart{Fingerprint: r.Text(0), Reason: task.DeadReason(r.Text(1)), Target: r.Text(2), Node: r.Text(3), Hour: r.Int(4), Count: int(r.Int(5))})
		return nil
	}}
	err = s.read(ctx, func(session session) error { return session.run(ctx, c) })
	return parts, err
}
