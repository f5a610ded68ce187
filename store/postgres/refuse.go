package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// standing reads rows that were not claimed, as they stand now, with what
// could be in their way: the lane and the node, a hold of the key, a running
// task of the key, the head of the key. Inputs: clock, node, lanes owned,
// their epochs, ids. It changes nothing.
var standing = wire.NewQuery(`WITH owned AS (SELECT array_agg(l.lane) AS lanes FROM unnest($3::integer[], $4::bigint[]) AS e (lane, epoch)
 JOIN outlast_lane l ON l.lane = e.lane AND l.epoch = e.epoch AND l.owner = $2::text)
SELECT t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload), t.share_key, t.state::bigint,
 EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $2::text AND n.state = 'alive'),
 coalesce(t.lane = ANY((SELECT lanes FROM owned)::integer[]), false), t.run_at > ` + wire.NowMicro + `,
 EXISTS (SELECT 1 FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key),
 EXISTS (SELECT 1 FROM outlast_run r WHERE r.lane = t.lane AND r.key = t.key AND r.key IS NOT NULL),
 k.id, k.run_at, k.rank, k.seq, k.park, k.key, k.type, k.target, k.attempt, k.crashes, octet_length(k.payload), k.share_key
FROM unnest($5::uuid[]) AS u (id) CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.id LIMIT 1) t
LEFT JOIN LATERAL (SELECT * FROM outlast_task k WHERE k.lane = t.lane AND k.key = t.key AND k.key IS NOT NULL
 ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) k ON true`)

// scanStand reads a row as standing has it, and what is before it.
func scanStand(r wire.Row) check.Standing {
	return check.Standing{
		Entry: scanEntry(r), Gone: r.Int(entryWidth) == running, Alive: r.Bool(entryWidth + 1), Owned: r.Bool(entryWidth + 2), Later: r.Bool(entryWidth + 3),
		Held: r.Bool(entryWidth + 4), Busy: r.Bool(entryWidth + 5), Head: scanEntry(r[entryWidth+6:]),
	}
}

// stands are rows as they stand, those that there are.
type stands map[task.ID]check.Standing

// refusal says why an item was not claimed; no reason means that it can be.
func (s stands) refusal(item store.ClaimItem) store.Refusal {
	standing, found := s[item.ID]
	standing.Gone = standing.Gone || !found
	return standing.Refusal(item)
}

// explainTimes is how often rows that turn out to be claimable are claimed
// again: whatever was in their way has gone meanwhile, or there were too many
// bytes for all, or other processes claim in the lanes.
const explainTimes = 50

// explain finds the reasons for which rows were not claimed.
func (c *claiming) explain(ctx context.Context) error {
	for try := 1; ; try++ {
		stands, err := c.stands(ctx)
		if err != nil {
			return err
		}
		c.result.Refused = nil
		var free []store.ClaimItem
		for _, item := range c.reported() {
			refusal := stands.refusal(item.ClaimItem)
			if item.claimed != nil && c.placeOf(item.ID) > item.at {
				refusal = store.Refusal{ID: item.ID, Reason: store.ReasonParked, Entry: c.before(item.claimed)}
			}
			if refusal.Reason == store.ReasonBehindKey && refusal.Head.ID.IsZero() {
				refusal.Head = c.headOf(item, refusal.Entry.Key)
			}
			if refusal.Reason == "" && !item.again && try < explainTimes {
				free = append(free, item.ClaimItem)
				continue
			}
			if refusal.Reason == "" {
				refusal = store.Refusal{ID: item.ID, Reason: store.ReasonGone}
			}
			c.result.Refused = append(c.result.Refused, refusal)
		}
		if len(free) == 0 {
			return nil
		}
		if err := c.run(ctx, claimFirst, &knownRows{others: free}); err != nil {
			return err
		}
	}
}

// reportItem is an item that was not claimed, or one that names a row for a
// second time.
type reportItem struct {
	store.ClaimItem
	at      int // in the call
	again   bool
	claimed *task.Task // by another item of the call
}

// headOf is the head of a key as an item met it that comes before the head in
// the call, which has claimed that since; zero if the head ran before.
func (c *claiming) headOf(item reportItem, key string) (head store.Entry) {
	for _, t := range c.result.Tasks {
		if t.Key == key && t.ID.Lane() == item.ID.Lane() && c.placeOf(t.ID) > item.at {
			head = c.before(t)
		}
	}
	return head
}

// placeOf is the place of the item that claimed a row.
func (c *claiming) placeOf(id task.ID) int {
	return c.placeIn(store.ClaimItem{ID: id, Mark: c.marks[id]})
}

// before is a row as it stood before it was claimed.
func (c *claiming) before(t *task.Task) store.Entry {
	return store.Entry{
		ID: t.ID, RunAt: t.RunAt.UnixMicro(), Rank: task.Rank(t.RunAt, t.Priority), Seq: t.Seq, Park: c.marks[t.ID], Key: t.Key, Share: t.Spec.ShareKey,
		Type: t.Type, Target: t.Target, Attempt: t.Attempt - 1, Crashes: t.Crashes, Size: len(t.Payload),
	}
}

// reported lists the items to report on: all that were not claimed or, when
// the batch has ended early, those up to its end.
func (c *claiming) reported() (items []reportItem) {
	claimed, end := make(map[task.ID]*task.Task, len(c.result.Tasks)), len(c.claim.Items)
	last := -1
	for _, t := range c.result.Tasks {
		claimed[t.ID] = t
		last = max(last, c.placeOf(t.ID))
	}
	if c.full() {
		end = last + 1
		if c.store.spread || c.outOfOrder { // what comes first in the call may not have been looked at
			end = 0
		}
	}
	seen := make(map[store.ClaimItem]bool, len(c.claim.Items))
	for at, item := range c.claim.Items[:end] {
		t := claimed[item.ID]
		if t == nil || seen[item] || item.Mark != c.marks[item.ID] {
			items = append(items, reportItem{item, at, seen[item], t})
		}
		seen[item] = true
	}
	return items
}

func (c *claiming) stands(ctx context.Context) (stands, error) {
	var ids []task.ID
	for _, item := range c.reported() {
		if !item.again {
			ids = append(ids, item.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	if c.store.spread {
		return c.standsSpread(ctx, ids)
	}
	var found stands
	var now changed
	owned, epochs := laneEpochs(c.claim.Lanes)
	lanes := make([]uint16, len(owned))
	for i, lane := range owned {
		lanes[i] = uint16(lane)
	}
	_, err := c.store.pipeline(ctx, append(readLog(c.store, lanes, &now), &wire.Call{
		Query: standing, Args: []any{c.store.offset(), c.claim.Node, owned, epochs, ids},
		Start: func() { found = make(stands, len(ids)) },
		Scan: func(r wire.Row) error {
			found[r.ID(0)] = scanStand(r)
			return nil
		},
	})...)
	if err == nil {
		c.store.log.Replace(now.lanes, now.batches)
		c.store.readAhead.doubt(now.lanes)
	}
	return found, err
}
