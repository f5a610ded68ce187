package sqlite

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
)

var (
	// selectParked lists keys that are held in mode park. Inputs: lanes as JSON, limit.
	selectParked = &query{sql: `SELECT lane, key FROM outlast_key_hold
WHERE lane IN (SELECT value FROM json_each(?)) AND mode = 'park' ORDER BY lane, key LIMIT ?`}

	// countWithin counts pending rows by ranges of marks, along the index by rank.
	// Inputs: [lane, low, high] for each range as JSON, limit.
	countWithin = &query{sql: `SELECT count(*) FROM (SELECT 1 FROM ` + rowsWithin + ` LIMIT ?)`}

	// countUnheld leaves out rows behind keys held in mode park.
	countUnheld = &query{sql: `SELECT count(*) FROM (SELECT 1 FROM ` + rowsWithin + ` AND (t.key IS NULL OR NOT EXISTS
 (SELECT 1 FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key AND h.mode = 'park')) LIMIT ?)`}

	// countKeys counts the live rows of keys, of which none runs while they are held.
	// Inputs: [lane, key] for each as JSON, limit.
	countKeys = &query{sql: `SELECT count(*) FROM (SELECT 1 FROM json_each(?) u CROSS JOIN outlast_task t INDEXED BY outlast_task_key
WHERE t.lane = u.value ->> 0 AND t.key = u.value ->> 1 AND t.key IS NOT NULL AND t.state = 5 LIMIT ?)`}
)

const rowsWithin = `json_each(?) u CROSS JOIN outlast_task t INDEXED BY outlast_task_rank
WHERE t.lane = u.value ->> 0 AND t.park BETWEEN u.value ->> 1 AND u.value ->> 2 AND t.state = 5 AND t.num NOT IN (SELECT num FROM outlast_run)`

// Backlog implements [store.Waits].
func (s *Store) Backlog(ctx context.Context, lanes []uint16, most int) (found store.Backlog, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		found, err = backlog.Count(counter{c}, lanes, most)
		return err
	})
	return found, err
}

// counter counts in a session.
type counter struct{ session }

// Held implements [backlog.Source].
func (c counter) Held(lanes []uint16) (held []backlog.Key, err error) {
	err = c.each(selectParked, func(r row) error {
		held = append(held, backlog.Key{Lane: uint16(r.Int(0)), Key: r.Text(1)})
		return nil
	}, list(lanes), store.MostHolds)
	return held, err
}

// Within implements [backlog.Source].
func (c counter) Within(ranges []backlog.Range, held bool, most int) (n int, err error) {
	q := countWithin
	if held {
		q = countUnheld
	}
	rows := make([][3]int64, len(ranges))
	for i, r := range ranges {
		rows[i] = [3]int64{int64(r.Lane), r.Low, r.High}
	}
	_, err = one(c, q, func(r row) { n = int(r.Int(0)) }, list(rows), most)
	return n, err
}

// Behind implements [backlog.Source].
func (c counter) Behind(keys []backlog.Key, most int) (n int, err error) {
	rows := make([][2]any, len(keys))
	for i, key := range keys {
		rows[i] = [2]any{key.Lane, key.Key}
	}
	_, err = one(c, countKeys, func(r row) { n = int(r.Int(0)) }, list(rows), most)
	return n, err
}

// list is a JSON list of numbers and texts.
func list(of any) string {
	text, _ := json.Marshal(of) // plain values
	return string(text)
}
