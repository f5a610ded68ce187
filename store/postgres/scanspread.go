package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// scanLane is scanRanges for one range where Citus has distributed the tables.
// Inputs: lane, mark, after, id after, until, limit.
var scanLane = newQuery(`SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = $1::integer AND t.park = $2::bigint
 AND (t.rank, uuid_send(t.id)) > ($3::bigint, uuid_send($4::uuid)) AND t.rank <= $5::bigint
 AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is $1::integer*/) IS NULL ORDER BY t.rank, uuid_send(t.id) LIMIT $6::bigint`)

// scanSpread reads the ranges one by one, in one round trip.
func (s *Store) scanSpread(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	found := make([][]store.Entry, len(ranges))
	calls := make([]*call, len(ranges))
	for i, r := range ranges {
		calls[i] = &call{
			query: scanLane, args: []any{r.Lane, r.Park, r.After, r.AfterID, r.Until, r.Limit},
			start: func() { found[i] = nil },
			scan: func(r row) error {
				found[i] = append(found[i], scanEntry(r))
				return nil
			},
		}
	}
	if err := s.read(ctx, func(c session) error { return c.run(ctx, calls...) }); err != nil {
		return nil, err
	}
	return found, nil
}
