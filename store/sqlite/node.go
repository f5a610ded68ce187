package sqlite

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	insertNode = &query{sql: `INSERT INTO outlast_node (id, address, version, release, embedded, state, counter, serves, started_at, targets, wake_key, running, slots)
VALUES (?, ?, ?, ?, ?, 'alive', 0, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`}

	// beatNode raises the counter of a node that is alive.
	beatNode = &query{sql: `UPDATE outlast_node SET counter = counter + 1, serves = ?, running = ?, slots = ? WHERE id = ? AND state = 'alive'`}

	// tellTargets stores what a node says of targets, after its beat.
	tellTargets = &query{sql: `UPDATE outlast_node SET targets = ? WHERE id = ?`}

	// cancelRequests lists the node's running rows with a cancel request.
	cancelRequests = &query{sql: `SELECT t.id FROM outlast_run r CROSS JOIN outlast_task t ON t.num = r.num WHERE r.node = ? AND r.cancel = 1`}

	// leaveNode ends a node that is alive.
	leaveNode = &query{sql: `UPDATE outlast_node SET state = 'left', ended_at = ? WHERE id = ? AND state = 'alive'`}

	// buryNode ends a node that is alive and has not beaten since.
	buryNode = &query{sql: `UPDATE outlast_node SET state = 'dead', ended_at = ? WHERE id = ? AND counter = ? AND state = 'alive'`}
)

// Join implements [store.Store]. The lock comes before the row, so nobody
// ever sees the row of a living process without its lock.
func (s *Store) Join(ctx context.Context, node store.Node) error {
	if node.ID == "" {
		return task.Invalid("id", "the node has no id", "")
	}
	serves, err := json.Marshal(node.Serves)
	if err != nil {
		return err
	}
	targets, err := sqlstore.Targets(node.Targets)
	if err != nil {
		return err
	}
	if err := s.locks.take(ctx, node.ID); err != nil {
		return err
	}
	s.likely.Store(&node.ID)
	var joined bool
	err = s.write(ctx, "join", func(tx *tx) error {
		started := micro(node.StartedAt)
		if started == nil {
			started = tx.now
		}
		n, err := tx.exec(insertNode, node.ID, node.Address, node.Version, node.Release, node.Embedded, string(serves), started, targets,
			node.WakeKey, node.Load.Running, node.Load.Slots)
		joined = n == 1
		return err
	})
	if err == nil && !joined {
		return s.rejoined(ctx, node.ID)
	}
	return err
}

// rejoined answers a repeated Join: fine while the node is alive.
func (s *Store) rejoined(ctx context.Context, node string) error {
	alive := false
	err := s.read(ctx, func(c *conn) (err error) {
		alive, err = one(c, nodeAlive, func(row) {}, node)
		return err
	})
	if err == nil && !alive {
		return errors.Join(store.ErrNodeDead, s.locks.free(node))
	}
	return err
}

// Beat implements [store.Store].
func (s *Store) Beat(ctx context.Context, node string, report store.Report) (canceled []task.ID, err error) {
	text, err := json.Marshal(report.Serves)
	if err != nil {
		return nil, err
	}
	targets, err := sqlstore.Targets(report.Targets)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, "beat", func(tx *tx) error {
		n, err := tx.exec(beatNode, string(text), report.Load.Running, report.Load.Slots, node)
		if err == nil && n == 0 {
			return store.ErrNodeDead
		}
		if err == nil && report.Targets != nil {
			_, err = tx.exec(tellTargets, targets, node)
		}
		if err != nil {
			return err
		}
		canceled = nil
		return tx.each(cancelRequests, func(r row) error {
			canceled = append(canceled, r.ID(0))
			return nil
		}, node)
	})
	if err != nil {
		return nil, err
	}
	return canceled, nil
}

// Leave implements [store.Store].
func (s *Store) Leave(ctx context.Context, node string) error {
	err := s.write(ctx, "leave", func(tx *tx) error {
		_, err := tx.exec(leaveNode, tx.now, node)
		return err
	})
	if err != nil {
		return err
	}
	return s.locks.free(node)
}

// Bury implements [store.Store].
func (s *Store) Bury(ctx context.Context, node string, counter int64) (buried bool, err error) {
	err = s.write(ctx, "bury", func(tx *tx) error {
		n, err := tx.exec(buryNode, tx.now, node, counter)
		buried = n == 1
		return err
	})
	if err != nil {
		return false, err
	}
	if buried {
		s.locks.remove(node)
	}
	return buried, nil
}
