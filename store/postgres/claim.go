package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// defaultClaimBytes bounds the payloads of one claim.
const defaultClaimBytes = 8 << 20

var (
	// lockLanes takes the locks of lanes, in their order, to the end of the
	// transaction: nobody else claims, cancels, reschedules or marks their
	// pending tasks, takes them or frees them.
	lockLanes = newQuery(`SELECT lane FROM outlast_lane WHERE lane = ANY($1::integer[]) ORDER BY lane FOR NO KEY UPDATE`)

	// claimRows makes rows running under the locks of their lanes, so that no
	// pending row can change between the snapshot of the statement and its
	// commit; running rows that end meanwhile were running in the snapshot.
	// It claims nothing when the payloads reach the limit. Inputs: clock, node,
	// lanes owned, their epochs, ids, marks (null for 0), bytes, holder, length of
	// the lease (null for none).
	claimRows = newQuery(claimHead + `SELECT t.*, ` + nowMicro + ` AS now ` + claimBody + `),
f AS (SELECT coalesce(sum(octet_length(payload)), 0) < $7::bigint AS fits FROM c),
` + fmt.Sprintf(claimTail, `(SELECT fits FROM f)`))

	// claimFirst is claimRows for the first rows, up to the one with which the
	// payloads reach the limit.
	claimFirst = newQuery(claimHead + `SELECT t.*, ` + nowMicro + ` AS now, sum(octet_length(t.payload)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(t.payload) AS before
` + claimBody + `),
` + fmt.Sprintf(claimTail, `before < $7::bigint`))
)

const (
	claimHead = `WITH owned AS (SELECT array_agg(l.lane) AS lanes FROM unnest($3::integer[], $4::bigint[]) AS e (lane, epoch)
 JOIN outlast_lane l ON l.lane = e.lane AND l.epoch = e.epoch AND l.owner = $2::text),
c AS MATERIALIZED (`
	claimBody = `FROM (SELECT id, coalesce(($6::bigint[])[at], 0) AS mark FROM unnest($5::uuid[]) WITH ORDINALITY AS u (id, at)) u
 CROSS JOIN LATERAL (SELECT * FROM outlast_task t WHERE t.id = u.id LIMIT 1) t
 WHERE EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $2::text AND n.state = 'alive')
  AND (u.mark <> 0 OR t.lane = ANY((SELECT lanes FROM owned)::integer[])) AND t.park = u.mark AND t.run_at <= ` + nowMicro + `
  AND (SELECT true FROM outlast_run r WHERE r.id = u.id) IS NULL
  AND (t.key IS NULL OR (SELECT true FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key) IS NULL
   AND (SELECT true FROM outlast_run r WHERE r.lane = t.lane AND r.key = t.key AND r.key IS NOT NULL) IS NULL
   AND (SELECT k.id FROM outlast_task k WHERE k.lane = t.lane AND k.key = t.key AND k.key IS NOT NULL
    ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) = t.id)`
	// claimTail is followed by a condition, which is there twice.
	claimTail = `r AS (INSERT INTO outlast_run (id, lane, claim, started_at, node, key, lease_until)
 SELECT id, lane, greatest(mod(claim, 9223372036854775807) + 1, now), now, $8::text, key, now + $9::bigint FROM c WHERE %[1]s)
SELECT id, queue, type, payload, priority, run_at, key, seq, target, policy, spec, attempt, crashes, greatest(mod(claim, 9223372036854775807) + 1, now), created_at, last_error, now, park
FROM c WHERE %[1]s`
)

func scanClaimed(r row, node string) *task.Task {
	now := r.time(16)
	t := &task.Task{
		State: task.Running, Node: node, StartedAt: now, UpdatedAt: now,
		ID: r.id(0), Queue: r.text(1), Type: r.text(2), Payload: r.blob(3), Priority: int(r.int(4)),
		RunAt: r.time(5), Key: r.text(6), Seq: r.int(7), Target: r.text(8), Policy: r.text(9),
		Attempt: int(r.int(11)) + 1, Crashes: int(r.int(12)), Claim: r.int(13), CreatedAt: r.time(14),
	}
	t.Spec, t.LastError = stored.SpecOf(r[10]), stored.FailureOf(r[15])
	return t
}

// claiming is one call of Claim.
type claiming struct {
	store  *Store
	claim  store.Claim
	items  []store.ClaimItem       // each once; of several for one row one at most has its mark
	places map[store.ClaimItem]int // in the call
	marks  map[task.ID]int64       // that rows had which were claimed
	result store.Claimed
}

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	c := &claiming{store: s, claim: claim, marks: map[task.ID]int64{}}
	if c.claim.MaxBytes <= 0 {
		c.claim.MaxBytes = defaultClaimBytes
	}
	c.distinct()
	if len(c.items) == 0 {
		return store.Claimed{}, nil
	}
	if err := c.run(ctx, claimRows, c.items); err != nil {
		return store.Claimed{}, err
	}
	if len(c.result.Tasks) < len(claim.Items) {
		if err := c.explain(ctx); err != nil {
			return store.Claimed{}, err
		}
	}
	return c.result, nil
}

func (c *claiming) distinct() {
	c.places = make(map[store.ClaimItem]int, len(c.claim.Items))
	for at, item := range c.claim.Items {
		if _, seen := c.places[item]; !seen {
			c.places[item] = at
			c.items = append(c.items, item)
		}
	}
}

func (c *claiming) run(ctx context.Context, q *query, items []store.ClaimItem) error {
	if c.store.spread {
		return c.runSpread(ctx, items)
	}
	lanes := map[uint16]bool{}
	for _, item := range items {
		lanes[item.ID.Lane()] = true
	}
	ids, marks := idsAndMarks(items)
	var claimed []*task.Task
	owned, epochs := laneEpochs(c.claim.Lanes)
	_, err := c.store.pipeline(ctx, &call{query: lockLanes, args: []any{laneList(lanes)}},
		&call{
			query: q,
			args:  []any{c.store.offset(), c.claim.Node, owned, epochs, ids, marks, c.claim.MaxBytes, c.claim.Holder(), leaseOf(&c.claim)},
			start: func() { claimed = nil },
			scan: func(r row) error {
				claimed = append(claimed, scanClaimed(r, c.claim.Holder()))
				if mark := r.int(17); mark != 0 {
					c.marks[r.id(0)] = mark
				}
				return nil
			},
		})
	c.result.Tasks = append(c.result.Tasks, claimed...)
	c.store.claims.Add(int64(len(claimed)))
	return err
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
