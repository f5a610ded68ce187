package mysql

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// scanRange reads pending rows of one lane and mark in the order of (rank,
	// id) after a place: one walk along the index, past running rows. Inputs:
	// number of the range, lane, mark, after rank twice, after id, until,
	// limit.
	scanRange = `(SELECT ? AS place, ` + entryColumns + ` FROM outlast_task t FORCE INDEX (outlast_task_rank)
 LEFT JOIN outlast_run r ON r.id = t.id
 WHERE t.lane = ? AND t.state = 0 AND t.park = ? AND t.run_rank >= ? AND (t.run_rank > ? OR t.id > ?) AND t.run_rank <= ? AND r.id IS NULL
 ORDER BY t.run_rank, t.id LIMIT ?)`

	// rangesAtOnce is how many ranges one statement reads.
	rangesAtOnce = 32

	// nextMark reads the first pending row of a lane with a mark between the
	// given ones, so that walking over all marks costs one seek each, and rows
	// without one are not looked at. A running row has no mark.
	nextMark = `SELECT ` + entryColumns + ` FROM outlast_task t FORCE INDEX (outlast_task_rank)
 WHERE t.lane = ? AND t.state = 0 AND t.park > ? AND t.park <= ? ORDER BY t.park, t.run_rank, t.id LIMIT 1`

	// lockPending locks rows that wait. A claim locks the same rows before it
	// makes them run, so none of them does meanwhile.
	lockPending = `SELECT t.id FROM outlast_task t FORCE INDEX (PRIMARY) LEFT JOIN outlast_run r ON r.id = t.id
 WHERE t.id IN (@ids) AND t.state = 0 AND r.id IS NULL FOR UPDATE`

	// setMark sets the mark of rows that are locked.
	setMark = `UPDATE outlast_task FORCE INDEX (PRIMARY) SET park = ? WHERE id IN (@ids)`
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	found := make([][]store.Entry, len(ranges))
	err := s.read(ctx, func(c *session) error {
		clear(found)
		for first := 0; first < len(ranges); first += rangesAtOnce {
			if err := c.scanRanges(ranges[first:min(first+rangesAtOnce, len(ranges))], found[first:]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (s *session) scanRanges(ranges []store.Range, found [][]store.Entry) error {
	var args []any
	for i, r := range ranges {
		args = append(args, i, r.Lane, r.Park, r.After, r.After, r.AfterID, r.Until, max(0, r.Limit))
	}
	query := strings.TrimSuffix(strings.Repeat(scanRange+" UNION ALL ", len(ranges)), " UNION ALL ")
	read := newEntryRow()
	err := s.each(query, func(rows *sql.Rows) error {
		err := rows.Scan(read.places...)
		if err == nil {
			found[read.place] = append(found[read.place], read.Entry)
		}
		return err
	}, args...)
	for i := range ranges { // the parts of a union have an order each, their union has none
		slices.SortFunc(found[i], func(a, b store.Entry) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), a.ID.Compare(b.ID)) })
	}
	return err
}

// Mark implements [store.Store].
func (s *Store) Mark(ctx context.Context, marks []store.Marking) error {
	byMark := map[int64][]task.ID{}
	all := make([]task.ID, len(marks))
	for i, m := range marks {
		all[i] = m.ID
	}
	sortIDs(all)
	return s.write(ctx, "mark", func(tx *tx) error {
		clear(byMark)
		waiting := map[task.ID]bool{}
		err := ids(all, lockPending, func(query string) error {
			return tx.each(query, func(rows *sql.Rows) error {
				var id identity
				err := rows.Scan(&id)
				waiting[task.ID(id)] = true
				return err
			})
		})
		if err != nil {
			return err
		}
		for _, m := range marks {
			if waiting[m.ID] {
				byMark[m.Mark] = append(byMark[m.Mark], m.ID)
			}
		}
		for mark, ids := range byMark {
			if _, err := tx.execIDs(ids, setMark, mark); err != nil {
				return err
			}
		}
		return nil
	})
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	var found []store.Entry
	err := s.read(ctx, func(c *session) error {
		found = nil
		for _, lane := range lanes {
			if err := c.marks(lane, most, &found); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// marks walks over the marks of a lane: hashes of any sign; 0 is "none".
func (s *session) marks(lane uint16, most int, found *[]store.Entry) error {
	end := len(*found) + most
	for _, between := range [...][2]int64{{math.MinInt64, -1}, {0, math.MaxInt64}} {
		for mark, more := between[0], true; more && (most == 0 || len(*found) < end); {
			more = false
			err := s.each(nextMark, func(rows *sql.Rows) error {
				entry, err := scanEntry(rows)
				mark, more = entry.Park, true
				*found = append(*found, entry)
				return err
			}, lane, mark, between[1])
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	runningOf    = `SELECT ` + taskColumns + ` FROM outlast_run r STRAIGHT_JOIN outlast_task t ON t.id = r.id` + doneJoin + deadJoin + ` WHERE r.node = ? ORDER BY t.id`
	runningOfIDs = `SELECT ` + taskColumns + ` FROM outlast_run r STRAIGHT_JOIN outlast_task t ON t.id = r.id` + doneJoin + deadJoin + ` WHERE r.node = ? AND r.id IN (@ids)`
)

// Running implements [store.Store].
func (s *Store) Running(ctx context.Context, node string, wanted []task.ID) (found []*task.Task, err error) {
	err = s.read(ctx, func(c *session) (err error) {
		if wanted == nil {
			found, err = c.tasks(runningOf, node)
			return err
		}
		found = nil
		return ids(wanted, runningOfIDs, func(query string) error {
			some, err := c.tasks(query, node)
			found = append(found, some...)
			return err
		})
	})
	return found, err
}
