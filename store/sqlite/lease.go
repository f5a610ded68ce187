package sqlite

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// extendLease moves the end of a lease, if the row runs under the claim and has
// one, and tells whether its cancel was requested. Inputs: id, claim, end.
var extendLease = &query{sql: `UPDATE outlast_run SET lease_until = ?3
WHERE num = (SELECT num FROM outlast_task WHERE id = ?1) AND claim = ?2 AND lease_until IS NOT NULL RETURNING ifnull(cancel, 0)`}

// Extend implements [store.Leaser].
func (s *Store) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	results := make([]store.Extended, len(items))
	err := s.write(ctx, "extend", func(tx *tx) error {
		for i, item := range items {
			results[i] = store.Extended{Status: store.StatusStale}
			_, err := one(tx, extendLease, func(r row) {
				results[i] = store.Extended{Status: store.StatusOK, CancelRequested: r.Int(0) != 0}
			}, item.ID, item.Claim, tx.now+lease.Microseconds())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}
