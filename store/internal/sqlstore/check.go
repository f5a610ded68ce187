package sqlstore

import (
	"context"
	"fmt"
	"maps"

	"github.com/outlast-dev/outlast/store"
)

var recount = query(`SELECT 'total', '', count(*) FROM outlast_dead HAVING count(*) > 0
UNION ALL SELECT 'type', type, count(*) FROM outlast_dead GROUP BY type
UNION ALL SELECT 'reason', reason, count(*) FROM outlast_dead GROUP BY reason
UNION ALL SELECT 'category', category, count(*) FROM outlast_dead GROUP BY category`)

// Check implements [store.Query].
func (c Cold) Check(ctx context.Context) (wrong []string, err error) {
	err = c.db.Survey(ctx, func(s Session) error {
		wrong = nil
		for _, invariant := range c.own.Invariants {
			found, err := all(s, Made(invariant[1]), func(r Row) string { return invariant[0] + ": " + r.Text(0) })
			if err != nil {
				return err
			}
			wrong = append(wrong, found...)
		}
		kept, err := statsOf(s, selectCounts)
		if err != nil {
			return err
		}
		counted, err := statsOf(s, recount)
		if err == nil && !equal(kept, counted) {
			wrong = append(wrong, fmt.Sprintf("dead letters are miscounted: kept %+v, counted %+v", *kept, *counted))
		}
		return err
	})
	return wrong, err
}

func equal(a, b *store.DeadStats) bool {
	return a.Total == b.Total && maps.Equal(a.ByType, b.ByType) && maps.Equal(a.ByReason, b.ByReason) && maps.Equal(a.ByCategory, b.ByCategory)
}
