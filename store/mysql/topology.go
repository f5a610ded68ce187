package mysql

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
)

// nodeMemory is how long a node that has ended stays in the topology.
const nodeMemory = time.Hour

const (
	queueColumns = `name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at`

	selectQueues = `SELECT ` + queueColumns + ` FROM outlast_queue ORDER BY name`
	selectLanes  = `SELECT lane, queue, owner, epoch FROM outlast_lane ORDER BY lane`

	// selectNodes leaves out nodes that ended before a time and hold nothing.
	selectNodes = `SELECT id, address, version, release_name, embedded, state, counter, serves, started_at, targets, wake_key, running, slots
FROM outlast_node n WHERE state = 'alive' OR ended_at > ?
 OR id IN (SELECT owner FROM outlast_lane WHERE owner IS NOT NULL) OR cleared = 0 AND EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
ORDER BY started_at, id`
)

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.snapshot(ctx, func(c *session) (err error) {
		t = &store.Topology{}
		now, err := s.clockOf(c)
		if err != nil {
			return err
		}
		if t.Queues, t.Lanes, err = c.queues(); err != nil {
			return err
		}
		if err := c.countQueues(t.Queues); err != nil {
			return err
		}
		if t.Nodes, err = c.nodes(now - nodeMemory.Microseconds()); err != nil {
			return err
		}
		if t.Orders, err = c.orders(now - store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		_, err = c.first(selectConfig, []any{&t.Config})
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// clockOf reads the store's now outside of a transaction that changes things.
func (s *Store) clockOf(c *session) (int64, error) {
	tx := &tx{session: c, store: s}
	err := tx.readClock()
	return tx.now, err
}

// queues reads all queues with their lanes.
func (s *session) queues() (queues []store.Queue, lanes []store.Lane, err error) {
	err = s.each(selectQueues, func(rows *sql.Rows) error {
		q, err := scanQueue(rows)
		queues = append(queues, q)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	place := make(map[string]int, len(queues))
	for i := range queues {
		place[queues[i].Name] = i
	}
	err = s.each(selectLanes, func(rows *sql.Rows) error {
		var lane store.Lane
		var owner text
		err := rows.Scan(&lane.Number, &lane.Queue, &owner, &lane.Epoch)
		lane.Owner = string(owner)
		lanes = append(lanes, lane)
		if at, ok := place[lane.Queue]; ok {
			queues[at].Numbers = append(queues[at].Numbers, lane.Number)
		}
		return err
	})
	return queues, lanes, err
}

func scanQueue(rows *sql.Rows) (q store.Queue, err error) {
	var updatedAt number
	err = rows.Scan(&q.Name, &q.Lanes, &q.KeyLanes, &q.Paused, &q.Policy, &q.UnknownType, &q.Concurrency, &q.MaxPending, &q.Weight, &updatedAt)
	q.UpdatedAt = updatedAt.time()
	return q, err
}

func (s *session) countQueues(queues []store.Queue) error {
	for i := range queues {
		q := &queues[i]
		n, err := backlog.Pending(counter{s}, q.Numbers, q.MaxPending)
		if err != nil {
			return err
		}
		q.Pending = n
	}
	return nil
}

func (s *session) nodes(since int64) (nodes []store.Node, err error) {
	err = s.each(selectNodes, func(rows *sql.Rows) error {
		var node store.Node
		var startedAt number
		var serves, targets []byte
		err := rows.Scan(&node.ID, &node.Address, &node.Version, &node.Release, &node.Embedded, &node.State, &node.Counter, &serves,
			&startedAt, &targets, &node.WakeKey, &node.Load.Running, &node.Load.Slots)
		if err != nil {
			return err
		}
		node.StartedAt = startedAt.time()
		if serves != nil {
			if err := json.Unmarshal(serves, &node.Serves); err != nil {
				return err
			}
		}
		if targets != nil {
			if err := json.Unmarshal(targets, &node.Targets); err != nil {
				return err
			}
		}
		nodes = append(nodes, node)
		return nil
	}, since)
	return nodes, err
}

// targetsText is what a node says of targets as it is stored; nil for nothing.
func targetsText(targets []store.Target) (any, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	return json.Marshal(targets)
}
