package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/task"
)

var (
	// scanRanges reads pending rows of lanes and marks in the order of (rank,
	// id) after a place: for each range one walk along the index, past rows that
	// run apart. Inputs: lanes, marks, after, ids after, until, limits. Returns the
	// number that rows of the claim log must exceed too.
	scanRanges = newQuery(`SELECT u.ord, t.* FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::uuid[], $5::bigint[], $6::bigint[]) WITH ORDINALITY
 AS u (lane, park, after, after_id, until, most, ord)
CROSS JOIN LATERAL (SELECT ` + entryColumns + `, ` + past + ` FROM outlast_task t WHERE t.lane = u.lane AND t.park = u.park AND (t.rank, uuid_send(t.id)) > (u.after, uuid_send(u.after_id))
  AND t.rank <= u.until AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL ORDER BY t.rank, uuid_send(t.id) LIMIT u.most) t`)

	// nextMarks reads, for each lane, the first pending row with a mark above
	// the given one; a walk over all marks costs one seek each. Inputs: lanes,
	// marks.
	nextMarks = newQuery(`SELECT t.* FROM unnest($1::integer[], $2::bigint[]) AS u (lane, park)
CROSS JOIN LATERAL (SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = u.lane AND t.park > u.park
  AND (t.park = 0 OR (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is ($1::integer[])[1]*/) IS NULL) /*t.lane is ($1::integer[])[1]*/ ORDER BY t.park, t.rank, uuid_send(t.id) LIMIT 1) t`)

	// firstMarks reads the first pending row of the first marks of each lane: a walk
	// from mark to mark by the index, one seek each, in one round trip. Inputs: lanes,
	// how many marks.
	firstMarks = newQuery(`SELECT t.* FROM unnest($1::integer[]) AS u (lane) CROSS JOIN LATERAL (WITH RECURSIVE walk AS (
 (SELECT t.park FROM outlast_task t WHERE t.lane = u.lane ORDER BY t.park, t.rank LIMIT 1) UNION ALL
 SELECT (SELECT t.park FROM outlast_task t WHERE t.lane = u.lane AND t.park > w.park ORDER BY t.park, t.rank LIMIT 1) FROM walk w WHERE w.park IS NOT NULL)
 SELECT w.park FROM walk w WHERE w.park <> 0 LIMIT $2::bigint) w
CROSS JOIN LATERAL (SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = u.lane AND t.park = w.park
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL ORDER BY t.park, t.rank, uuid_send(t.id) LIMIT 1) t`)

	// setMarks sets the marks of rows that are pending, under the locks of
	// their lanes.
	setMarks = newQuery(`UPDATE outlast_task t SET park = u.mark FROM (SELECT u.mark, x.tid FROM unnest($1::uuid[], $2::bigint[]) AS u (id, mark)
 CROSS JOIN LATERAL (SELECT t.ctid AS tid FROM outlast_task t WHERE t.id = u.id AND t.park <> u.mark
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL AND `+logged+` IS NULL LIMIT 1) x) u WHERE t.ctid = u.tid`,
		`UPDATE outlast_task t SET park = u.mark FROM unnest($1::uuid[], $2::bigint[]) AS u (id, mark) WHERE t.id = u.id AND t.park <> u.mark /*t.lane of ($1::uuid[])[1]*/
 AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane of ($1::uuid[])[1]*/) IS NULL`)

	// runningOf reads the running rows of a node, runningOfIDs those of ids.
	runningOf = newQuery(`SELECT `+liveColumns+` FROM (SELECT id AS given FROM outlast_running WHERE node = $1::text) u
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given LIMIT 1) t WHERE node = $1::text ORDER BY id`,
		`SELECT `+liveColumns+` FROM outlast_live WHERE node = $1::text ORDER BY id`)
	runningOfIDs = newQuery(`SELECT ` + liveColumns + ` FROM unnest($2::uuid[]) AS u (given)
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given /*t.lane of ($2::uuid[])[1]*/ LIMIT 1) t WHERE node = $1::text`)
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	if s.spread {
		return s.scanSpread(ctx, ranges)
	}
	found := make([][]store.Entry, len(ranges))
	rest := make([]int, len(ranges)) // places of ranges that go on
	for i := range rest {
		rest[i] = i
	}
	ranges = slices.Clone(ranges)
	for len(rest) > 0 {
		var err error
		if rest, err = s.scanOn(ctx, ranges, rest, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// scanOn reads ranges on, and returns those that go on: where rows that run by
// the claim log were among them.
func (s *Store) scanOn(ctx context.Context, ranges []store.Range, rest []int, found [][]store.Entry) (more []int, err error) {
	var lanes []int32
	var marks, after, until, most []int64
	var numbers []uint16
	var afterIDs []task.ID
	for _, i := range rest {
		r := &ranges[i]
		lanes, marks, after = append(lanes, int32(r.Lane)), append(marks, r.Park), append(after, r.After)
		afterIDs, until, most = append(afterIDs, r.AfterID), append(until, r.Until), append(most, int64(r.Limit))
		numbers = append(numbers, r.Lane)
	}
	var changed []uint16
	var batches []claimlog.Batch
	var read [][]scanned
	_, err = s.pipeline(ctx, s.readLog(numbers, &changed, &batches), &call{
		query: scanRanges, args: []any{lanes, marks, after, afterIDs, until, most},
		start: func() { read = make([][]scanned, len(rest)) },
		scan: func(r row) error {
			at := r.int(0) - 1
			read[at] = append(read[at], scanned{scanEntry(r[1:]), r.int(1 + entryWidth)})
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	running := s.running(changed, batches)
	for at, i := range rest {
		before, r := len(found[i]), &ranges[i]
		for _, one := range read[at] {
			if !running(one) {
				found[i] = append(found[i], one.entry)
			}
		}
		got := len(found[i]) - before
		if all := len(read[at]); got < all && all == r.Limit {
			last := read[at][all-1].entry
			r.After, r.AfterID, r.Limit = last.Rank, last.ID, r.Limit-got
			more = append(more, i)
		}
	}
	return more, nil
}

// scanned is a row that does not run apart, with its number.
type scanned struct {
	entry store.Entry
	past  int64
}

// running tells which rows run by the claim log, as memory has it or, of lanes
// that have changed, as it was read.
func (s *Store) running(changed []uint16, batches []claimlog.Batch) func(scanned) bool {
	numbers := map[task.ID]int64{}
	for _, b := range batches {
		for _, id := range b.IDs {
			numbers[id] = max(numbers[id], b.Claim)
		}
	}
	return func(one scanned) bool {
		if slices.Contains(changed, one.entry.ID.Lane()) {
			return numbers[one.entry.ID] > one.past
		}
		return s.log.Number(one.entry.ID) > one.past
	}
}

// Mark implements [store.Store].
func (s *Store) Mark(ctx context.Context, marks []store.Marking) error {
	for chunk := range slices.Chunk(marks, 1000) {
		last := map[task.ID]int64{}
		for _, m := range chunk {
			last[m.ID] = m.Mark
		}
		var ids []task.ID
		for id := range last {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, task.ID.Compare)
		for _, part := range s.byLane(ids) {
			numbers, lanes := make([]int64, len(part)), map[uint16]bool{}
			for i, id := range part {
				numbers[i], lanes[id.Lane()] = last[id], true
			}
			_, err := s.pipeline(ctx, &call{query: lockLanes, args: []any{laneList(lanes)}}, &call{query: setMarks, args: []any{part, numbers}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	var found []store.Entry
	if most > 0 && !s.spread {
		numbers := make([]int32, len(lanes))
		for i, lane := range lanes {
			numbers[i] = int32(lane)
		}
		_, err := s.pipeline(ctx, &call{query: firstMarks, args: []any{numbers, most}, start: func() { found = nil }, scan: func(r row) error {
			found = append(found, scanEntry(r))
			return nil
		}})
		return found, err
	}
	// Marks are hashes of any sign; 0 is "none".
	above, listed := make(map[uint16]int64, len(lanes)), make(map[uint16]int, len(lanes))
	for _, lane := range lanes {
		above[lane] = -1 << 63
	}
	for len(above) > 0 {
		var numbers []int32
		var marks []int64
		for lane, mark := range above {
			numbers, marks = append(numbers, int32(lane)), append(marks, mark)
		}
		entries, err := s.nextMarks(ctx, numbers, marks)
		if err != nil {
			return nil, err
		}
		clear(above)
		for _, entry := range entries {
			lane := entry.ID.Lane()
			if entry.Park != 0 {
				found = append(found, entry)
				listed[lane]++
			}
			if most == 0 || listed[lane] < most {
				above[lane] = entry.Park
			}
		}
	}
	slices.SortFunc(found, func(a, b store.Entry) int { return int(a.ID.Lane()) - int(b.ID.Lane()) })
	return found, nil
}

func (s *Store) nextMarks(ctx context.Context, lanes []int32, marks []int64) (entries []store.Entry, err error) {
	scan := func(r row) error {
		entries = append(entries, scanEntry(r))
		return nil
	}
	if !s.spread {
		_, err = s.pipeline(ctx, &call{query: nextMarks, args: []any{lanes, marks}, start: func() { entries = nil }, scan: scan})
		return entries, err
	}
	var calls []*call
	for i := range lanes {
		calls = append(calls, &call{query: nextMarks, args: []any{lanes[i : i+1], marks[i : i+1]}, scan: scan})
	}
	err = s.read(ctx, func(c session) error {
		entries = nil
		return c.run(ctx, calls...)
	})
	return entries, err
}

// Running implements [store.Store].
func (s *Store) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	var found []*task.Task
	calls := []*call{{query: runningOf, args: []any{node}, scan: collect(&found)}}
	if ids != nil {
		calls = nil
		for _, part := range s.byLane(ids) {
			calls = append(calls, &call{query: runningOfIDs, args: []any{node, part}, scan: collect(&found)})
		}
	}
	if len(calls) == 0 {
		return nil, nil
	}
	calls[0].start = func() { found = nil }
	if _, err := s.pipeline(ctx, calls...); err != nil {
		return nil, err
	}
	return found, nil
}
