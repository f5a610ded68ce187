package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lostNodes lists the nodes that are not alive but have running rows in
	// the lanes, and the remote workers that have some of which the lease has
	// ended. The log is read between the ids of nodes that are alive, so that
	// it costs nothing what these have claimed. Inputs: clock, lanes.
	lostNodes = wire.NewQuery(`SELECT x.node, n.state FROM (SELECT DISTINCT node FROM outlast_run WHERE lane = ANY($2::integer[])
 AND (lease_until IS NULL OR lease_until <= ` + wire.NowMicro + `)
UNION SELECT c.node FROM (SELECT id, lead(id) OVER (ORDER BY id) AS next FROM
  (SELECT ''::text COLLATE "C" AS id UNION ALL SELECT id FROM outlast_node WHERE state = 'alive') n) n
 CROSS JOIN LATERAL (SELECT c.node, c.lane FROM outlast_claim c WHERE n.next IS NOT NULL AND c.node > n.id AND c.node < n.next
  UNION ALL SELECT c.node, c.lane FROM outlast_claim c WHERE n.next IS NULL AND c.node > n.id) c WHERE c.lane = ANY($2::integer[])) x
LEFT JOIN outlast_node n ON n.id = x.node WHERE n.state IS DISTINCT FROM 'alive' ORDER BY x.node`)

	// runningNodes lists the nodes that have running rows or batches in a lane, notAlive
	// those of nodes that are not alive: lostNodes where tables are
	// distributed.
	runningNodes = wire.NewQuery(`SELECT node FROM outlast_run WHERE lane = $2::integer AND (lease_until IS NULL OR lease_until <= ` + wire.NowMicro + `)
UNION SELECT node FROM outlast_claim WHERE lane = $2::integer AND node <> ''`)
	notAlive = wire.NewQuery(`SELECT x.node, n.state FROM unnest($1::text[]) AS x (node)
LEFT JOIN outlast_node n ON n.id = x.node WHERE n.state IS DISTINCT FROM 'alive' ORDER BY x.node`)

	// strangeNode gives a node without a row one, dead, which keeps the
	// verdict on it.
	strangeNode = wire.NewQuery(`INSERT INTO outlast_node (id, address, version, release, embedded, state, counter, started_at, ended_at)
VALUES ($1::text, '', '', '', false, 'dead', 0, $2::bigint, $2::bigint) ON CONFLICT (id) DO NOTHING`)

	// lockVerdict reads the verdict on a node, and keeps others from judging.
	lockVerdict = wire.NewQuery(`SELECT suspect FROM outlast_node WHERE id = $1::text FOR UPDATE`)

	// anySuspect finds a running row of the node that crashed twice before.
	anySuspect = wire.NewQuery(`SELECT 1 FROM (SELECT id FROM outlast_run WHERE node = $1::text) r
CROSS JOIN LATERAL (SELECT 1 FROM outlast_task t WHERE t.id = r.id AND t.crashes >= 2 LIMIT 1) t
UNION ALL SELECT 1 FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id)
CROSS JOIN LATERAL (SELECT 1 FROM outlast_task t WHERE t.id = m.id AND t.crashes >= 2 AND `+past+` < c.claim LIMIT 1) t WHERE c.node = $1::text LIMIT 1`,
		`SELECT 1 FROM outlast_running r JOIN outlast_task t ON t.lane = r.lane AND t.id = r.id WHERE r.node = $1::text AND t.crashes >= 2 LIMIT 1`)

	putVerdict = wire.NewQuery(`UPDATE outlast_node SET suspect = $2::bigint WHERE id = $1::text`)

	// lockOrphans takes the locks of running rows of a node, but for those
	// that somebody is about to settle, and those with a lease. Inputs: node, lanes,
	// limit, now.
	lockOrphans = wire.NewQuery(`SELECT id FROM outlast_run WHERE node = $1::text AND lane = ANY($2::integer[]) AND (lease_until IS NULL OR lease_until <= $4::bigint)
 ORDER BY id LIMIT $3::bigint FOR UPDATE SKIP LOCKED`)

	// readOrphans reads what was locked.
	readOrphans = wire.NewQuery(`SELECT ` + entryColumns + `, claim, cancel, started_at, queue, spec FROM unnest($1::uuid[]) AS u (given)
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given /*t.lane of ($1::uuid[])[1]*/ LIMIT 1) t ORDER BY id`)

	// handBack makes orphans pending again. Inputs: now, ids, crashes, claims.
	handBack = wire.NewQuery(`UPDATE outlast_task t SET crashes = u.crashes, claim = u.claim, park = 0, updated_at = $1::bigint
FROM (SELECT u.*, x.tid FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS u (id, crashes, claim)
 CROSS JOIN LATERAL (SELECT t.ctid AS tid FROM outlast_task t WHERE t.id = u.id /*t.lane of ($2::uuid[])[1]*/ LIMIT 1) x) u WHERE t.ctid = u.tid /*t.lane of ($2::uuid[])[1]*/`)

	deleteRuns = wire.NewQuery(`DELETE FROM outlast_run WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)
)

// Recover implements [store.Store].
func (s *Store) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	s.tidy(ctx)
	set := make(map[uint16]bool, len(lanes))
	for _, lane := range lanes {
		set[lane] = true
	}
	wanted := laneList(set)
	var lost []ending.Lost
	var now int64
	err := s.read(ctx, func(c wire.Session) (err error) {
		if _, err := wire.One(ctx, c, selectNow, func(r wire.Row) { now = r.Int(0) }, s.offset()); err != nil {
			return err
		}
		lost, err = s.readLost(ctx, c, wanted)
		return err
	})
	if err == nil {
		err = sweepOld(ctx, s, now)
	}
	if err != nil || limit <= 0 {
		return nil, err
	}
	var recovered []store.Recovered
	for _, node := range lost {
		for _, some := range s.eachLane(wanted) {
			var rows []store.Recovered
			err := s.partitioning(ctx, func() error {
				return s.write(ctx, func(t *tx) (err error) {
					rows, err = t.recoverNode(ctx, node, some, limit-len(recovered))
					return err
				})
			})
			if err != nil {
				return recovered, err
			}
			if recovered = append(recovered, rows...); len(recovered) >= limit {
				return recovered, nil
			}
		}
		if !task.Leased(node.ID) {
			if err := sweep(ctx, s, lanes, now); err != nil {
				return recovered, err
			}
		}
	}
	return recovered, nil
}

func (s *Store) readLost(ctx context.Context, c wire.Session, lanes []int32) (nodes []ending.Lost, err error) {
	q, args := lostNodes, []any{s.offset(), lanes}
	if s.spread {
		running, err := nodesRunning(ctx, c, s.offset(), lanes)
		if err != nil || len(running) == 0 {
			return nil, err
		}
		q, args = notAlive, []any{running}
	}
	err = wire.Each(ctx, c, q, func(r wire.Row) error {
		nodes = append(nodes, ending.NewLost(r.Text(0), store.NodeState(r.Text(1))))
		return nil
	}, args...)
	return nodes, err
}

// nodesRunning lists the nodes that have running rows in the lanes, asking
// each lane.
func nodesRunning(ctx context.Context, c wire.Session, clock int64, lanes []int32) (nodes []string, err error) {
	var calls []*wire.Call
	for _, lane := range lanes {
		calls = append(calls, &wire.Call{Query: runningNodes, Args: []any{clock, lane}, Scan: func(r wire.Row) error {
			nodes = append(nodes, r.Text(0))
			return nil
		}})
	}
	if len(calls) == 0 {
		return nil, nil
	}
	err = c.Run(ctx, calls...)
	slices.Sort(nodes)
	return slices.Compact(nodes), err
}

// recoverNode hands rows of one node back, which neither come to life again
// nor join again under their id.
func (t *tx) recoverNode(ctx context.Context, node ending.Lost, lanes []int32, limit int) ([]store.Recovered, error) {
	if err := t.judge(ctx, &node); err != nil {
		return nil, err
	}
	if !task.Leased(node.ID) {
		if err := t.setApart(ctx, node.ID, lanes); err != nil {
			return nil, err
		}
	}
	for {
		o, locked, err := t.lock(ctx, &node, lanes, limit)
		if err != nil || locked == 0 {
			return nil, err
		}
		if len(o.ids) > 0 {
			return o.recovered, o.handBack(ctx, t)
		}
	}
}

// lock takes the locks of rows of a node and reads their tasks. Rows without
// one, which nothing leaves behind but a hand or a backup, are deleted: they
// would be locked again and again, and never others.
func (t *tx) lock(ctx context.Context, node *ending.Lost, lanes []int32, limit int) (o *orphans, locked int, err error) {
	var ids []task.ID
	err = wire.Each(ctx, t, lockOrphans, func(r wire.Row) error {
		ids = append(ids, r.ID(0))
		return nil
	}, node.ID, lanes, limit, t.now)
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	o = &orphans{node: node}
	if err := wire.Each(ctx, t, readOrphans, func(r wire.Row) error { return o.add(r, t.now) }, ids); err != nil {
		return nil, 0, err
	}
	if len(o.ids) < len(ids) {
		void := slices.DeleteFunc(slices.Clone(ids), func(id task.ID) bool { return slices.Contains(o.ids, id) })
		_, err = wire.Exec(ctx, t, deleteRuns, void)
	}
	return o, len(ids), err
}

// judge decides once per node for which tasks its crash counts.
func (t *tx) judge(ctx context.Context, node *ending.Lost) error {
	if node.Judged() {
		return nil
	}
	if _, err := wire.Exec(ctx, t, strangeNode, node.ID, t.now); err != nil {
		return err
	}
	if _, err := wire.One(ctx, t, lockVerdict, func(r wire.Row) { node.Suspect = r.Int(0) }, node.ID); err != nil || node.Judged() {
		return err
	}
	suspicious, err := wire.One(ctx, t, anySuspect, func(wire.Row) {}, node.ID)
	if err != nil {
		return err
	}
	node.Judge(suspicious)
	_, err = wire.Exec(ctx, t, putVerdict, node.ID, node.Suspect)
	return err
}

// orphans are rows of a lost node.
type orphans struct {
	node            *ending.Lost
	recovered       []store.Recovered
	ids             []task.ID // of all
	crashes, claims []int64
	canceled        []int // places of those that end as canceled
	started         []int64
	history         history
}

func (o *orphans) add(r wire.Row, now int64) error {
	row := ending.Row{Entry: scanEntry(r), Claim: r.Int(entryWidth), Cancel: r.Bool(entryWidth + 1), Node: o.node.ID, Queue: r.Text(entryWidth + 3)}
	started, spec := r.Int(entryWidth+2), stored.SpecOf(r[entryWidth+4])
	_, one := o.node.HandBack(&row, spec.TraceParent, now)
	o.history.add(one.ID, &stored.Attempt{Number: one.Attempt, Claim: row.Claim, Node: o.node.ID, StartedAt: started, EndedAt: now, Outcome: o.node.Outcome()})
	if one.Canceled {
		o.canceled = append(o.canceled, len(o.recovered))
	}
	o.ids, o.crashes, o.claims = append(o.ids, one.ID), append(o.crashes, int64(one.Crashes)), append(o.claims, one.Claim)
	o.started, o.recovered = append(o.started, started), append(o.recovered, one)
	return nil
}

// handBack makes the rows pending, or ends those that were to be canceled.
func (o *orphans) handBack(ctx context.Context, t *tx) error {
	if err := o.history.insert(ctx, t); err != nil {
		return err
	}
	calls := []*wire.Call{{Query: handBack, Args: []any{t.now, o.ids, o.crashes, o.claims}}, {Query: deleteRuns, Args: []any{o.ids}}}
	for _, i := range o.canceled {
		one := &o.recovered[i]
		calls = append(calls, t.cancel(one.ID, one.Claim, o.started[i], t.now, t.now, max(0, one.Attempt-1), nil, wire.Optional(one.Node), "", nil, true, nil))
	}
	return t.Run(ctx, calls...)
}
