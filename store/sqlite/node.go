package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	// cancelRequests lists the node's running rows with a cancel request.
	cancelRequests = coldQuery(`SELECT t.id FROM outlast_run r CROSS JOIN outlast_task t ON t.num = r.num WHERE r.node = $1::text AND r.cancel = 1`)

	// freeLane gives a lane back unless a keyed task of it runs.
	freeLane = coldQuery(`UPDATE outlast_lane SET owner = null WHERE owner = $1::text AND lane = $2::integer AND epoch = $3::bigint
AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.lane = $2::integer AND r.key IS NOT NULL)`)

	// selectNodes leaves out nodes that ended before a time and hold nothing.
	selectNodes = coldQuery(`SELECT ` + sqlstore.NodeColumns + ` FROM outlast_node n
WHERE state = 'alive' OR ended_at > $1::bigint
   OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id)
   OR EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
ORDER BY started_at, id`)
)

// Join implements [store.Store]. The lock comes before the row, so nobody
// ever sees the row of a living process without its lock.
func (s *Store) Join(ctx context.Context, node store.Node) error {
	if node.ID == "" {
		return task.Invalid("id", "the node has no id", "")
	}
	if err := s.locks.Take(ctx, node.ID); err != nil {
		return err
	}
	s.likely.Store(&node.ID)
	err := sqlstore.Join(ctx, database{s}, &node)
	if errors.Is(err, store.ErrNodeDead) {
		err = errors.Join(err, s.locks.Free(node.ID))
	}
	return err
}

// Beat implements [store.Store].
func (s *Store) Beat(ctx context.Context, node string, report store.Report) (canceled []task.ID, err error) {
	err = s.write(ctx, "beat", func(tx *tx) (err error) {
		canceled, err = sqlstore.Beat(cold(tx), cancelRequests, node, &report)
		return err
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}

// Leave implements [store.Store].
func (s *Store) Leave(ctx context.Context, node string) error {
	if err := s.members.Leave(ctx, node); err != nil {
		return err
	}
	return s.locks.Free(node)
}

// Bury implements [store.Store].
func (s *Store) Bury(ctx context.Context, node string, counter int64) (bool, error) {
	buried, err := s.members.Bury(ctx, node, counter)
	if buried {
		s.locks.Remove(node)
	}
	return buried, err
}

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.read(ctx, func(c *conn) (err error) {
		if t, err = sqlstore.Topology(cold(c), s.now()-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		t.Nodes, err = sqlstore.Nodes(cold(c), selectNodes, s.now()-sqlstore.NodeMemory.Microseconds())
		return err
	})
	if err != nil {
		return nil, err
	}
	others := false
	for i := range t.Nodes {
		node := &t.Nodes[i]
		if node.State != store.NodeAlive {
			continue
		}
		node.Gone = s.locks.Gone(node.ID)
		others = others || !node.Gone && !s.locks.Mine(node.ID)
	}
	s.others.Store(others)
	return t, nil
}

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
