package mysql

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

const (
	insertNode = `INSERT INTO outlast_node (id, address, version, release_name, embedded, state, counter, serves, started_at, targets, wake_key, running, slots)
VALUES (?, ?, ?, ?, ?, 'alive', 0, ?, ?, ?, ?, ?, ?)`

	// beatNode raises the counter of a node that is alive. Targets that are
	// null leave what was said before.
	beatNode = `UPDATE outlast_node SET counter = counter + 1, serves = ?, running = ?, slots = ?, targets = COALESCE(?, targets)
WHERE id = ? AND state = 'alive'`

	// cancelRequests lists the node's running rows with a cancel request.
	cancelRequests = `SELECT id FROM outlast_cancel WHERE node = ?`

	nodeState = `SELECT state FROM outlast_node WHERE id = ?`

	// leaveNode ends a node that is alive.
	leaveNode = `UPDATE outlast_node SET state = 'left', ended_at = ? WHERE id = ? AND state = 'alive'`

	// buryNode ends a node that is alive and has not beaten since.
	buryNode = `UPDATE outlast_node SET state = 'dead', ended_at = ? WHERE id = ? AND counter = ? AND state = 'alive'`
)

// Join implements [store.Store].
func (s *Store) Join(ctx context.Context, node store.Node) error {
	if node.ID == "" {
		return task.Invalid("id", "the node has no id", "")
	}
	for _, text := range [...]struct {
		field, value string
		limit        int
	}{{"id", node.ID, 255}, {"address", node.Address, 2048}, {"version", node.Version, 255}, {"release", node.Release, 255}} {
		if err := check.Text(text.field, text.value, text.limit); err != nil {
			return err
		}
	}
	serves, err := json.Marshal(node.Serves)
	if err != nil {
		return err
	}
	targets, err := sqlstore.Targets(node.Targets)
	if err != nil {
		return err
	}
	return s.write(ctx, "join", func(tx *tx) error {
		started := micro(node.StartedAt)
		if started == nil {
			started = tx.now
		}
		_, err := tx.exec(insertNode, node.ID, node.Address, node.Version, node.Release, node.Embedded, serves, started, targets,
			node.WakeKey, node.Load.Running, node.Load.Slots)
		if numbered(err) != duplicateKey {
			return err
		}
		return tx.rejoined(node.ID)
	})
}

// rejoined answers a repeated Join: fine while the node is alive.
func (tx *tx) rejoined(node string) error {
	var state text
	_, err := tx.first(nodeState, []any{&state}, node)
	if err == nil && state != text(store.NodeAlive) {
		return store.ErrNodeDead
	}
	return err
}

// Beat implements [store.Store], on a connection that serves nothing else. Its
// two statements commit by themselves.
func (s *Store) Beat(ctx context.Context, node string, report store.Report) (canceled []task.ID, err error) {
	serves, err := json.Marshal(report.Serves)
	if err != nil {
		return nil, err
	}
	targets := any(nil)
	if report.Targets != nil {
		if targets, err = json.Marshal(report.Targets); err != nil {
			return nil, err
		}
	}
	err = s.repeated(ctx, func() error {
		canceled = nil
		return s.beats.do(ctx, func(c *session) error {
			n, err := c.changed(beatNode, serves, report.Load.Running, report.Load.Slots, targets, node)
			if err == nil && n == 0 {
				err = store.ErrNodeDead
			}
			if err != nil {
				return err
			}
			return c.each(cancelRequests, func(rows *sql.Rows) error {
				var id identity
				err := rows.Scan(&id)
				canceled = append(canceled, task.ID(id))
				return err
			}, node)
		})
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}

// Leave implements [store.Store].
func (s *Store) Leave(ctx context.Context, node string) error {
	return s.write(ctx, "leave", func(tx *tx) error {
		_, err := tx.exec(leaveNode, tx.now, node)
		return err
	})
}

// Bury implements [store.Store].
func (s *Store) Bury(ctx context.Context, node string, counter int64) (buried bool, err error) {
	err = s.write(ctx, "bury", func(tx *tx) error {
		n, err := tx.changed(buryNode, tx.now, node, counter)
		buried = n == 1
		return err
	})
	return buried && err == nil, err
}
