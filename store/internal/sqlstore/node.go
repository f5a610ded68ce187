package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	addNode = query(`INSERT INTO outlast_node (id, address, version, "release", embedded, state, counter, serves, started_at, targets, wake_key, running, slots)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::boolean, 'alive', 0, $6::text, $7::bigint, $8::text, $9::text, $10::bigint, $11::bigint)` + onConflict)
	aliveNode = query(`SELECT 1 FROM outlast_node WHERE id = $1::text AND state = 'alive'`)

	// beatNode raises the counter of a node that is alive. Targets that are null leave
	// what was said before.
	beatNode = query(`UPDATE outlast_node SET counter = counter + 1, serves = $2::text, running = $3::bigint, slots = $4::bigint, targets = coalesce($5::text, targets)
WHERE id = $1::text AND state = 'alive'`)

	// leaveNode ends a node that is alive, buryNode one that has not beaten since.
	leaveNode = query(`UPDATE outlast_node SET state = 'left', ended_at = $2::bigint WHERE id = $1::text AND state = 'alive'`)
	buryNode  = query(`UPDATE outlast_node SET state = 'dead', ended_at = $2::bigint WHERE id = $1::text AND counter = $3::bigint AND state = 'alive'`)

	// takeLane gives a free lane to a node that is alive, by compare-and-set on the epoch.
	// It waits for claims in flight.
	takeLane = query(`UPDATE outlast_lane SET owner = $1::text, epoch = epoch + 1 WHERE lane = $2::integer AND epoch = $3::bigint
 AND NOT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = owner AND n.state = 'alive')
 AND EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = $1::text AND n.state = 'alive')`)
)

// NodeMemory is how long a node that has ended stays in the topology.
const NodeMemory = time.Hour

// NodeColumns are what [Nodes] reads.
const NodeColumns = `id, address, version, "release", embedded, state, counter, serves, started_at, targets, wake_key, running, slots`

// Nodes reads the nodes of a statement.
func Nodes(s Session, q *Query, args ...any) (nodes []store.Node, err error) {
	err = s.Run(&Call{Query: q, Args: args, Scan: func(r Row) error {
		node, err := scanNode(r)
		nodes = append(nodes, node)
		return err
	}})
	return nodes, err
}

func scanNode(r Row) (store.Node, error) {
	node := store.Node{
		ID: r.Text(0), Address: r.Text(1), Version: r.Text(2), Release: r.Text(3), Embedded: r.Bool(4), State: store.NodeState(r.Text(5)),
		Counter: r.Int(6), StartedAt: r.Time(8), WakeKey: r.Text(10), Load: store.Load{Running: int(r.Int(11)), Slots: int(r.Int(12))},
	}
	for i, value := range map[int]any{7: &node.Serves, 9: &node.Targets} {
		if text := r.Blob(i); text != nil {
			if err := json.Unmarshal(text, value); err != nil {
				return node, err
			}
		}
	}
	return node, nil
}

// Targets is what a node says of targets as it is stored; nil for nothing.
func Targets(targets []store.Target) (any, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(targets)
	return string(text), err
}

// Join inserts a node; ErrNodeDead if it was there and is alive no more.
func Join(ctx context.Context, db Database, node *store.Node) error {
	serves, err := json.Marshal(node.Serves)
	if err != nil {
		return err
	}
	targets, err := Targets(node.Targets)
	if err != nil {
		return err
	}
	return db.Write(ctx, "join", func(tx Tx) error {
		started := stored.MicroOrNull(node.StartedAt)
		if started == nil {
			started = tx.Now
		}
		n, err := exec(tx, addNode, node.ID, node.Address, node.Version, node.Release, node.Embedded, string(serves), started, targets,
			node.WakeKey, node.Load.Running, node.Load.Slots)
		if err != nil || n == 1 {
			return err
		}
		_, alive, err := first(tx, aliveNode, intOf, node.ID)
		if err == nil && !alive {
			err = store.ErrNodeDead
		}
		return err
	})
}

// Beat is a heartbeat. It returns what the statement for that lists as canceled.
func Beat(s Session, canceled *Query, node string, report *store.Report) ([]task.ID, error) {
	serves, err := json.Marshal(report.Serves)
	if err != nil {
		return nil, err
	}
	var targets any
	if report.Targets != nil {
		text, err := json.Marshal(report.Targets)
		if err != nil {
			return nil, err
		}
		targets = string(text)
	}
	n, err := exec(s, beatNode, node, string(serves), report.Load.Running, report.Load.Slots, targets)
	if err == nil && n == 0 {
		err = store.ErrNodeDead
	}
	if err != nil {
		return nil, err
	}
	return all(s, canceled, func(r Row) task.ID { return r.ID(0) }, node)
}

// Members is how nodes leave, and take and give lanes, in databases where that is done by
// statements about one of them. A store embeds it.
type Members struct {
	db   Database
	free *Query
}

// NewMembers makes it with the statement that gives a lane back. Inputs: node, lane, epoch.
func NewMembers(db Database, free *Query) Members { return Members{db, free} }

// Leave implements [store.Store].
func (m Members) Leave(ctx context.Context, node string) error {
	return m.db.Write(ctx, "leave", func(tx Tx) error {
		_, err := exec(tx, leaveNode, node, tx.Now)
		return err
	})
}

// Bury implements [store.Store].
func (m Members) Bury(ctx context.Context, node string, counter int64) (buried bool, err error) {
	err = m.db.Write(ctx, "bury", func(tx Tx) error {
		n, err := exec(tx, buryNode, node, tx.Now, counter)
		buried = n == 1
		return err
	})
	return buried && err == nil, err
}

// TakeLanes implements [store.Store].
func (m Members) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return m.changeLanes(ctx, takeLane, node, lanes, 1)
}

// FreeLanes implements [store.Store].
func (m Members) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return m.changeLanes(ctx, m.free, node, lanes, 0)
}

func (m Members) changeLanes(ctx context.Context, q *Query, node string, lanes []store.LaneEpoch, raise int64) (changed []store.LaneEpoch, err error) {
	lanes = slices.Clone(lanes)
	slices.SortFunc(lanes, func(a, b store.LaneEpoch) int { return cmp.Compare(a.Lane, b.Lane) })
	err = m.db.Write(ctx, "lanes", func(tx Tx) error {
		changed = nil
		for _, lane := range lanes {
			n, err := exec(tx, q, node, lane.Lane, lane.Epoch)
			if err != nil {
				return err
			}
			if n == 1 {
				changed = append(changed, store.LaneEpoch{Lane: lane.Lane, Epoch: lane.Epoch + raise})
			}
		}
		return nil
	})
	return resultOf(changed, err)
}
