package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

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
			hold := store.Hold{Lane: uint16(r.int(0)), Key: r.text(1), Holder: r.id(2), Mode: r.text(3), Since: r.time(4)}
			if len(r) > 5 {
				hold.Waiting = int(r.int(5))
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
			_, err = one(ctx, c, countBehind, func(r row) { n = int(r.int(0)) }, hold.Lane, hold.Key, most)
			return n, err
		})
		return err
	})
	return found, err
}
