package postgres

import (
	"context"
	"math"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Where Citus has distributed the tables, a claim is a transaction for each
// lane, so that each changes rows of one machine only. Its lane's lock and the
// node are on the coordinator.
var (
	// mayClaim reads, under the lock of the lane, whether the node is alive and
	// owns the lane. Inputs: node, lane, epoch.
	mayClaim = newQuery(`SELECT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $1::text AND n.state = 'alive'),
 EXISTS (SELECT 1 FROM outlast_lane l WHERE l.lane = $2::integer AND l.epoch = $3::bigint AND l.owner = $1::text)`)

	// claimLane makes rows of a lane running, the first ones up to the one with
	// which the payloads reach a limit, and no more than fit into another. Inputs: now, node, ids, marks (null
	// for 0), whether the node owns the lane, both numbers of bytes, length of the
	// lease (null for none).
	claimLane = newQuery(`INSERT INTO outlast_run (id, lane, claim, started_at, node, key, lease_until)
SELECT id, lane, greatest(mod(claim, 9223372036854775807) + 1, $1::bigint), $1::bigint, $2::text, key, $1::bigint + $8::bigint FROM (
 SELECT t.id, t.lane, t.claim, t.key, octet_length(t.payload) AS size, sum(octet_length(t.payload)) OVER (ORDER BY u.at) AS after
 FROM (SELECT id, at, coalesce(($4::bigint[])[at], 0) AS mark FROM unnest($3::uuid[]) WITH ORDINALITY AS u (id, at)) u
 JOIN outlast_task t ON t.id = u.id
 WHERE (u.mark <> 0 OR $5::boolean) AND t.park = u.mark AND t.run_at <= $1::bigint /*t.lane of ($3::uuid[])[1]*/
  AND (SELECT true FROM outlast_run r WHERE r.id = u.id /*r.lane of ($3::uuid[])[1]*/) IS NULL
  AND (t.key IS NULL OR (SELECT true FROM outlast_key_hold h WHERE h.key = t.key /*h.lane of ($3::uuid[])[1]*/) IS NULL
   AND (SELECT true FROM outlast_run r WHERE r.key = t.key AND r.key IS NOT NULL /*r.lane of ($3::uuid[])[1]*/) IS NULL
   AND (SELECT k.id FROM outlast_task k WHERE k.key = t.key AND k.key IS NOT NULL /*k.lane of ($3::uuid[])[1]*/
    ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) = t.id)) c WHERE after - size < $6::bigint AND after <= $7::bigint RETURNING id`)

	// readClaimed reads what was claimed at now. Inputs: now, node, ids.
	readClaimed = newQuery(`SELECT id, queue, type, payload, priority, run_at, key, seq, target, policy, spec, attempt, crashes, greatest(mod(claim, 9223372036854775807) + 1, $1::bigint),
 created_at, last_error, $1::bigint, park FROM outlast_task t WHERE id = ANY($3::uuid[]) /*lane of ($3::uuid[])[1]*/
 AND EXISTS (SELECT 1 FROM outlast_run r WHERE r.id = t.id AND r.node = $2::text AND r.started_at = $1::bigint /*r.lane of ($3::uuid[])[1]*/)`)

	// standingLane is standing for rows of one lane. Inputs: now, whether the
	// node is alive, whether it owns the lane, ids.
	standingLane = newQuery(`SELECT t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload), t.state::bigint,
 $2::boolean, $3::boolean, t.run_at > $1::bigint,
 EXISTS (SELECT 1 FROM outlast_key_hold h WHERE h.key = t.key /*h.lane of ($4::uuid[])[1]*/),
 EXISTS (SELECT 1 FROM outlast_run r WHERE r.key = t.key AND r.key IS NOT NULL /*r.lane of ($4::uuid[])[1]*/),
 k.id, k.run_at, k.rank, k.seq, k.park, k.key, k.type, k.target, k.attempt, k.crashes, octet_length(k.payload)
FROM outlast_live t LEFT JOIN LATERAL (SELECT * FROM outlast_task k WHERE k.key = t.key AND k.key IS NOT NULL /*k.lane of ($4::uuid[])[1]*/
 ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) k ON true WHERE t.id = ANY($4::uuid[]) /*t.lane of ($4::uuid[])[1]*/`)
)

// laneClaim is a claim of rows of one lane.
type laneClaim struct {
	*claiming
	lane         uint16
	items        []store.ClaimItem
	alive, owned bool
	tasks        []*task.Task
	parks        map[task.ID]int64 // marks of what was claimed
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
func (l *laneClaim) mayClaim() *call {
	epoch := int64(-1)
	for _, owned := range l.claim.Lanes {
		if owned.Lane == l.lane {
			epoch = owned.Epoch
		}
	}
	return &call{query: mayClaim, args: []any{l.claim.Node, l.lane, epoch}, scan: func(r row) error {
		l.alive, l.owned = r.bool(0), r.bool(1)
		return nil
	}}
}

// run claims rows up to the one with which the payloads reach a number of
// bytes, or as many as fit into it.
func (l *laneClaim) run(ctx context.Context, bytes int, fit bool) error {
	ids, marks := idsAndMarks(l.items)
	most := math.MaxInt64
	if fit {
		most = bytes
	}
	return l.store.begun(ctx, func(t *tx, c *conn) error {
		l.tasks, l.parks = nil, map[task.ID]int64{}
		if !l.alive {
			return nil
		}
		made := map[task.ID]bool{}
		return c.run(ctx,
			&call{query: claimLane, args: []any{t.now, l.claim.Holder(), ids, marks, l.owned, bytes, most, leaseOf(&l.claim)}, scan: func(r row) error {
				made[r.id(0)] = true
				return nil
			}},
			&call{query: readClaimed, args: []any{t.now, l.claim.Holder(), ids}, scan: func(r row) error {
				if !made[r.id(0)] {
					return nil
				}
				l.tasks, l.parks[r.id(0)] = append(l.tasks, scanClaimed(r, l.claim.Holder())), r.int(17)
				return nil
			}},
			&call{query: commitTx})
	}, &call{query: lockLanes, args: []any{[]int32{int32(l.lane)}}}, l.mayClaim())
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
		return slices.ContainsFunc(l.tasks, func(t *task.Task) bool { return t.ID == item.ID })
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

// standsSpread is stands lane by lane.
func (c *claiming) standsSpread(ctx context.Context, ids []task.ID) (map[task.ID]stand, error) {
	items := make([]store.ClaimItem, len(ids))
	for i, id := range ids {
		items[i].ID = id
	}
	lanes, stands := c.laneClaims(items), make(map[task.ID]stand, len(ids))
	var calls []*call
	for _, l := range lanes {
		calls = append(calls, l.mayClaim())
	}
	_, err := c.store.bound(ctx, func(t *tx) (reads []*call) {
		clear(stands)
		for _, l := range lanes {
			ids, _ := idsAndMarks(l.items)
			reads = append(reads, &call{query: standingLane, args: []any{t.now, l.alive, l.owned, ids}, scan: func(r row) error {
				stands[r.id(0)] = scanStand(r)
				return nil
			}})
		}
		return reads
	}, calls...)
	return stands, err
}
