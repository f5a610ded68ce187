package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

var (
	// selectHolds reads holds behind a place.
	selectHolds = &query{sql: `SELECT lane, key, id, mode, since FROM outlast_key_hold WHERE (lane, key) > (?, ?) ORDER BY lane, key LIMIT ?`}

	// countBehind counts the live rows of a key, of which none runs while it is held.
	countBehind = &query{sql: `SELECT count(*) FROM (SELECT 1 FROM outlast_task WHERE lane = ? AND key = ? AND key IS NOT NULL AND state = 5 LIMIT ?)`}
)

// Holds implements [store.Waits].
func (s *Store) Holds(ctx context.Context, filter store.HoldFilter) (found []store.Hold, err error) {
	err = s.read(ctx, func(c *conn) error {
		found = nil
		var all []store.Hold
		err := c.each(selectHolds, func(r row) error {
			hold := store.Hold{Lane: uint16(r.Int(0)), Key: r.Text(1), Holder: r.ID(2), Mode: r.Text(3), Since: r.Time(4)}
			if filter.Takes(&hold) {
				all = append(all, hold)
			}
			return nil
		}, filter.AfterLane, filter.AfterKey, store.MostHolds)
		if err != nil {
			return err
		}
		found, err = store.Behind(all, filter, func(hold *store.Hold, most int) (n int, err error) {
			_, err = one(c, countBehind, func(r row) { n = int(r.Int(0)) }, hold.Lane, hold.Key, most)
			return n, err
		})
		return err
	})
	return found, err
}
