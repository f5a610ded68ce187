package mysql

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	// cancelRequests lists the node's running rows with a cancel request.
	cancelRequests = coldQuery(`SELECT id FROM outlast_cancel WHERE node = $1::text`)

	// selectNodes leaves out nodes that ended before a time and hold nothing.
	selectNodes = coldQuery(`SELECT ` + sqlstore.NodeColumns + `
FROM outlast_node n WHERE state = 'alive' OR ended_at > $1::bigint
 OR id IN (SELECT owner FROM outlast_lane WHERE owner IS NOT NULL) OR cleared = 0 AND EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
ORDER BY started_at, id`)

	// freeLane gives a lane back unless a keyed task of it runs. An owner's claim of a
	// keyed task is over, or fails for the epoch, since it locks the same row. That a
	// borrower may claim one meanwhile does no harm: the primary key of outlast_line keeps
	// the order of the key.
	freeLane = coldQuery(`UPDATE outlast_lane l SET owner = NULL WHERE owner = $1::text AND lane = $2::integer AND epoch = $3::bigint
 AND NOT EXISTS (SELECT 1 FROM outlast_line k WHERE k.lane = l.lane)`)
)

// Join implements [store.Store].
func (s *Store) Join(ctx context.Context, node store.Node) error {
	if node.ID == "" {
		return task.Invalid("id", "the node has no id", "")
	}
	for _, text := range [...]struct {
		field, value string
		limit        int
	}{{"id", node.ID, 255}, {"address", node.Address, 2048}, {"version", node.Version, 255}, {"release", node.Release, 255}} {
		if err := check.Text(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	return sqlstore.Join(ctx, database{s}, &node)
}

// Beat implements [store.Store], on a connection that serves nothing else. Its
// two statements commit by themselves.
func (s *Store) Beat(ctx context.Context, node string, report store.Report) (canceled []task.ID, err error) {
	err = s.repeated(ctx, func() error {
		return s.beats.do(ctx, func(c *session) (err error) {
			canceled, err = sqlstore.Beat(coldSession{c}, cancelRequests, node, &report)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}

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
		t.Nodes, err = sqlstore.Nodes(coldSession{c}, selectNodes, now-sqlstore.NodeMemory.Microseconds())
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
