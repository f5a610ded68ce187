package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// defaultClaimBytes bounds the payloads of one claim.
const defaultClaimBytes = 8 << 20

var (
	// candidates reads live rows whole, by a list of ids. A join with the
	// list is quicker than IN, which first sorts it into a table.
	candidates = idQuery{single: candidatesOf(1), many: candidatesOf(chunk)}

	// claimRow and claimMany make rows running that candidates found
	// pending, in the same write transaction: nobody can have changed them
	// in between. Inputs per row: id, claim, node, now, lane and key if it
	// has one.
	claimRow  = &query{`INSERT OR FAIL INTO outlast_run (id, claim, node, started_at, lane, key) VALUES ` + valueRows(1, 6)}
	claimMany = &query{`INSERT OR FAIL INTO outlast_run (id, claim, node, started_at, lane, key) VALUES ` + valueRows(manyRows, 6)}

	// unmark clears the mark of a row that a borrower claims.
	unmark = &query{`UPDATE OR FAIL outlast_task SET park = 0 WHERE id = ?`}

	// laneOwner reads who owns a lane, at which epoch.
	laneOwner = &query{`SELECT owner, epoch FROM outlast_lane WHERE lane = ?`}

	// nodeAlive finds the node if it is alive.
	nodeAlive = &query{`SELECT 1 FROM outlast_node WHERE id = ? AND state = 'alive'`}

	// keyRunning finds the running row of a key.
	keyRunning = &query{`SELECT id FROM outlast_run WHERE lane = ? AND key = ? AND key IS NOT NULL`}

	// keyHead reads the first row of a key of which none runs, by (started
	// before, seq), in the order of the index.
	keyHead = &query{`SELECT ` + entryColumns + ` FROM outlast_task
WHERE lane = ? AND key = ? AND key IS NOT NULL ORDER BY turn, seq LIMIT 1`}

	// keyHeld finds the hold on a key.
	keyHeld = &query{`SELECT 1 FROM outlast_key_hold WHERE lane = ? AND key = ?`}
)

func candidatesOf(n int) *query {
	return &query{`WITH s (id) AS (VALUES ` + valueRows(n, 1) + `)
SELECT t.id, queue, type, payload, priority, run_at, t.key, seq, target, policy, spec, attempt + (r.id IS NOT NULL), crashes,
	ifnull(r.claim, t.claim), r.node, ifnull(r.started_at, t.started_at), r.cancel, created_at, last_error, r.id IS NOT NULL, updated_at, park,
	null, null, null, null
FROM s CROSS JOIN outlast_task t ON t.id = s.id LEFT JOIN outlast_run r ON r.id = s.id`}
}

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	var claimed store.Claimed
	err := s.write(ctx, "claim", func(tx *tx) error {
		c := claiming{tx: tx, claim: claim, taken: map[laneKey]bool{}}
		if c.claim.MaxBytes <= 0 {
			c.claim.MaxBytes = defaultClaimBytes
		}
		err := c.run()
		claimed = c.result
		return err
	})
	if err != nil {
		return store.Claimed{}, err
	}
	return claimed, nil
}

type laneKey struct {
	lane uint16
	key  string
}

// claiming is one call of Claim inside its transaction.
type claiming struct {
	tx     *tx
	claim  store.Claim
	alive  bool
	owned  map[uint16]bool
	taken  map[laneKey]bool // keys of which a row was claimed by this call
	bytes  int
	result store.Claimed
}

// run goes through the items in portions of one statement each. It decides
// in Go on what it read: the transaction excludes all other writers.
func (c *claiming) run() error {
	if err := c.readLanes(); err != nil {
		return err
	}
	for items := c.claim.Items; len(items) > 0 && c.bytes < c.claim.MaxBytes; {
		n := min(chunk, len(items))
		if err := c.portion(items[:n]); err != nil {
			return err
		}
		items = items[n:]
	}
	return nil
}

func (c *claiming) readLanes() (err error) {
	c.owned = make(map[uint16]bool, len(c.claim.Lanes))
	if c.alive, err = one(c.tx, nodeAlive, func(row) {}, c.claim.Node); err != nil {
		return err
	}
	for _, lane := range c.claim.Lanes {
		_, err := one(c.tx, laneOwner, func(r row) {
			c.owned[lane.Lane] = r.text(0) == c.claim.Node && r.int(1) == lane.Epoch
		}, lane.Lane)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *claiming) portion(items []store.ClaimItem) error {
	rows := make(map[task.ID]*task.Task, len(items))
	ids := make([]task.ID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	err := candidates.each(c.tx, ids, func(r row) error {
		t, err := scanTask(r)
		rows[t.ID] = t
		return err
	})
	if err != nil {
		return err
	}
	first := len(c.result.Tasks)
	for _, item := range items {
		t := rows[item.ID]
		refusal, err := c.decide(item, t)
		if err != nil {
			return err
		}
		if refusal.Reason != "" {
			c.result.Refused = append(c.result.Refused, refusal)
			continue
		}
		if t.Park != 0 {
			if _, err := c.tx.exec(unmark, t.ID); err != nil {
				return err
			}
		}
		c.take(t)
		if c.bytes += len(t.Payload); c.bytes >= c.claim.MaxBytes {
			break
		}
	}
	return c.write(c.result.Tasks[first:])
}

// write stores what take has made of pending tasks.
func (c *claiming) write(tasks []*task.Task) error {
	for len(tasks) > 0 {
		q, n := claimRow, 1
		if len(tasks) >= manyRows {
			q, n = claimMany, manyRows
		}
		args := make([]any, 0, 6*n)
		for _, t := range tasks[:n] {
			lane := any(nil)
			if t.Key != "" {
				lane = int64(t.ID.Lane())
			}
			args = append(args, t.ID[:], t.Claim, c.claim.Node, c.tx.now, lane, optional(t.Key))
		}
		if _, err := c.tx.exec(q, args...); err != nil {
			return err
		}
		tasks = tasks[n:]
	}
	return nil
}

// take makes of a pending task what write makes of its row.
func (c *claiming) take(t *task.Task) {
	t.State, t.Node, t.Park = task.Running, c.claim.Node, 0
	t.Attempt++
	t.Claim = max(t.Claim+1, c.tx.now)
	t.StartedAt, t.UpdatedAt = c.tx.time(), c.tx.time()
	if t.Key != "" {
		c.taken[laneKey{t.ID.Lane(), t.Key}] = true
	}
	c.result.Tasks = append(c.result.Tasks, t)
}

// decide says why a row cannot be claimed; no reason means that it can.
func (c *claiming) decide(item store.ClaimItem, t *task.Task) (refusal store.Refusal, err error) {
	refusal.ID = item.ID
	if t == nil || t.State != task.Pending {
		refusal.Reason = store.ReasonGone
		return refusal, nil
	}
	refusal.Entry = entryOf(t)
	switch {
	case !c.alive, item.Mark == 0 && !c.owned[t.ID.Lane()]:
		refusal.Reason = store.ReasonEpoch
	case refusal.Entry.RunAt > c.tx.now && !mutant("claim_ignores_run_at"):
		refusal.Reason = store.ReasonLater
	case t.Park != item.Mark:
		refusal.Reason = store.ReasonParked
	case t.Key != "" && !mutant("claim_without_head_of_key"):
		err = c.decideKey(t, &refusal)
	}
	if refusal.Reason == "" {
		refusal.Entry = store.Entry{}
	}
	return refusal, err
}

// decideKey refuses a keyed row that is not the head of its key.
func (c *claiming) decideKey(t *task.Task, refusal *store.Refusal) error {
	lane := t.ID.Lane()
	if c.taken[laneKey{lane, t.Key}] {
		refusal.Reason = store.ReasonBehindKey
		return nil
	}
	held, err := one(c.tx, keyHeld, func(row) {}, lane, t.Key)
	if err != nil || held {
		refusal.Reason = store.ReasonKeyHeld
		return err
	}
	busy, err := one(c.tx, keyRunning, func(row) {}, lane, t.Key)
	if err != nil || busy {
		refusal.Reason = store.ReasonBehindKey
		return err
	}
	_, err = one(c.tx, keyHead, func(r row) {
		if head := scanEntry(r); head.ID != t.ID {
			refusal.Reason, refusal.Head = store.ReasonBehindKey, head
		}
	}, lane, t.Key)
	return err
}
