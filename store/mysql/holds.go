package mysql

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
)

const (
	// selectHolds reads holds behind a place, and whether anybody waits behind them.
	selectHolds = `SELECT h.lane, h.line, h.id, h.hold_mode, h.since,
 EXISTS (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_line) WHERE t.lane = h.lane AND t.line = h.line)
FROM outlast_key_hold h WHERE h.lane > ? OR h.lane = ? AND h.line > ? ORDER BY h.lane, h.line LIMIT ?`

	// countBehind counts the live rows of a key, of which none runs while it is held.
	countBehind = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task FORCE INDEX (outlast_task_line) WHERE lane = ? AND line = ? LIMIT ?) waiting`
)

// Holds implements [store.Waits].
func (s *Store) Holds(ctx context.Context, filter store.HoldFilter) (found []store.Hold, err error) {
	err = s.snapshot(ctx, func(c *session) error {
		found = nil
		var all []store.Hold
		err := c.each(selectHolds, func(rows *sql.Rows) error {
			var hold store.Hold
			var lane, since, waited number
			var key, mode text
			if err := rows.Scan(&lane, &key, (*identity)(&hold.Holder), &mode, &since, &waited); err != nil {
				return err
			}
			hold.Lane, hold.Key, hold.Mode, hold.Since, hold.Waiting = uint16(lane), string(key), string(mode), since.time(), int(waited)
			if filter.Takes(&hold) {
				all = append(all, hold)
			}
			return nil
		}, filter.AfterLane, filter.AfterLane, filter.AfterKey, store.MostHolds)
		if err != nil {
			return err
		}
		found, err = store.Behind(all, filter, func(hold *store.Hold, most int) (n int, err error) {
			if most <= 1 || hold.Waiting == 0 {
				return hold.Waiting, nil
			}
			_, err = c.first(countBehind, []any{&n}, hold.Lane, hold.Key, most)
			return n, err
		})
		return err
	})
	return found, err
}
