package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
)

// nodeMemory is how long a node that has ended stays in the topology.
const nodeMemory = time.Hour

var (
	selectNow = newQuery(`SELECT ` + nowMicro)

	// selectNodes leaves out nodes that ended long ago and hold nothing.
	selectNodes = newQuery(`SELECT `+sqlstore.NodeColumns+`
FROM outlast_node n WHERE state = 'alive' OR ended_at > `+nowMicro+` - $2::bigint
 OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) OR EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
 OR (SELECT true FROM outlast_claim c WHERE c.node = n.id LIMIT 1)
ORDER BY started_at, id`,
		// Nodes that ended long ago are asked about apart: see longEnded.
		`SELECT `+sqlstore.NodeColumns+` FROM outlast_node n WHERE state = 'alive' OR ended_at > `+nowMicro+` - $2::bigint
 OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) OR id = ANY($3::text[]) ORDER BY started_at, id`)

	// longEnded lists nodes that ended long ago, holdsRows those of them that
	// have running rows or batches anywhere. Hardly ever is there one.
	longEnded = newQuery(`SELECT id FROM outlast_node WHERE state <> 'alive' AND ended_at <= ` + nowMicro + ` - $2::bigint`)
	holdsRows = newQuery(`SELECT DISTINCT node FROM (SELECT node, lane FROM outlast_run UNION ALL SELECT node, lane FROM outlast_claim) x WHERE node = ANY($1::text[])`)
)

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.lookUp(ctx, func(c session, now int64) (err error) {
		if t, err = sqlstore.Topology(coldSession{ctx, c, s.spread}, now-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		var holders []string
		if s.spread {
			if holders, err = s.holders(ctx, c); err != nil {
				return err
			}
		}
		return each(ctx, c, selectNodes, func(r row) error {
			node, err := sqlstore.ScanNode(r)
			t.Nodes = append(t.Nodes, node)
			return err
		}, s.offset(), nodeMemory.Microseconds(), holders)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// holders lists the nodes that ended long ago but have running rows.
func (s *Store) holders(ctx context.Context, c session) (holders []string, err error) {
	var ended []string
	list := func(names *[]string) func(row) error {
		return func(r row) error {
			*names = append(*names, r.Text(0))
			return nil
		}
	}
	err = each(ctx, c, longEnded, list(&ended), s.offset(), nodeMemory.Microseconds())
	if err == nil && len(ended) > 0 {
		err = each(ctx, c, holdsRows, list(&holders), ended)
	}
	return holders, err
}
