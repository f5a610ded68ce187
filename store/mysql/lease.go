package mysql

import (
	"context"
	"database/sql"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockLeases locks running rows that have a lease, so that no settle ends them
	// meanwhile, and reads what is to be known of them.
	lockLeases = `SELECT r.id, r.claim, r.cancel FROM outlast_run r FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_lease l ON l.id = r.id WHERE r.id IN (@ids) FOR UPDATE`

	// extendLeases moves the ends of leases.
	extendLeases = `UPDATE outlast_lease FORCE INDEX (PRIMARY) SET ends_at = ? WHERE id IN (@ids)`

	// endedLeases lists tasks of which the lease has ended, the first ones first.
	endedLeases = `SELECT l.id FROM outlast_lease l FORCE INDEX (outlast_lease_ends) WHERE l.ends_at <= ? ORDER BY l.ends_at`

	// leaseOrphans is orphans for tasks of which the lease has ended.
	leaseOrphans = `SELECT ` + entryColumns + `, r.claim, r.cancel, t.priority, r.node, r.started_at, t.queue, t.trace
FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_run r ON r.id = t.id STRAIGHT_JOIN outlast_lease l ON l.id = r.id
WHERE l.ends_at <= ? AND t.id IN (@ids) FOR UPDATE SKIP LOCKED`
)

// Extend implements [store.Leaser].
func (s *Store) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	results := make([]store.Extended, len(items))
	err := s.write(ctx, "extend", func(tx *tx) error { return tx.extend(items, lease, results) })
	if err != nil {
		return nil, err
	}
	return results, nil
}

func (tx *tx) extend(items []store.LeaseItem, lease time.Duration, results []store.Extended) error {
	wanted := make([]task.ID, len(items))
	for i, item := range items {
		wanted[i] = item.ID
	}
	sortIDs(wanted)
	runs := map[store.LeaseItem]bool{} // with whether their cancel was requested
	err := ids(wanted, lockLeases, func(query string) error {
		return tx.each(query, func(rows *sql.Rows) error {
			var id identity
			var claim int64
			var cancel bool
			err := rows.Scan(&id, &claim, &cancel)
			runs[store.LeaseItem{ID: task.ID(id), Claim: claim}] = cancel
			return err
		})
	})
	if err != nil {
		return err
	}
	var held []task.ID
	for i, item := range items {
		cancel, runs := runs[item]
		if !runs {
			results[i] = store.Extended{Status: store.StatusStale}
			continue
		}
		results[i] = store.Extended{Status: store.StatusOK, CancelRequested: cancel}
		held = append(held, item.ID)
	}
	sortIDs(held)
	_, err = tx.execIDs(held, extendLeases, tx.now+lease.Microseconds())
	return err
}

// recoverLeases hands back what remote workers have let go.
func (s *Store) recoverLeases(ctx context.Context, lanes []uint16, limit int) (recovered []store.Recovered, err error) {
	wanted := make(map[uint16]bool, len(lanes))
	for _, lane := range lanes {
		wanted[lane] = true
	}
	var ended []task.ID
	err = s.read(ctx, func(c *session) error {
		ended = nil
		now, err := s.clockOf(c)
		if err != nil {
			return err
		}
		return c.each(endedLeases, func(rows *sql.Rows) error {
			var id identity
			err := rows.Scan(&id)
			if wanted[task.ID(id).Lane()] && len(ended) < limit {
				ended = append(ended, task.ID(id))
			}
			return err
		}, now)
	})
	if err != nil || len(ended) == 0 {
		return nil, err
	}
	sortIDs(ended)
	err = s.write(ctx, "recover", func(tx *tx) error {
		r := recovering{tx: tx, node: ending.Lost{Cause: ending.LeaseExpired, Suspect: ending.SuspectAll}}
		if err := r.read(leaseOrphans, tx.now, ended); err != nil {
			return err
		}
		recovered = r.result
		return r.write()
	})
	if err != nil {
		return nil, err
	}
	return recovered, nil
}
