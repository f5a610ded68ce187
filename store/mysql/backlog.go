package mysql

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
)

const (
	// selectParked lists keys of lanes that are held in mode park.
	selectParked = `SELECT lane, line FROM outlast_key_hold WHERE lane IN (@lanes) AND hold_mode = 'park' ORDER BY lane, line LIMIT ?`

	// countWithin counts pending rows by ranges of marks, along the index by rank.
	countWithin = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_rank) LEFT JOIN outlast_run r ON r.id = t.id
WHERE (@ranges) AND r.id IS NULL LIMIT ?) pending`

	// countUnheld leaves out rows behind keys held in mode park.
	countUnheld = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_rank) LEFT JOIN outlast_run r ON r.id = t.id
 LEFT JOIN outlast_key_hold h ON h.lane = t.lane AND h.line = t.line AND h.hold_mode = 'park'
WHERE (@ranges) AND r.id IS NULL AND h.id IS NULL LIMIT ?) pending`

	inRange = `t.lane = ? AND t.state = 0 AND t.park BETWEEN ? AND ?`

	// countKeys counts the live rows of keys, of which none runs while they are held.
	countKeys = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_line) WHERE (@keys) LIMIT ?) waiting`
	ofKey     = `t.lane = ? AND t.line = ?`

	// together is how many ranges or keys one statement has.
	together = 100
)

// Backlog implements [store.Waits].
func (s *Store) Backlog(ctx context.Context, lanes []uint16, most int) (found store.Backlog, err error) {
	err = s.snapshot(ctx, func(c *session) (err error) {
		found, err = backlog.Count(counter{c}, lanes, most)
		return err
	})
	return found, err
}

// counter counts in a session.
type counter struct{ *session }

// Held implements [backlog.Source].
func (c counter) Held(lanes []uint16) (held []backlog.Key, err error) {
	args := make([]any, 0, len(lanes)+1)
	for _, lane := range lanes {
		args = append(args, lane)
	}
	err = c.each(list(selectParked, "@lanes", len(lanes)), func(rows *sql.Rows) error {
		var lane number
		var key text
		err := rows.Scan(&lane, &key)
		held = append(held, backlog.Key{Lane: uint16(lane), Key: string(key)})
		return err
	}, append(args, store.MostHolds)...)
	return held, err
}

// Within implements [backlog.Source].
func (c counter) Within(ranges []backlog.Range, held bool, most int) (n int, err error) {
	query := countWithin
	if held {
		query = countUnheld
	}
	return count(c, query, "@ranges", inRange, ranges, most, func(r backlog.Range) []any { return []any{r.Lane, r.Low, r.High} })
}

// Behind implements [backlog.Source].
func (c counter) Behind(keys []backlog.Key, most int) (n int, err error) {
	return count(c, countKeys, "@keys", ofKey, keys, most, func(key backlog.Key) []any { return []any{key.Lane, key.Key} })
}

// count counts by conditions of which one must hold, as many as go together at a time.
func count[T any](c counter, query, name, condition string, all []T, most int, args func(T) []any) (total int, err error) {
	for part := range slices.Chunk(all, together) {
		var values []any
		for _, one := range part {
			values = append(values, args(one)...)
		}
		conditions := condition + strings.Repeat(` OR `+condition, len(part)-1)
		n := 0
		if _, err := c.first(strings.Replace(query, name, conditions, 1), []any{&n}, append(values, most-total)...); err != nil {
			return 0, err
		}
		if total += n; total >= most {
			break
		}
	}
	return total, nil
}
