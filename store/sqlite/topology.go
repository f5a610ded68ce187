package sqlite

import (
	"context"
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
)

// nodeMemory is how long a node that has ended stays in the topology.
const nodeMemory = time.Hour

var (
	selectQueues = &query{sql: `SELECT name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at
FROM outlast_queue ORDER BY name`}
	selectLanes = &query{sql: `SELECT lane, queue, owner, epoch FROM outlast_lane ORDER BY lane`}

	// selectNodes leaves out nodes that ended before ?1 and hold nothing.
	selectNodes = &query{sql: `SELECT id, address, version, release, embedded, state, counter, serves, started_at, targets, wake_key, running, slots FROM outlast_node n
WHERE state = 'alive' OR ended_at > ?1
   OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id)
   OR EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
ORDER BY started_at, id`}
)

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.read(ctx, func(c *conn) (err error) {
		t = &store.Topology{}
		if t.Queues, err = readQueues(c); err != nil {
			return err
		}
		for i := range t.Queues {
			if err := countQueue(c, &t.Queues[i]); err != nil {
				return err
			}
		}
		if t.Lanes, err = readLanes(c); err != nil {
			return err
		}
		if t.Nodes, err = readNodes(c, s.now()-nodeMemory.Microseconds()); err != nil {
			return err
		}
		if t.Orders, err = readOrders(c, s.now()-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		_, err = one(c, selectConfig, func(r row) { t.Config = r.int(0) })
		return err
	})
	if err != nil {
		return nil, err
	}
	others := false
	for i := range t.Nodes {
		node := &t.Nodes[i]
		if node.State != store.NodeAlive {
			continue
		}
		node.Gone = s.locks.gone(node.ID)
		others = others || !node.Gone && !s.locks.mine(node.ID)
	}
	s.others.Store(others)
	return t, nil
}

// crowded reports whether another process may want to write.
func (s *Store) crowded() bool {
	foreign := time.Unix(0, s.writer.foreign.Load())
	return s.others.Load() || time.Since(foreign) < 5*time.Second
}

func readQueues(s session) (queues []store.Queue, err error) {
	err = s.each(selectQueues, func(r row) error {
		queues = append(queues, scanQueue(r))
		return nil
	})
	if err != nil {
		return nil, err
	}
	lanes, err := readLanes(s)
	for i := range queues {
		for _, lane := range lanes {
			if lane.Queue == queues[i].Name {
				queues[i].Numbers = append(queues[i].Numbers, lane.Number)
			}
		}
	}
	return queues, err
}

func scanQueue(r row) store.Queue {
	return store.Queue{Name: r.text(0), Lanes: int(r.int(1)), KeyLanes: int(r.int(2)), Paused: r.bool(3), Policy: r.text(4),
		UnknownType: r.text(5), Concurrency: int(r.int(6)), MaxPending: int(r.int(7)), Weight: int(r.int(8)), UpdatedAt: r.time(9)}
}

func countQueue(s session, q *store.Queue) error {
	if q.MaxPending <= 0 {
		return nil
	}
	n, err := backlog.Pending(counter{s}, q.Numbers, q.MaxPending)
	q.Pending = n
	return err
}

func readLanes(s session) (lanes []store.Lane, err error) {
	err = s.each(selectLanes, func(r row) error {
		lanes = append(lanes, store.Lane{Number: uint16(r.int(0)), Queue: r.text(1), Owner: r.text(2), Epoch: r.int(3)})
		return nil
	})
	return lanes, err
}

func readNodes(s session, since int64) (nodes []store.Node, err error) {
	err = s.each(selectNodes, func(r row) error {
		node := store.Node{ID: r.text(0), Address: r.text(1), Version: r.text(2), Release: r.text(3), Embedded: r.bool(4),
			State: store.NodeState(r.text(5)), Counter: r.int(6), StartedAt: r.time(8),
			WakeKey: r.text(10), Load: store.Load{Running: int(r.int(11)), Slots: int(r.int(12))}}
		if r[7] != nil {
			if err := json.Unmarshal(r.blob(7), &node.Serves); err != nil {
				return err
			}
		}
		if r[9] != nil {
			if err := json.Unmarshal(r.blob(9), &node.Targets); err != nil {
				return err
			}
		}
		nodes = append(nodes, node)
		return nil
	}, since)
	return nodes, err
}
