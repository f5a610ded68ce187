package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/task"
)

var (
	// logOf reads the log of lanes in which the greatest number is another than
	// the given one; a row without a number stands for a log without rows. Inputs:
	// lanes, numbers.
	logOf = newQuery(`SELECT u.lane, c.claim, (SELECT string_agg(uuid_send(id), '') FROM unnest(c.ids) AS m (id)) FROM unnest($1::integer[], $2::bigint[]) AS u (lane, version)
LEFT JOIN LATERAL (SELECT * FROM outlast_claim c WHERE c.lane = u.lane) c ON true
WHERE coalesce((SELECT c.claim FROM outlast_claim c WHERE c.lane = u.lane ORDER BY c.lane DESC, c.claim DESC LIMIT 1), 0) <> u.version`)

	// endIdle deletes batches of which nothing runs any more from the logs of
	// lanes, under the locks of the lanes: those that are older than a number, and
	// those of a node. Once nothing runs, nothing ever will. A batch without tasks takes
	// their place, so that the greatest number is another. Inputs: clock, lanes,
	// number, node.
	endIdle = newQuery(`WITH d AS (DELETE FROM outlast_claim c WHERE c.lane = ANY($2::integer[]) AND (c.claim < $3::bigint OR c.node = $4::text) AND ` + nothingRuns + ` RETURNING c.lane)
INSERT INTO outlast_claim (lane, claim, node, started_at, ids) SELECT lane, greatest(now,
 (SELECT c.claim + 1 FROM outlast_claim c WHERE c.lane = d.lane ORDER BY c.lane DESC, c.claim DESC LIMIT 1)), '', now, '{}'
FROM (SELECT DISTINCT lane FROM d) d CROSS JOIN (SELECT ` + nowMicro + ` AS now) n`)

	// leaveBatch takes a task out of its batch, so that the same id may come again
	// at once. Inputs: id, claim.
	leaveBatch = newQuery(`UPDATE outlast_claim SET ids = array_remove(ids, $1::uuid) WHERE lane = ` + laneOf("$1::uuid") + ` AND claim = $2::bigint`)

	// setApart gives rows that run by the claim log a row in outlast_run, unless
	// somebody else has them locked: that of a node in lanes. What settles by the
	// log finds them no more. Inputs: the node, lanes, most.
	setApart = newQuery(`WITH m AS MATERIALIZED (SELECT c.claim, c.node, c.started_at, m.id FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id)
 WHERE c.node = $1::text AND c.lane = ANY($2::integer[])),
` + apartTail)

	// setOldApart is setApart for what is older than a number. Inputs: number,
	// lanes, most.
	setOldApart = newQuery(`WITH m AS MATERIALIZED (SELECT c.claim, c.node, c.started_at, m.id FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id)
 WHERE c.claim < $1::bigint AND c.lane = ANY($2::integer[])),
` + apartTail)

	// setOneApart is setApart for one row, for which it waits. Inputs: id, claim.
	setOneApart = newQuery(`WITH ` + apartOne + `
INSERT INTO outlast_run (id, lane, claim, started_at, node) SELECT id, lane, claim, started_at, node FROM t`)
)

// logged is true for a row t that runs by the log, else null.
const logged = `(SELECT true FROM outlast_claim c WHERE c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids) LIMIT 1)`

// apartOne marks a row as set apart. Inputs: id, claim.
var apartOne = `c AS MATERIALIZED (SELECT * FROM outlast_claim WHERE lane = ` + laneOf("$1::uuid") + ` AND claim = $2::bigint AND $1::uuid = ANY(ids)),
t AS (UPDATE outlast_task t SET apart = c.claim FROM c WHERE t.id = $1::uuid AND ` + past + ` < c.claim RETURNING t.id, t.lane, c.claim, c.started_at, c.node)`

const (
	// nothingRuns is whether no member of a batch c runs by it.
	nothingRuns = `(SELECT true FROM unnest(c.ids) AS m (id)
 CROSS JOIN LATERAL (SELECT 1 FROM outlast_task t WHERE t.id = m.id AND ` + past + ` < c.claim LIMIT 1) t LIMIT 1) IS NULL`

	// apartTail follows the members of batches. Input: the third, most.
	apartTail = `x AS MATERIALIZED (SELECT t.id, m.claim, m.node, m.started_at FROM m JOIN outlast_task t ON t.id = m.id
 WHERE t.id = ANY(ARRAY(SELECT id FROM m)) AND ` + past + ` < m.claim ORDER BY t.id LIMIT $3::bigint FOR UPDATE OF t SKIP LOCKED),
t AS (UPDATE outlast_task t SET apart = x.claim FROM x WHERE t.id = ANY(ARRAY(SELECT id FROM x)) AND t.id = x.id AND ` + past + ` < x.claim
 RETURNING t.id, t.lane, x.claim, x.started_at, x.node)
INSERT INTO outlast_run (id, lane, claim, started_at, node) SELECT id, lane, claim, started_at, node FROM t`
)

// readLog reads the log of lanes that memory does not know as it is.
func (s *Store) readLog(lanes []uint16, changed *[]uint16, batches *[]claimlog.Batch) *call {
	numbers, versions := make([]int32, len(lanes)), make([]int64, len(lanes))
	for i, lane := range lanes {
		numbers[i], versions[i] = int32(lane), s.log.Version(lane)
	}
	return &call{query: logOf, args: []any{numbers, versions}, start: func() { *changed, *batches = nil, nil }, scan: func(r row) error {
		lane := uint16(r.int(0))
		*changed = append(*changed, lane)
		if r[1] != nil {
			*batches = append(*batches, claimlog.Batch{Lane: lane, Claim: r.int(1), IDs: r.ids(2)})
		}
		return nil
	}}
}

func places(all []claimlog.Place) (lanes []int32, claims []int64) {
	for _, at := range all {
		lanes, claims = append(lanes, int32(at.Lane)), append(claims, at.Claim)
	}
	return lanes, claims
}

// batchesOf are the batches that a claim has written, and those of over that
// went for them.
func batchesOf(written map[claimlog.Place][]task.ID, over []claimlog.Place) (batches []claimlog.Batch, deleted []claimlog.Place) {
	lanes := map[uint16]bool{}
	for at, ids := range written {
		lanes[at.Lane] = true
		batches = append(batches, claimlog.Batch{Lane: at.Lane, Claim: at.Claim, IDs: ids})
	}
	return batches, slices.DeleteFunc(over, func(at claimlog.Place) bool { return !lanes[at.Lane] })
}

// numbers are what rows must have reached to be claimed, as an argument: null if nothing
// is known of any.
func (s *Store) numbers(ids []task.ID) any {
	numbers := make([]int64, len(ids))
	known := false
	for i, id := range ids {
		numbers[i] = s.log.Number(id)
		known = known || numbers[i] != 0
	}
	if !known {
		return nil
	}
	return numbers
}

// apartAtOnce is how many rows one statement sets apart.
const apartAtOnce = 2000

// tooOld is how long rows run by the log, in µs, before they are set apart: so the
// log of a lane is short, however long its tasks run.
const tooOld = 10_000_000

// setApart gives rows that run by the log rows of their own, but for those that
// others have locked.
func (t *tx) setApart(ctx context.Context, q *query, which any, lanes []int32) error {
	for {
		n, err := exec(ctx, t, q, which, lanes, apartAtOnce)
		if err != nil || n < apartAtOnce {
			return err
		}
	}
}

// sweep sets apart what has run by the log for long, and what a lost node ran by
// it, and deletes the batches.
func (s *Store) sweep(ctx context.Context, lanes []int32, before int64, node string) error {
	if err := s.log.Begin(ctx); err != nil {
		return err
	}
	defer s.log.End()
	numbers := make([]uint16, len(lanes))
	for i, lane := range lanes {
		numbers[i] = uint16(lane)
	}
	var changed []uint16
	var batches []claimlog.Batch
	err := s.write(ctx, func(t *tx) error { return t.setApart(ctx, setOldApart, before, lanes) })
	if err == nil {
		_, err = s.pipeline(ctx, &call{query: lockLanes, args: []any{lanes}}, &call{query: endIdle, args: []any{s.offset(), lanes, before, node}},
			s.readLog(numbers, &changed, &batches))
	}
	if err == nil {
		s.log.Replace(changed, batches)
	}
	return err
}

// sweepOld sweeps lanes where batches are old. What is known of lanes that are not
// among those that are owned is forgotten.
func (s *Store) sweepOld(ctx context.Context, owned []int32, now int64) error {
	for lanes := range slices.Chunk(s.log.Old(now-tooOld), 16) {
		numbers := make([]int32, len(lanes))
		for i, lane := range lanes {
			numbers[i] = int32(lane)
		}
		if err := s.sweep(ctx, numbers, now-tooOld, ""); err != nil {
			return err
		}
		for i, lane := range lanes {
			if !slices.Contains(owned, numbers[i]) {
				s.log.Forget(lane)
			}
		}
	}
	return nil
}
