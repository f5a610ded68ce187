package mysql

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

const (
	// oldDone lists tasks that ended before a time, the oldest first.
	oldDone = `SELECT id FROM outlast_done FORCE INDEX (outlast_done_finished) WHERE finished_at < ? ORDER BY finished_at LIMIT ?`

	deleteTasks  = `DELETE t FROM outlast_task t FORCE INDEX (PRIMARY) WHERE t.id IN (@ids)`
	deleteFailed = `DELETE f FROM outlast_failed f FORCE INDEX (PRIMARY) WHERE f.id IN (@ids)`
	deleteDone   = `DELETE e FROM outlast_done e FORCE INDEX (PRIMARY) WHERE e.id IN (@ids)`

	// oldDedupe lists entries whose window has passed and whose task is not
	// live any more.
	oldDedupe = `SELECT d.lane, d.queue, d.dedupe_key FROM outlast_dedupe d FORCE INDEX (outlast_dedupe_expires)
 LEFT JOIN outlast_task t ON t.id = d.id AND t.state = 0 WHERE d.expires <= ? AND t.id IS NULL ORDER BY d.expires LIMIT ?`

	// deleteDedupe deletes one unless it was renewed meanwhile.
	deleteDedupe = `DELETE FROM outlast_dedupe WHERE lane = ? AND queue = ? AND dedupe_key = ? AND expires <= ?`

	// oldNodes lists nodes that ended before a time and hold nothing.
	oldNodes = `SELECT id FROM outlast_node n WHERE state <> 'alive' AND ended_at <= ?
 AND id NOT IN (SELECT owner FROM outlast_lane WHERE owner IS NOT NULL)
 AND (cleared = 1 OR NOT EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)) ORDER BY id LIMIT ?`

	deleteNode = `DELETE FROM outlast_node WHERE id = ? AND state <> 'alive'`
)

// cleanBatch is how many tasks one transaction deletes.
const cleanBatch = 1000

// Cleanup implements [store.Admin]: in small transactions, so that nobody
// waits for it for long.
func (s *Store) Cleanup(ctx context.Context, ended store.Time, limit int) (deleted int, err error) {
	for _, clean := range [...]func(context.Context, int64, int) (deleted int, more bool, err error){s.cleanDone, s.cleanDedupe, s.cleanNodes} {
		for more := true; more && deleted < limit; {
			var n int
			if n, more, err = clean(ctx, ended.UnixMicro(), limit-deleted); err != nil {
				return deleted, err
			}
			deleted += n
		}
	}
	n, err := s.CleanGroups(ctx, ended, limit-deleted)
	return deleted + n, err
}

// cleanDone deletes ended tasks with their histories and steps.
func (s *Store) cleanDone(ctx context.Context, ended int64, limit int) (deleted int, more bool, err error) {
	err = s.write(ctx, "cleanup", func(tx *tx) error {
		old, left, err := tx.oldDone(ended, min(limit, cleanBatch))
		if err != nil {
			return err
		}
		sortIDs(old)
		deleted, more = 0, left
		for _, query := range [...]string{deleteTasks, deleteDone, deleteFailed, deleteHistory, deleteSteps} {
			n, err := tx.execIDs(old, query)
			if err != nil {
				return err
			}
			if query != deleteDone && query != deleteFailed { // it is the same task
				deleted += int(n)
			}
		}
		return nil
	})
	return deleted, more, err
}

// oldDone finds the tasks that cleanDone deletes, so many rows of them with their steps, and
// says whether there may be more.
func (tx *tx) oldDone(ended int64, limit int) (old []task.ID, more bool, err error) {
	err = tx.each(oldDone, func(rows *sql.Rows) error {
		var id identity
		err := rows.Scan(&id)
		old = append(old, task.ID(id))
		return err
	}, ended, limit)
	if err != nil {
		return nil, false, err
	}
	steps, err := tx.countSteps(old)
	few := sqlstore.Few(old, steps, limit)
	return old[:few], len(old) == cleanBatch || few < len(old), err
}

func (s *Store) cleanDedupe(ctx context.Context, _ int64, limit int) (deleted int, more bool, err error) {
	err = s.write(ctx, "cleanup", func(tx *tx) error {
		var old []entryKey
		err := tx.each(oldDedupe, func(rows *sql.Rows) error {
			var key entryKey
			err := rows.Scan(&key.lane, &key.queue, &key.key)
			old = append(old, key)
			return err
		}, tx.now, min(limit, cleanBatch))
		if err != nil {
			return err
		}
		deleted, more = 0, len(old) == cleanBatch
		for _, key := range old {
			n, err := tx.changed(deleteDedupe, key.lane, key.queue, key.key, tx.now)
			if err != nil {
				return err
			}
			deleted += int(n)
		}
		return nil
	})
	return deleted, more, err
}

func (s *Store) cleanNodes(ctx context.Context, _ int64, limit int) (deleted int, more bool, err error) {
	err = s.write(ctx, "cleanup", func(tx *tx) error {
		var old []string
		err := tx.each(oldNodes, func(rows *sql.Rows) error {
			var node string
			err := rows.Scan(&node)
			old = append(old, node)
			return err
		}, tx.now-sqlstore.NodeMemory.Microseconds(), min(limit, cleanBatch))
		deleted = 0
		for _, node := range old {
			n := int64(0)
			if err == nil {
				n, err = tx.changed(deleteNode, node)
			}
			deleted += int(n)
		}
		return err
	})
	return deleted, false, err
}
