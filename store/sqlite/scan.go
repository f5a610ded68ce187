package sqlite

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	// scanRange reads pending rows of one lane and mark in the order of
	// (rank, id) after a place: one walk along the index, past running rows.
	scanRange = &query{sql: `SELECT ` + entryColumns + ` FROM outlast_task
WHERE lane = ?1 AND park = ?2 AND (rank, id) > (?3, ?4) AND rank <= ?5 AND state = 5
  AND num NOT IN (SELECT num FROM outlast_run)
ORDER BY rank, id LIMIT ?6`}

	// scanRows is scanRange with whole rows, but for payloads that are too large to be kept.
	scanRows = &query{sql: `SELECT ` + fmt.Sprintf(candidateColumns, fmt.Sprintf(`iif(length(payload) > %d, NULL, payload)`, ahead.Largest)) + `, rank, length(payload), share_key
FROM outlast_task t WHERE lane = ?1 AND park = ?2 AND (rank, id) > (?3, ?4) AND rank <= ?5 AND state = 5
  AND num NOT IN (SELECT num FROM outlast_run)
ORDER BY rank, id LIMIT ?6`}

	// nextMark reads the first pending row of a lane with a mark above the
	// given one, so walking over all marks costs one seek each. A running
	// row has no mark.
	nextMark = &query{sql: `SELECT ` + entryColumns + ` FROM outlast_task
WHERE lane = ?1 AND park > ?2 AND state = 5 ORDER BY park, rank, id LIMIT 1`}

	// setMark sets the mark of a row that is pending.
	setMark = &query{sql: `UPDATE outlast_task SET park = ?2 WHERE id = ?1 AND park <> ?2 AND state = 5 AND num NOT IN (SELECT num FROM outlast_run)`}
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	found, keep, err := scan(ctx, s, ranges)
	keep()
	return found, err
}

// scan reads ranges; keep keeps their rows for claims, and is to be called.
func scan(ctx context.Context, s *Store, ranges []store.Range) (found [][]store.Entry, keep func(), err error) {
	var rows []ahead.Row
	changes := s.writer.changes.Load()
	q, entry := scanRange, scanEntryNamed
	began, room := s.ahead.Begin()
	if room && !s.crowded() {
		q, entry = scanRows, func(r row, name func(r row, i int) string) store.Entry {
			if r.Int(19) <= ahead.Largest {
				rows = append(rows, ahead.Row{ID: r.ID(1), Packed: ahead.Pack(make([]byte, 0, 256), r[:18])})
			}
			return scanRowEntry(r, name)
		}
	}
	keep = func() { s.ahead.End(began, rows, ahead.All(changes)) }
	err = s.read(ctx, func(c *conn) error {
		found, rows = make([][]store.Entry, len(ranges)), nil
		for i, r := range ranges {
			err := c.each(q, func(row row) error {
				found[i] = append(found[i], entry(row, c.name))
				return nil
			}, r.Lane, r.Park, r.After, r.AfterID, r.Until, r.Limit)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		rows = nil
		return nil, keep, err
	}
	return found, keep, nil
}

// scanRowEntry reads an entry from a row of scanRows.
func scanRowEntry(r row, name func(r row, i int) string) store.Entry {
	return store.Entry{
		ID: r.ID(1), RunAt: r.Int(6), Rank: r.Int(18), Seq: r.Int(8), Park: r.Int(17), Key: r.Text(7),
		Type: name(r, 3), Target: name(r, 9), Attempt: int(r.Int(12)), Crashes: int(r.Int(13)), Size: int(r.Int(19)), Share: r.Text(20),
	}
}

// Mark implements [store.Store].
func (s *Store) Mark(ctx context.Context, marks []store.Marking) error {
	return s.write(ctx, "mark", func(tx *tx) error {
		for _, m := range marks {
			if _, err := tx.exec(setMark, m.ID, m.Mark); err != nil {
				return err
			}
		}
		return nil
	})
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	var found []store.Entry
	err := s.read(ctx, func(c *conn) error {
		found = nil
		for _, lane := range lanes {
			// Marks are hashes of any sign; 0 is "none".
			end := len(found) + most
			for mark := int64(-1 << 63); most == 0 || len(found) < end; {
				var entry store.Entry
				ok, err := one(c, nextMark, func(r row) { entry = scanEntry(r) }, lane, mark)
				if err != nil {
					return err
				}
				if !ok {
					break
				}
				if mark = entry.Park; mark != 0 {
					found = append(found, entry)
				}
			}
		}
		return nil
	})
	return found, err
}

var (
	runningOf    = coldQuery(`SELECT ` + taskColumns + ` FROM outlast_live WHERE num IN (SELECT num FROM outlast_run WHERE node = $1::text) ORDER BY id`)
	runningOfIDs = newIDQuery(`SELECT ` + taskColumns + ` FROM outlast_live WHERE node = ? AND id IN (@ids)`)
)

// Running implements [store.Store].
func (s *Store) Running(ctx context.Context, node string, ids []task.ID) (found []*task.Task, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		found = nil
		if ids == nil {
			found, err = sqlstore.Tasks(cold(c), runningOf, node)
			return err
		}
		return runningOfIDs.each(c, ids, func(r row) error {
			found = append(found, sqlstore.ScanTask(r))
			return nil
		}, node)
	})
	return found, err
}
