package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// defaultClaimBytes bounds the payloads of one claim.
const defaultClaimBytes = 8 << 20

var (
	// candidates reads pending rows whole, by a list of ids. A join with the
	// list is quicker than IN, which first sorts it into a table.
	candidates = idQuery{single: candidatesOf(1), many: candidatesOf(chunk)}

	// claimRow makes a row running that candidates found pending, in the same
	// write transaction: nobody can have changed it in between. claimMany does it
	// for many without keys. Inputs of claimRow: num, claim, node, now, lane and key
	// if it has one; of claimMany: nums, claim, node, now.
	claimRow  = &query{sql: `INSERT OR FAIL INTO outlast_run (num, claim, node, started_at, lane, key) VALUES ` + valueRows(1, 6)}
	claimMany = &query{sql: `WITH s (num) AS (VALUES ` + valueRows(chunk, 1) + `)
INSERT OR FAIL INTO outlast_run (num, claim, node, started_at) SELECT num, ?101, ?102, ?103 FROM s WHERE num IS NOT NULL`}

	// leaseRow gives a row that was made running a lease. Inputs: num, end.
	leaseRow = &query{sql: `UPDATE outlast_run SET lease_until = ?2 WHERE num = ?1`}

	// unmark clears the mark of a row that a borrower claims.
	unmark = &query{sql: `UPDATE OR FAIL outlast_task SET park = 0 WHERE num = ?`}

	// laneOwner reads who owns a lane, at which epoch.
	laneOwner = &query{sql: `SELECT owner, epoch FROM outlast_lane WHERE lane = ?`}

	// nodeAlive finds the node if it is alive.
	nodeAlive = &query{sql: `SELECT 1 FROM outlast_node WHERE id = ? AND state = 'alive'`}

	// keyRunning finds the running row of a key.
	keyRunning = &query{sql: `SELECT t.id FROM outlast_run r JOIN outlast_task t ON t.num = r.num
WHERE r.lane = ? AND r.key = ? AND r.key IS NOT NULL`}

	// keyHead reads the first row of a key of which none runs, by (started
	// before, seq), in the order of the index.
	keyHead = &query{sql: `SELECT ` + entryColumns + ` FROM outlast_task
WHERE lane = ? AND key = ? AND key IS NOT NULL AND state = 5 ORDER BY attempt + crashes = 0, seq LIMIT 1`}

	// keyHeld finds the hold on a key.
	keyHeld = &query{sql: `SELECT 1 FROM outlast_key_hold WHERE lane = ? AND key = ?`}
)

func candidatesOf(n int) *query {
	return &query{sql: `WITH s (id) AS (VALUES ` + valueRows(n, 1) + `)
SELECT t.num, t.id, queue, type, payload, priority, run_at, key, seq, target, policy, spec, attempt, crashes, claim, created_at, last_error, park
FROM s CROSS JOIN outlast_task t ON t.id = s.id WHERE t.state = 5 AND t.num NOT IN (SELECT num FROM outlast_run)`}
}

// candidate is a pending row that may be claimed.
type candidate struct {
	num int64
	*task.Task
}

func scanCandidate(c *conn, r row) candidate {
	t := &task.Task{
		State: task.Pending, ID: r.id(1), Queue: c.name(r, 2), Type: c.name(r, 3), Payload: r.blob(4), Priority: int(r.int(5)),
		RunAt: fromMicro(r.int(6)), Key: r.text(7), Seq: r.int(8), Target: c.name(r, 9), Policy: c.name(r, 10),
		Attempt: int(r.int(12)), Crashes: int(r.int(13)), Claim: max(r.int(14), 0), CreatedAt: r.time(15), Park: r.int(17),
	}
	t.Spec, t.LastError = stored.SpecOf(r.blob(11)), stored.FailureOf(r.blob(16))
	return candidate{r.int(0), t}
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
	rows := make(map[task.ID]candidate, len(items))
	ids := make([]task.ID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	err := candidates.each(c.tx, ids, func(r row) error {
		rows[r.id(1)] = scanCandidate(c.tx.conn, r)
		return nil
	})
	if err != nil {
		return err
	}
	taken := make([]candidate, 0, len(items))
	for _, item := range items {
		t := rows[item.ID]
		refusal, err := c.decide(item, t.Task)
		if err != nil {
			return err
		}
		if refusal.Reason != "" {
			c.result.Refused = append(c.result.Refused, refusal)
			continue
		}
		if t.Park != 0 {
			if _, err := c.tx.exec(unmark, t.num); err != nil {
				return err
			}
		}
		c.take(t.Task)
		taken = append(taken, t)
		if c.bytes += len(t.Payload); c.bytes >= c.claim.MaxBytes {
			break
		}
	}
	return c.write(taken)
}

// write stores what take has made of pending tasks.
func (c *claiming) write(tasks []candidate) error {
	plain := make([]any, 0, chunk+3)
	for _, t := range tasks {
		c.tx.store.claimed.put(t.ID, t.num)
		if len(tasks) >= someRows && t.Key == "" && t.Claim == c.tx.now {
			plain = append(plain, t.num)
			continue
		}
		lane := any(nil)
		if t.Key != "" {
			lane = t.ID.Lane()
		}
		if _, err := c.tx.exec(claimRow, t.num, t.Claim, c.claim.Holder(), c.tx.now, lane, optional(t.Key)); err != nil {
			return err
		}
	}
	if len(plain) > 0 {
		if _, err := c.tx.exec(claimMany, append(plain[:chunk], c.tx.now, c.claim.Holder(), c.tx.now)...); err != nil {
			return err
		}
	}
	return c.lease(tasks)
}

// lease gives rows of a remote worker's claim their lease.
func (c *claiming) lease(tasks []candidate) error {
	if c.claim.Lease == 0 {
		return nil
	}
	for _, t := range tasks {
		if _, err := c.tx.exec(leaseRow, t.num, c.tx.now+c.claim.Lease.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// take makes of a pending task what write makes of its row.
func (c *claiming) take(t *task.Task) {
	t.State, t.Node, t.Park = task.Running, c.claim.Holder(), 0
	t.Attempt++
	t.Claim = max(t.Claim+1, c.tx.now)
	t.StartedAt, t.UpdatedAt = c.tx.time(), c.tx.time()
	if t.Key != "" {
		c.taken[laneKey{t.ID.Lane(), t.Key}] = true
	}
	c.result.Tasks = append(c.result.Tasks, t)
}

// decide says why a row cannot be claimed; no reason means that it can.
func (c *claiming) decide(item store.ClaimItem, t *task.Task) (store.Refusal, error) {
	reason, head, err := c.reason(item, t), store.Entry{}, error(nil)
	if reason == "" && t.Key != "" {
		reason, head, err = c.behindKey(t)
	}
	switch {
	case err != nil || reason == "":
		return store.Refusal{}, err
	case reason == store.ReasonGone:
		return store.Refusal{ID: item.ID, Reason: reason}, nil
	}
	return store.Refusal{ID: item.ID, Reason: reason, Entry: entryOf(t), Head: head}, nil
}

// reason refuses a row whatever its key.
func (c *claiming) reason(item store.ClaimItem, t *task.Task) store.Reason {
	switch {
	case t == nil || t.State != task.Pending:
		return store.ReasonGone
	case !c.alive, item.Mark == 0 && !c.owned[t.ID.Lane()]:
		return store.ReasonEpoch
	case t.RunAt.UnixMicro() > c.tx.now:
		return store.ReasonLater
	case t.Park != item.Mark:
		return store.ReasonParked
	}
	return ""
}

// behindKey refuses a keyed row that is not the head of its key.
func (c *claiming) behindKey(t *task.Task) (reason store.Reason, head store.Entry, err error) {
	lane := t.ID.Lane()
	if c.taken[laneKey{lane, t.Key}] {
		return store.ReasonBehindKey, head, nil
	}
	held, err := one(c.tx, keyHeld, func(row) {}, lane, t.Key)
	if err != nil || held {
		return store.ReasonKeyHeld, head, err
	}
	busy, err := one(c.tx, keyRunning, func(row) {}, lane, t.Key)
	if err != nil || busy {
		return store.ReasonBehindKey, head, err
	}
	_, err = one(c.tx, keyHead, func(r row) { head = scanEntry(r) }, lane, t.Key)
	if err != nil || head.ID == t.ID || head.ID.IsZero() {
		return "", store.Entry{}, err
	}
	return store.ReasonBehindKey, head, nil
}
