package postgres

import (
	"context"
	"math"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// Where Citus has distributed the tables, a claim is a transaction for each
// lane, so that each changes rows of one machine only, and what a row is decided by
// is decided here. Its lane's lock and the node are on the coordinator.
var (
	// mayClaim reads, under the lock of the lane, whether the node is alive and
	// owns the lane. Inputs: node, lane, epoch.
	mayClaim = wire.NewQuery(`SELECT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $1::text AND n.state = 'alive'),
 EXISTS (SELECT 1 FROM outlast_lane l WHERE l.lane = $2::integer AND l.epoch = $3::bigint AND l.owner = $1::text)`)

	// readLane reads rows of a lane, whether they are pending or not, with the numbers
	// up to which the claim log does not count for them. Payloads that are larger stay
	// where they are: payloadsOf reads them. Inputs: lane, ids, bytes. That the lane is
	// a parameter alone lets Citus plan all that is read and written here at once.
	readLane = wire.NewQuery(`SELECT id, queue, type, CASE WHEN octet_length(payload) <= $3::bigint THEN payload END, priority, run_at, key, seq, target, policy, spec, attempt, crashes, ` + past + `,
 created_at, last_error, octet_length(payload), park FROM outlast_task t WHERE lane = $1::integer AND id = ANY($2::uuid[])`)
	payloadsOf = wire.NewQuery(`SELECT id, payload FROM outlast_task WHERE lane = $1::integer AND id = ANY($2::uuid[])`)

	// apartOf lists those of ids that run apart, versionOf the greatest number in the
	// log of a lane.
	apartOf   = wire.NewQuery(`SELECT id FROM outlast_run WHERE lane = $1::integer AND id = ANY($2::uuid[])`)
	versionOf = wire.NewQuery(`SELECT claim FROM outlast_claim WHERE lane = $1::integer ORDER BY claim DESC LIMIT 1`)

	putBatch    = wire.NewQuery(`INSERT INTO outlast_claim (lane, claim, node, started_at, ids) VALUES ($1::integer, $2::bigint, $3::text, $4::bigint, $5::uuid[])`)
	dropBatches = wire.NewQuery(`DELETE FROM outlast_claim WHERE lane = $1::integer AND claim = ANY($2::bigint[])`)

	// runApart makes rows of a lane running apart. Inputs: now, node, length of the
	// lease (null for none), ids, claims, keys.
	runApart = wire.NewQuery(`INSERT INTO outlast_run (id, lane, claim, started_at, node, key, lease_until)
SELECT u.id, a.lane, u.claim, $1::bigint, $2::text, u.key, $1::bigint + $3::bigint FROM outlast_anchor a
CROSS JOIN unnest($4::uuid[], $5::bigint[], $6::text[]) AS u (id, claim, key) WHERE true /*a.lane of ($4::uuid[])[1]*/`)

	// standingLane is standing for rows of one lane. Inputs: now, whether the
	// node is alive, whether it owns the lane, ids.
	standingLane = wire.NewQuery(`SELECT t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload), t.share_key, t.state::bigint,
 $2::boolean, $3::boolean, t.run_at > $1::bigint,
 EXISTS (SELECT 1 FROM outlast_key_hold h WHERE h.key = t.key /*h.lane of ($4::uuid[])[1]*/),
 EXISTS (SELECT 1 FROM outlast_run r WHERE r.key = t.key AND r.key IS NOT NULL /*r.lane of ($4::uuid[])[1]*/),
 k.id, k.run_at, k.rank, k.seq, k.park, k.key, k.type, k.target, k.attempt, k.crashes, octet_length(k.payload), k.share_key
FROM outlast_live t LEFT JOIN LATERAL (SELECT * FROM outlast_task k WHERE k.key = t.key AND k.key IS NOT NULL /*k.lane of ($4::uuid[])[1]*/
 ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) k ON true WHERE t.id = ANY($4::uuid[]) /*t.lane of ($4::uuid[])[1]*/`)
)

// laneClaim is a claim of rows of one lane.
type laneClaim struct {
	*claiming
	lane         uint16
	items        []store.ClaimItem
	alive, owned bool
	version      int64 // the greatest number in the log
	rows         map[task.ID]*laneRow
	tasks        []*task.Task
	parks        map[task.ID]int64 // marks of what was claimed
}

// laneRow is a row as a claim reads it.
type laneRow struct {
	task  *task.Task
	past  int64 // the number up to which the claim log does not count
	park  int64
	size  int  // of the payload
	apart bool // it runs apart
}

// laneClaims parts items by lane, in the order in which lanes come first.
func (c *claiming) laneClaims(items []store.ClaimItem) (all []*laneClaim) {
	byLane := map[uint16]*laneClaim{}
	for _, item := range items {
		one := byLane[item.ID.Lane()]
		if one == nil {
			one = &laneClaim{claiming: c, lane: item.ID.Lane()}
			byLane[one.lane], all = one, append(all, one)
		}
		one.items = append(one.items, item)
	}
	return all
}

// mayClaim is the call that finds out what the node may do in the lane.
func (l *laneClaim) mayClaim() *wire.Call {
	epoch := int64(-1)
	for _, owned := range l.claim.Lanes {
		if owned.Lane == l.lane {
			epoch = owned.Epoch
		}
	}
	return &wire.Call{Query: mayClaim, Args: []any{l.claim.Node, l.lane, epoch}, Scan: func(r wire.Row) error {
		l.alive, l.owned = r.Bool(0), r.Bool(1)
		return nil
	}}
}

// run claims rows up to the one with which the payloads reach a number of
// bytes, or as many as fit into it: under the lock of the lane it reads them, and what
// is in their way, and writes a row of the log.
func (l *laneClaim) run(ctx context.Context, bytes int, fit bool) error {
	ids, _ := idsAndMarks(l.items)
	var batch *claimlog.Batch
	over := l.store.log.Over([]uint16{l.lane})
	if len(over) < overAtOnce {
		over = nil
	}
	err := l.store.begun(ctx, func(t *tx, c *wire.Conn) error {
		l.tasks, l.parks, batch = nil, map[task.ID]int64{}, nil
		free, err := l.free(ctx, t)
		if err != nil {
			return err
		}
		chosen, err := l.fitting(ctx, t, free, bytes, fit)
		if err != nil || len(chosen) == 0 {
			return err
		}
		var calls []*wire.Call
		if calls, batch = l.write(t.now, chosen); batch != nil && len(over) > 0 {
			_, claims := places(over)
			calls = append(calls, &wire.Call{Query: dropBatches, Args: []any{l.lane, claims}})
		}
		return c.Run(ctx, append(calls, &wire.Call{Query: wire.CommitTx})...)
	}, append(l.reads(ids, bytes/len(ids)), l.mayClaim())...)
	if err == nil && batch != nil {
		l.store.log.Claimed([]claimlog.Batch{*batch}, over, nil)
	}
	return err
}

// overAtOnce is how many batches that are over one statement deletes at least.
const overAtOnce = 8

// reads are the calls that lock the lane and read the rows. What runs apart is read
// before: each call has a snapshot of its own, and what ends between two of them must not
// be seen by neither.
func (l *laneClaim) reads(ids []task.ID, bytes int) []*wire.Call {
	var apart map[task.ID]bool
	return []*wire.Call{
		{Query: lockLanes, Args: []any{[]int32{int32(l.lane)}}},
		{Query: versionOf, Args: []any{l.lane}, Start: func() { l.version = 0 }, Scan: func(r wire.Row) error {
			l.version = r.Int(0)
			return nil
		}},
		{Query: apartOf, Args: []any{l.lane, ids}, Start: func() { apart = map[task.ID]bool{} }, Scan: func(r wire.Row) error {
			apart[r.ID(0)] = true
			return nil
		}},
		{Query: readLane, Args: []any{l.lane, ids, bytes}, Start: func() { l.rows = make(map[task.ID]*laneRow, len(ids)) }, Scan: func(r wire.Row) error {
			l.rows[r.ID(0)] = &laneRow{task: scanClaimed(r, l.claim.Holder()), past: r.Int(13), size: int(r.Int(16)), park: r.Int(17), apart: apart[r.ID(0)]}
			return nil
		}},
	}
}

// free are the rows that can be claimed, in the order of the call.
func (l *laneClaim) free(ctx context.Context, t *tx) (free []*laneRow, err error) {
	owned := l.owned && l.version == l.store.log.Version(l.lane)
	var keyed []store.ClaimItem
	for _, item := range l.items {
		r := l.rows[item.ID]
		switch {
		case !l.alive, r == nil, r.apart, item.Mark == 0 && !owned, r.park != item.Mark, stored.Micro(r.task.RunAt) > t.now, r.past < l.store.log.Number(item.ID):
			continue
		case r.task.Key != "":
			keyed = append(keyed, item)
		}
		free = append(free, r)
	}
	if len(keyed) == 0 {
		return free, nil
	}
	found := stands{}
	if err := t.Run(ctx, l.stand(t.now, keyed, found)); err != nil {
		return nil, err
	}
	for _, item := range keyed {
		if refusal := found.refusal(item); refusal.Reason != "" {
			free = slices.DeleteFunc(free, func(r *laneRow) bool { return r.task.ID == item.ID })
		}
	}
	return free, nil
}

// fitting are the first rows, up to the one with which their payloads reach a number of
// bytes, or as many as fit into it; what is large of them is read.
func (l *laneClaim) fitting(ctx context.Context, t *tx, free []*laneRow, bytes int, fit bool) (chosen []*laneRow, err error) {
	var large []task.ID
	sum := 0
	for _, r := range free {
		if sum >= bytes || fit && sum+r.size > bytes {
			break
		}
		sum += r.size
		chosen = append(chosen, r)
		if r.task.Payload == nil {
			large = append(large, r.task.ID)
		}
	}
	if len(large) == 0 {
		return chosen, nil
	}
	return chosen, wire.Each(ctx, t, payloadsOf, func(r wire.Row) error {
		l.rows[r.ID(0)].task.Payload = r.Blob(1)
		return nil
	}, l.lane, large)
}

// write makes rows running: by the log, or apart.
func (l *laneClaim) write(now int64, chosen []*laneRow) (calls []*wire.Call, batch *claimlog.Batch) {
	_, least := l.store.log.Versions([]store.LaneEpoch{{Lane: l.lane}})
	least = max(least, now)
	claim := least
	var apart runs
	for _, r := range chosen {
		r.task.StartedAt, r.task.UpdatedAt = stored.Time(now), stored.Time(now)
		l.tasks, l.parks[r.task.ID] = append(l.tasks, r.task), r.park
		if r.task.Key != "" || r.park != 0 || l.claim.Lease != 0 || r.past > now+farAhead {
			r.task.Claim = max(r.past%math.MaxInt64+1, least)
			apart.add(r.task)
			continue
		}
		if batch == nil {
			batch = &claimlog.Batch{Lane: l.lane, Started: now}
		}
		claim = max(claim, r.past+1)
		r.task.Claim = 0
		batch.IDs = append(batch.IDs, r.task.ID)
	}
	if len(apart.ids) > 0 {
		calls = append(calls, &wire.Call{Query: runApart, Args: []any{now, l.claim.Holder(), leaseOf(&l.claim), apart.ids, apart.claims, apart.keys}})
	}
	if batch == nil {
		return calls, nil
	}
	batch.Claim = claim
	for _, t := range l.tasks {
		if t.Claim == 0 {
			t.Claim = claim
		}
	}
	return append(calls, &wire.Call{Query: putBatch, Args: []any{l.lane, claim, l.claim.Holder(), now, batch.IDs}}), batch
}

// runs are the arguments of runApart.
type runs struct {
	ids    []task.ID
	claims []int64
	keys   wire.Optionals
}

func (a *runs) add(t *task.Task) {
	a.ids, a.claims, a.keys = append(a.ids, t.ID), append(a.claims, t.Claim), append(a.keys, t.Key)
}

// take adds what was claimed to the result, and leaves the other items.
func (l *laneClaim) take() (bytes int) {
	for _, t := range l.tasks {
		bytes += len(t.Payload)
		if mark := l.parks[t.ID]; mark != 0 {
			l.marks[t.ID] = mark
		}
	}
	l.items = slices.DeleteFunc(l.items, func(item store.ClaimItem) bool {
		_, claimed := l.parks[item.ID]
		return claimed
	})
	l.result.Tasks = append(l.result.Tasks, l.tasks...)
	l.store.claims.Add(int64(len(l.tasks)))
	return bytes
}

// runSpread claims lane by lane: several lanes at once what fits into a part of
// the bytes for each, and one after the other what did not.
func (c *claiming) runSpread(ctx context.Context, items []store.ClaimItem) error {
	lanes := c.laneClaims(items)
	var after []*laneClaim
	for some := range slices.Chunk(lanes, lanesAtOnce) {
		part := (c.claim.MaxBytes - c.bytes()) / len(some)
		if len(some) == 1 || part < task.MaxPayload {
			after = append(after, some...)
			continue
		}
		err := lanewise(len(some), func(i int) error { return some[i].run(ctx, part, true) })
		for _, l := range some {
			if l.take()+task.MaxPayload > part && len(l.items) > 0 {
				after = append(after, l)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, l := range after {
		rest := c.claim.MaxBytes - c.bytes()
		if rest <= 0 {
			break
		}
		if err := l.run(ctx, rest, false); err != nil {
			return err
		}
		l.take()
	}
	return nil
}

// stand is the call that reads how items stand.
func (l *laneClaim) stand(now int64, items []store.ClaimItem, found stands) *wire.Call {
	ids, _ := idsAndMarks(items)
	return &wire.Call{Query: standingLane, Args: []any{now, l.alive, l.owned, ids}, Scan: func(r wire.Row) error {
		found[r.ID(0)] = scanStand(r)
		return nil
	}}
}

// standsSpread is stands lane by lane.
func (c *claiming) standsSpread(ctx context.Context, ids []task.ID) (stands, error) {
	items := make([]store.ClaimItem, len(ids))
	for i, id := range ids {
		items[i].ID = id
	}
	lanes, found := c.laneClaims(items), make(stands, len(ids))
	numbers := make([]uint16, len(lanes))
	var calls []*wire.Call
	for i, l := range lanes {
		numbers[i] = l.lane
		calls = append(calls, l.mayClaim())
	}
	var now changed
	err := c.store.write(ctx, func(t *tx) error {
		clear(found)
		if err := t.Run(ctx, append(calls, readLog(c.store, numbers, &now)...)...); err != nil {
			return err
		}
		var reads []*wire.Call
		for _, l := range lanes {
			reads = append(reads, l.stand(t.now, l.items, found))
		}
		return t.Run(ctx, reads...)
	})
	if err == nil {
		c.store.log.Replace(now.lanes, now.batches)
	}
	return found, err
}
