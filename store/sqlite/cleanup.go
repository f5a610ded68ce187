package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	// oldDone reads tasks in the order of insertion from a place on, and
	// whether they ended before ?2.
	oldDone = &query{sql: `SELECT num, id, state <> 5 AND updated_at < ?2 FROM outlast_task WHERE num > ?1 ORDER BY num LIMIT ?3`}

	// doneAfter looks at the ?3 tasks after num ?1: the first that ended
	// before ?2, the last, how many there are, and whether one of them was
	// inserted between ?2 and now (?4).
	doneAfter = &query{long: true, sql: `SELECT min(CASE WHEN state <> 5 AND updated_at < ?2 THEN num END), max(num), count(*),
 max(created_at >= ?2 AND created_at <= ?4) FROM (SELECT num, state, updated_at, created_at FROM outlast_task WHERE num > ?1 ORDER BY num LIMIT ?3)`}

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

// Cleanup implements [store.Admin]. It takes a write transaction for every
// window of tasks that has something to delete.
func (s *Store) Cleanup(ctx context.Context, ended store.Time, limit int) (deleted int, err error) {
	for deleted < limit {
		found, err := s.findDone(ctx, ended.UnixMicro())
		if err != nil {
			return deleted, err
		}
		n, err := s.cleanOnce(ctx, found, ended.UnixMicro(), limit-deleted)
		if deleted += n; err == nil && !found && deleted < limit {
			n, err = s.CleanGroups(ctx, ended, limit-deleted)
			deleted += n
		}
		if err != nil || !found {
			return deleted, err
		}
	}
	return deleted, nil
}

// cleanOnce deletes what findDone found or, when there is nothing more of
// that, what is left of the rest.
func (s *Store) cleanOnce(ctx context.Context, found bool, ended int64, limit int) (deleted int, err error) {
	var nodes []string
	err = s.write(ctx, "cleanup", func(tx *tx) error {
		deleted, nodes = 0, nil
		if found {
			n, err := cleanDone(tx, ended, limit)
			deleted = n
			return err
		}
		n, err := tx.exec(deleteDedupe, tx.now, limit)
		if deleted = int(n); err == nil && deleted < limit {
			nodes, err = cleanNodes(tx, limit-deleted)
			deleted += len(nodes)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, node := range nodes {
		s.locks.Remove(node)
	}
	return deleted, nil
}

// cleanWindow is how many tasks, live or ended, one transaction looks at.
const cleanWindow = 20_000

// findDone puts the place where cleaning goes on before the next task that
// ended before the time, and says whether there is one. The table has no index by end,
// which would cost every settle; it is walked from where the last call
// stopped, then from its beginning, without keeping the writer or a snapshot
// for long. Rows are in the order of insertion, so the walk may stop where
// they are too young to have ended before the time.
func (s *Store) findDone(ctx context.Context, ended int64) (bool, error) {
	start := s.cleaned.Load()
	for after, again := start, false; ; {
		var found, last, rows int64
		var young bool
		err := s.read(ctx, func(c *conn) error {
			_, err := one(c, doneAfter, func(r row) {
				found, last, rows, young = r.Int(0), r.Int(1), r.Int(2), r.Bool(3)
			}, after, ended, cleanWindow, s.now())
			return err
		})
		switch {
		case err != nil:
			return false, err
		case found > 0:
			s.cleaned.Store(found - 1)
			return true, nil
		case !young && rows == cleanWindow && (!again || last < start):
			after = last
		case again || start == 0:
			return false, nil
		default:
			after, again = 0, true
		}
	}
}

// cleanDone deletes ended tasks with their histories and steps, from the place on that
// findDone left.
func cleanDone(tx *tx, ended int64, limit int) (int, error) {
	ids, err := oldTasks(tx, ended, limit)
	if err != nil {
		return 0, err
	}
	deleted := int64(0)
	for _, q := range [...]idQuery{deleteDone, deleteAttempts, deleteSteps} {
		n, err := q.exec(tx, ids)
		if err != nil {
			return 0, err
		}
		deleted += n
	}
	return int(deleted), nil
}

// oldTasks finds the tasks that cleanDone deletes, so many rows of them with their steps, and
// puts the place behind them.
func oldTasks(tx *tx, ended int64, limit int) (ids []task.ID, err error) {
	var before []int64 // the place before each
	after := tx.store.cleaned.Load()
	err = tx.each(oldDone, func(r row) error {
		if len(ids) < limit {
			if r.Bool(2) {
				ids, before = append(ids, r.ID(1)), append(before, after)
			}
			after = r.Int(0)
		}
		return nil
	}, after, ended, cleanWindow)
	if err != nil {
		return nil, err
	}
	steps, err := stepsOfEach(tx, ids)
	if err != nil {
		return nil, err
	}
	if few := sqlstore.Few(ids, steps, limit); few < len(ids) {
		ids, after = ids[:few], before[few]
	}
	tx.store.cleaned.Store(after)
	return ids, nil
}

func cleanNodes(tx *tx, limit int) (nodes []string, err error) {
	err = tx.each(oldNodes, func(r row) error {
		nodes = append(nodes, r.Text(0))
		return nil
	}, tx.now-sqlstore.NodeMemory.Microseconds(), limit)
	for _, node := range nodes {
		if err == nil {
			_, err = tx.exec(deleteNode, node)
		}
	}
	return nodes, err
}
