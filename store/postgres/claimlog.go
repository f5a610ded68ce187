package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// apartAtOnce is how many rows one statement sets apart.
const apartAtOnce = 2000

// tooOld is the age of a batch, in µs, from which it is looked at whether its tasks
// still run: they may have ended without a word to this process.
const tooOld = 10_000_000

// setApart gives all rows of a node in lanes that run by the log rows of their own,
// but for those that others have locked.
func (t *tx) setApart(ctx context.Context, node string, lanes []int32) error {
	for {
		n, err := wire.Exec(ctx, t, setApart, node, lanes, apartAtOnce)
		if err != nil || n < apartAtOnce {
			return err
		}
	}
}

// lockFree takes the locks of those lanes that nobody has.
var lockFree = wire.NewQuery(`SELECT lane FROM outlast_lane WHERE lane = ANY($1::integer[]) ORDER BY lane FOR NO KEY UPDATE SKIP LOCKED`)

// sweep shortens the logs of lanes, but for those that somebody has locked: no claim
// of the process waits for it.
func sweep(ctx context.Context, s *Store, lanes []uint16, clock int64) error {
	if err := s.log.Begin(ctx); err != nil {
		return err
	}
	defer s.log.End()
	for _, numbers := range s.eachLane(laneNumbers(lanes)) {
		var now changed
		var free []uint16
		err := s.write(ctx, func(t *tx) error {
			free, now = nil, changed{}
			err := wire.Each(ctx, t, lockFree, func(r wire.Row) error {
				free = append(free, uint16(r.Int(0)))
				return nil
			}, numbers)
			if err != nil || len(free) == 0 {
				return err
			}
			return t.Run(ctx, append([]*wire.Call{{Query: shorten, Args: []any{s.offset(), laneNumbers(free)}}}, readLog(s, free, &now)...)...)
		})
		if err != nil {
			return err
		}
		s.log.Replace(now.lanes, now.batches)
		s.readAhead.doubt(now.lanes)
		s.log.Looked(free, clock)
	}
	return nil
}

// sweepOld sweeps lanes where it is time to look at a batch again.
func sweepOld(ctx context.Context, s *Store, now int64) error {
	for lanes := range slices.Chunk(s.log.Old(now, tooOld), 16) {
		if err := sweep(ctx, s, lanes, now); err != nil {
			return err
		}
	}
	return nil
}

var (
	// shorten deletes batches of which nothing runs any more from the logs of lanes,
	// under the locks of the lanes, and takes what does not run by them out of the
	// others. Once a task does not run by a batch, it never will. A batch without
	// tasks is written where something has changed, so that the greatest number is
	// another. Inputs: clock, lanes.
	shorten = wire.NewQuery(`WITH o AS MATERIALIZED (SELECT c.lane, c.claim, c.ids AS had, ARRAY(SELECT m.id FROM unnest(c.ids) AS m (id) WHERE `+runsBy+`) AS ids
 FROM outlast_claim c WHERE c.lane = ANY($2::integer[])),
d AS (DELETE FROM outlast_claim c USING o WHERE c.lane = o.lane AND c.claim = o.claim AND o.ids = '{}' RETURNING c.lane),
s AS (UPDATE outlast_claim c SET ids = o.ids FROM o WHERE c.lane = o.lane AND c.claim = o.claim AND o.ids <> '{}' AND o.ids <> o.had AND c.ids = o.had RETURNING c.lane)
INSERT INTO outlast_claim (lane, claim, node, started_at, ids) SELECT lane, greatest(now,
 (SELECT c.claim + 1 FROM outlast_claim c WHERE c.lane = x.lane ORDER BY c.lane DESC, c.claim DESC LIMIT 1)), '', now, '{}'
FROM (SELECT lane FROM d UNION SELECT lane FROM s) x CROSS JOIN (SELECT `+wire.NowMicro+` AS now) n`,
		// The number comes first, above all that there are.
		`INSERT INTO outlast_claim (lane, claim, node, started_at, ids) SELECT a.lane, greatest(`+wire.NowHere+`,
 (SELECT max(c.claim) + 1 FROM outlast_claim c WHERE true /*c.lane is ($2::integer[])[1]*/)), '', `+wire.NowHere+`, '{}' FROM outlast_anchor a WHERE true /*a.lane is ($2::integer[])[1]*/`,
		`DELETE FROM outlast_claim c WHERE c.claim < (SELECT max(g.claim) FROM outlast_claim g WHERE true /*g.lane is ($2::integer[])[1]*/) /*c.lane is ($2::integer[])[1]*/
 AND NOT EXISTS (`+membersOfLane+` AND `+past+` < c.claim)`,
		`UPDATE outlast_claim c SET ids = ARRAY(`+membersOfLane+` AND `+past+` < c.claim) WHERE true /*c.lane is ($2::integer[])[1]*/
 AND cardinality(c.ids) <> (SELECT count(*) FROM (`+membersOfLane+` AND `+past+` < c.claim) x)`)

	// leaveBatches takes tasks that have died out of all batches that have them, so
	// that the same ids may come again at once, whatever the clock says. The batches
	// are locked in their order. Inputs: lanes, when the first of the tasks was
	// created, ids.
	leaveBatches = wire.NewQuery(`WITH x AS MATERIALIZED (SELECT c.lane, c.claim FROM outlast_claim c WHERE c.lane = ANY($1::integer[]) AND c.claim > $2::bigint
 AND c.ids && $3::uuid[] ORDER BY c.lane, c.claim FOR UPDATE)
UPDATE outlast_claim c SET ids = `+withoutIDs+` FROM x WHERE c.lane = x.lane AND c.claim = x.claim`,
		`UPDATE outlast_claim c SET ids = `+withoutIDs+` WHERE c.claim > $2::bigint AND c.ids && $3::uuid[] /*c.lane is ($1::integer[])[1]*/`)

	// setApart gives rows of a node that run by the claim log rows in outlast_run,
	// unless somebody else has them locked. What settles by the log finds them no
	// more. Inputs: node, lanes, most.
	setApart = wire.NewQuery(`WITH m AS MATERIALIZED (SELECT c.claim, c.node, c.started_at, m.id FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id)
 WHERE c.node = $1::text AND c.lane = ANY($2::integer[])),
x AS MATERIALIZED (SELECT t.id, m.claim, m.node, m.started_at FROM m JOIN outlast_task t ON t.id = m.id
 WHERE t.id = ANY(ARRAY(SELECT id FROM m)) AND `+past+` < m.claim ORDER BY t.id LIMIT $3::bigint FOR UPDATE OF t SKIP LOCKED),
t AS (UPDATE outlast_task t SET apart = x.claim FROM x WHERE t.id = ANY(ARRAY(SELECT id FROM x)) AND t.id = x.id AND `+past+` < x.claim
 RETURNING t.id, t.lane, x.claim, x.started_at, x.node)
INSERT INTO outlast_run (id, lane, claim, started_at, node) SELECT id, lane, claim, started_at, node FROM t`,
		insertApart+` CROSS JOIN unnest(c.ids) AS m (id) JOIN outlast_task t ON t.id = m.id
 WHERE c.node = $1::text AND `+past+` < c.claim /*c.lane is ($2::integer[])[1]*/ /*t.lane is ($2::integer[])[1]*/ ORDER BY t.id LIMIT $3::bigint FOR UPDATE OF t SKIP LOCKED) t`,
		`UPDATE outlast_task t SET apart = c.claim FROM outlast_claim c JOIN outlast_run r ON r.claim = c.claim AND r.id = ANY(c.ids) WHERE c.node = $1::text AND t.id = r.id AND `+past+` < c.claim
 /*c.lane is ($2::integer[])[1]*/ /*r.lane is ($2::integer[])[1]*/ /*t.lane is ($2::integer[])[1]*/`)

	// setOneApart is setApart for one row, for which it waits. Inputs: id, claim.
	setOneApart = wire.NewQuery(`WITH c AS MATERIALIZED (SELECT * FROM outlast_claim WHERE lane = `+wire.LaneOf("$1::uuid")+` AND claim = $2::bigint AND $1::uuid = ANY(ids)),
t AS (UPDATE outlast_task t SET apart = c.claim FROM c WHERE t.id = $1::uuid AND `+past+` < c.claim RETURNING t.id, t.lane, c.claim, c.started_at, c.node)
INSERT INTO outlast_run (id, lane, claim, started_at, node) SELECT id, lane, claim, started_at, node FROM t`,
		insertApart+` CROSS JOIN outlast_task t WHERE t.id = $1::uuid AND c.claim = $2::bigint AND t.id = ANY(c.ids) AND `+past+` < c.claim
 /*c.lane of $1::uuid*/ /*t.lane of $1::uuid*/ FOR UPDATE OF t) t`,
		`UPDATE outlast_task t SET apart = r.claim FROM outlast_run r WHERE t.id = $1::uuid AND r.id = $1::uuid AND r.claim = $2::bigint AND `+past+` < r.claim
 /*r.lane of $1::uuid*/ /*t.lane of $1::uuid*/`)
)

const (
	withoutIDs = `ARRAY(SELECT m.id FROM unnest(c.ids) AS m (id) WHERE m.id <> ALL($3::uuid[]))`

	// membersOfLane are the members of a batch c that are live, where Citus has
	// distributed the tables.
	membersOfLane = `SELECT m.id FROM unnest(c.ids) AS m (id) JOIN outlast_task t ON t.id = m.id WHERE $1::bigint IS NOT NULL /*t.lane is ($2::integer[])[1]*/`

	// insertApart begins to give rows that run by batches c rows of their own: Citus has
	// no INSERT that follows an UPDATE. The rows stay locked until they are marked.
	insertApart = `INSERT INTO outlast_run (id, lane, claim, started_at, node) SELECT id, lane, claim, started_at, node
FROM (SELECT t.id, t.lane, c.claim, c.started_at, c.node FROM outlast_claim c`
)

// past is the number up to which the claim log does not count for a row of
// outlast_task: that of its claim that ended last, its creation, for ids that
// come again, or the claim under which it was set apart.
const past = `greatest(t.claim, t.created_at, t.apart, 0)`

// logged is true for a row t that runs by the log, else null.
const logged = `(SELECT true FROM outlast_claim c WHERE c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids) LIMIT 1)`

// runsBy is whether the member m of a batch c runs by it.
const runsBy = `(SELECT true FROM outlast_task t WHERE t.id = m.id AND ` + past + ` < c.claim LIMIT 1)`

func places(all []claimlog.Place) (lanes []int32, claims []int64) {
	for _, at := range all {
		lanes, claims = append(lanes, int32(at.Lane)), append(claims, at.Claim)
	}
	return lanes, claims
}

// membersOf are the members of batches, as arguments.
func membersOf(batches []claimlog.Batch) (lanes []int32, claims []int64, ids []task.ID) {
	for _, b := range batches {
		for _, id := range b.IDs {
			lanes, claims, ids = append(lanes, int32(b.Lane)), append(claims, b.Claim), append(ids, id)
		}
	}
	return lanes, claims, ids
}

// batchesOf are the batches that a claim has written, and those of over and few
// that went, or became shorter, for them.
func batchesOf(written map[claimlog.Place]*claimlog.Batch, over []claimlog.Place, few []claimlog.Batch) (batches []claimlog.Batch, deleted []claimlog.Place, narrowed []claimlog.Batch) {
	lanes := map[uint16]bool{}
	for at, batch := range written {
		lanes[at.Lane] = true
		batches = append(batches, *batch)
	}
	deleted = slices.DeleteFunc(over, func(at claimlog.Place) bool { return !lanes[at.Lane] })
	return batches, deleted, slices.DeleteFunc(few, func(b claimlog.Batch) bool { return !lanes[b.Lane] })
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

// Claims and settlements leave dead rows in outlast_claim and outlast_run, which the server's own
// vacuum looks at once a minute: after ten million of them who looks for the
// rows of a lost node reads for seconds. So the store sweeps the tables itself,
// after so many claims of its own and not more often than so.
const (
	tidyAfter = 500_000
	tidyEvery = 5 * time.Second
)

// tidyRuns needs the rights of the tables' owner; without them the server's own
// vacuum has to do. It waits for nobody and locks out nobody.
var tidyRuns = wire.NewQuery(`VACUUM (SKIP_LOCKED, TRUNCATE false) outlast_run, outlast_claim`)

// tidy sweeps them if it is time to.
func (s *Store) tidy(ctx context.Context) {
	last := s.tidied.Load()
	if s.claims.Load() < tidyAfter || time.Since(time.Unix(0, last)) < tidyEvery || !s.tidied.CompareAndSwap(last, time.Now().UnixNano()) {
		return
	}
	s.claims.Store(0)
	_ = s.reserved(ctx, func(c *wire.Conn) error { return c.Run(ctx, &wire.Call{Query: tidyRuns}) }) // it is not needed for anything to be right
}
