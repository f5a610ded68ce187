package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	insertNode = wire.NewQuery(`INSERT INTO outlast_node (id, address, version, release, embedded, state, counter, serves, started_at, targets, wake_key, running, slots, protocol)
VALUES ($2::text, $3::text, $4::text, $5::text, $6::boolean, 'alive', 0, $7::text, coalesce(nullif($8::bigint, 0), ` + wire.NowMicro + `), $9::text, $10::text, $11::bigint, $12::bigint, 3)
ON CONFLICT (id) DO NOTHING`)

	nodeAlive = wire.NewQuery(`SELECT 1 FROM outlast_node WHERE id = $1::text AND state = 'alive'`)

	// beatNode raises the counter of a node that is alive.
	beatNode = wire.NewQuery(`UPDATE outlast_node SET counter = counter + 1, serves = $2::text, running = $3::bigint, slots = $4::bigint,
 targets = CASE WHEN $5::boolean THEN $6::text ELSE targets END WHERE id = $1::text AND state = 'alive'`)

	// cancelRequests lists the node's running rows with a cancel request.
	cancelRequests = wire.NewQuery(`SELECT id FROM outlast_run WHERE node = $1::text AND cancel`, `SELECT id FROM outlast_cancel WHERE node = $1::text`)

	// noteCancel and dropCancels keep, where tables are
	// distributed, the cancel requests of a node beside it, so that a beat
	// asks other machines only when there are some: stillCanceled whether they
	// hold.
	noteCancel    = wire.NewQuery(`INSERT INTO outlast_cancel (node, id) VALUES ($1::text, $2::uuid) ON CONFLICT DO NOTHING`)
	dropCancels   = wire.NewQuery(`DELETE FROM outlast_cancel WHERE node = $1::text AND id = ANY($2::uuid[])`)
	stillCanceled = wire.NewQuery(`SELECT id FROM outlast_run WHERE id = ANY($2::uuid[]) AND node = $1::text AND cancel /*lane of ($2::uuid[])[1]*/`)

	// leaveNode ends a node that is alive.
	leaveNode = wire.NewQuery(`UPDATE outlast_node SET state = 'left', ended_at = ` + wire.NowMicro + ` WHERE id = $2::text AND state = 'alive'`)

	// buryNode ends a node that is alive and has not beaten since.
	buryNode = wire.NewQuery(`UPDATE outlast_node SET state = 'dead', ended_at = ` + wire.NowMicro + ` WHERE id = $2::text AND counter = $3::bigint AND state = 'alive'`)
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
	_, err = s.pipeline(ctx, &wire.Call{Query: insertNode, Args: []any{s.offset(), node.ID, node.Address, node.Version, node.Release, node.Embedded,
		string(serves), stored.Micro(node.StartedAt), targets, node.WakeKey, node.Load.Running, node.Load.Slots}},
		&wire.Call{Query: nodeAlive, Args: []any{node.ID}, Start: func() { alive = false }, Scan: func(wire.Row) error {
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
	beat := &wire.Call{Query: beatNode, Args: []any{node, string(text), report.Load.Running, report.Load.Slots, report.Targets != nil, targets}}
	err = s.repeat(ctx, func() error {
		return s.reserved(ctx, func(c *wire.Conn) error {
			canceled = nil
			err := c.Whole(ctx, &wire.Call{Query: settings, Args: []any{s.offset()}}, beat, &wire.Call{Query: cancelRequests, Args: []any{node}, Scan: func(r wire.Row) error {
				canceled = append(canceled, r.ID(0))
				return nil
			}})
			if err == nil && s.spread && len(canceled) > 0 {
				canceled, err = s.holding(ctx, c, node, canceled)
			}
			return err
		})
	})
	if err == nil && beat.Changed == 0 {
		err = store.ErrNodeDead
	}
	if err != nil {
		return nil, err
	}
	return canceled, nil
}

// holding are those of the cancel requests of a node that still hold; the
// others are forgotten.
func (s *Store) holding(ctx context.Context, c wire.Session, node string, noted []task.ID) (hold []task.ID, err error) {
	var calls []*wire.Call
	for _, part := range s.byLane(noted) {
		calls = append(calls, &wire.Call{Query: stillCanceled, Args: []any{node, part}, Scan: func(r wire.Row) error {
			hold = append(hold, r.ID(0))
			return nil
		}})
	}
	if err := c.Run(ctx, calls...); err != nil {
		return nil, err
	}
	over := slices.DeleteFunc(slices.Clone(noted), func(id task.ID) bool { return slices.Contains(hold, id) })
	if len(over) > 0 {
		_, err = wire.Exec(ctx, c, dropCancels, node, over)
	}
	return hold, err
}

// Leave implements [store.Store].
func (s *Store) Leave(ctx context.Context, node string) error {
	return s.repeat(ctx, func() error {
		return s.reserved(ctx, func(c *wire.Conn) error {
			return c.Run(ctx, &wire.Call{Query: leaveNode, Args: []any{s.offset(), node}})
		})
	})
}

// Bury implements [store.Store].
func (s *Store) Bury(ctx context.Context, node string, counter int64) (bool, error) {
	c := &wire.Call{Query: buryNode, Args: []any{s.offset(), node, counter}}
	_, err := s.pipeline(ctx, c)
	return err == nil && c.Changed == 1, err
}

var (
	// selectNodes leaves out nodes that ended long ago and hold nothing.
	selectNodes = coldQuery(`SELECT `+sqlstore.NodeColumns+`
FROM outlast_node n WHERE state = 'alive' OR ended_at > `+wire.NowMicro+` - $2::bigint
 OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) OR EXISTS (SELECT 1 FROM outlast_run r WHERE r.node = n.id)
 OR (SELECT true FROM outlast_claim c WHERE c.node = n.id LIMIT 1)
ORDER BY started_at, id`,
		// Nodes that ended long ago are asked about apart: see longEnded.
		`SELECT `+sqlstore.NodeColumns+` FROM outlast_node n WHERE state = 'alive' OR ended_at > `+wire.NowMicro+` - $2::bigint
 OR EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) OR id = ANY($3::text[]) ORDER BY started_at, id`)

	// longEnded lists nodes that ended long ago, holdsRows those of them that
	// have running rows or batches anywhere. Hardly ever is there one.
	longEnded = wire.NewQuery(`SELECT id FROM outlast_node WHERE state <> 'alive' AND ended_at <= ` + wire.NowMicro + ` - $2::bigint`)
	holdsRows = wire.NewQuery(`SELECT DISTINCT node FROM (SELECT node, lane FROM outlast_run UNION ALL SELECT node, lane FROM outlast_claim) x WHERE node = ANY($1::text[])`)
)

// Topology implements [store.Store].
func (s *Store) Topology(ctx context.Context) (*store.Topology, error) {
	var t *store.Topology
	err := s.lookUp(ctx, func(c wire.Session, now int64) (err error) {
		if t, err = sqlstore.Topology(&coldSession{ctx, c, s}, now-store.OrderMemory.Microseconds()); err != nil {
			return err
		}
		var holders []string
		if s.spread {
			if holders, err = s.holders(ctx, c); err != nil {
				return err
			}
		}
		t.Nodes, err = sqlstore.Nodes(&coldSession{ctx, c, s}, selectNodes, s.offset(), sqlstore.NodeMemory.Microseconds(), holders)
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// holders lists the nodes that ended long ago but have running rows.
func (s *Store) holders(ctx context.Context, c wire.Session) (holders []string, err error) {
	var ended []string
	list := func(names *[]string) func(wire.Row) error {
		return func(r wire.Row) error {
			*names = append(*names, r.Text(0))
			return nil
		}
	}
	err = wire.Each(ctx, c, longEnded, list(&ended), s.offset(), sqlstore.NodeMemory.Microseconds())
	if err == nil && len(ended) > 0 {
		err = wire.Each(ctx, c, holdsRows, list(&holders), ended)
	}
	return holders, err
}

// extendLeases moves the ends of the leases of rows that run under their claims,
// and tells of which the cancel was requested. Rows are locked in the order of
// their ids, as everyone does. Inputs: ids, claims, end.
var (
	lockLeases = wire.NewQuery(`SELECT r.id, r.claim, r.cancel FROM outlast_run r WHERE r.id = ANY($1::uuid[]) AND r.lease_until IS NOT NULL /*r.lane of ($1::uuid[])[1]*/
ORDER BY r.id FOR UPDATE`)
	extendLeases = wire.NewQuery(`UPDATE outlast_run SET lease_until = $2::bigint WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
)

// leaseOf is the length of a claim's lease as an argument, null for none.
func leaseOf(claim *store.Claim) any {
	if claim.Lease == 0 {
		return nil
	}
	return claim.Lease.Microseconds()
}

// Extend implements [store.Leaser].
func (s *Store) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	results := make([]store.Extended, len(items))
	byLane := map[uint16][]int{}
	for i, item := range items {
		at := item.ID.Lane()
		if !s.spread {
			at = 0
		}
		byLane[at] = append(byLane[at], i)
	}
	for _, places := range byLane {
		err := s.write(ctx, func(t *tx) error { return t.extend(ctx, items, places, lease, results) })
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// extend extends the leases of those items that the places name.
func (t *tx) extend(ctx context.Context, items []store.LeaseItem, places []int, lease time.Duration, results []store.Extended) error {
	ids := make([]task.ID, len(places))
	for i, place := range places {
		ids[i] = items[place].ID
	}
	type run struct {
		claim  int64
		cancel bool
	}
	runs := map[task.ID]run{}
	err := wire.Each(ctx, t, lockLeases, func(r wire.Row) error {
		runs[r.ID(0)] = run{r.Int(1), r.Bool(2)}
		return nil
	}, ids)
	if err != nil {
		return err
	}
	var held []task.ID
	for _, place := range places {
		item := items[place]
		found, runs := runs[item.ID]
		if !runs || found.claim != item.Claim {
			results[place] = store.Extended{Status: store.StatusStale}
			continue
		}
		results[place] = store.Extended{Status: store.StatusOK, CancelRequested: found.cancel}
		held = append(held, item.ID)
	}
	if len(held) == 0 {
		return nil
	}
	slices.SortFunc(held, task.ID.Compare)
	_, err = wire.Exec(ctx, t, extendLeases, held, t.now+lease.Microseconds())
	return err
}
