package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// endStuck ends the sessions that have held the locks of lanes for long,
// lanes whose owner is not alive: what is left of a claim whose client was cut
// off without a word. The server would wait for it as long as TCP does.
// Inputs: lanes, seconds. The lock of a row is a transaction's number in xmax.
var endStuck = newQuery(`SELECT pg_terminate_backend(a.pid) FROM outlast_lane l JOIN pg_stat_activity a ON a.backend_xid = l.xmax
WHERE l.lane = ANY($1::integer[]) AND a.pid <> pg_backend_pid() AND a.xact_start < clock_timestamp() - make_interval(secs => $2::bigint::double precision)
AND NOT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = l.owner AND n.state = 'alive')`)

// stuckAfter is how many seconds a claim may take before who takes its lane
// over ends it. A claim takes milliseconds.
const stuckAfter = 2

// TakeLanes implements [store.Store].
func (s *Store) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if len(lanes) == 0 {
		return nil, nil
	}
	var taken []store.LaneEpoch
	err := s.repeat(ctx, func() (err error) {
		if taken, err = s.changeLanes(ctx, takeLanes, node, lanes); codeOf(err) == codeLockTimeout {
			numbers, _ := laneEpochs(lanes)
			_ = s.read(ctx, func(c session) error { // best effort: the lanes are tried again
				_, err := exec(ctx, c, endStuck, numbers, stuckAfter)
				return err
			})
		}
		return err
	})
	return taken, err
}

// FreeLanes implements [store.Store].
func (s *Store) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if len(lanes) == 0 {
		return nil, nil
	}
	var freed []store.LaneEpoch
	err := s.repeat(ctx, func() (err error) {
		if s.spread {
			freed, err = s.freeSpread(ctx, node, lanes)
		} else {
			freed, err = s.changeLanes(ctx, freeLanes, node, lanes)
		}
		return err
	})
	return freed, err
}

// freeSpread frees lanes one by one where tables are distributed: under the
// lock of each it asks the lane's machine whether a keyed task runs.
func (s *Store) freeSpread(ctx context.Context, node string, lanes []store.LaneEpoch) (freed []store.LaneEpoch, err error) {
	for _, lane := range lanes {
		n := int64(0)
		err := s.write(ctx, func(t *tx) (err error) {
			n = 0
			if _, err := exec(ctx, t, lockLanes, []int32{int32(lane.Lane)}); err != nil {
				return err
			}
			if busy, err := one(ctx, t, keyedRunning, func(row) {}, lane.Lane); err != nil || busy {
				return err
			}
			n, err = exec(ctx, t, freeLanes, node, []int32{int32(lane.Lane)}, []int64{lane.Epoch})
			return err
		})
		if err != nil {
			return nil, err
		}
		if n > 0 {
			freed = append(freed, lane)
		}
	}
	return freed, nil
}
