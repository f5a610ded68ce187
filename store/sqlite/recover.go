package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// How a node's crash counts, in outlast_node.suspect.
const (
	suspectUnknown = 0
	suspectSome    = 1 // for its tasks with crashes >= 2 alone
	suspectAll     = 2 // for every task
)

var (
	// runningNodes lists the nodes that have running rows, and the remote
	// workers that have some of which the lease has ended. Input: now.
	runningNodes = &query{sql: `SELECT n.node, d.state, d.suspect FROM (SELECT DISTINCT node FROM outlast_run WHERE lease_until IS NULL OR lease_until <= ?1) n
LEFT JOIN outlast_node d ON d.id = n.node ORDER BY n.node`}

	// orphans reads the running rows of a node, or those of a remote worker of
	// which the lease has ended. Inputs: node, now.
	orphans = &query{sql: `SELECT ` + entryColumns + `, lane, claim, cancel, priority, started_at,
 queue, spec ->> '$.trace_parent' FROM outlast_live
WHERE num IN (SELECT num FROM outlast_run WHERE node = ?1 AND (lease_until IS NULL OR lease_until <= ?2)) ORDER BY id`}

	// anySuspect finds a running row of the node that crashed twice before.
	anySuspect = &query{sql: `SELECT 1 FROM outlast_run r JOIN outlast_task t ON t.num = r.num WHERE r.node = ? AND t.crashes >= 2 LIMIT 1`}

	// putSuspect keeps the verdict on a node. A node without a row gets
	// one, dead, so that later calls find the verdict.
	putSuspect = &query{sql: `INSERT INTO outlast_node (id, address, version, release, embedded, state, counter, started_at, ended_at, suspect)
VALUES (?1, '', '', '', 0, 'dead', 0, ?2, ?2, ?3) ON CONFLICT (id) DO UPDATE SET suspect = ?3`}

	// handBack makes an orphan pending again, once its row in outlast_run is
	// deleted: the attempt that ran was not yet counted in outlast_task.
	// Inputs: id, crashes, claim, now, started at. Safe as orphans was read
	// in the same write transaction.
	handBack = &query{sql: `UPDATE outlast_task SET crashes = ?2, claim = ?3, updated_at = ?4, started_at = ?5 WHERE id = ?1`}

	// raiseClaim changes the claim of a row about to end as canceled.
	raiseClaim = &query{sql: `UPDATE outlast_run SET claim = ?2 WHERE num = (SELECT num FROM outlast_task WHERE id = ?1)`}
)

// lostNode is a node that is not alive but has running rows.
type lostNode struct {
	id, cause string
	left      bool
	suspect   int64
}

// Recover implements [store.Store].
func (s *Store) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	// Most calls find nothing; they do not trouble the writer.
	var lost bool
	err := s.read(ctx, func(c *conn) error {
		nodes, err := lostNodes(c, s.now())
		lost = len(nodes) > 0
		return err
	})
	if err != nil || !lost || limit <= 0 {
		return nil, err
	}
	wanted := make(map[uint16]bool, len(lanes))
	for _, lane := range lanes {
		wanted[lane] = true
	}
	var recovered []store.Recovered
	err = s.write(ctx, "recover", func(tx *tx) error {
		recovered = nil
		nodes, err := lostNodes(tx, tx.now)
		for _, node := range nodes {
			if err == nil && len(recovered) < limit {
				err = recoverNode(tx, node, wanted, limit, &recovered)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return recovered, nil
}

func lostNodes(s session, now int64) (nodes []lostNode, err error) {
	err = s.each(runningNodes, func(r row) error {
		node := lostNode{id: r.Text(0), suspect: r.Int(2)}
		switch store.NodeState(r.Text(1)) {
		case store.NodeAlive:
			return nil
		case store.NodeLeft:
			node.cause, node.left = "node left", true
		case store.NodeDead:
			node.cause = "node dead"
		default:
			node.cause = "node unknown"
		}
		if task.Leased(node.id) { // it ended by itself: there is no one else to suspect
			node.cause, node.suspect = "lease expired", suspectAll
		}
		nodes = append(nodes, node)
		return nil
	}, now)
	return nodes, err
}

// orphan is a running row of a lost node.
type orphan struct {
	entry    store.Entry
	lane     uint16
	claim    int64
	cancel   bool
	priority int
	started  int64
	queue    string
	trace    string // parent
}

func recoverNode(tx *tx, node lostNode, lanes map[uint16]bool, limit int, recovered *[]store.Recovered) error {
	if err := judge(tx, &node); err != nil {
		return err
	}
	var rows []orphan
	err := tx.each(orphans, func(r row) error {
		o := orphan{scanEntry(r), uint16(r.Int(11)), r.Int(12), r.Bool(13), int(r.Int(14)), r.Int(15),
			r.Text(16), r.Text(17)}
		if lanes[o.lane] && len(*recovered)+len(rows) < limit {
			rows = append(rows, o)
		}
		return nil
	}, node.id, tx.now)
	if err != nil {
		return err
	}
	for i := range rows {
		one, err := recoverRow(tx, &node, &rows[i])
		if err != nil {
			return err
		}
		*recovered = append(*recovered, one)
	}
	return nil
}

// judge decides once per node for which tasks its crash counts: while a task
// that crashed twice before was running, it is the suspect. The verdict is
// kept, since other calls may recover the node's other lanes later.
func judge(tx *tx, node *lostNode) error {
	if node.left || node.suspect != suspectUnknown {
		return nil
	}
	node.suspect = suspectAll
	suspicious, err := one(tx, anySuspect, func(row) {}, node.id)
	if err != nil {
		return err
	}
	if suspicious {
		node.suspect = suspectSome
	}
	_, err = tx.exec(putSuspect, node.id, tx.now, node.suspect)
	return err
}

// recoverRow hands one orphan back, or ends it if its cancel was requested.
func recoverRow(tx *tx, node *lostNode, o *orphan) (store.Recovered, error) {
	outcome, entry, claim := task.OutcomeCrashed, o.entry, max(o.claim+1, tx.now)
	entry.Attempt = max(0, entry.Attempt-1)
	entry.Park = 0
	switch {
	case node.left:
		outcome = task.OutcomeReleased
	case node.suspect == suspectAll || entry.Crashes >= 2:
		entry.Crashes++
	}
	result := store.Recovered{Entry: entry, ID: entry.ID, Type: entry.Type, Node: node.id, OldClaim: o.claim, Claim: claim,
		Crashes: entry.Crashes, Canceled: o.cancel, Cause: node.cause, Attempt: o.entry.Attempt, Queue: o.queue, TraceParent: o.trace}
	_, err := tx.exec(addAttempt, entry.ID, o.claim, o.entry.Attempt, node.id, fromNull(o.started), tx.now, string(outcome), nil, 0, nil)
	if err != nil {
		return result, err
	}
	if _, err := tx.exec(handBack, entry.ID, entry.Crashes, claim, tx.now, fromNull(o.started)); err != nil {
		return result, err
	}
	if !o.cancel {
		return result, deleteRun(tx, entry.ID)
	}
	result.Entry = store.Entry{}
	if _, err := tx.exec(raiseClaim, entry.ID, claim); err != nil {
		return result, err
	}
	return result, endCanceled(tx, entry.ID, claim)
}

// endCanceled moves a row, running under the claim, to the ended ones. The
// attempt does not count.
func endCanceled(tx *tx, id task.ID, claim int64) error {
	if _, err := tx.exec(finish, id, claim, canceled, tx.now, nil, nil, nil, nil, 1); err != nil {
		return err
	}
	return deleteRun(tx, id)
}

func fromNull(v int64) any {
	if v == 0 {
		return nil
	}
	return v
}
