package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var (
	// oldDone reads tasks in the order of insertion from a place on, and
	// whether they ended before ?2.
	oldDone = &query{sql: `SELECT num, id, state <> 5 AND updated_at < ?2 FROM outlast_task WHERE num > ?1 ORDER BY num LIMIT ?3`}

	// deleteDone deletes what oldDone found in the same write transaction.
	deleteDone = newIDQuery(`DELETE FROM outlast_task WHERE state <> 5 AND id IN (@ids)`)

	// deleteDedupe deletes entries whose window has passed and whose task
	// is not live any more.
	deleteDedupe = &query{sql: `DELETE FROM outlast_dedupe WHERE (lane, queue, key) IN (SELECT lane, queue, key FROM outlast_dedupe d
WHERE d.expires <= ?1 AND NOT EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = d.id AND t.state = 5) ORDER BY d.expires LIMIT ?2)`}

	// oldNodes reads nodes that ended before ?1 and hold nothing.
	oldNodes = &query{sql: `SELECT id FROM outlast_node n WHERE state <> 'alive' AND ended_at <= ?1
  AND NOT EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id)
  AND NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id) LIMIT ?2`}

	deleteNode = &query{sql: `DELETE FROM outlast_node WHERE id = ?`}
)

// Cleanup implements [store.Admin].
func (s *Store) Cleanup(ctx context.Context, ended store.Time, limit int) (deleted int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	var nodes []string
	err = s.write(ctx, "cleanup", func(tx *tx) error {
		deleted, nodes = 0, nil
		n, err := cleanDone(tx, ended.UnixMicro(), limit)
		if err != nil {
			return err
		}
		deleted = n
		if deleted < limit {
			n, err := tx.exec(deleteDedupe, tx.now, limit-deleted)
			if err != nil {
				return err
			}
			deleted += int(n)
		}
		if deleted < limit {
			nodes, err = cleanNodes(tx, limit-deleted)
			deleted += len(nodes)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, node := range nodes {
		s.locks.remove(node)
	}
	return deleted, nil
}

// cleanWindow is how many tasks, live or ended, one call looks at.
const cleanWindow = 20_000

// cleanDone deletes ended tasks and their histories. The table has no index
// by end, which would cost every settle. Rows are in the order of insertion,
// which is nearly that of ends; each call goes on where the last one stopped.
func cleanDone(tx *tx, ended int64, limit int) (int, error) {
	var ids []task.ID
	after, seen := tx.store.cleaned, 0
	err := tx.each(oldDone, func(r row) error {
		if len(ids) == limit {
			return nil
		}
		seen++
		if after = r.int(0); r.bool(2) {
			ids = append(ids, r.id(1))
		}
		return nil
	}, after, ended, cleanWindow)
	if err != nil {
		return 0, err
	}
	if tx.store.cleaned = after; seen < cleanWindow && len(ids) < limit {
		tx.store.cleaned = 0 // the end: begin again
	}
	deleted := int64(0)
	for _, q := range [...]idQuery{deleteDone, deleteAttempts} {
		n, err := q.exec(tx, ids)
		if err != nil {
			return 0, err
		}
		deleted += n
	}
	return int(deleted), nil
}

func cleanNodes(tx *tx, limit int) (nodes []string, err error) {
	err = tx.each(oldNodes, func(r row) error {
		nodes = append(nodes, r.text(0))
		return nil
	}, tx.now-nodeMemory.Microseconds(), limit)
	for _, node := range nodes {
		if err == nil {
			_, err = tx.exec(deleteNode, node)
		}
	}
	return nodes, err
}
