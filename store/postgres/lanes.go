package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

var (
	// takeLanes gives free lanes to a node that is alive, by compare-and-set
	// on the epoch, under the locks of the lanes: claims in flight are over.
	takeLanes = newQuery(`UPDATE outlast_lane l SET owner = $1::text, epoch = l.epoch + 1
FROM unnest($2::integer[], $3::bigint[]) AS e (lane, epoch) WHERE l.lane = e.lane AND l.epoch = e.epoch
  AND NOT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = l.owner AND n.state = 'alive')
  AND EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $1::text AND n.state = 'alive')
RETURNING l.lane, l.epoch`)

	// freeLanes gives lanes back unless a keyed task of them runs, under the
	// locks of the lanes: none can be claimed meanwhile.
	freeLanes = newQuery(`UPDATE outlast_lane l SET owner = NULL
FROM unnest($2::integer[], $3::bigint[]) AS e (lane, epoch) WHERE l.lane = e.lane AND l.epoch = e.epoch AND l.owner = $1::text
  AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.lane = l.lane AND r.key IS NOT NULL)
RETURNING l.lane, l.epoch`,
		// Lanes without a keyed task that runs: see freeSpread.
		`UPDATE outlast_lane l SET owner = NULL
FROM unnest($2::integer[], $3::bigint[]) AS e (lane, epoch) WHERE l.lane = e.lane AND l.epoch = e.epoch AND l.owner = $1::text
RETURNING l.lane, l.epoch`)

	keyedRunning = newQuery(`SELECT 1 FROM outlast_run WHERE lane = $1::integer AND key IS NOT NULL LIMIT 1`)
)

// changeLanes takes or frees lanes under their locks. It waits for the locks
// once.
func (s *Store) changeLanes(ctx context.Context, q *query, node string, lanes []store.LaneEpoch) (changed []store.LaneEpoch, err error) {
	numbers, epochs := laneEpochs(lanes)
	err = s.connected(ctx, func(c *conn) error {
		return c.whole(ctx, &call{query: settings, args: []any{s.offset()}}, &call{query: lockLanes, args: []any{numbers}}, &call{
			query: q, args: []any{node, numbers, epochs},
			scan: func(r row) error {
				changed = append(changed, store.LaneEpoch{Lane: uint16(r.int(0)), Epoch: r.int(1)})
				return nil
			},
		})
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func laneEpochs(lanes []store.LaneEpoch) (numbers []int32, epochs []int64) {
	for _, lane := range lanes {
		numbers, epochs = append(numbers, int32(lane.Lane)), append(epochs, lane.Epoch)
	}
	return numbers, epochs
}

func laneList(lanes map[uint16]bool) []int32 {
	list := make([]int32, 0, len(lanes))
	for lane := range lanes {
		list = append(list, int32(lane))
	}
	slices.Sort(list)
	return list
}
