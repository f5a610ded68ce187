package mysql

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

// How a node's crash counts, in outlast_node.suspect.
const (
	suspectUnknown = 0
	suspectSome    = 1 // for its tasks with crashes >= 2 alone
	suspectAll     = 2 // for every task
)

const (
	// endedNodes lists the nodes that may have running rows although they are
	// not alive, and whether they ended before a time.
	endedNodes = `SELECT id, ended_at <= ? FROM outlast_node WHERE state <> 'alive' AND cleared = 0 ORDER BY id`

	// anyRun finds a running row of a node.
	anyRun = `SELECT 1 FROM outlast_run WHERE node = ? LIMIT 1`

	// clearNode notes that a node that has ended has none, and so never will.
	clearNode = `UPDATE outlast_node SET cleared = 1 WHERE id = ? AND state <> 'alive'`

	// unknownNodes lists nodes that have running rows but no row of their own,
	// as after a backup was restored in part.
	unknownNodes = `SELECT DISTINCT r.node FROM outlast_run r LEFT JOIN outlast_node n ON n.id = r.node WHERE n.id IS NULL
 AND r.node NOT LIKE '%/%' ORDER BY r.node`

	// knowNode gives a node without a row one, dead, so that later calls find
	// the verdict.
	knowNode = `INSERT INTO outlast_node (id, address, version, release_name, embedded, state, counter, wake_key, running, slots, started_at, ended_at)
VALUES (?, '', '', '', 0, 'dead', 0, '', 0, 0, ?, ?)`

	// lockNode keeps two recoveries of one node apart.
	lockNode = `SELECT state, suspect FROM outlast_node WHERE id = ? FOR UPDATE`

	// anySuspect finds a running row of the node that crashed twice before.
	anySuspect = `SELECT 1 FROM outlast_run r STRAIGHT_JOIN outlast_task t ON t.id = r.id WHERE r.node = ? AND t.crashes >= 2 LIMIT 1`

	putSuspect = `UPDATE outlast_node SET suspect = ? WHERE id = ?`

	// orphanIDs lists the running rows of a node in some lanes.
	orphanIDs = `SELECT r.id FROM outlast_run r STRAIGHT_JOIN outlast_task t ON t.id = r.id WHERE r.node = ? AND t.lane IN (@lanes) AND r.id > ? ORDER BY r.id LIMIT ?`

	// orphans locks the running rows of a node by their ids and reads them,
	// past those that others have locked: a caller's transaction that settles
	// one may be open for long.
	orphans = `SELECT ` + entryColumns + `, r.claim, r.cancel, t.priority, r.node, r.started_at, t.queue, t.trace
FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_run r ON r.id = t.id WHERE r.node = ? AND t.id IN (@ids) FOR UPDATE SKIP LOCKED`
)

// Recover implements [store.Store].
func (s *Store) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	if len(lanes) == 0 || limit <= 0 {
		return nil, ctx.Err()
	}
	nodes, err := s.lostNodes(ctx)
	if err != nil {
		return nil, err
	}
	var recovered []store.Recovered
	for _, node := range nodes {
		if len(recovered) >= limit {
			break
		}
		var some []store.Recovered
		err := s.write(ctx, "recover", func(tx *tx) (err error) {
			some, err = tx.recoverNode(node, lanes, limit-len(recovered))
			return err
		})
		if err != nil {
			return nil, err
		}
		recovered = append(recovered, some...)
	}
	if len(recovered) >= limit {
		return recovered, nil
	}
	some, err := s.recoverLeases(ctx, lanes, limit-len(recovered))
	if err != nil {
		return nil, err
	}
	return append(recovered, some...), nil
}

// How long after its end a node can still have a claim in flight, with a wide
// margin over the server's patience with silent connections, and how often
// unknown nodes are looked for, which takes a look at all that runs.
const (
	clearAfter   = 5 * time.Minute
	unknownEvery = time.Minute
)

// lostNodes lists the nodes that need a recovery. Most calls find none, and
// change nothing.
func (s *Store) lostNodes(ctx context.Context) (nodes []string, err error) {
	err = s.read(ctx, func(c *session) error {
		now, err := s.clockOf(c)
		if err != nil {
			return err
		}
		nodes = nil
		ended := map[string]bool{}
		err = c.each(endedNodes, func(rows *sql.Rows) error {
			var node string
			var old bool
			err := rows.Scan(&node, &old)
			ended[node] = old
			return err
		}, now-clearAfter.Microseconds())
		if err != nil {
			return err
		}
		for node, old := range ended {
			var one int
			lost, err := c.first(anyRun, []any{&one}, node)
			if err == nil && !lost && old {
				_, err = c.exec(clearNode, node)
			}
			if err != nil {
				return err
			}
			if lost {
				nodes = append(nodes, node)
			}
		}
		slices.Sort(nodes)
		unknown, err := s.unknownNodes(c, now)
		nodes = append(nodes, unknown...)
		return err
	})
	return nodes, err
}

// unknownNodes looks for unknown nodes now and then.
func (s *Store) unknownNodes(c *session, now int64) (nodes []string, err error) {
	last := s.lookedForUnknown.Load()
	if now < last+unknownEvery.Microseconds() {
		return nil, nil
	}
	err = c.each(unknownNodes, func(rows *sql.Rows) error {
		var node string
		err := rows.Scan(&node)
		nodes = append(nodes, node)
		return err
	})
	if err == nil && len(nodes) == 0 {
		s.lookedForUnknown.CompareAndSwap(last, now)
	}
	return nodes, err
}

// lostNode is a node that is not alive but has running rows.
type lostNode struct {
	id, cause string
	left      bool
	suspect   int
}

// judge locks a node's row and decides once for which tasks its crash counts:
// while a task that crashed twice before was running, it is the suspect. The
// verdict is kept, since other calls may recover the node's other lanes later.
// ok is false if the node is alive after all.
func (tx *tx) judge(id string) (node lostNode, ok bool, err error) {
	node = lostNode{id: id, cause: "node unknown"}
	var state text
	found, err := tx.first(lockNode, []any{&state, &node.suspect}, id)
	if err != nil {
		return node, false, err
	}
	if !found {
		if _, err := tx.exec(knowNode, id, tx.now, tx.now); err != nil {
			return node, false, again(err)
		}
	}
	switch store.NodeState(state) {
	case store.NodeAlive:
		return node, false, nil
	case store.NodeLeft:
		node.cause, node.left = "node left", true
		return node, true, nil
	case store.NodeDead:
		node.cause = "node dead"
	}
	if node.suspect != suspectUnknown {
		return node, true, nil
	}
	node.suspect = suspectAll
	var one int
	suspicious, err := tx.first(anySuspect, []any{&one}, id)
	if err != nil {
		return node, false, err
	}
	if suspicious {
		node.suspect = suspectSome
	}
	_, err = tx.exec(putSuspect, node.suspect, id)
	return node, true, err
}

func (tx *tx) recoverNode(id string, lanes []uint16, limit int) ([]store.Recovered, error) {
	node, ok, err := tx.judge(id)
	if err != nil || !ok {
		return nil, err
	}
	r := recovering{tx: tx, node: node}
	for after := (task.ID{}); len(r.rows) < limit; {
		wanted, err := tx.orphanIDs(id, lanes, after, limit-len(r.rows))
		if err != nil {
			return nil, err
		}
		if len(wanted) == 0 {
			break
		}
		if err := r.read(orphans, id, wanted); err != nil {
			return nil, err
		}
		after = wanted[len(wanted)-1]
	}
	return r.result, r.write()
}

func (tx *tx) orphanIDs(node string, lanes []uint16, after task.ID, limit int) (wanted []task.ID, err error) {
	args := []any{node}
	for _, lane := range lanes {
		args = append(args, lane)
	}
	err = tx.each(list(orphanIDs, "@lanes", len(lanes)), func(rows *sql.Rows) error {
		var id identity
		err := rows.Scan(&id)
		wanted = append(wanted, task.ID(id))
		return err
	}, append(args, after, limit)...)
	return wanted, err
}

// recovering hands back running rows of one node.
type recovering struct {
	tx     *tx
	node   lostNode
	rows   []orphan
	result []store.Recovered
}

// orphan is a running row of a lost node.
type orphan struct {
	ending.Row
	queue, trace string
}

// read reads rows to be handed back, by a query that begins with one argument.
func (r *recovering) read(from string, first any, wanted []task.ID) error {
	return ids(wanted, from, func(query string) error {
		return r.tx.each(query, func(rows *sql.Rows) error {
			var o orphan
			var startedAt number
			var trace text
			entry, err := scanEntry(rows, &o.Claim, &o.Cancel, &o.Priority, &o.Node, &startedAt, &o.queue, &trace)
			o.Entry, o.StartedAt, o.trace = entry, startedAt.time(), string(trace)
			r.rows = append(r.rows, o)
			r.result = append(r.result, r.handBack(&o))
			return err
		}, first)
	})
}

// handBack is what becomes of an orphan. The attempt that ran was not yet
// counted in its row.
func (r *recovering) handBack(o *orphan) store.Recovered {
	entry, claim := o.Entry, max(o.Claim+1, r.tx.now)
	entry.Park = 0
	if !r.node.left && (r.node.suspect == suspectAll || entry.Crashes >= 2) {
		entry.Crashes++
	}
	result := store.Recovered{
		Entry: entry, ID: entry.ID, Type: entry.Type, Node: o.Node, OldClaim: o.Claim, Claim: claim, Crashes: entry.Crashes,
		Canceled: o.Cancel, Cause: r.node.cause, Attempt: o.Entry.Attempt + 1, Queue: o.queue, TraceParent: o.trace,
	}
	if o.Cancel {
		result.Entry = store.Entry{}
	}
	return result
}

func (r *recovering) write() error {
	outcome := task.OutcomeCrashed
	if r.node.left {
		outcome = task.OutcomeReleased
	}
	b := settling{tx: r.tx}
	b.begin(len(r.rows))
	for i := range r.rows {
		o, result := &r.rows[i], &r.result[i]
		id := o.Entry.ID
		b.runs = append(b.runs, id)
		b.endRun(&o.Row)
		err := b.past.add(id, o.Claim, result.Attempt, o.Node, micro(o.StartedAt), r.tx.now, string(outcome), nil, 0, nil)
		if err != nil {
			return err
		}
		entry := o.Entry
		entry.Crashes = result.Crashes
		err = b.waits.add(id, id.Lane(), entry.Rank, entry.RunAt, result.Claim, entry.Attempt, entry.Crashes, nil, nil, nil, r.tx.now,
			micro(o.StartedAt), turnOf(&entry), nil)
		if err != nil {
			return err
		}
		if o.Cancel { // the attempt does not count
			b.ended[canceled] = append(b.ended[canceled], id)
			err = b.done.add(id, result.Claim, entry.Attempt, o.Node, micro(o.StartedAt), r.tx.now, true, "", nil, nil, nil, nil)
		}
		if err != nil {
			return err
		}
	}
	return b.write()
}
