package mysql

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// knownIDs lists those of the ids that are there: a task is in
	// outlast_task whatever its state.
	knownIDs = `SELECT t.id FROM outlast_task t WHERE t.id IN (@ids)`

	// readDedupe reads the entries of some keys, as lockDedupe does, without a
	// lock. Inputs before the keys: what to add to the clock, in µs.
	readDedupe = `SELECT d.lane, d.queue, d.dedupe_key, d.expires > ` + clock + ` + ? OR COALESCE((SELECT t.state = 0 FROM outlast_task t WHERE t.id = d.id), 0)
FROM (@keys) w STRAIGHT_JOIN outlast_dedupe d FORCE INDEX (PRIMARY) ON d.lane = w.lane AND d.queue = w.queue AND d.dedupe_key = w.dedupe_key`
)

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) ([]bool, error) {
	var found map[task.ID]bool
	var alive map[entryKey]bool
	err := s.snapshot(ctx, func(c *session) (err error) {
		if found, err = c.knownIDs(items); err == nil {
			alive, err = c.aliveKeys(items, s.offset().Microseconds())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	known := make([]bool, len(items))
	for i := range items {
		known[i] = found[items[i].Task.ID] || items[i].Dedupe != nil && alive[entryKeyOf(&items[i])]
	}
	return known, nil
}

func (s *session) knownIDs(items []store.Insert) (map[task.ID]bool, error) {
	wanted, found := make([]task.ID, len(items)), map[task.ID]bool{}
	for i := range items {
		wanted[i] = items[i].Task.ID
	}
	err := ids(wanted, knownIDs, func(query string) error {
		return s.each(query, func(rows *sql.Rows) error {
			var id task.ID
			err := rows.Scan((*identity)(&id))
			found[id] = true
			return err
		})
	})
	return found, err
}

func (s *session) aliveKeys(items []store.Insert, offset int64) (map[entryKey]bool, error) {
	var keys []entryKey
	for i := range items {
		if items[i].Dedupe != nil {
			keys = append(keys, entryKeyOf(&items[i]))
		}
	}
	alive := map[entryKey]bool{}
	for portion := range slices.Chunk(keys, keysAtOnce) {
		if err := s.readEntries(portion, offset, alive); err != nil {
			return nil, err
		}
	}
	return alive, nil
}

func (s *session) readEntries(keys []entryKey, offset int64, alive map[entryKey]bool) error {
	args := []any{offset}
	for _, key := range keys {
		args = append(args, key.lane, key.queue, key.key)
	}
	return s.each(strings.Replace(readDedupe, "@keys", keyList(len(keys)), 1), func(rows *sql.Rows) error {
		var key entryKey
		var lives bool
		err := rows.Scan(&key.lane, &key.queue, &key.key, &lives)
		alive[key] = lives
		return err
	}, args...)
}
