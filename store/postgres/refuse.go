package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// standing reads rows that were not claimed, as they stand now, with what
// could be in their way: the lane and the node, a hold of the key, a running
// task of the key, the head of the key. Inputs: clock, node, lanes owned,
// their epochs, ids. It changes nothing.
var standing = newQuery(`WITH owned AS (SELECT array_agg(l.lane) AS lanes FROM unnest($3::integer[], $4::bigint[]) AS e (lane, epoch)
 JOIN outlast_lane l ON l.lane = e.lane AND l.epoch = e.epoch AND l.owner = $2::text)
SELECT t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, octet_length(t.payload), t.state::bigint,
 EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $2::text AND n.state = 'alive'),
 coalesce(t.lane = ANY((SELECT lanes FROM owned)::integer[]), false), t.run_at > ` + nowMicro + `,
 EXISTS (SELECT 1 FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key),
 EXISTS (SELECT 1 FROM outlast_run r WHERE r.lane = t.lane AND r.key = t.key AND r.key IS NOT NULL),
 k.id, k.run_at, k.rank, k.seq, k.park, k.key, k.type, k.target, k.attempt, k.crashes, octet_length(k.payload)
FROM unnest($5::uuid[]) AS u (id) CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.id OFFSET 0) t
LEFT JOIN LATERAL (SELECT * FROM outlast_task k WHERE k.lane = t.lane AND k.key = t.key AND k.key IS NOT NULL
 ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) k ON true`)

// stand is a row as standing reads it.
type stand struct {
	entry, head                                 store.Entry
	running, alive, owned, later, held, keyBusy bool
}

func scanStand(r row) stand {
	return stand{
		entry: scanEntry(r), running: r.int(11) == running, alive: r.bool(12), owned: r.bool(13), later: r.bool(14),
		held: r.bool(15), keyBusy: r.bool(16), head: scanEntry(r[17:]),
	}
}

// explainTimes is how often rows that turn out to be claimable are claimed
// again: whatever was in their way has gone meanwhile.
const explainTimes = 3

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
			refusal := item.refusal(stands)
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
		if err := c.run(ctx, free); err != nil {
			return err
		}
	}
}

// reportItem is an item that was not claimed, or one that names a row for a
// second time.
type reportItem struct {
	store.ClaimItem
	again bool
}

// reported lists the items to report on: all that were not claimed or, when
// the batch has ended early, those up to its end.
func (c *claiming) reported() (items []reportItem) {
	claimed := make(map[task.ID]bool, len(c.result.Tasks))
	for _, t := range c.result.Tasks {
		claimed[t.ID] = true
	}
	end := len(c.claim.Items)
	if c.full() {
		for end > 0 && !claimed[c.claim.Items[end-1].ID] {
			end--
		}
	}
	seen := make(map[task.ID]bool, len(claimed))
	for _, item := range c.claim.Items[:end] {
		if !claimed[item.ID] || seen[item.ID] {
			items = append(items, reportItem{item, seen[item.ID]})
		}
		seen[item.ID] = true
	}
	return items
}

func (c *claiming) stands(ctx context.Context) (map[task.ID]stand, error) {
	var ids []task.ID
	for _, item := range c.reported() {
		if !item.again {
			ids = append(ids, item.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var stands map[task.ID]stand
	owned, epochs := laneEpochs(c.claim.Lanes)
	_, err := c.store.pipeline(ctx, &call{
		query: standing, args: []any{c.store.offset(), c.claim.Node, owned, epochs, ids},
		start: func() { stands = make(map[task.ID]stand, len(ids)) },
		scan: func(r row) error {
			stands[r.id(0)] = scanStand(r)
			return nil
		},
	})
	return stands, err
}

// refusal says why an item was not claimed; no reason means that it can be.
func (i reportItem) refusal(stands map[task.ID]stand) store.Refusal {
	s, found := stands[i.ID]
	if !found || s.running {
		return store.Refusal{ID: i.ID, Reason: store.ReasonGone}
	}
	refusal := store.Refusal{ID: i.ID, Entry: s.entry}
	switch {
	case !s.alive, i.Mark == 0 && !s.owned:
		refusal.Reason = store.ReasonEpoch
	case s.later:
		refusal.Reason = store.ReasonLater
	case s.entry.Park != i.Mark:
		refusal.Reason = store.ReasonParked
	case s.entry.Key == "":
	case s.held:
		refusal.Reason = store.ReasonKeyHeld
	case s.keyBusy:
		refusal.Reason = store.ReasonBehindKey
	case s.head.ID != i.ID:
		refusal.Reason, refusal.Head = store.ReasonBehindKey, s.head
	}
	return refusal
}
