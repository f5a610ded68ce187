package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// extendLeases moves the ends of the leases of rows that run under their claims,
// and tells of which the cancel was requested. Rows are locked in the order of
// their ids, as everyone does. Inputs: ids, claims, end.
var (
	lockLeases = newQuery(`SELECT r.id, r.claim, r.cancel FROM outlast_run r WHERE r.id = ANY($1::uuid[]) AND r.lease_until IS NOT NULL /*r.lane of ($1::uuid[])[1]*/
ORDER BY r.id FOR UPDATE`)
	extendLeases = newQuery(`UPDATE outlast_run SET lease_until = $2::bigint WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
)

// leaseOf is the length of a claim's lease as an argument, null for none.
func leaseOf(claim *store.Claim) any {
	if claim.Lease == 0 {
		return nil
	}
	return claim.Lease.Microseconds()
}

// Extend implements [store.Leaser].
func (s *Store) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	results := make([]store.Extended, len(items))
	byLane := map[uint16][]int{}
	for i, item := range items {
		at := item.ID.Lane()
		if !s.spread {
			at = 0
		}
		byLane[at] = append(byLane[at], i)
	}
	for _, places := range byLane {
		err := s.write(ctx, func(t *tx) error { return t.extend(ctx, items, places, lease, results) })
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// extend extends the leases of those items that the places name.
func (t *tx) extend(ctx context.Context, items []store.LeaseItem, places []int, lease time.Duration, results []store.Extended) error {
	ids := make([]task.ID, len(places))
	for i, place := range places {
		ids[i] = items[place].ID
	}
	type run struct {
		claim  int64
		cancel bool
	}
	runs := map[task.ID]run{}
	err := each(ctx, t, lockLeases, func(r row) error {
		runs[r.ID(0)] = run{r.Int(1), r.Bool(2)}
		return nil
	}, ids)
	if err != nil {
		return err
	}
	var held []task.ID
	for _, place := range places {
		item := items[place]
		found, runs := runs[item.ID]
		if !runs || found.claim != item.Claim {
			results[place] = store.Extended{Status: store.StatusStale}
			continue
		}
		results[place] = store.Extended{Status: store.StatusOK, CancelRequested: found.cancel}
		held = append(held, item.ID)
	}
	if len(held) == 0 {
		return nil
	}
	slices.SortFunc(held, task.ID.Compare)
	_, err = exec(ctx, t, extendLeases, held, t.now+lease.Microseconds())
	return err
}
