package postgres

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
	selectNow = newQuery(`SELECT ` + nowMicro)

	selectQueues = newQuery(`SELECT name, lanes, key_lanes, paused, policy, unknown_type, concurrency, max_pending, weight, updated_at
FROM outlast_queue ORDER BY name`)
	selectLanes = newQuery(`SELECT lane, queue, owner, epoch FROM outlast_lane ORDER BY lane`)

	// selectNodes leaves out nodes that ended long ago and hold nothing.
	selectNodes = newQuery(`SELECT `+nodeColumns+`
FROM outlast_node n WHERE state = 'alive' OR ended_at > `+nowMicro+` - $2::bigint
 OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) OR EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
 OR (SELECT true FROM outlast_claim c WHERE c.node = n.id LIMIT 1)
ORDER BY started_at, id`,
		// Nodes that ended long ago are asked about apart: see longEnded.
		`SELECT `+nodeColumns+` FROM outlast_node n WHERE state = 'alive' OR ended_at > `+nowMicro+` - $2::bigint
 OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) OR id = ANY($3::text[]) ORDER BY started_at, id`)

	// longEnded lists nodes that ended long ago, holdsRows those of them that
	// have running rows or batches anywhere. Hardly ever is there one.
	longEnded = newQuery(`SELECT id FROM outlast_node WHERE state <> 'alive' AND ended_at <= ` + nowMicro + ` - $2::bigint`)
	holdsRows = newQuery(`SELECT DISTINCT node FROM (SELECT node, lane FROM outlast_run UNION ALL SELECT node, lane FROM outlast_claim) x WHERE node = ANY($1::text[])`)
)

const nodeColumns = `id, address, version, release, embedded, state, counter, serves, started_at, targets, wake_key, running, slots`

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.lookUp(ctx, func(c session) (err error) {
		t = &store.Topology{}
		var holders []string
		if s.spread {
			if holders, err = s.holders(ctx, c); err != nil {
				return err
			}
		}
		err = c.run(ctx, queuesCall(&t.Queues), lanesCall(&t.Lanes),
			&call{query: selectNodes, args: []any{s.offset(), nodeMemory.Microseconds(), holders}, scan: func(r row) error {
				node, err := scanNode(r)
				t.Nodes = append(t.Nodes, node)
				return err
			}},
			&call{query: selectOrders, args: []any{s.offset(), store.OrderMemory.Microseconds()}, scan: func(r row) error {
				t.Orders = append(t.Orders, scanOrder(r))
				return nil
			}},
			&call{query: selectConfig, scan: func(r row) error {
				t.Config = r.int(0)
				return nil
			}})
		if err != nil {
			return err
		}
		giveLanes(t.Queues, t.Lanes)
		return s.countQueues(ctx, c, t.Queues)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// holders lists the nodes that ended long ago but have running rows.
func (s *Store) holders(ctx context.Context, c session) (holders []string, err error) {
	var ended []string
	list := func(names *[]string) func(row) error {
		return func(r row) error {
			*names = append(*names, r.text(0))
			return nil
		}
	}
	err = each(ctx, c, longEnded, list(&ended), s.offset(), nodeMemory.Microseconds())
	if err == nil && len(ended) > 0 {
		err = each(ctx, c, holdsRows, list(&holders), ended)
	}
	return holders, err
}

func queuesCall(queues *[]store.Queue) *call {
	return &call{query: selectQueues, scan: func(r row) error {
		*queues = append(*queues, scanQueue(r))
		return nil
	}}
}

func lanesCall(lanes *[]store.Lane) *call {
	return &call{query: selectLanes, scan: func(r row) error {
		*lanes = append(*lanes, store.Lane{Number: uint16(r.int(0)), Queue: r.text(1), Owner: r.text(2), Epoch: r.int(3)})
		return nil
	}}
}

// giveLanes gives queues the numbers of their lanes.
func giveLanes(queues []store.Queue, lanes []store.Lane) {
	at := make(map[string]int, len(queues))
	for i := range queues {
		at[queues[i].Name] = i
	}
	for _, lane := range lanes {
		if i, ok := at[lane.Queue]; ok {
			queues[i].Numbers = append(queues[i].Numbers, lane.Number)
		}
	}
}

func scanQueue(r row) store.Queue {
	return store.Queue{
		Name: r.text(0), Lanes: int(r.int(1)), KeyLanes: int(r.int(2)), Paused: r.bool(3), Policy: r.text(4), UnknownType: r.text(5),
		Concurrency: int(r.int(6)), MaxPending: int(r.int(7)), Weight: int(r.int(8)), UpdatedAt: r.time(9),
	}
}

// countQueues counts the pending tasks of the queues that have a limit.
func (s *Store) countQueues(ctx context.Context, c session, queues []store.Queue) error {
	for i := range queues {
		q := &queues[i]
		n, err := backlog.Pending(&counter{ctx, c, s.spread}, q.Numbers, q.MaxPending)
		if err != nil {
			return err
		}
		q.Pending = n
	}
	return nil
}

func scanNode(r row) (store.Node, error) {
	node := store.Node{
		ID: r.text(0), Address: r.text(1), Version: r.text(2), Release: r.text(3), Embedded: r.bool(4), State: store.NodeState(r.text(5)),
		Counter: r.int(6), StartedAt: r.time(8), WakeKey: r.text(10), Load: store.Load{Running: int(r.int(11)), Slots: int(r.int(12))},
	}
	if r[7] != nil {
		if err := json.Unmarshal(r[7], &node.Serves); err != nil {
			return node, err
		}
	}
	if r[9] != nil {
		return node, json.Unmarshal(r[9], &node.Targets)
	}
	return node, nil
}
