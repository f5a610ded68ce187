package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// runningNodes lists the nodes that have running rows, and the remote
	// workers that have some of which the lease has ended. Input: now.
	runningNodes = &query{sql: `SELECT n.node, d.state, d.suspect FROM (SELECT DISTINCT node FROM outlast_run WHERE lease_until IS NULL OR lease_until <= ?1) n
LEFT JOIN outlast_node d ON d.id = n.node ORDER BY n.node`}

	// orphans reads the running rows of a node, or those of a remote worker of
	// which the lease has ended. Inputs: node, now.
	orphans = &query{sql: `SELECT ` + entryColumns + `, claim, cancel, started_at,
 queue, spec ->> '$.trace_parent', iif(cancel, spec, NULL) FROM outlast_live
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

func lostNodes(s session, now int64) (nodes []ending.Lost, err error) {
	err = s.each(runningNodes, func(r row) error {
		state := store.NodeState(r.Text(1))
		if state == store.NodeAlive {
			return nil
		}
		node := ending.NewLost(r.Text(0), state)
		if !node.Judged() {
			node.Suspect = r.Int(2)
		}
		nodes = append(nodes, node)
		return nil
	}, now)
	return nodes, err
}

// orphan is a running row of a lost node.
type orphan struct {
	ending.Row
	trace string // parent
	spec  []byte // of one that ends as canceled
}

func recoverNode(tx *tx, node ending.Lost, lanes map[uint16]bool, limit int, recovered *[]store.Recovered) error {
	if err := judge(tx, &node); err != nil {
		return err
	}
	var rows []orphan
	err := tx.each(orphans, func(r row) error {
		o := orphan{ending.Row{Entry: scanEntry(r), Claim: r.Int(12), Cancel: r.Bool(13), Node: node.ID, StartedAt: r.Time(14), Queue: r.Text(15)}, r.Text(16), r.Blob(17)}
		if lanes[o.Entry.ID.Lane()] && len(*recovered)+len(rows) < limit {
			rows = append(rows, o)
		}
		return nil
	}, node.ID, tx.now)
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

// judge decides once per node for which tasks its crash counts.
func judge(tx *tx, node *ending.Lost) error {
	if node.Judged() {
		return nil
	}
	suspicious, err := one(tx, anySuspect, func(row) {}, node.ID)
	if err != nil {
		return err
	}
	node.Judge(suspicious)
	_, err = tx.exec(putSuspect, node.ID, tx.now, node.Suspect)
	return err
}

// recoverRow hands one orphan back, or ends it if its cancel was requested.
func recoverRow(tx *tx, node *ending.Lost, o *orphan) (store.Recovered, error) {
	_, result := node.HandBack(&o.Row, o.trace, tx.now)
	started := stored.MicroOrNull(o.StartedAt)
	_, err := tx.exec(addAttempt, result.ID, o.Claim, result.Attempt, node.ID, started, tx.now, string(node.Outcome()), nil, 0, nil)
	if err != nil {
		return result, err
	}
	if _, err := tx.exec(handBack, result.ID, result.Crashes, result.Claim, tx.now, started); err != nil {
		return result, err
	}
	if !o.Cancel {
		return result, deleteRun(tx, result.ID)
	}
	if _, err := tx.exec(raiseClaim, result.ID, result.Claim); err != nil {
		return result, err
	}
	if err := endCanceled(tx, result.ID, result.Claim); err != nil {
		return result, err
	}
	return result, countEnds(tx, task.Canceled, &task.Task{ID: result.ID, Spec: stored.SpecOf(o.spec)})
}

// endCanceled moves a row, running under the claim, to the ended ones. The
// attempt does not count.
func endCanceled(tx *tx, id task.ID, claim int64) error {
	if _, err := tx.exec(finish, id, claim, canceled, tx.now, nil, nil, nil, nil, 1); err != nil {
		return err
	}
	return deleteRun(tx, id)
}
