package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// claimRows makes rows running under the locks of their lanes, so that no
	// pending row can change between the snapshot of the statement and its
	// commit; running rows that end meanwhile were running in the snapshot.
	// Those of the lane's owner are written into the claim log, a row for each
	// lane; keyed, borrowed and leased ones get a row in outlast_run each. Leased ones
	// have a row of the log written too, if need be without an id: whoever has read
	// rows ahead knows by its number that some were claimed since. (Keyed ones are not
	// read ahead, and the mark of borrowed ones was counted as a change.) What
	// runs by the log is known to the caller, who gives the number that a row must
	// have reached, and the greatest number in the log of each lane: a lane in which
	// it is another is as one that the node does not own.
	// It claims nothing when the payloads reach the limit. Inputs: clock, node,
	// lanes owned, their epochs, ids, marks (null for 0), bytes, holder, length of
	// the lease (null for none), greatest numbers of the lanes, numbers of the
	// rows (null for 0), the least number of the claim, lanes and numbers of batches
	// that are over, which go where a batch is written, and lanes, numbers and ids of
	// what is left of others, of which the rest goes unless a death has them locked; then
	// how often the lanes owned have changed and when the server began, ids and lanes of
	// rows that are claimed as scans have read them if that is so, and when the last of
	// these is due. Returns a row for each task that was looked up, and one without an id
	// for each batch, with its lane, its number, and whether those of the lane were claimed
	// that scans have read.
	claimRows = wire.NewQuery(claimHead + `SELECT t.*, n.now, n.past, ` + claimAlone + claimBody + `),
f AS (SELECT coalesce(sum(octet_length(payload)), 0) < $7::bigint AS fits FROM c),
` + fmt.Sprintf(claimTail, `(SELECT fits FROM f)`))

	// claimFirst is claimRows for the first rows, up to the one with which the
	// payloads reach the limit.
	claimFirst = wire.NewQuery(claimHead + `SELECT t.*, n.now, n.past, ` + claimAlone + `, sum(octet_length(t.payload)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(t.payload) AS before
` + claimBody + `),
` + fmt.Sprintf(claimTail, `before < $7::bigint`))
)

const (
	claimHead = `WITH owned AS (SELECT array_agg(l.lane) AS lanes, array_agg(l.lane) FILTER (WHERE l.changes = e.changes AND e.server = ` + serverStart + `) AS same
 FROM unnest($3::integer[], $4::bigint[], $10::bigint[], $18::bigint[], $19::bigint[]) AS e (lane, epoch, version, changes, server)
 JOIN outlast_lane l ON l.lane = e.lane AND l.epoch = e.epoch AND l.owner = $2::text
 WHERE coalesce((SELECT c.claim FROM outlast_claim c WHERE c.lane = e.lane ORDER BY c.lane DESC, c.claim DESC LIMIT 1), 0) = e.version),
c AS MATERIALIZED (`
	claimAlone = `(t.key IS NOT NULL OR u.mark <> 0 OR $9::bigint IS NOT NULL OR n.past > n.now + 600000000) AS alone
`
	claimBody = `FROM (SELECT id, coalesce(($6::bigint[])[at], 0) AS mark, coalesce(($11::bigint[])[at], 0) AS number FROM unnest($5::uuid[]) WITH ORDINALITY AS u (id, at)) u
 CROSS JOIN LATERAL (SELECT * FROM outlast_task t WHERE t.id = u.id LIMIT 1) t
 CROSS JOIN LATERAL (SELECT ` + wire.NowMicro + ` AS now, ` + past + ` AS past) n
 WHERE EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $2::text AND n.state = 'alive')
  AND (u.mark <> 0 OR t.lane = ANY((SELECT lanes FROM owned)::integer[])) AND t.park = u.mark AND t.run_at <= n.now AND n.past >= u.number
  AND (SELECT true FROM outlast_run r WHERE r.id = u.id) IS NULL
  AND (t.key IS NULL OR (SELECT true FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key) IS NULL
   AND (SELECT true FROM outlast_run r WHERE r.lane = t.lane AND r.key = t.key AND r.key IS NOT NULL) IS NULL
   AND (SELECT k.id FROM outlast_task k WHERE k.lane = t.lane AND k.key = t.key AND k.key IS NOT NULL
    ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) = t.id)`
	// amongOver and amongShort bound a look at batches c by their numbers, so that it does
	// not walk past all that an old snapshot keeps of the log.
	amongOver  = `c.claim BETWEEN (SELECT min(n) FROM unnest($14::bigint[]) n) AND (SELECT max(n) FROM unnest($14::bigint[]) n)`
	amongShort = `c.claim BETWEEN (SELECT min(n) FROM unnest($16::bigint[]) n) AND (SELECT max(n) FROM unnest($16::bigint[]) n)`
	// claimTail is followed by a condition, which is there more than once.
	claimTail = `k AS MATERIALIZED (SELECT u.id, u.lane FROM unnest($20::uuid[], $21::integer[]) AS u (id, lane)
 WHERE u.lane = ANY((SELECT same FROM owned)::integer[]) AND $22::bigint <= ` + wire.NowMicro + `
  AND EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $2::text AND n.state = 'alive')),
n AS (SELECT greatest(max(past) + 1, ` + wire.NowMicro + `, $12::bigint) AS claim, ` + wire.NowMicro + ` AS now FROM c WHERE NOT alone AND %[1]s),
l AS (INSERT INTO outlast_claim (lane, claim, node, started_at, ids)
 SELECT lane, (SELECT claim FROM n), CASE WHEN count(id) = 0 THEN '' ELSE $8::text END, (SELECT now FROM n), coalesce(array_agg(id) FILTER (WHERE id IS NOT NULL), '{}')
 FROM (SELECT lane, CASE WHEN NOT alone THEN id END AS id FROM c WHERE key IS NULL AND park = 0 AND %[1]s UNION ALL SELECT lane, id FROM k) x GROUP BY lane RETURNING lane),
o AS (DELETE FROM outlast_claim c USING unnest($13::integer[], $14::bigint[]) AS u (lane, claim) WHERE c.lane = ANY($13::integer[]) AND ` + amongOver + `
 AND c.lane = u.lane AND c.claim = u.claim AND c.lane IN (SELECT lane FROM l)),
w AS MATERIALIZED (SELECT c.lane, c.claim FROM outlast_claim c WHERE c.lane = ANY($15::integer[]) AND ` + amongShort + ` AND c.claim = ANY($16::bigint[]) FOR UPDATE SKIP LOCKED),
s AS (UPDATE outlast_claim c SET ids = ARRAY(SELECT unnest(c.ids) INTERSECT SELECT unnest(x.ids))
 FROM w JOIN (SELECT lane, claim, array_agg(id) AS ids FROM unnest($15::integer[], $16::bigint[], $17::uuid[]) AS u (lane, claim, id) GROUP BY lane, claim) x
  ON x.lane = w.lane AND x.claim = w.claim
 WHERE c.lane = ANY($15::integer[]) AND ` + amongShort + ` AND c.lane = w.lane AND c.claim = w.claim AND c.lane IN (SELECT lane FROM l)),
r AS (INSERT INTO outlast_run (id, lane, claim, started_at, node, key, lease_until)
 SELECT id, lane, greatest(mod(past, 9223372036854775807) + 1, now, $12::bigint), now, $8::text, key, now + $9::bigint FROM c WHERE alone AND %[1]s)
SELECT id, queue, type, payload, priority, run_at, key, seq, target, policy, spec, attempt, crashes,
 CASE WHEN alone THEN greatest(mod(past, 9223372036854775807) + 1, now, $12::bigint) ELSE (SELECT claim FROM n) END, created_at, last_error, now, park, alone
FROM c WHERE %[1]s
UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, l.lane, NULL, n.claim, NULL, NULL, n.now, NULL, l.lane IN (SELECT lane FROM k) FROM n, l`
)

func scanClaimed(r wire.Row, node string) *task.Task {
	now := r.Time(16)
	t := &task.Task{
		State: task.Running, Node: node, StartedAt: now, UpdatedAt: now,
		ID: r.ID(0), Queue: r.Text(1), Type: r.Text(2), Payload: r.Blob(3), Priority: int(r.Int(4)),
		RunAt: r.Time(5), Key: r.Text(6), Seq: r.Int(7), Target: r.Text(8), Policy: r.Text(9),
		Attempt: int(r.Int(11)) + 1, Crashes: int(r.Int(12)), Claim: r.Int(13), CreatedAt: r.Time(14),
	}
	t.Spec, t.LastError = stored.SpecOf(r[10]), stored.FailureOf(r[15])
	return t
}

// claiming is one call of Claim.
type claiming struct {
	store      *Store
	claim      store.Claim
	items      []store.ClaimItem       // each once; of several for one row one at most has its mark
	places     map[store.ClaimItem]int // where they are first in the call, once somebody has asked
	marks      map[task.ID]int64       // that rows had which were claimed
	result     store.Claimed
	outOfOrder bool // rows were claimed as they were read, hence not in the order of the call
}

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	c := &claiming{store: s, claim: claim, marks: map[task.ID]int64{}}
	c.claim.MaxBytes = check.ClaimBytes(&c.claim)
	c.distinct()
	if len(c.items) == 0 {
		return store.Claimed{}, nil
	}
	if err := s.log.Begin(ctx); err != nil {
		return store.Claimed{}, err
	}
	defer s.log.End()
	s.readAhead.own(claim.Lanes, true) // the answer of who took them may have been lost
	k := s.readAhead.take(&c.claim, c.items)
	defer s.readAhead.rows.Ended()
	c.outOfOrder = len(k.ids) > 0
	if err := c.run(ctx, claimRows, k); err != nil {
		return store.Claimed{}, err
	}
	if len(c.result.Tasks) < len(claim.Items) {
		if err := c.explain(ctx); err != nil {
			return store.Claimed{}, err
		}
	}
	return c.result, nil
}

// distinct leaves items out that come again. Those of the engine are in the order of ids.
func (c *claiming) distinct() {
	c.items = c.claim.Items
	for at := 1; at < len(c.items); at++ {
		if c.items[at-1].ID.Compare(c.items[at].ID) >= 0 {
			c.items = c.once()
			return
		}
	}
}

// once are the items, each one time.
func (c *claiming) once() (items []store.ClaimItem) {
	for at, item := range c.claim.Items {
		if c.placeIn(item) == at {
			items = append(items, item)
		}
	}
	return items
}

// placeIn is where an item is first in the call.
func (c *claiming) placeIn(item store.ClaimItem) int {
	if c.places == nil {
		c.places = make(map[store.ClaimItem]int, len(c.claim.Items))
		for at, item := range c.claim.Items {
			if _, seen := c.places[item]; !seen {
				c.places[item] = at
			}
		}
	}
	return c.places[item]
}

// run claims rows; what is known of them is not read again.
func (c *claiming) run(ctx context.Context, q *wire.Query, known *knownRows) error {
	if c.store.spread {
		return c.runSpread(ctx, known.others)
	}
	lanes := map[uint16]bool{}
	for _, item := range known.others {
		lanes[item.ID.Lane()] = true
	}
	for lane := range known.tasks {
		lanes[lane] = true
	}
	ids, marks := idsAndMarks(known.others)
	owned, epochs := laneEpochs(c.claim.Lanes)
	versions, least := c.store.log.Versions(c.claim.Lanes)
	numbers := slices.Collect(maps.Keys(lanes))
	over, few := c.store.log.Over(numbers), c.store.log.Few(numbers)
	overLanes, overClaims := places(over)
	fewLanes, fewClaims, fewIDs := membersOf(few)
	var claimed []*task.Task
	var written map[claimlog.Place]*claimlog.Batch
	_, err := c.store.pipeline(ctx, &wire.Call{Query: lockLanes, Args: []any{laneList(lanes)}}, &wire.Call{
		Query: q,
		Args: append([]any{c.store.offset(), c.claim.Node, owned, epochs, ids, marks, max(1, c.claim.MaxBytes-c.bytes()-known.bytes), c.claim.Holder(), leaseOf(&c.claim),
			versions, numbersOf(c.store.log, ids), max(least, known.least), overLanes, overClaims, fewLanes, fewClaims, fewIDs}, known.args(owned)...),
		Start: func() { claimed, written = nil, map[claimlog.Place]*claimlog.Batch{} },
		Scan: func(r wire.Row) error {
			if r[0] == nil {
				var tasks []*task.Task
				lane, number := uint16(r.Int(11)), r.Int(13)
				if r.Bool(18) {
					tasks = known.claimed(lane, number, r.Time(16))
				}
				claimed = append(claimed, tasks...)
				noteBatch(written, claimlog.Place{Lane: lane, Claim: number}, r.Int(16), tasks...)
				return nil
			}
			t := scanClaimed(r, c.claim.Holder())
			claimed = append(claimed, t)
			if mark := r.Int(17); mark != 0 {
				c.marks[t.ID] = mark
			}
			if alone := r.Bool(18); !alone {
				noteBatch(written, claimlog.Place{Lane: t.ID.Lane(), Claim: t.Claim}, r.Int(16), t)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	c.store.log.Claimed(batchesOf(written, over, few))
	c.result.Tasks = append(c.result.Tasks, claimed...)
	c.store.claims.Add(int64(len(claimed)))
	return nil
}

// noteBatch adds tasks to the batch of which they are.
func noteBatch(written map[claimlog.Place]*claimlog.Batch, at claimlog.Place, started int64, tasks ...*task.Task) {
	if written[at] == nil {
		written[at] = &claimlog.Batch{Lane: at.Lane, Claim: at.Claim, Started: started}
	}
	for _, t := range tasks {
		written[at].IDs = append(written[at].IDs, t.ID)
	}
}

// idsAndMarks are items as arguments; the marks are null when there are none.
func idsAndMarks(items []store.ClaimItem) (ids []task.ID, marks any) {
	ids = make([]task.ID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	if slices.ContainsFunc(items, func(item store.ClaimItem) bool { return item.Mark != 0 }) {
		all := make([]int64, len(items))
		for i, item := range items {
			all[i] = item.Mark
		}
		marks = all
	}
	return ids, marks
}

// full reports whether the batch has ended early.
func (c *claiming) full() bool { return c.bytes() >= c.claim.MaxBytes }

// bytes are the payloads that were claimed.
func (c *claiming) bytes() (bytes int) {
	for _, t := range c.result.Tasks {
		bytes += len(t.Payload)
	}
	return bytes
}
