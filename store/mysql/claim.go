package mysql

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// lockOwned locks lanes shared, so that a take-over waits for the claim,
	// and reads who owns them. In the order of lanes, as take-overs lock.
	// It also reads what nodeNow does.
	lockOwned = `SELECT (SELECT state FROM outlast_node WHERE id = ?), ` + clock + `, lane, owner, epoch
FROM outlast_lane WHERE lane IN (@lanes) ORDER BY lane LOCK IN SHARE MODE`

	// nodeNow reads the state of a node, and the clock.
	nodeNow = `SELECT (SELECT state FROM outlast_node WHERE id = ?), ` + clock

	// candidates locks live rows by their ids and reads them whole, with
	// whether they run. The lock of the row keeps every other claim, settle
	// and change away until the commit.
	candidates = `SELECT t.id, t.queue, t.type, IF(t.size <= @small, t.payload, NULL), t.size, t.priority, t.run_at, t.order_key, t.seq, t.target, t.policy, t.spec, t.attempt, t.crashes,
 t.claim, t.created_at, t.last_error, t.park, r.id IS NOT NULL
FROM outlast_task t FORCE INDEX (PRIMARY) LEFT JOIN outlast_run r ON r.id = t.id WHERE t.id IN (@ids) AND t.state = 0 FOR UPDATE`

	// smallPayload is how large a payload is at most that candidates reads;
	// others are read once it is known which rows are claimed.
	smallPayload  = 8 << 10
	largePayloads = `SELECT id, payload FROM outlast_task WHERE id IN (@ids)`

	// claimRows makes rows run that candidates has locked and found waiting,
	// claimLines notes the keyed ones as running of their key. Its primary key
	// refuses a second one that another transaction has just made run.
	claimRows  = `INSERT INTO outlast_run (id, claim, node, started_at) VALUES `
	claimLines = `INSERT INTO outlast_line (lane, line, id) VALUES `

	// claimLeases notes until when rows are a remote worker's.
	claimLeases = `INSERT INTO outlast_lease (id, ends_at) VALUES `

	// unmark clears the marks of rows that a borrower claims.
	unmark = `UPDATE outlast_task FORCE INDEX (PRIMARY) SET park = 0 WHERE id IN (@ids)`

	// lineOf reads of keyed rows whether their key is held, whether a row of
	// it runs, and which row is its first. Each is one look into an index.
	lineOf = `SELECT c.id, EXISTS (SELECT 1 FROM outlast_key_hold h WHERE h.lane = c.lane AND h.line = c.line),
 EXISTS (SELECT 1 FROM outlast_line b WHERE b.lane = c.lane AND b.line = c.line),
 (SELECT f.id FROM outlast_task f FORCE INDEX (outlast_task_line) WHERE f.lane = c.lane AND f.line = c.line ORDER BY f.turn LIMIT 1)
FROM outlast_task c WHERE c.id IN (@ids)`

	entriesOf = `SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.id IN (@ids)`
)

// Claim implements [store.Store].
func (s *Store) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	var claimed store.Claimed
	claim.MaxBytes = check.ClaimBytes(&claim)
	err := s.transact(ctx, "claim", func(tx *tx) error {
		c := claiming{tx: tx, claim: claim, taken: map[laneKey]bool{}}
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
	lines  map[task.ID]line // of the portion's keyed rows
	bytes  int
	marked []task.ID
	result store.Claimed
}

// line is what is ahead of a keyed row.
type line struct {
	held, busy bool
	first      task.ID
}

// run goes through the items in portions of one statement each, in the order
// of their ids, in which everyone locks.
func (c *claiming) run() error {
	if err := c.readLanes(); err != nil {
		return err
	}
	items := slices.Clone(c.claim.Items)
	slices.SortStableFunc(items, func(a, b store.ClaimItem) int { return a.ID.Compare(b.ID) })
	rows, err := c.lock(items)
	if err != nil {
		return err
	}
	if err := c.readLines(rows); err != nil {
		return err
	}
	for _, item := range c.claim.Items {
		refusal := c.decide(item, rows[item.ID])
		if refusal.Reason != "" {
			c.result.Refused = append(c.result.Refused, refusal)
			continue
		}
		if c.take(rows[item.ID]); c.bytes >= c.claim.MaxBytes {
			break
		}
	}
	if err := c.readPayloads(rows); err != nil {
		return err
	}
	if err := c.readHeads(); err != nil {
		return err
	}
	return c.write()
}

// readLanes reads the node's state and the clock, and locks the lanes that the
// node says it owns.
func (c *claiming) readLanes() error {
	var state text
	var now int64
	c.owned = make(map[uint16]bool, len(c.claim.Lanes))
	if len(c.claim.Lanes) > 0 {
		wanted := make(map[uint16]int64, len(c.claim.Lanes))
		args := []any{c.claim.Node}
		for _, lane := range c.claim.Lanes {
			wanted[lane.Lane] = lane.Epoch
			args = append(args, lane.Lane)
		}
		err := c.tx.each(list(lockOwned, "@lanes", len(c.claim.Lanes)), func(rows *sql.Rows) error {
			var number uint16
			var owner text
			var epoch int64
			err := rows.Scan(&state, &now, &number, &owner, &epoch)
			c.owned[number] = string(owner) == c.claim.Node && epoch == wanted[number]
			return err
		}, args...)
		if err != nil {
			return err
		}
	}
	if now == 0 {
		if _, err := c.tx.first(nodeNow, []any{&state, &now}, c.claim.Node); err != nil {
			return err
		}
	}
	c.alive = state == text(store.NodeAlive)
	c.tx.setClock(now)
	return nil
}

// candidate is a live row that is locked.
type candidate struct {
	*task.Task
	running bool
	size    int
}

func (c *claiming) lock(items []store.ClaimItem) (map[task.ID]candidate, error) {
	found := make(map[task.ID]candidate, len(items))
	wanted := make([]task.ID, len(items))
	for i, item := range items {
		wanted[i] = item.ID
	}
	read := newCandidateRow()
	err := ids(wanted, strings.Replace(candidates, "@small", strconv.Itoa(smallPayload), 1), func(query string) error {
		return c.tx.each(query, func(rows *sql.Rows) error {
			err := rows.Scan(read.places...)
			found[read.ID] = read.candidate()
			return err
		})
	})
	return found, err
}

// candidateRow is where rows of candidates are read.
type candidateRow struct {
	task.Task
	runAt, seq, createdAt, running number
	spec, lastError                []byte
	size                           whole
	places                         []any
}

func newCandidateRow() *candidateRow {
	r, among := &candidateRow{}, names{}
	r.State = task.Pending
	r.places = []any{
		(*identity)(&r.ID), name{&r.Queue, among}, name{&r.Type, among}, &r.Payload, &r.size, (*whole)(&r.Priority), &r.runAt, (*text)(&r.Key), &r.seq,
		name{&r.Target, among}, name{&r.Policy, among}, &r.spec, (*whole)(&r.Attempt), (*whole)(&r.Crashes),
		(*number)(&r.Claim), &r.createdAt, &r.lastError, (*number)(&r.Park), &r.running,
	}
	return r
}

// candidate is the row that was read last.
func (r *candidateRow) candidate() candidate {
	t := r.Task
	t.RunAt, t.Seq, t.CreatedAt = r.runAt.time(), int64(r.seq), r.createdAt.time()
	t.Spec, t.LastError = stored.SpecOf(r.spec), stored.FailureOf(r.lastError)
	return candidate{Task: &t, running: r.running != 0, size: int(r.size)}
}

// readLines reads what is ahead of the keyed rows.
func (c *claiming) readLines(rows map[task.ID]candidate) error {
	var keyed []task.ID
	for id, t := range rows {
		if t.Key != "" && !t.running {
			keyed = append(keyed, id)
		}
	}
	sortIDs(keyed)
	c.lines = make(map[task.ID]line, len(keyed))
	return ids(keyed, lineOf, func(query string) error {
		return c.tx.each(query, func(rows *sql.Rows) error {
			var id task.ID
			var l line
			err := rows.Scan((*identity)(&id), &l.held, &l.busy, (*identity)(&l.first))
			c.lines[id] = l
			return err
		})
	})
}

// take makes of a pending task what write makes of its row.
func (c *claiming) take(row candidate) {
	t := row.Task
	if t.Park != 0 {
		c.marked = append(c.marked, t.ID)
	}
	t.State, t.Node, t.Park = task.Running, c.claim.Holder(), 0
	t.Attempt++
	t.Claim = max(t.Claim+1, c.tx.now)
	t.StartedAt, t.UpdatedAt = c.tx.time(), c.tx.time()
	if t.Key != "" {
		c.taken[laneKey{t.ID.Lane(), t.Key}] = true
	}
	c.bytes += row.size
	c.result.Tasks = append(c.result.Tasks, t)
}

// decide says why a row cannot be claimed; no reason means that it can. Of a row that is
// first in its place it knows the id.
func (c *claiming) decide(item store.ClaimItem, t candidate) store.Refusal {
	standing := check.Standing{Gone: true}
	if t.Task != nil && !t.running && t.State == task.Pending {
		line := c.lines[t.ID]
		standing = check.Standing{Entry: stored.Entry(t.Task), Alive: c.alive, Owned: c.owned[t.ID.Lane()], Later: t.RunAt.UnixMicro() > c.tx.now,
			Held: line.held, Busy: line.busy || c.taken[laneKey{t.ID.Lane(), t.Key}], Head: store.Entry{ID: line.first}}
		standing.Entry.Size = t.size
	}
	return standing.Refusal(item)
}

// readPayloads reads the payloads of claimed rows that lock has left out.
func (c *claiming) readPayloads(rows map[task.ID]candidate) error {
	var large []task.ID
	for _, t := range c.result.Tasks {
		if rows[t.ID].size > smallPayload {
			large = append(large, t.ID)
		}
	}
	return ids(large, largePayloads, func(query string) error {
		return c.tx.each(query, func(found *sql.Rows) error {
			var id task.ID
			var payload []byte
			err := found.Scan((*identity)(&id), &payload)
			rows[id].Payload = payload
			return err
		})
	})
}

// readHeads reads the rows that are first in place of refused ones.
func (c *claiming) readHeads() error {
	var heads []task.ID
	for i := range c.result.Refused {
		if head := c.result.Refused[i].Head.ID; !head.IsZero() {
			heads = append(heads, head)
		}
	}
	entries := make(map[task.ID]store.Entry, len(heads))
	err := ids(heads, entriesOf, func(query string) error {
		return c.tx.each(query, func(rows *sql.Rows) error {
			entry, err := scanEntry(rows)
			entries[entry.ID] = entry
			return err
		})
	})
	for i := range c.result.Refused {
		head := &c.result.Refused[i].Head
		*head = entries[head.ID]
	}
	return err
}

// write stores what take has made of pending tasks.
func (c *claiming) write() error {
	if _, err := c.tx.execIDs(c.marked, unmark); err != nil {
		return err
	}
	claimed := slices.Clone(c.result.Tasks)
	slices.SortFunc(claimed, func(a, b *task.Task) int { return a.ID.Compare(b.ID) })
	rows := insertion{on: c.tx.session, head: claimRows, most: len(claimed)}
	holder, now := any(c.claim.Holder()), any(c.tx.now)
	lines := insertion{on: c.tx.session, head: claimLines}
	leases := insertion{on: c.tx.session, head: claimLeases}
	for _, t := range claimed {
		if err := rows.add(&t.ID, t.Claim, holder, now); err != nil {
			return err
		}
		if t.Key != "" {
			if err := lines.add(t.ID.Lane(), t.Key, t.ID); err != nil {
				return again(err)
			}
		}
		if c.claim.Lease > 0 {
			if err := leases.add(t.ID, c.tx.now+c.claim.Lease.Microseconds()); err != nil {
				return err
			}
		}
	}
	if err := rows.flush(); err != nil {
		return err
	}
	if err := again(lines.flush()); err != nil {
		return err
	}
	return leases.flush()
}

// again makes a transaction start again where another one was quicker.
func again(err error) error {
	if numbered(err) == duplicateKey {
		return errAgain
	}
	return err
}
