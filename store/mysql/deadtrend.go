package mysql

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/where"
)

// DeadTrend implements [store.Query]. It looks at the letters that a filtered
// DeadGroups looks at. Inputs: the time, the filter's values.
func (s *Store) DeadTrend(ctx context.Context, filter store.Filter, since store.Time) (parts []store.DeadPart, err error) {
	from, match := deadOf(filter)
	newest := `SELECT ` + from.id + ` FROM ` + from.table + ` WHERE ` + from.where.String() + ` ORDER BY ` + from.id + ` DESC LIMIT ` + strconv.Itoa(where.Grouped(filter))
	query := `SELECT d.fingerprint, d.reason, t.target, d.node, IF(d.finished_at >= ?, d.finished_at DIV 3600000000, 0) AS hour, COUNT(*)
FROM (` + newest + `) w STRAIGHT_JOIN outlast_dead d ON d.id = w.id STRAIGHT_JOIN outlast_task t ON t.id = d.id` + from.joins() +
		` WHERE ` + match.String() + ` GROUP BY 1, 2, 3, 4, 5`
	args := append([]any{since.UnixMicro()}, append(from.where.Args, match.Args...)...)
	err = s.snapshot(ctx, func(c *session) error {
		parts = nil
		return c.each(query, func(rows *sql.Rows) error {
			var p store.DeadPart
			var target, node text
			err := rows.Scan(&p.Fingerprint, &p.Reason, &target, &node, &p.Hour, &p.Count)
			p.Target, p.Node = string(target), string(node)
			parts = append(parts, p)
			return err
		}, args...)
	})
	return parts, err
}
