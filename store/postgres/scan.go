package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/task"
)

var (
	// scanRanges reads pending rows of lanes and marks in the order of (rank,
	// id) after a place: for each range one walk along the index, past rows that
	// run apart. Inputs: lanes, marks, after, ids after, until, limits. Returns the
	// number that rows of the claim log must exceed too.
	scanRanges = newQuery(fmt.Sprintf(scanText, ``, `, `+past))

	// scanAhead is scanRanges with what claims need of rows that are due. Input: clock too.
	scanAhead = newQuery(fmt.Sprintf(scanText, `
 CROSS JOIN LATERAL (SELECT `+past+` AS past, (SELECT (extract(epoch FROM now()) * 1000000)::bigint + $7::bigint) AS now) n`, keptColumns("n.past", "n.now", "n.now")))

	// scanLane is scanRanges for one range where Citus has distributed the tables.
	// Inputs: lane, mark, after, id after, until, limit.
	scanLane = newQuery(`SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = $1::integer AND t.park = $2::bigint
 AND (t.rank, uuid_send(t.id)) > ($3::bigint, uuid_send($4::uuid)) AND t.rank <= $5::bigint
 AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is $1::integer*/) IS NULL ORDER BY t.rank, uuid_send(t.id) LIMIT $6::bigint`)

	// nextMarks reads, for each lane, the first pending row with a mark above
	// the given one. Rows without a mark are passed over, and so are those that have
	// ended without one, which an old snapshot keeps: the marks below 0 and those above
	// it are two ranges of the index. Inputs: lanes, marks.
	nextMarks = newQuery(`SELECT t.* FROM unnest($1::integer[], $2::bigint[]) AS u (lane, park)
CROSS JOIN LATERAL (SELECT * FROM (`+markedRow+` AND t.park > u.park AND t.park < 0`+firstOfMark+`) below
 UNION ALL SELECT * FROM (`+markedRow+` AND t.park > greatest(u.park, 0)`+firstOfMark+`) above LIMIT 1) t`,
		`SELECT t.* FROM unnest($1::integer[], $2::bigint[]) AS u (lane, park)
CROSS JOIN LATERAL (SELECT `+entryColumns+` FROM outlast_task t WHERE t.lane = u.lane AND t.park > u.park
  AND (t.park = 0 OR (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is ($1::integer[])[1]*/) IS NULL) /*t.lane is ($1::integer[])[1]*/ ORDER BY t.park, t.rank, uuid_send(t.id) LIMIT 1) t`)

	// firstMarks reads the first pending row of the first marks of each lane: a walk
	// from mark to mark by the index, two seeks each, in one round trip, past rows
	// without one like nextMarks. Inputs: lanes, how many marks.
	firstMarks = newQuery(`SELECT t.* FROM unnest($1::integer[]) AS u (lane) CROSS JOIN LATERAL (WITH RECURSIVE walk AS (
 SELECT -9223372036854775808 AS park UNION ALL
 SELECT coalesce((SELECT t.park FROM outlast_task t WHERE t.lane = u.lane AND t.park > w.park AND t.park < 0 ORDER BY t.park, t.rank LIMIT 1),
  (SELECT t.park FROM outlast_task t WHERE t.lane = u.lane AND t.park > greatest(w.park, 0) ORDER BY t.park, t.rank LIMIT 1)) FROM walk w WHERE w.park IS NOT NULL)
 SELECT w.park FROM walk w WHERE w.park > -9223372036854775808 LIMIT $2::bigint) w
CROSS JOIN LATERAL (` + markedRow + ` AND t.park = w.park` + firstOfMark + `) t`)

	// setMarks sets the marks of rows that are pending, under the locks of
	// their lanes. Inputs: ids, marks, lanes.
	setMarks = newQuery(`WITH m AS MATERIALIZED (SELECT m.id, c.claim FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id) JOIN unnest($1::uuid[]) AS u (id) ON u.id = m.id
 WHERE c.lane = ANY($3::integer[]))
UPDATE outlast_task t SET park = u.mark FROM (SELECT u.mark, x.tid FROM unnest($1::uuid[], $2::bigint[]) AS u (id, mark)
 CROSS JOIN LATERAL (SELECT t.ctid AS tid FROM outlast_task t WHERE t.id = u.id AND t.park <> u.mark
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL AND (SELECT true FROM m WHERE m.id = t.id AND m.claim > `+past+` LIMIT 1) IS NULL LIMIT 1) x) u WHERE t.ctid = u.tid`,
		`UPDATE outlast_task t SET park = u.mark FROM unnest($1::uuid[], $2::bigint[]) AS u (id, mark) WHERE t.id = u.id AND t.park <> u.mark /*t.lane of ($1::uuid[])[1]*/
 AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane of ($1::uuid[])[1]*/) IS NULL`)

	// runningOf reads the running rows of a node, runningOfIDs those of ids.
	runningOf = newQuery(`SELECT `+liveColumns+` FROM (SELECT id AS given FROM outlast_running WHERE node = $1::text) u
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given LIMIT 1) t WHERE node = $1::text ORDER BY id`,
		`SELECT `+liveColumns+` FROM outlast_live WHERE node = $1::text ORDER BY id`)
	runningOfIDs = newQuery(`SELECT ` + liveColumns + ` FROM unnest($2::uuid[]) AS u (given)
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given /*t.lane of ($2::uuid[])[1]*/ LIMIT 1) t WHERE node = $1::text`)
)

const scanText = `SELECT u.ord, t.* FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::uuid[], $5::bigint[], $6::bigint[]) WITH ORDINALITY
 AS u (lane, park, after, after_id, until, most, ord)
CROSS JOIN LATERAL (SELECT ` + entryColumns + `%[2]s FROM outlast_task t%[1]s WHERE t.lane = u.lane AND t.park = u.park AND (t.rank, uuid_send(t.id)) > (u.after, uuid_send(u.after_id))
  AND t.rank <= u.until AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL ORDER BY t.rank, uuid_send(t.id) LIMIT u.most) t`

// markedRow and firstOfMark are the ends of a look for the first pending row of a mark.
const (
	markedRow   = `SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = u.lane AND (SELECT true FROM outlast_run r WHERE r.id = t.id) IS NULL`
	firstOfMark = ` ORDER BY t.park, t.rank, uuid_send(t.id) LIMIT 1`
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if len(ranges) == 0 {
		return nil, nil
	}
	if s.spread {
		return s.scanSpread(ctx, ranges)
	}
	scan := &scanning{store: s, ranges: slices.Clone(ranges), found: make([][]store.Entry, len(ranges))}
	for i := range ranges {
		scan.rest = append(scan.rest, i)
	}
	for len(scan.rest) > 0 {
		if err := scan.on(ctx); err != nil {
			return nil, err
		}
	}
	return scan.found, nil
}

// scanning is one call of Scan.
type scanning struct {
	store  *Store
	ranges []store.Range // what of each is still to be read
	rest   []int         // places of those that go on
	found  [][]store.Entry
	look   *looking // at what is read now
}

// on reads the ranges on. Those go on that were full, where some of it runs by the
// claim log.
func (s *scanning) on(ctx context.Context) error {
	var lanes []int32
	var marks, after, until, most []int64
	var numbers []uint16
	var afterIDs []task.ID
	for _, i := range s.rest {
		r := &s.ranges[i]
		lanes, marks, after = append(lanes, int32(r.Lane)), append(marks, r.Park), append(after, r.After)
		afterIDs, until, most = append(afterIDs, r.AfterID), append(until, r.Until), append(most, int64(r.Limit))
		numbers = append(numbers, r.Lane)
	}
	var now changed
	var read [][]scanned
	q, args := scanRanges, []any{lanes, marks, after, afterIDs, until, most}
	versions := laneVersions{}
	s.look = s.store.readAhead.begin(numbers)
	defer s.look.end()
	if s.look.room {
		q, args = scanAhead, append(args, s.store.offset())
	}
	_, err := s.store.pipeline(ctx, versions.call(lanes), readLog(s.store.log, numbers, &now), &call{
		query: q, args: args,
		start: func() { read = make([][]scanned, len(s.rest)) },
		scan: func(r row) error {
			at := r.int(0) - 1
			one := scanned{entry: scanEntry(r[1:]), past: r.int(1 + keptPast)}
			if s.look.room && r[1+keptPayload] != nil {
				one.packed = pack(r[1:])
			}
			read[at] = append(read[at], one)
			return nil
		},
	})
	if err != nil {
		return err
	}
	s.look.learn(versions)
	running := runningIn(s.store.log, &now)
	var more []int
	for at, i := range s.rest {
		if s.take(i, read[at], running) {
			more = append(more, i)
		}
	}
	s.rest = more
	return nil
}

// take adds what was read of a range, and reports whether it goes on.
func (s *scanning) take(i int, read []scanned, running func(id task.ID, past int64) bool) (more bool) {
	before, r := len(s.found[i]), &s.ranges[i]
	for _, one := range read {
		if running(one.entry.ID, one.past) {
			continue
		}
		s.found[i] = append(s.found[i], one.entry)
		if one.packed != nil {
			s.look.found = append(s.look.found, ahead.Row{ID: one.entry.ID, Packed: one.packed})
		}
	}
	got := len(s.found[i]) - before
	if got == len(read) || len(read) < r.Limit {
		return false
	}
	last := read[len(read)-1].entry
	r.After, r.AfterID, r.Limit = last.Rank, last.ID, r.Limit-got
	return true
}

// scanned is a row that does not run apart, with its number.
type scanned struct {
	entry  store.Entry
	past   int64
	packed []byte // if it is worth keeping
}

// runningIn tells which rows run by the claim log, as memory has it or, of lanes
// that have changed, as it was read.
func runningIn(log *claimlog.Log, now *changed) func(id task.ID, past int64) bool {
	numbers := map[task.ID]int64{}
	for _, batch := range now.batches {
		for _, id := range batch.IDs {
			numbers[id] = max(numbers[id], batch.Claim)
		}
	}
	return func(id task.ID, past int64) bool {
		if slices.Contains(now.lanes, id.Lane()) {
			return numbers[id] > past
		}
		return log.Number(id) > past
	}
}

// scanSpread reads the ranges one by one, in one round trip.
func (s *Store) scanSpread(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	found := make([][]store.Entry, len(ranges))
	calls := make([]*call, len(ranges))
	for i, r := range ranges {
		calls[i] = &call{
			query: scanLane, args: []any{r.Lane, r.Park, r.After, r.AfterID, r.Until, r.Limit},
			start: func() { found[i] = nil },
			scan: func(r row) error {
				found[i] = append(found[i], scanEntry(r))
				return nil
			},
		}
	}
	if err := s.read(ctx, func(c session) error { return c.run(ctx, calls...) }); err != nil {
		return nil, err
	}
	return found, nil
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
			_, err := s.pipeline(ctx, &call{query: lockLanes, args: []any{laneList(lanes)}}, &call{query: noteChanges, args: []any{laneList(lanes)}}, &call{query: setMarks, args: []any{part, numbers, laneList(lanes)}})
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
		numbers := laneNumbers(lanes)
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
		entries, err := marksAbove(ctx, s, numbers, marks)
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

// marksAbove reads the first pending row of the next mark in each lane.
func marksAbove(ctx context.Context, s *Store, lanes []int32, marks []int64) (entries []store.Entry, err error) {
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
