package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// scanRanges reads pending rows of lanes and marks in the order of (rank,
	// id) after a place: for each range one walk along the index, past rows that
	// run apart. Inputs: lanes, marks, after, ids after, until, limits. Returns the
	// number that rows of the claim log must exceed too.
	scanRanges = wire.NewQuery(fmt.Sprintf(scanText, ``, `, `+past))

	// scanAhead is scanRanges with what claims need of rows that are due. Input: clock too.
	scanAhead = wire.NewQuery(fmt.Sprintf(scanText, `
 CROSS JOIN LATERAL (SELECT `+past+` AS past, (SELECT (extract(epoch FROM now()) * 1000000)::bigint + $7::bigint) AS now) n`, keptColumns("n.past", "n.now", "n.now")))

	// firstMarks reads the first pending row of the first marks of each lane: a walk
	// from mark to mark by the index, two seeks each, in one round trip. Rows without a
	// mark are passed over, and so are those that have ended without one, which an old
	// snapshot keeps: the marks below 0 and those above it are two ranges of the index.
	// Inputs: lanes, how many marks.
	firstMarks = wire.NewQuery(`SELECT t.* FROM unnest($1::integer[]) AS u (lane) CROSS JOIN LATERAL (WITH RECURSIVE walk AS (
 SELECT -9223372036854775808 AS park UNION ALL
 SELECT coalesce((SELECT t.park FROM outlast_task t WHERE t.lane = u.lane AND t.park > w.park AND t.park < 0 /*t.lane is ($1::integer[])[1]*/ ORDER BY t.park, t.rank LIMIT 1),
  (SELECT t.park FROM outlast_task t WHERE t.lane = u.lane AND t.park > greatest(w.park, 0) /*t.lane is ($1::integer[])[1]*/ ORDER BY t.park, t.rank LIMIT 1)) FROM walk w WHERE w.park IS NOT NULL)
 SELECT w.park FROM walk w WHERE w.park > -9223372036854775808 LIMIT $2::bigint) w
CROSS JOIN LATERAL (` + markedRow + ` AND t.park = w.park` + firstOfMark + `) t`)

	// setMarks sets the marks of rows that are pending, under the locks of
	// their lanes. Inputs: ids, marks, lanes.
	setMarks = wire.NewQuery(`WITH m AS MATERIALIZED (SELECT m.id, c.claim FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id) JOIN unnest($1::uuid[]) AS u (id) ON u.id = m.id
 WHERE c.lane = ANY($3::integer[]) /*c.lane of ($1::uuid[])[1]*/)
UPDATE outlast_task t SET park = u.mark FROM (SELECT u.mark, x.tid FROM unnest($1::uuid[], $2::bigint[]) AS u (id, mark)
 CROSS JOIN LATERAL (SELECT t.ctid AS tid FROM outlast_task t WHERE t.id = u.id AND t.park <> u.mark /*t.lane of ($1::uuid[])[1]*/
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane of ($1::uuid[])[1]*/) IS NULL AND (SELECT true FROM m WHERE m.id = t.id AND m.claim > ` + past + ` LIMIT 1) IS NULL LIMIT 1) x) u
WHERE t.ctid = u.tid /*t.lane of ($1::uuid[])[1]*/`)

	// runningOf reads the running rows of a node, runningOfIDs those of ids.
	runningOf = wire.NewQuery(`SELECT `+liveColumns+` FROM (SELECT id AS given FROM outlast_running WHERE node = $1::text) u
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given LIMIT 1) t WHERE node = $1::text ORDER BY id`,
		`SELECT id FROM outlast_running WHERE node = $1::text ORDER BY id`) // see runningOfIDs
	runningOfIDs = wire.NewQuery(`SELECT ` + liveColumns + ` FROM unnest($2::uuid[]) AS u (given)
CROSS JOIN LATERAL (SELECT * FROM outlast_live t WHERE t.id = u.given /*t.lane of ($2::uuid[])[1]*/ LIMIT 1) t WHERE node = $1::text`)
)

const scanText = `SELECT u.ord, t.* FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::uuid[], $5::bigint[], $6::bigint[]) WITH ORDINALITY
 AS u (lane, park, after, after_id, until, most, ord)
CROSS JOIN LATERAL (SELECT ` + entryColumns + `%[2]s FROM outlast_task t%[1]s WHERE t.lane = u.lane AND t.park = u.park AND (t.rank, greatest(t.id)) > (u.after, u.after_id)
  AND t.rank <= u.until AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is ($1::integer[])[1]*/) IS NULL /*t.lane is ($1::integer[])[1]*/ ORDER BY t.rank, greatest(t.id) LIMIT u.most) t`

// markedRow and firstOfMark are the ends of a look for the first pending row of a mark.
const (
	markedRow   = `SELECT ` + entryColumns + ` FROM outlast_task t WHERE t.lane = u.lane AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is ($1::integer[])[1]*/) IS NULL /*t.lane is ($1::integer[])[1]*/`
	firstOfMark = ` ORDER BY t.park, t.rank, greatest(t.id) LIMIT 1`
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if len(ranges) == 0 {
		return nil, nil
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
	store   *Store
	ranges  []store.Range // what of each is still to be read
	rest    []int         // places of those that go on
	found   [][]store.Entry
	pages   []page   // of what is read now
	look    *looking // at it
	running func(id task.ID, past int64) bool
}

// page is what is read now of a range.
type page struct {
	had  int // entries that were found before
	rows int
	last store.Entry
}

// on reads the ranges on. Those go on that were full, where some of it runs by the
// claim log.
func (s *scanning) on(ctx context.Context) error {
	var numbers []uint16
	s.pages = make([]page, len(s.ranges))
	for _, i := range s.rest {
		numbers = append(numbers, s.ranges[i].Lane)
		s.pages[i].had = len(s.found[i])
	}
	var now changed
	versions := laneVersions{}
	calls := readLog(s.store, numbers, &now)
	if !s.store.spread {
		s.look = s.store.readAhead.begin(numbers)
		defer s.look.end()
		calls = append([]*wire.Call{versions.call(laneNumbers(numbers))}, calls...)
	}
	for _, part := range parts(s.store.spread, s.rest, func(i int) uint16 { return s.ranges[i].Lane }) {
		calls = append(calls, s.call(part, &now))
	}
	if _, err := s.store.pipeline(ctx, calls...); err != nil {
		s.look.anew()
		return err
	}
	s.look.learn(versions)
	s.rest = slices.DeleteFunc(s.rest, func(i int) bool { return !s.further(i) })
	return nil
}

// call reads ranges of the places, after the log of their lanes has been read.
func (s *scanning) call(places []int, now *changed) *wire.Call {
	var lanes []int32
	var marks, after, until, most []int64
	var afterIDs []task.ID
	for _, i := range places {
		r := &s.ranges[i]
		lanes, marks, after = append(lanes, int32(r.Lane)), append(marks, r.Park), append(after, r.After)
		afterIDs, until, most = append(afterIDs, r.AfterID), append(until, r.Until), append(most, int64(r.Limit))
	}
	q, args := scanRanges, []any{lanes, marks, after, afterIDs, until, most}
	if s.look.wants() {
		q, args = scanAhead, append(args, s.store.offset())
	}
	return &wire.Call{
		Query: q, Args: args,
		Start: func() {
			for _, i := range places {
				s.found[i], s.pages[i].rows = s.found[i][:s.pages[i].had], 0
			}
			s.look.anew()
			s.running = nil
		},
		Scan: func(r wire.Row) error {
			if s.running == nil {
				s.running = runningIn(s.store.log, now)
			}
			s.add(places[r.Int(0)-1], r[1:])
			return nil
		},
	}
}

// add adds a row of a range that does not run by the log.
func (s *scanning) add(i int, r wire.Row) {
	page, entry := &s.pages[i], scanEntry(r)
	page.rows, page.last = page.rows+1, entry
	if !s.running(entry.ID, r.Int(keptPast)) {
		s.found[i] = append(s.found[i], entry)
		s.look.read(r)
	}
}

// further reports whether a range goes on.
func (s *scanning) further(i int) bool {
	page, r := &s.pages[i], &s.ranges[i]
	got := len(s.found[i]) - page.had
	if got == page.rows || page.rows < r.Limit {
		return false
	}
	r.After, r.AfterID, r.Limit = page.last.Rank, page.last.ID, r.Limit-got
	return true
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
			_, err := s.pipeline(ctx, &wire.Call{Query: lockLanes, Args: []any{laneList(lanes)}}, &wire.Call{Query: noteChanges, Args: []any{laneList(lanes)}}, &wire.Call{Query: setMarks, Args: []any{part, numbers, laneList(lanes)}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context, lanes []uint16, most int) (found []store.Entry, err error) {
	if most == 0 {
		most = math.MaxInt64
	}
	var calls []*wire.Call
	for _, part := range s.eachLane(laneNumbers(lanes)) {
		calls = append(calls, &wire.Call{Query: firstMarks, Args: []any{part, most}, Scan: func(r wire.Row) error {
			found = append(found, scanEntry(r))
			return nil
		}})
	}
	if len(calls) == 0 {
		return nil, nil
	}
	calls[0].Start = func() { found = nil }
	if _, err := s.pipeline(ctx, calls...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b store.Entry) int { return int(a.ID.Lane()) - int(b.ID.Lane()) })
	return found, nil
}

// Running implements [store.Store].
func (s *Store) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	var found []*task.Task
	calls := []*wire.Call{{Query: runningOf, Args: []any{node}, Scan: collect(&found)}}
	if ids == nil && s.spread {
		_, err := s.pipeline(ctx, &wire.Call{Query: runningOf, Args: []any{node}, Start: func() { ids = []task.ID{} }, Scan: func(r wire.Row) error {
			ids = append(ids, r.ID(0))
			return nil
		}})
		if err != nil {
			return nil, err
		}
	}
	if ids != nil {
		calls = nil
		for _, part := range s.byLane(ids) {
			calls = append(calls, &wire.Call{Query: runningOfIDs, Args: []any{node, part}, Scan: collect(&found)})
		}
	}
	if len(calls) == 0 {
		return nil, nil
	}
	calls[0].Start = func() { found = nil }
	if _, err := s.pipeline(ctx, calls...); err != nil {
		return nil, err
	}
	return found, nil
}

// collect is a scan that appends tasks to list.
func collect(list *[]*task.Task) func(wire.Row) error {
	return func(r wire.Row) error {
		*list = append(*list, sqlstore.ScanTask(r))
		return nil
	}
}
