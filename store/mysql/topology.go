package mysql

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

// nodeMemory is how long a node that has ended stays in the topology.
const nodeMemory = time.Hour

// selectNodes leaves out nodes that ended before a time and hold nothing.
var selectNodes = `SELECT ` + nodeColumns + `
FROM outlast_node n WHERE state = 'alive' OR ended_at > ?
 OR id IN (SELECT owner FROM outlast_lane WHERE owner IS NOT NULL) OR cleared = 0 AND EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
ORDER BY started_at, id`

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.snapshot(ctx, func(c *session) error {
		now, err := s.clockOf(c)
		if err != nil {
			return err
		}
		if t, err = sqlstore.Topology(coldSession{c}, now-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		t.Nodes, err = c.nodes(now - nodeMemory.Microseconds())
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// clockOf reads the store's now outside of a transaction that changes things.
func (s *Store) clockOf(c *session) (int64, error) {
	tx := &tx{session: c, store: s}
	err := tx.readClock()
	return tx.now, err
}

func (s *session) nodes(since int64) (nodes []store.Node, err error) {
	err = s.each(selectNodes, rowScanner(func(r sqlstore.Row) error {
		node, err := sqlstore.ScanNode(r)
		nodes = append(nodes, node)
		return err
	}), since)
	return nodes, err
}
