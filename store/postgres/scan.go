package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var (
	// scanRanges reads pending rows of lanes and marks in the order of (rank,
	// id) after a place: for each range one walk along the index, past running
	// rows. Inputs: clock, lanes, marks, after, ids after, until, limits.
	scanRanges = newQuery(`SELECT u.ord, t.id, t.run_at, t.rank, t.seq, t.park, t.key, t.type, t.target, t.attempt, t.crashes, t.size, ` + keptColumns + `
FROM unnest($2::integer[], $3::bigint[], $4::bigint[], $5::uuid[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS u (lane, park, after, after_id, until, most, ord)
CROSS JOIN LATERAL (SELECT t.*, t.ctid AS tid, t.xmin AS version, octet_length(t.payload) AS size, ` + isKept + ` AS kept FROM outlast_task t
 WHERE t.lane = u.lane AND t.park = u.park AND (t.rank, uuid_send(t.id)) > (u.after, uuid_send(u.after_id))
  AND t.rank <= u.until AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL ORDER BY t.rank, uuid_send(t.id) LIMIT u.most) t`)

	// nextMarks reads, for each lane, the first pending row with a mark above
	// the given one; a walk over all marks costs one seek each. Inputs: lanes,
	// marks.
	nextMarks = newQuery(`SELECT t.* FROM unnest($1::integer[], $2::bigint[]) AS u (lane, park)
CROSS JOIN LATERAL (SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = u.lane AND t.park > u.park
  AND (t.park = 0 OR (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL) ORDER BY t.park, t.rank, uuid_send(t.id) LIMIT 1) t`)

	// setMarks sets the marks of rows that are pending, under the locks of
	// their lanes.
	setMarks = newQuery(`UPDATE outlast_task t SET park = u.mark FROM (SELECT u.mark, x.tid FROM unnest($1::uuid[], $2::bigint[]) AS u (id, mark)
 CROSS JOIN LATERAL (SELECT t.ctid AS tid FROM outlast_task t WHERE t.id = u.id AND t.park <> u.mark
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL LIMIT 1) x) u WHERE t.ctid = u.tid`)

	// runningOf reads the running rows of a node, runningOfIDs those of ids.
	runningOf = newQuery(`SELECT ` + liveColumns + ` FROM (SELECT id AS given FROM outlast_run WHERE node = $1::text) u
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given LIMIT 1) t WHERE node = $1::text ORDER BY id`)
	runningOfIDs = newQuery(`SELECT ` + liveColumns + ` FROM unnest($2::uuid[]) AS u (given)
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given LIMIT 1) t WHERE node = $1::text`)
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	var lanes []int32
	var marks, after, until, most []int64
	var afterIDs []task.ID
	for _, r := range ranges {
		lanes, marks, after = append(lanes, int32(r.Lane)), append(marks, r.Park), append(after, r.After)
		afterIDs, until, most = append(afterIDs, r.AfterID), append(until, r.Until), append(most, int64(r.Limit))
	}
	var found [][]store.Entry
	began, shared := time.Now(), names{}
	_, err := s.pipeline(ctx, &call{
		query: scanRanges, args: []any{s.offset(), lanes, marks, after, afterIDs, until, most},
		start: func() { found = make([][]store.Entry, len(ranges)) },
		scan: func(r row) error {
			at := r.int(0) - 1
			entry := scanNamed(r[1:], shared)
			found[at] = append(found[at], entry)
			one, kept, err := scanKnown(r[1+entryWidth:], &entry, shared)
			if kept && err == nil {
				s.memory.keep(began, one)
			}
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Mark implements [store.Store].
func (s *Store) Mark(ctx context.Context, marks []store.Marking) error {
	for chunk := range slices.Chunk(marks, 1000) {
		lanes, last := map[uint16]bool{}, map[task.ID]int64{}
		for _, m := range chunk {
			lanes[m.ID.Lane()], last[m.ID] = true, m.Mark
		}
		var ids []task.ID
		for id := range last {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, task.ID.Compare)
		numbers := make([]int64, len(ids))
		for i, id := range ids {
			numbers[i] = last[id]
		}
		_, err := s.pipeline(ctx, &call{query: lockLanes, args: []any{laneList(lanes)}}, &call{query: setMarks, args: []any{ids, numbers}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context, lanes []uint16) ([]store.Entry, error) {
	// Marks are hashes of any sign; 0 is "none".
	above := make(map[uint16]int64, len(lanes))
	for _, lane := range lanes {
		above[lane] = -1 << 63
	}
	var found []store.Entry
	for len(above) > 0 {
		var numbers []int32
		var marks []int64
		for lane, mark := range above {
			numbers, marks = append(numbers, int32(lane)), append(marks, mark)
		}
		var entries []store.Entry
		_, err := s.pipeline(ctx, &call{
			query: nextMarks, args: []any{numbers, marks}, start: func() { entries = nil },
			scan: func(r row) error {
				entries = append(entries, scanEntry(r))
				return nil
			},
		})
		if err != nil {
			return nil, err
		}
		clear(above)
		for _, entry := range entries {
			if above[entry.ID.Lane()] = entry.Park; entry.Park != 0 {
				found = append(found, entry)
			}
		}
	}
	slices.SortFunc(found, func(a, b store.Entry) int { return int(a.ID.Lane()) - int(b.ID.Lane()) })
	return found, nil
}

// Running implements [store.Store].
func (s *Store) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	c := &call{query: runningOf, args: []any{node}}
	if ids != nil {
		c = &call{query: runningOfIDs, args: []any{node, ids}}
	}
	var found []*task.Task
	c.start, c.scan = func() { found = nil }, collect(&found)
	if _, err := s.pipeline(ctx, c); err != nil {
		return nil, err
	}
	return found, nil
}
