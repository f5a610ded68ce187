package mysql

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
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

// judge locks a node's row and decides once for which tasks its crash counts.
// ok is false if the node is alive after all.
func (tx *tx) judge(id string) (node ending.Lost, ok bool, err error) {
	var state text
	var suspect ending.Suspicion
	found, err := tx.first(lockNode, []any{&state, &suspect}, id)
	if err != nil || store.NodeState(state) == store.NodeAlive {
		return node, false, err
	}
	if !found {
		if _, err := tx.exec(knowNode, id, tx.now, tx.now); err != nil {
			return node, false, again(err)
		}
	}
	node = ending.NewLost(id, store.NodeState(state))
	if node.Suspect = suspect; node.Judged() {
		return node, true, nil
	}
	var one int
	suspicious, err := tx.first(anySuspect, []any{&one}, id)
	if err != nil {
		return node, false, err
	}
	node.Judge(suspicious)
	_, err = tx.exec(putSuspect, node.Suspect, id)
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
	node   ending.Lost
	rows   []ending.Row
	back   []store.Entry // what becomes of them
	result []store.Recovered
}

// read reads rows to be handed back, by a query that begins with one argument.
func (r *recovering) read(from string, first any, wanted []task.ID) error {
	return ids(wanted, from, func(query string) error {
		return r.tx.each(query, func(rows *sql.Rows) error {
			var o ending.Row
			var startedAt number
			var trace text
			entry, err := scanEntry(rows, &o.Claim, &o.Cancel, &o.Priority, &o.Node, &startedAt, &o.Queue, &trace)
			o.Entry, o.StartedAt = entry, startedAt.time()
			o.Entry.Attempt++ // that which runs is not counted in its row
			back, result := r.node.HandBack(&o, string(trace), r.tx.now)
			r.rows, r.back, r.result = append(r.rows, o), append(r.back, back), append(r.result, result)
			return err
		}, first)
	})
}

func (r *recovering) write() error {
	b := settling{tx: r.tx}
	b.begin(len(r.rows))
	for i := range r.rows {
		o, entry, result := &r.rows[i], &r.back[i], &r.result[i]
		id := o.Entry.ID
		b.runs = append(b.runs, id)
		b.endRun(o)
		err := b.past.add(id, o.Claim, result.Attempt, o.Node, stored.MicroOrNull(o.StartedAt), r.tx.now, string(r.node.Outcome()), nil, 0, nil)
		if err != nil {
			return err
		}
		err = b.waits.add(id, id.Lane(), entry.Rank, entry.RunAt, result.Claim, entry.Attempt, entry.Crashes, nil, nil, nil, r.tx.now,
			stored.MicroOrNull(o.StartedAt), turnOf(entry), nil)
		if err != nil {
			return err
		}
		if o.Cancel { // the attempt does not count
			b.ended[canceled] = append(b.ended[canceled], id)
			err = b.done.add(id, result.Claim, entry.Attempt, o.Node, stored.MicroOrNull(o.StartedAt), r.tx.now, true, "", nil, nil, nil, nil)
		}
		if err != nil {
			return err
		}
	}
	if err := r.countCanceled(&b); err != nil {
		return err
	}
	return b.write()
}

// canceledSpecs tells of which groups tasks are.
const canceledSpecs = `SELECT id, spec FROM outlast_task FORCE INDEX (PRIMARY) WHERE id IN (@ids)`

// countCanceled counts the members of groups among what ends as canceled.
func (r *recovering) countCanceled(b *settling) error {
	return ids(b.ended[canceled], canceledSpecs, func(query string) error {
		return r.tx.each(query, func(rows *sql.Rows) error {
			var id identity
			var spec []byte
			err := rows.Scan(&id, &spec)
			b.counts.Ended(&task.Task{ID: task.ID(id), Spec: stored.SpecOf(spec)}, task.Canceled)
			return err
		})
	})
}
