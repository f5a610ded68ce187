package postgres

import (
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// States as they are stored.
const (
	pending   = 0
	running   = 1
	succeeded = 2
	dead      = 3
	canceled  = 4
)

// Column lists that [sqlstore.ScanTask] understands, one per kind of table.
const (
	headColumns = `id, queue, type, payload, priority, run_at, key, seq, target, policy, spec,
 attempt, crashes, claim, node, started_at, cancel, created_at, last_error`
	liveColumns = headColumns + `, state::bigint, updated_at, park, finished_at, reason, result, fallback, failed_at`
	doneColumns = headColumns + `, state::bigint, finished_at, 0::bigint, finished_at, NULL::text, result, NULL::uuid, failed_at`
	deadColumns = headColumns + `, 3::bigint, finished_at, 0::bigint, finished_at, reason, NULL::bytea, fallback, finished_at`
)

const payloadSize = ` + octet_length(payload)`

var (
	liveTable = &sqlstore.Table{
		Name: "outlast_live", Failed: "failed_at", Columns: liveColumns, Large: payloadSize, States: []task.State{task.Pending, task.Running}, Live: `true`,
		Index: func(w *where.Where, f store.Filter) {
			switch {
			case f.State == task.Running:
				w.And(`(id, lane) IN (SELECT r.id, r.lane FROM outlast_running r)`)
			case f.Key != "":
				w.And(`lane IN (SELECT l.lane FROM outlast_lane l) AND key = ? AND key IS NOT NULL`, f.Key)
			}
		},
	}
	doneTable = &sqlstore.Table{
		Name: "outlast_done", Failed: "failed_at", Columns: doneColumns, Large: payloadSize + ` + coalesce(octet_length(result), 0)`,
		States: []task.State{task.Succeeded, task.Canceled}, Index: func(*where.Where, store.Filter) {},
	}
	deadTable = &sqlstore.Table{
		Name: "outlast_dead", Failed: "finished_at", Columns: deadColumns, Large: payloadSize, States: []task.State{task.Dead}, Index: sqlstore.DeadIndex,
	}
	tables = []*sqlstore.Table{liveTable, doneTable, deadTable}
)

// A text of a column of JSON. The type json refuses to make text of a document with an
// escaped NUL, so such a document has no fields here.
const (
	lastCategory = `CASE WHEN strpos(last_error, '\u0000') = 0 THEN last_error::json ->> 'category' END`
	lastMessage  = `CASE WHEN strpos(last_error, '\u0000') = 0 THEN last_error::json ->> 'message' END`
	traceParent  = `CASE WHEN strpos(spec, '\u0000') = 0 THEN spec::json ->> 'trace_parent' END`
)

var dialect = &where.Dialect{
	AnyID:    `id = ANY(?::uuid[])`,
	Attempt:  `attempt >= CAST(? AS bigint)`,
	Category: `(` + lastCategory + `) = ?`,
	Trace:    `strpos(` + traceParent + `, ?) > 0`,
	Message:  `strpos(lower((` + lastMessage + `) COLLATE "C"), ?) > 0`,
	Metadata: `CASE WHEN strpos(spec, '\u0000') = 0 THEN spec::json -> 'metadata' ->> ?::text END = ?`,
}

// Tables implements [sqlstore.Lists].
func (d database) Tables(f store.Filter) []*sqlstore.Source {
	return sqlstore.SourcesOf(tables, f, dialect, false)
}

// Walks implements [sqlstore.Lists].
func (d database) Walks(_ sqlstore.Session, f store.Filter, parted bool) ([]*sqlstore.Source, error) {
	return sqlstore.SourcesOf(tables, f, dialect, parted), nil
}

// Dead implements [sqlstore.Lists].
func (d database) Dead(f store.Filter) *sqlstore.Source { return deadTable.Source(f, dialect, false) }

// Window implements [sqlstore.Lists].
func (d database) Window(on sqlstore.Session, from *sqlstore.Source, asked *pages.Request, before cursor.Place, limit int) ([]*task.Task, cursor.Place, error) {
	if d.store.spread {
		return spreadWindow(on, from, asked, before, limit)
	}
	inner := from.Below(before, cursor.Place{})
	text := fmt.Sprintf(`SELECT %[1]s, total FROM (SELECT *, sum(size) OVER (ORDER BY %[8]s) AS total FROM (
SELECT *, %[2]s AS size FROM (SELECT * FROM %[3]s WHERE %[4]s ORDER BY %[8]s LIMIT %[5]d) w WHERE %[6]s ORDER BY %[8]s LIMIT ?) w) w
WHERE total - size < %[7]d ORDER BY %[8]s`, from.Columns, from.Size, from.Table, inner, from.Depth, &from.Rest, pages.MostBytes, from.Order())
	return from.ReadWindow(on, text, append(append(inner.Args, from.Rest.Args...), limit), asked, before, limit)
}

// spreadWindow is a window where tables are distributed. It asks first how large the rows
// are: each machine passes those that match down to the floor, as many as a page takes at
// most.
func spreadWindow(on sqlstore.Session, from *sqlstore.Source, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, end cursor.Place, err error) {
	if end, err = from.Floor(on, before); err != nil {
		return nil, end, err
	}
	reading := func(columns string, scan func(sqlstore.Row) error) error {
		w := from.Below(before, end).With(&from.Rest)
		text := fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT ?`, columns, from.Table, w, from.Order())
		return on.Run(&sqlstore.Call{Query: sqlstore.Made(text), Args: append(w.Args, limit), Scan: scan})
	}
	bytes, full := int64(0), end
	err = reading(from.Place()+`, `+from.Size, func(r sqlstore.Row) error {
		if bytes < pages.MostBytes {
			if bytes += r.Int(2); bytes >= pages.MostBytes {
				full = sqlstore.ScanPlace(r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, end, err
	}
	end = full
	err = reading(from.Columns, func(r sqlstore.Row) error {
		found = append(found, sqlstore.ScanTask(r))
		return nil
	})
	if err != nil {
		return nil, end, err
	}
	if len(found) >= limit {
		end = asked.PlaceOf(found[len(found)-1])
	}
	return found, end, nil
}

var (
	// selectParked lists keys that are held in mode park. Inputs: lanes, limit.
	selectParked = wire.NewQuery(`SELECT h.lane, h.key FROM outlast_key_hold h WHERE h.lane = ANY($1::integer[]) AND h.mode = 'park' /*h.lane is ($1::integer[])[1]*/
ORDER BY h.lane, h.key LIMIT $2::bigint`)

	// countWithin counts pending rows by ranges of marks, along the index by rank and
	// from nothing else: all live rows, less those that run. Inputs: lanes, lowest and highest marks, limit,
	// whether the marks are others than none.
	countWithin = wire.NewQuery(`WITH running AS MATERIALIZED (SELECT count(*) AS n FROM outlast_running r CROSS JOIN LATERAL
 (SELECT t.park FROM outlast_task t WHERE t.id = r.id AND t.lane = r.lane /*t.lane is ($1::integer[])[1]*/ LIMIT 1) t
 WHERE r.lane = ANY($1::integer[]) AND (t.park <> 0) = $5::boolean /*r.lane is ($1::integer[])[1]*/)
SELECT greatest(0, (SELECT count(*) FROM (SELECT 1 FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS u (lane, low, high) CROSS JOIN LATERAL
 (SELECT 1 FROM outlast_task t WHERE t.lane = u.lane AND t.park BETWEEN u.low AND u.high /*t.lane is ($1::integer[])[1]*/
  ORDER BY t.park, t.rank LIMIT $4::bigint + (SELECT n FROM running)) t LIMIT $4::bigint + (SELECT n FROM running)) x) - (SELECT n FROM running))`)

	// countUnheld leaves out rows behind keys held in mode park.
	countUnheld = wire.NewQuery(unheldRows + ` AND (SELECT true FROM outlast_claim c WHERE c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids) /*c.lane is ($1::integer[])[1]*/ LIMIT 1) IS NULL
 ORDER BY t.park, t.rank LIMIT $4::bigint) t LIMIT $4::bigint) x`)

	// countKeys counts the live rows of keys, of which none runs while they are held.
	// Inputs: lanes, keys, limit.
	countKeys = wire.NewQuery(`SELECT count(*) FROM (SELECT 1 FROM unnest($1::integer[], $2::text[]) AS u (lane, key) CROSS JOIN LATERAL (SELECT 1 FROM outlast_task t
 WHERE t.lane = u.lane AND t.key = u.key AND t.key IS NOT NULL /*t.lane is ($1::integer[])[1]*/ LIMIT $3::bigint) t LIMIT $3::bigint) x`)
)

const unheldRows = `SELECT count(*) FROM (SELECT 1 FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS u (lane, low, high) CROSS JOIN LATERAL
 (SELECT 1 FROM outlast_task t WHERE t.lane = u.lane AND t.park BETWEEN u.low AND u.high /*t.lane is ($1::integer[])[1]*/
  AND (SELECT true FROM outlast_run r WHERE r.id = t.id /*r.lane is ($1::integer[])[1]*/) IS NULL AND (t.key IS NULL
  OR (SELECT true FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key AND h.mode = 'park' /*h.lane is ($1::integer[])[1]*/) IS NULL)`

// Held implements [backlog.Source].
func (c *coldSession) Held(lanes []uint16) (held []backlog.Key, err error) {
	for _, part := range parts(c.store.spread, lanes, func(lane uint16) uint16 { return lane }) {
		numbers := laneNumbers(part)
		err := wire.Each(c.ctx, c.on, selectParked, func(r wire.Row) error {
			held = append(held, backlog.Key{Lane: uint16(r.Int(0)), Key: r.Text(1)})
			return nil
		}, numbers, store.MostHolds-len(held))
		if err != nil {
			return nil, err
		}
	}
	return held, nil
}

// Within implements [backlog.Source].
func (c *coldSession) Within(ranges []backlog.Range, held bool, most int) (n int, err error) {
	q := countWithin
	if held {
		q = countUnheld
	}
	var calls []*wire.Call
	for _, part := range parts(c.store.spread, ranges, func(r backlog.Range) uint16 { return r.Lane }) {
		lanes, low, high := make([]int32, len(part)), make([]int64, len(part)), make([]int64, len(part))
		for i, r := range part {
			lanes[i], low[i], high[i] = int32(r.Lane), r.Low, r.High
		}
		args := []any{lanes, low, high, most}
		if !held {
			args = append(args, part[0].Low != 0)
		}
		calls = append(calls, c.count(&n, q, args...))
	}
	err = c.on.Run(c.ctx, calls...)
	return min(n, most), err
}

// Behind implements [backlog.Source].
func (c *coldSession) Behind(keys []backlog.Key, most int) (n int, err error) {
	var calls []*wire.Call
	for _, part := range parts(c.store.spread, keys, func(key backlog.Key) uint16 { return key.Lane }) {
		lanes, names := make([]int32, len(part)), make([]string, len(part))
		for i, key := range part {
			lanes[i], names[i] = int32(key.Lane), key.Key
		}
		calls = append(calls, c.count(&n, countKeys, lanes, names, most))
	}
	err = c.on.Run(c.ctx, calls...)
	return min(n, most), err
}

// count adds what a statement counts.
func (c *coldSession) count(n *int, q *wire.Query, args ...any) *wire.Call {
	return &wire.Call{Query: q, Args: args, Scan: func(r wire.Row) error {
		*n += int(r.Int(0))
		return nil
	}}
}
