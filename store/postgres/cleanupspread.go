package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Where Citus has distributed the tables nothing is partitioned: what has ended
// is deleted lane by lane, a batch in each transaction.
var (
	allLaneNumbers = newQuery(`SELECT lane FROM outlast_lane ORDER BY lane`)

	// deleteEnded deletes tasks of a lane that ended before a time, with their
	// histories. Inputs: lane, time, limit.
	deleteEnded = newQuery(`WITH d AS (DELETE FROM outlast_done WHERE lane = $1::integer AND id IN (SELECT id FROM outlast_done WHERE lane = $1::integer AND finished_at < $2::bigint ORDER BY finished_at LIMIT $3::bigint) RETURNING id),
a AS (DELETE FROM outlast_attempt WHERE lane = $1::integer AND id IN (SELECT id FROM d))
SELECT count(*) FROM d`)

	// expiredKeys reads entries of dedupe keys of a lane whose window has
	// passed, after a key; their tasks may be of other lanes. Inputs: lane,
	// now, queue and key to begin after, limit.
	expiredKeys = newQuery(`SELECT queue, key, id FROM outlast_dedupe WHERE lane = $1::integer AND expires <= $2::bigint AND (queue, key) > ($3::text, $4::text) ORDER BY queue, key LIMIT $5::bigint`)

	liveOf = newQuery(`SELECT id FROM outlast_task WHERE id = ANY($1::uuid[]) /*lane of ($1::uuid[])[1]*/`)

	// deleteKeys deletes entries unless they were taken anew meanwhile.
	// Inputs: lane, now, queues, keys, ids.
	deleteKeys = newQuery(`DELETE FROM outlast_dedupe d USING unnest($3::text[], $4::text[], $5::uuid[]) AS u (queue, key, id)
WHERE d.lane = $1::integer AND d.queue = u.queue AND d.key = u.key AND d.id = u.id AND d.expires <= $2::bigint`)

	// endedNodes lists nodes that ended long ago and own no lane. Inputs: clock,
	// memory, limit.
	endedNodes = newQuery(`SELECT id FROM outlast_node n WHERE state <> 'alive' AND ended_at <= ` + nowMicro + ` - $2::bigint
 AND NOT EXISTS (SELECT 1 FROM outlast_lane l WHERE l.owner = n.id) LIMIT $3::bigint`)

	dropNodes = newQuery(`DELETE FROM outlast_node WHERE id = ANY($1::text[]) AND state <> 'alive'`)
	dropNoted = newQuery(`DELETE FROM outlast_cancel WHERE node = ANY($1::text[])`)
)

// batch is how many rows one transaction deletes at most.
const batch = 1000

// deleteLanes deletes ended tasks and dedupe entries lane by lane.
func (s *Store) deleteLanes(ctx context.Context, ended time.Time, limit int) (deleted int, err error) {
	var lanes []uint16
	err = s.read(ctx, func(c session) error {
		lanes = nil
		return each(ctx, c, allLaneNumbers, func(r row) error {
			lanes = append(lanes, uint16(r.Int(0)))
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	for _, lane := range lanes {
		for _, step := range [...]func(context.Context, uint16, time.Time, int) (int, error){s.deleteEnded, s.deleteKeys} {
			n, err := step(ctx, lane, ended, limit-deleted)
			if deleted += n; err != nil || deleted >= limit {
				return deleted, err
			}
		}
	}
	return deleted, nil
}

func (s *Store) deleteEnded(ctx context.Context, lane uint16, ended time.Time, limit int) (deleted int, err error) {
	for deleted < limit {
		n, most := 0, min(batch, limit-deleted)
		_, err := s.pipeline(ctx, &call{query: deleteEnded, args: []any{lane, ended.UnixMicro(), most}, scan: func(r row) error {
			n = int(r.Int(0))
			return nil
		}})
		if deleted += n; err != nil || n < most {
			return deleted, err
		}
	}
	return deleted, nil
}

// dedupeKeys are entries of dedupe keys.
type dedupeKeys struct {
	queues, keys []string
	ids          []task.ID
}

// deleteKeys deletes dedupe entries of a lane whose window has passed, unless
// their task lives.
func (s *Store) deleteKeys(ctx context.Context, lane uint16, _ time.Time, limit int) (deleted int, err error) {
	queue, key := "", ""
	for deleted < limit {
		var found *dedupeKeys
		n := int64(0)
		err := s.write(ctx, func(t *tx) (err error) {
			n, found = 0, &dedupeKeys{}
			if err := each(ctx, t, expiredKeys, found.add, lane, t.now, queue, key, batch); err != nil || len(found.ids) == 0 {
				return err
			}
			over, err := found.ended(ctx, t)
			if err != nil || len(over.ids) == 0 {
				return err
			}
			most := min(len(over.ids), limit-deleted)
			n, err = exec(ctx, t, deleteKeys, lane, t.now, over.queues[:most], over.keys[:most], over.ids[:most])
			return err
		})
		if deleted += int(n); err != nil || len(found.ids) < batch {
			return deleted, err
		}
		queue, key = found.queues[batch-1], found.keys[batch-1]
	}
	return deleted, nil
}

func (d *dedupeKeys) add(r row) error {
	d.queues, d.keys, d.ids = append(d.queues, r.Text(0)), append(d.keys, r.Text(1)), append(d.ids, r.ID(2))
	return nil
}

// ended are the entries whose task is not live.
func (d *dedupeKeys) ended(ctx context.Context, t *tx) (*dedupeKeys, error) {
	live := map[task.ID]bool{}
	var calls []*call
	for _, part := range t.store.byLane(d.ids) {
		calls = append(calls, &call{query: liveOf, args: []any{part}, scan: func(r row) error {
			live[r.ID(0)] = true
			return nil
		}})
	}
	if err := t.run(ctx, calls...); err != nil {
		return nil, err
	}
	over := &dedupeKeys{}
	for i, id := range d.ids {
		if !live[id] {
			over.queues, over.keys, over.ids = append(over.queues, d.queues[i]), append(over.keys, d.keys[i]), append(over.ids, id)
		}
	}
	return over, nil
}

// deleteSpreadNodes deletes nodes that ended long ago and hold nothing.
func (s *Store) deleteSpreadNodes(ctx context.Context, _ time.Time, limit int) (deleted int, err error) {
	err = s.write(ctx, func(t *tx) error {
		deleted = 0
		var ended []string
		err := each(ctx, t, endedNodes, func(r row) error {
			ended = append(ended, r.Text(0))
			return nil
		}, s.offset(), nodeMemory.Microseconds(), limit)
		if err != nil || len(ended) == 0 {
			return err
		}
		err = each(ctx, t, holdsRows, func(r row) error {
			ended = slices.DeleteFunc(ended, func(node string) bool { return node == r.Text(0) })
			return nil
		}, ended)
		if err != nil {
			return err
		}
		n, err := exec(ctx, t, dropNodes, ended)
		if deleted = int(n); err == nil {
			_, err = exec(ctx, t, dropNoted, ended)
		}
		return err
	})
	return deleted, err
}
