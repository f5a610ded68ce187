package postgres

import (
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/task"
)

var (
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

// past is the number up to which the claim log does not count for a row of
// outlast_task: that of its claim that ended last, its creation, for ids that
// come again, or the claim under which it was set apart.
const past = `greatest(t.claim, t.created_at, t.apart)`

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

// numbersOf are what rows must have reached to be claimed, as an argument: null if nothing
// is known of any.
func numbersOf(log *claimlog.Log, ids []task.ID) any {
	numbers := make([]int64, len(ids))
	known := false
	for i, id := range ids {
		numbers[i] = log.Number(id)
		known = known || numbers[i] != 0
	}
	if !known {
		return nil
	}
	return numbers
}

// fenceOf tells, as arguments, which tasks are not known to run by the claim log,
// null for none, and the lanes and numbers of the batches of the others.
func fenceOf(log *claimlog.Log, ids []task.ID, claims []int64) []any {
	apart, some := make([]bool, len(ids)), false
	proofs := map[claimlog.Place]bool{}
	for i, id := range ids {
		if log.Number(id) == claims[i] {
			proofs[claimlog.Place{Lane: id.Lane(), Claim: claims[i]}] = true
		} else {
			apart[i], some = true, true
		}
	}
	lanes, numbers := places(slices.Collect(maps.Keys(proofs)))
	if !some {
		return []any{nil, lanes, numbers}
	}
	return []any{apart, lanes, numbers}
}
