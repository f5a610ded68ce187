package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lockLanes takes the locks of lanes, in their order, to the end of the
	// transaction: nobody else claims, cancels, reschedules or marks their
	// pending tasks, takes them or frees them.
	lockLanes = wire.NewQuery(`SELECT lane FROM outlast_lane WHERE lane = ANY($1::integer[]) ORDER BY lane FOR NO KEY UPDATE`)

	// takeLanes gives free lanes to a node that is alive, by compare-and-set
	// on the epoch, under the locks of the lanes: claims in flight are over.
	takeLanes = wire.NewQuery(`UPDATE outlast_lane l SET owner = $1::text, epoch = l.epoch + 1
FROM unnest($2::integer[], $3::bigint[]) AS e (lane, epoch) WHERE l.lane = e.lane AND l.epoch = e.epoch
  AND NOT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = l.owner AND n.state = 'alive')
  AND EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $1::text AND n.state = 'alive')
RETURNING l.lane, l.epoch`)

	// freeLanes gives lanes back unless a keyed task of them runs, under the
	// locks of the lanes: none can be claimed meanwhile.
	freeLanes = wire.NewQuery(`UPDATE outlast_lane l SET owner = NULL
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
	logOf = wire.NewQuery(`SELECT u.lane, c.claim, c.started_at, (SELECT string_agg(uuid_send(id), '') FROM unnest(c.ids) AS m (id)) FROM unnest($1::integer[], $2::bigint[]) AS u (lane, version)
LEFT JOIN LATERAL (SELECT * FROM outlast_claim c WHERE c.lane = u.lane /*c.lane is ($1::integer[])[1]*/) c ON true
WHERE coalesce((SELECT c.claim FROM outlast_claim c WHERE c.lane = u.lane /*c.lane is ($1::integer[])[1]*/ ORDER BY c.lane DESC, c.claim DESC LIMIT 1), 0) <> u.version`)

	keyedRunning = wire.NewQuery(`SELECT 1 FROM outlast_run WHERE lane = $1::integer AND key IS NOT NULL LIMIT 1`)
)

// changeLanes takes or frees lanes under their locks. It waits for the locks
// once.
func (s *Store) changeLanes(ctx context.Context, q *wire.Query, node string, lanes []store.LaneEpoch) (changed []store.LaneEpoch, err error) {
	numbers, epochs := laneEpochs(lanes)
	err = s.connected(ctx, func(c *wire.Conn) error {
		return c.Whole(ctx, &wire.Call{Query: settings, Args: []any{s.offset()}}, &wire.Call{Query: lockLanes, Args: []any{numbers}}, &wire.Call{
			Query: q, Args: []any{node, numbers, epochs},
			Scan: func(r wire.Row) error {
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
var endStuck = wire.NewQuery(`SELECT pg_terminate_backend(a.pid) FROM outlast_lane l JOIN pg_stat_activity a ON a.backend_xid = l.xmax
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
		if taken, err = s.changeLanes(ctx, takeLanes, node, lanes); wire.CodeOf(err) == wire.CodeLockTimeout {
			numbers, _ := laneEpochs(lanes)
			_ = s.read(ctx, func(c wire.Session) error { // best effort: the lanes are tried again
				_, err := wire.Exec(ctx, c, endStuck, numbers, stuckAfter)
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
			if _, err := wire.Exec(ctx, t, lockLanes, []int32{int32(lane.Lane)}); err != nil {
				return err
			}
			if busy, err := wire.One(ctx, t, keyedRunning, func(wire.Row) {}, lane.Lane); err != nil || busy {
				return err
			}
			n, err = wire.Exec(ctx, t, freeLanes, node, []int32{int32(lane.Lane)}, []int64{lane.Epoch})
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
func readLog(s *Store, lanes []uint16, into *changed) (calls []*wire.Call) {
	*into = changed{}
	for _, part := range parts(s.spread, lanes, func(lane uint16) uint16 { return lane }) {
		numbers, versions := make([]int32, len(part)), make([]int64, len(part))
		for i, lane := range part {
			numbers[i], versions[i] = int32(lane), s.log.Version(lane)
		}
		calls = append(calls, &wire.Call{Query: logOf, Args: []any{numbers, versions}, Scan: into.add})
	}
	if len(calls) > 0 {
		calls[0].Start = func() { *into = changed{} }
	}
	return calls
}

func (c *changed) add(r wire.Row) error {
	lane := uint16(r.Int(0))
	c.lanes = append(c.lanes, lane)
	if r[1] != nil {
		c.batches = append(c.batches, claimlog.Batch{Lane: lane, Claim: r.Int(1), Started: r.Int(2), IDs: r.IDs(3)})
	}
	return nil
}

// parts are all items, or those of each lane, which follow one another.
func parts[T any](spread bool, all []T, lane func(T) uint16) (parts [][]T) {
	begin := 0
	for i := range all {
		if i+1 == len(all) || spread && lane(all[i]) != lane(all[i+1]) {
			parts, begin = append(parts, all[begin:i+1]), i+1
		}
	}
	return parts
}

// byLane parts ids by lane where the tables are distributed, in the order of
// lanes, each part in the order given; otherwise they are one part.
func (s *Store) byLane(ids []task.ID) [][]task.ID {
	if !s.spread {
		return [][]task.ID{ids}
	}
	lanes := map[uint16][]task.ID{}
	for _, id := range ids {
		lanes[id.Lane()] = append(lanes[id.Lane()], id)
	}
	set := make(map[uint16]bool, len(lanes))
	for lane := range lanes {
		set[lane] = true
	}
	parts := make([][]task.ID, 0, len(lanes))
	for _, lane := range laneList(set) {
		parts = append(parts, lanes[uint16(lane)])
	}
	return parts
}

// eachLane parts lanes into lists of one where the tables are distributed.
func (s *Store) eachLane(lanes []int32) [][]int32 {
	if !s.spread {
		return [][]int32{lanes}
	}
	return slices.Collect(slices.Chunk(lanes, 1))
}

// Lanewise implements [store.Lanewise].
func (s *Store) Lanewise() bool { return s.spread }

// lanesAtOnce is how many lanes one call works on at once where tables are
// distributed, each on a connection of the pool. Each connection has others behind it,
// to all machines, which have to learn all tables.
const lanesAtOnce = 4

// lanewise runs fn for 0 to n-1, lanesAtOnce at a time, and waits for all.
func lanewise(n int, fn func(i int) error) error {
	if n == 1 {
		return fn(0)
	}
	failed := make([]error, n)
	slots := make(chan struct{}, lanesAtOnce)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			failed[i] = fn(i)
			<-slots
		})
	}
	all.Wait()
	return errors.Join(failed...)
}
