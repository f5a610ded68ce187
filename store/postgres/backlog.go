package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
)

var (
	// selectParked lists keys that are held in mode park. Inputs: lanes, limit.
	selectParked = newQuery(`SELECT h.lane, h.key FROM outlast_key_hold h WHERE h.lane = ANY($1::integer[]) AND h.mode = 'park' /*h.lane is ($1::integer[])[1]*/
ORDER BY h.lane, h.key LIMIT $2::bigint`)

	// countWithin counts pending rows by ranges of marks, along the index by rank and
	// from nothing else: all live rows, less those that run. Inputs: lanes, lowest and highest marks, limit,
	// whether the marks are others than none.
	countWithin = newQuery(`WITH running AS MATERIALIZED (SELECT count(*) AS n FROM outlast_running r CROSS JOIN LATERAL
 (SELECT t.park FROM outlast_task t WHERE t.id = r.id AND t.lane = r.lane /*t.lane is ($1::integer[])[1]*/ LIMIT 1) t
 WHERE r.lane = ANY($1::integer[]) AND (t.park <> 0) = $5::boolean /*r.lane is ($1::integer[])[1]*/)
SELECT greatest(0, (SELECT count(*) FROM (SELECT 1 FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS u (lane, low, high) CROSS JOIN LATERAL
 (SELECT 1 FROM outlast_task t WHERE t.lane = u.lane AND t.park BETWEEN u.low AND u.high /*t.lane is ($1::integer[])[1]*/
  ORDER BY t.park, t.rank LIMIT $4::bigint + (SELECT n FROM running)) t LIMIT $4::bigint + (SELECT n FROM running)) x) - (SELECT n FROM running))`)

	// countUnheld leaves out rows behind keys held in mode park.
	countUnheld = newQuery(unheldRows + ` AND (SELECT true FROM outlast_claim c WHERE c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids) /*c.lane is ($1::integer[])[1]*/ LIMIT 1) IS NULL
 ORDER BY t.park, t.rank LIMIT $4::bigint) t LIMIT $4::bigint) x`)

	// countKeys counts the live rows of keys, of which none runs while they are held.
	// Inputs: lanes, keys, limit.
	countKeys = newQuery(`SELECT count(*) FROM (SELECT 1 FROM unnest($1::integer[], $2::text[]) AS u (lane, key) CROSS JOIN LATERAL (SELECT 1 FROM outlast_task t
 WHERE t.lane = u.lane AND t.key = u.key AND t.key IS NOT NULL /*t.lane is ($1::integer[])[1]*/ LIMIT $3::bigint) t LIMIT $3::bigint) x`)
)

const unheldRows = `SELECT count(*) FROM (SELECT 1 FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS u (lane, low, high) CROSS JOIN LATERAL
 (SELECT 1 FROM outlast_task t WHERE t.lane = u.lane AND t.park BETWEEN u.low AND u.high /*t.lane is ($1::integer[])[1]*/
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is ($1::integer[])[1]*/) IS NULL AND (t.key IS NULL
  OR (SELECT true FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key AND h.mode = 'park' /*h.lane is ($1::integer[])[1]*/) IS NULL)`

// Backlog implements [store.Waits].
func (s *Store) Backlog(ctx context.Context, lanes []uint16, most int) (found store.Backlog, err error) {
	err = s.lookUp(ctx, func(c session, _ int64) (err error) {
		found, err = backlog.Count(&counter{ctx, c, s.spread}, lanes, most)
		return err
	})
	return found, err
}

// counter counts in a session; where tables are distributed, lane by lane.
type counter struct {
	ctx    context.Context
	on     session
	spread bool
}

// Held implements [backlog.Source].
func (c *counter) Held(lanes []uint16) (held []backlog.Key, err error) {
	for _, part := range parts(c.spread, lanes, func(lane uint16) uint16 { return lane }) {
		numbers := laneNumbers(part)
		err := each(c.ctx, c.on, selectParked, func(r row) error {
			held = append(held, backlog.Key{Lane: uint16(r.Int(0)), Key: r.Text(1)})
			return nil
		}, numbers, store.MostHolds-len(held))
		if err != nil {
			return nil, err
		}
	}
	return held, nil
}

// Within implements [backlog.Source].
func (c *counter) Within(ranges []backlog.Range, held bool, most int) (n int, err error) {
	q := countWithin
	if held {
		q = countUnheld
	}
	var calls []*call
	for _, part := range parts(c.spread, ranges, func(r backlog.Range) uint16 { return r.Lane }) {
		lanes, low, high := make([]int32, len(part)), make([]int64, len(part)), make([]int64, len(part))
		for i, r := range part {
			lanes[i], low[i], high[i] = int32(r.Lane), r.Low, r.High
		}
		args := []any{lanes, low, high, most}
		if !held {
			args = append(args, part[0].Low != 0)
		}
		calls = append(calls, c.count(&n, q, args...))
	}
	err = c.on.run(c.ctx, calls...)
	return min(n, most), err
}

// Behind implements [backlog.Source].
func (c *counter) Behind(keys []backlog.Key, most int) (n int, err error) {
	var calls []*call
	for _, part := range parts(c.spread, keys, func(key backlog.Key) uint16 { return key.Lane }) {
		lanes, names := make([]int32, len(part)), make([]string, len(part))
		for i, key := range part {
			lanes[i], names[i] = int32(key.Lane), key.Key
		}
		calls = append(calls, c.count(&n, countKeys, lanes, names, most))
	}
	err = c.on.run(c.ctx, calls...)
	return min(n, most), err
}

// count adds what a statement counts.
func (c *counter) count(n *int, q *query, args ...any) *call {
	return &call{query: q, args: args, scan: func(r row) error {
		*n += int(r.Int(0))
		return nil
	}}
}

// parts are all items, or those of each lane, which follow one another.
func parts[T any](spread bool, all []T, lane func(T) uint16) (parts [][]T) {
	begin := 0
	for i := range all {
		if i+1 == len(all) || spread && lane(all[i]) != lane(all[i+1]) {
			parts, begin = append(parts, all[begin:i+1]), i+1
		}
	}
	return parts
}

var (
	// selectHolds reads holds behind a place, and counts the live rows of each key, of
	// which none runs while it is held. Inputs: lane, key, holds, where counting ends.
	selectHolds = newQuery(`SELECT h.lane, h.key, h.id, h.mode, h.since, c.n FROM (SELECT * FROM outlast_key_hold
 WHERE (lane, key) > ($1::integer, $2::text) ORDER BY lane, key LIMIT $3::bigint) h
CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT 1 FROM outlast_task t WHERE t.lane = h.lane AND t.key = h.key AND t.key IS NOT NULL LIMIT $4::bigint) x) c
ORDER BY h.lane, h.key`)

	// spreadHolds and countBehind are selectHolds where tables are distributed.
	spreadHolds = newQuery(`SELECT lane, key, id, mode, since FROM outlast_key_hold
WHERE (lane, key) > ($1::integer, $2::text) ORDER BY lane, key LIMIT $3::bigint`)
	countBehind = newQuery(`SELECT count(*) FROM (SELECT 1 FROM outlast_task t WHERE t.lane = $1::integer AND t.key = $2::text AND t.key IS NOT NULL LIMIT $3::bigint) x`)
)

// Holds implements [store.Waits]. Who waits behind more than one is counted by a statement
// for each hold that is returned.
func (s *Store) Holds(ctx context.Context, filter store.HoldFilter) (found []store.Hold, err error) {
	err = s.snapshot(ctx, func(c session) error {
		found = nil
		var all []store.Hold
		scan := func(r row) error {
			hold := store.Hold{Lane: uint16(r.Int(0)), Key: r.Text(1), Holder: r.ID(2), Mode: r.Text(3), Since: r.Time(4)}
			if len(r) > 5 {
				hold.Waiting = int(r.Int(5))
			}
			if filter.Takes(&hold) {
				all = append(all, hold)
			}
			return nil
		}
		read := &call{query: selectHolds, args: []any{filter.AfterLane, filter.AfterKey, store.MostHolds, min(filter.Count, 1)}, scan: scan}
		if filter.Waited {
			read.args[3] = 1
		}
		if s.spread {
			read.query, read.args = spreadHolds, read.args[:3]
		}
		if err := c.run(ctx, read); err != nil {
			return err
		}
		found, err = store.Behind(all, filter, func(hold *store.Hold, most int) (n int, err error) {
			if !s.spread && (most <= 1 || hold.Waiting == 0) {
				return hold.Waiting, nil
			}
			_, err = one(ctx, c, countBehind, func(r row) { n = int(r.Int(0)) }, hold.Lane, hold.Key, most)
			return n, err
		})
		return err
	})
	return found, err
}
