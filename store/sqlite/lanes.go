package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

var (
	// takeLane gives a free lane to a node that is alive, by compare-and-set
	// on the epoch. Claims in flight are over: they are write transactions.
	takeLane = &query{sql: `UPDATE outlast_lane SET owner = ?1, epoch = epoch + 1
WHERE lane = ?2 AND epoch = ?3
  AND NOT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = owner AND n.state = 'alive')
  AND EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = ?1 AND n.state = 'alive')`}

	// freeLane gives a lane back unless a keyed task of it runs.
	freeLane = &query{sql: `UPDATE outlast_lane SET owner = null WHERE owner = ?1 AND lane = ?2 AND epoch = ?3
AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.lane = ?2 AND r.key IS NOT NULL)`}
)

// TakeLanes implements [store.Store].
func (s *Store) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return s.changeLanes(ctx, takeLane, node, lanes, 1)
}

// FreeLanes implements [store.Store].
func (s *Store) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return s.changeLanes(ctx, freeLane, node, lanes, 0)
}

func (s *Store) changeLanes(ctx context.Context, q *query, node string, lanes []store.LaneEpoch, raise int64) ([]store.LaneEpoch, error) {
	var changed []store.LaneEpoch
	err := s.write(ctx, "lanes", func(tx *tx) error {
		changed = nil
		for _, lane := range lanes {
			n, err := tx.exec(q, node, lane.Lane, lane.Epoch)
			if err != nil {
				return err
			}
			if n == 1 {
				changed = append(changed, store.LaneEpoch{Lane: lane.Lane, Epoch: lane.Epoch + raise})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}
