package postgres

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	insertNode = newQuery(`INSERT INTO outlast_node (id, address, version, release, embedded, state, counter, serves, started_at, targets, wake_key, running, slots, protocol)
VALUES ($2::text, $3::text, $4::text, $5::text, $6::boolean, 'alive', 0, $7::text, coalesce(nullif($8::bigint, 0), ` + nowMicro + `), $9::text, $10::text, $11::bigint, $12::bigint, 3)
ON CONFLICT (id) DO NOTHING`)

	nodeAlive = newQuery(`SELECT 1 FROM outlast_node WHERE id = $1::text AND state = 'alive'`)

	// beatNode raises the counter of a node that is alive.
	beatNode = newQuery(`UPDATE outlast_node SET counter = counter + 1, serves = $2::text, running = $3::bigint, slots = $4::bigint,
 targets = CASE WHEN $5::boolean THEN $6::text ELSE targets END WHERE id = $1::text AND state = 'alive'`)

	// cancelRequests lists the node's running rows with a cancel request.
	cancelRequests = newQuery(`SELECT id FROM outlast_run WHERE node = $1::text AND cancel`, `SELECT id FROM outlast_cancel WHERE node = $1::text`)

	// noteCancel and dropCancels keep, where tables are
	// distributed, the cancel requests of a node beside it, so that a beat
	// asks other machines only when there are some: stillCanceled whether they
	// hold.
	noteCancel    = newQuery(`INSERT INTO outlast_cancel (node, id) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING`)
	dropCancels   = newQuery(`DELETE FROM outlast_cancel WHERE node = $1::text AND id = ANY($2::uuid[])`)
	stillCanceled = newQuery(`SELECT id FROM outlast_run WHERE id = ANY($2::uuid[]) AND node = $1::text AND cancel /*lane of ($2::uuid[])[1]*/`)

	// leaveNode ends a node that is alive.
	leaveNode = newQuery(`UPDATE outlast_node SET state = 'left', ended_at = ` + nowMicro + ` WHERE id = $2::text AND state = 'alive'`)

	// buryNode ends a node that is alive and has not beaten since.
	buryNode = newQuery(`UPDATE outlast_node SET state = 'dead', ended_at = ` + nowMicro + ` WHERE id = $2::text AND counter = $3::bigint AND state = 'alive'`)
)

// Join implements [store.Store].
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
	if err := s.distributedWhole(); err != nil {
		return err
	}
	alive := false
	_, err = s.pipeline(ctx, &call{query: insertNode, args: []any{s.offset(), node.ID, node.Address, node.Version, node.Release, node.Embedded,
		string(serves), stored.Micro(node.StartedAt), targets, node.WakeKey, node.Load.Running, node.Load.Slots}},
		&call{query: nodeAlive, args: []any{node.ID}, start: func() { alive = false }, scan: func(row) error {
			alive = true
			return nil
		}})
	if err == nil && !alive {
		return store.ErrNodeDead
	}
	return err
}

// Beat implements [store.Store]. It uses connections that nothing else can
// use up.
func (s *Store) Beat(ctx context.Context, node string, report store.Report) (canceled []task.ID, err error) {
	text, err := json.Marshal(report.Serves)
	if err != nil {
		return nil, err
	}
	targets, err := sqlstore.Targets(report.Targets)
	if err != nil {
		return nil, err
	}
	beat := &call{query: beatNode, args: []any{node, string(text), report.Load.Running, report.Load.Slots, report.Targets != nil, targets}}
	err = s.repeat(ctx, func() error {
		return s.reserved(ctx, func(c *conn) error {
			canceled = nil
			err := c.whole(ctx, &call{query: settings, args: []any{s.offset()}}, beat, &call{query: cancelRequests, args: []any{node}, scan: func(r row) error {
				canceled = append(canceled, r.ID(0))
				return nil
			}})
			if err == nil && s.spread && len(canceled) > 0 {
				canceled, err = s.holding(ctx, c, node, canceled)
			}
			return err
		})
	})
	if err == nil && beat.changed == 0 {
		err = store.ErrNodeDead
	}
	if err != nil {
		return nil, err
	}
	return canceled, nil
}

// holding are those of the cancel requests of a node that still hold; the
// others are forgotten.
func (s *Store) holding(ctx context.Context, c session, node string, noted []task.ID) (hold []task.ID, err error) {
	var calls []*call
	for _, part := range s.byLane(noted) {
		calls = append(calls, &call{query: stillCanceled, args: []any{node, part}, scan: func(r row) error {
			hold = append(hold, r.ID(0))
			return nil
		}})
	}
	if err := c.run(ctx, calls...); err != nil {
		return nil, err
	}
	over := slices.DeleteFunc(slices.Clone(noted), func(id task.ID) bool { return slices.Contains(hold, id) })
	if len(over) > 0 {
		_, err = exec(ctx, c, dropCancels, node, over)
	}
	return hold, err
}

// reserved runs fn on a connection that the store keeps for itself.
func (s *Store) reserved(ctx context.Context, fn func(c *conn) error) error {
	held, err := s.own.Acquire(ctx)
	if err != nil {
		return err
	}
	defer held.Release()
	return fn(s.newConn(held.Conn()))
}

// Leave implements [store.Store].
func (s *Store) Leave(ctx context.Context, node string) error {
	return s.repeat(ctx, func() error {
		return s.reserved(ctx, func(c *conn) error {
			return c.run(ctx, &call{query: leaveNode, args: []any{s.offset(), node}})
		})
	})
}

// Bury implements [store.Store].
func (s *Store) Bury(ctx context.Context, node string, counter int64) (bool, error) {
	c := &call{query: buryNode, args: []any{s.offset(), node, counter}}
	_, err := s.pipeline(ctx, c)
	return err == nil && c.changed == 1, err
}
