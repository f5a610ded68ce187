package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
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

	// logOf reads the log of lanes in which the greatest number is another than
	// the given one; a row without a number stands for a log without rows. Inputs:
	// lanes, numbers.
	logOf = newQuery(`SELECT u.lane, c.claim, c.started_at, (SELECT string_agg(uuid_send(id), '') FROM unnest(c.ids) AS m (id)) FROM unnest($1::integer[], $2::bigint[]) AS u (lane, version)
LEFT JOIN LATERAL (SELECT * FROM outlast_claim c WHERE c.lane = u.lane /*c.lane is ($1::integer[])[1]*/) c ON true
WHERE coalesce((SELECT c.claim FROM outlast_claim c WHERE c.lane = u.lane /*c.lane is ($1::integer[])[1]*/ ORDER BY c.lane DESC, c.claim DESC LIMIT 1), 0) <> u.version`)

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
				changed = append(changed, store.LaneEpoch{Lane: uint16(r.Int(0)), Epoch: r.Int(1)})
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

// laneNumbers are lanes as an argument, in their order.
func laneNumbers(lanes []uint16) []int32 {
	numbers := make([]int32, len(lanes))
	for i, lane := range lanes {
		numbers[i] = int32(lane)
	}
	return numbers
}

func laneList(lanes map[uint16]bool) []int32 {
	list := make([]int32, 0, len(lanes))
	for lane := range lanes {
		list = append(list, int32(lane))
	}
	slices.Sort(list)
	return list
}

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
	s.readAhead.own(taken, true)
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
	s.readAhead.own(freed, false)
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

// changed are lanes of which memory does not have the log as it is, and what is in it.
type changed struct {
	lanes   []uint16
	batches []claimlog.Batch
}

// readLog reads the log of those lanes that memory does not know as it is, which
// follow one another.
func readLog(s *Store, lanes []uint16, into *changed) (calls []*call) {
	*into = changed{}
	for _, part := range parts(s.spread, lanes, func(lane uint16) uint16 { return lane }) {
		numbers, versions := make([]int32, len(part)), make([]int64, len(part))
		for i, lane := range part {
			numbers[i], versions[i] = int32(lane), s.log.Version(lane)
		}
		calls = append(calls, &call{query: logOf, args: []any{numbers, versions}, scan: into.add})
	}
	if len(calls) > 0 {
		calls[0].start = func() { *into = changed{} }
	}
	return calls
}

func (c *changed) add(r row) error {
	lane := uint16(r.Int(0))
	c.lanes = append(c.lanes, lane)
	if r[1] != nil {
		c.batches = append(c.batches, claimlog.Batch{Lane: lane, Claim: r.Int(1), Started: r.Int(2), IDs: r.IDs(3)})
	}
	return nil
}
