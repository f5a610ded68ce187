package sqlite

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

// nodeMemory is how long a node that has ended stays in the topology.
const nodeMemory = time.Hour

var (
	// selectNodes leaves out nodes that ended before ?1 and hold nothing.
	selectNodes = &query{sql: `SELECT ` + sqlstore.NodeColumns + ` FROM outlast_node n
WHERE state = 'alive' OR ended_at > ?1
   OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id)
   OR EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
ORDER BY started_at, id`}
)

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.read(ctx, func(c *conn) (err error) {
		if t, err = sqlstore.Topology(coldSession{c}, s.now()-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		t.Nodes, err = readNodes(c, s.now()-nodeMemory.Microseconds())
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
		node.Gone = s.locks.gone(node.ID)
		others = others || !node.Gone && !s.locks.mine(node.ID)
	}
	s.others.Store(others)
	return t, nil
}

// crowded reports whether another process may want to write.
func (s *Store) crowded() bool {
	foreign := time.Unix(0, s.writer.foreign.Load())
	return s.others.Load() || time.Since(foreign) < 5*time.Second
}

func readNodes(s session, since int64) (nodes []store.Node, err error) {
	err = s.each(selectNodes, func(r row) error {
		node, err := sqlstore.ScanNode(r)
		nodes = append(nodes, node)
		return err
	}, since)
	return nodes, err
}
