package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

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

// candidateColumns are what scanCandidate reads, with a place for the payload.
const candidateColumns = `t.num, t.id, queue, type, %s, priority, run_at, key, seq, target, policy, spec, attempt, crashes, claim, created_at, last_error, park`

func candidatesOf(n int) *query {
	return &query{sql: `WITH s (id) AS (VALUES ` + valueRows(n, 1) + `)
SELECT ` + fmt.Sprintf(candidateColumns, "payload") + ` FROM s CROSS JOIN outlast_task t ON t.id = s.id WHERE t.state = 5 AND t.num NOT IN (SELECT num FROM outlast_run)`}
}

// candidate is a pending row that may be claimed.
type candidate struct {
	num int64
	*task.Task
}

func scanCandidate(name func(r row, i int) string, r row) candidate {
	t := &task.Task{
		State: task.Pending, ID: r.ID(1), Queue: name(r, 2), Type: name(r, 3), Payload: r.Blob(4), Priority: int(r.Int(5)),
		RunAt: stored.Time(r.Int(6)), Key: r.Text(7), Seq: r.Int(8), Target: name(r, 9), Policy: name(r, 10),
		Attempt: int(r.Int(12)), Crashes: int(r.Int(13)), Claim: max(r.Int(14), 0), CreatedAt: r.Time(15), Park: r.Int(17),
	}
	t.Spec, t.LastError = stored.SpecOf(r.Blob(11)), stored.FailureOf(r.Blob(16))
	return candidate{r.Int(0), t}
}

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	claim.MaxBytes = check.ClaimBytes(&claim)
	early := lookUp(s, claim.Items)
	return early.claim(ctx, s, claim)
}

func (e *early) claim(ctx context.Context, s *Store, claim store.Claim) (store.Claimed, error) {
	var claimed store.Claimed
	err := s.write(ctx, "claim", func(tx *tx) error {
		c := claiming{tx: tx, claim: claim, rows: e.asTheyAre(tx), taken: map[laneKey]bool{}}
		err := c.run()
		claimed = c.result
		tx.store.writer.claims.Add(1)
		return err
	})
	if err != nil {
		return store.Claimed{}, err
	}
	return claimed, nil
}

// early are rows that a claim has found before its transaction. They serve if since then
// nothing has changed that was pending: the writer counts what may have.
type early struct {
	rows            map[task.ID]candidate
	changes, claims int64
}

// lookUp finds rows of a claim among those that scans have left.
func lookUp(s *Store, items []store.ClaimItem) early {
	e := early{changes: s.writer.changes.Load(), claims: s.writer.claims.Load(), rows: make(map[task.ID]candidate, len(items))}
	known := names{}
	var values row
	for _, packed := range s.ahead.Find(items, ahead.All(e.changes)) {
		if packed == nil {
			continue
		}
		values = ahead.Unpack(packed, values[:0])
		t := scanCandidate(known.name, values)
		e.rows[t.ID] = t
	}
	return e
}

// asTheyAre are the rows that were found, if they are as they were. What is not among
// them may be pending all the same.
func (e *early) asTheyAre(tx *tx) map[task.ID]candidate {
	w := tx.store.writer
	if tx.careful || w.changed || w.changes.Load() != e.changes || w.claims.Load() != e.claims {
		return map[task.ID]candidate{}
	}
	return e.rows
}

type laneKey struct {
	lane uint16
	key  string
}

// claiming is one call of Claim inside its transaction.
type claiming struct {
	tx     *tx
	claim  store.Claim
	rows   map[task.ID]candidate // as they are read, the early ones first
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
			c.owned[lane.Lane] = r.Text(0) == c.claim.Node && r.Int(1) == lane.Epoch
		}, lane.Lane)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *claiming) portion(items []store.ClaimItem) error {
	unread := slices.DeleteFunc(slices.Clone(items), func(item store.ClaimItem) bool { return c.rows[item.ID].Task != nil })
	if err := c.read(unread); err != nil {
		return err
	}
	taken := make([]candidate, 0, len(items))
	for _, item := range items {
		t := c.rows[item.ID]
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

// read reads those of the rows of items that are pending.
func (c *claiming) read(items []store.ClaimItem) error {
	ids := make([]task.ID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return candidates.each(c.tx, ids, func(r row) error {
		t := scanCandidate(c.tx.name, r)
		c.rows[t.ID] = t
		return nil
	})
}

// write stores what take has made of pending tasks.
func (c *claiming) write(tasks []candidate) error {
	ids := make([]task.ID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	c.tx.store.ahead.Claimed(ids)
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
	standing := check.Standing{Gone: true}
	if t != nil && t.State == task.Pending {
		standing = check.Standing{Entry: stored.Entry(t), Alive: c.alive, Owned: c.owned[t.ID.Lane()], Later: t.RunAt.UnixMicro() > c.tx.now}
	}
	if standing.AsksKey(item) {
		if err := c.readKey(t, &standing); err != nil {
			return store.Refusal{}, err
		}
	}
	return standing.Refusal(item), nil
}

// readKey reads what is before a keyed row.
func (c *claiming) readKey(t *task.Task, standing *check.Standing) (err error) {
	lane := t.ID.Lane()
	if standing.Busy = c.taken[laneKey{lane, t.Key}]; standing.Busy {
		return nil
	}
	if standing.Held, err = one(c.tx, keyHeld, func(row) {}, lane, t.Key); err != nil || standing.Held {
		return err
	}
	if standing.Busy, err = one(c.tx, keyRunning, func(row) {}, lane, t.Key); err != nil || standing.Busy {
		return err
	}
	standing.Head.ID = t.ID // unless there is another
	_, err = one(c.tx, keyHead, func(r row) { standing.Head = scanEntry(r) }, lane, t.Key)
	return err
}
