package sqlite

import (
	"encoding/json"
	"fmt"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

const payloadSize = ` + ifnull(octet_length(payload), 0)`

var (
	taskTable = &sqlstore.Table{
		Name: "outlast_known", Failed: "failed_at", Columns: taskColumns, Large: payloadSize + ` + ifnull(octet_length(result), 0)`,
		States: []task.State{task.Pending, task.Running, task.Succeeded, task.Canceled}, Live: `live`,
		Index: func(w *where.Where, f store.Filter) {
			switch {
			case f.State == task.Running:
				w.And(`num IN (SELECT num FROM outlast_run)`)
			case (f.Live || f.State == task.Pending) && f.Key != "":
				w.And(`live AND key = ? AND key IS NOT NULL AND lane IN (SELECT lane FROM outlast_lane)`, f.Key)
			}
		},
	}
	deadTable = &sqlstore.Table{
		Name: "outlast_dead", Failed: "finished_at", Columns: deadColumns, Large: payloadSize, States: []task.State{task.Dead}, Index: sqlstore.DeadIndex,
	}
	tables = []*sqlstore.Table{taskTable, deadTable}
)

var dialect = &where.Dialect{
	Attempt:  `attempt >= CAST(? AS bigint)`,
	Category: `last_error ->> '$.category' = ?`,
	Trace:    `instr(spec ->> '$.trace_parent', ?) > 0`,
	Message:  `instr(lower(last_error ->> '$.message'), ?) > 0`,
	Metadata: `EXISTS (SELECT 1 FROM json_each(spec, '$.metadata') m WHERE m.key = ? AND m.value = ?)`,
}

// Tables implements [sqlstore.Lists].
func (d database) Tables(f store.Filter) []*sqlstore.Source {
	return sqlstore.SourcesOf(tables, f, dialect, false)
}

// few is how many live tasks a list of pending ones looks at all of: else it walks the
// ended ones too.
const few = 4000

var liveFew = coldQuery(fmt.Sprintf(`SELECT count(*) < %d FROM (SELECT 1 FROM outlast_task INDEXED BY outlast_task_rank WHERE state = 5 LIMIT %[1]d)`, few))

// Walks implements [sqlstore.Lists].
func (d database) Walks(on sqlstore.Session, f store.Filter, parted bool) ([]*sqlstore.Source, error) {
	list := sqlstore.SourcesOf(tables, f, dialect, parted)
	if f.State != task.Pending && !f.Live || f.Key != "" || f.ByFailure() {
		return list, nil
	}
	walkLive := !parted // what is counted is looked at all
	if parted {
		err := on.Run(&sqlstore.Call{Query: liveFew, Scan: func(r sqlstore.Row) error {
			walkLive = r.Bool(0)
			return nil
		}})
		if err != nil {
			return nil, err
		}
	}
	for _, source := range list {
		if walkLive {
			source.Index.And(`num IN (SELECT num FROM outlast_task INDEXED BY outlast_task_rank WHERE state = 5)`)
		}
	}
	return list, nil
}

// Dead implements [sqlstore.Lists].
func (d database) Dead(f store.Filter) *sqlstore.Source { return deadTable.Source(f, dialect, false) }

// Window implements [sqlstore.Lists].
func (d database) Window(on sqlstore.Session, from *sqlstore.Source, asked *pages.Request, before cursor.Place, limit int) ([]*task.Task, cursor.Place, error) {
	text, args := window(from, before, limit)
	return from.ReadWindow(on, text, args, asked, before, limit)
}

// window is a statement that puts ids and sizes in order: whole rows may be large.
func window(from *sqlstore.Source, before cursor.Place, limit int) (text string, args []any) {
	inner, place := from.Below(before, cursor.Place{}), from.ID
	if from.At != "" {
		place = from.Place()
	}
	text = fmt.Sprintf(`SELECT %[1]s, total FROM (SELECT id, total FROM (SELECT id, size, sum(size) OVER (ORDER BY %[9]s) AS total
FROM (SELECT %[8]s, size FROM (SELECT *, %[6]s AS size FROM %[2]s WHERE %[3]s ORDER BY %[9]s LIMIT %[4]d)
WHERE %[5]s ORDER BY %[9]s LIMIT ?)) WHERE total - size < %[7]d) CROSS JOIN %[2]s USING (id)`,
		from.Columns, from.Table, inner, from.Depth, &from.Rest, from.Size, pages.MostBytes, place, from.Order())
	return text, append(append(inner.Args, from.Rest.Args...), limit)
}

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

// Held implements [backlog.Source].
func (c *coldSession) Held(lanes []uint16) (held []backlog.Key, err error) {
	err = c.each(selectParked, func(r row) error {
		held = append(held, backlog.Key{Lane: uint16(r.Int(0)), Key: r.Text(1)})
		return nil
	}, list(lanes), store.MostHolds)
	return held, err
}

// Within implements [backlog.Source].
func (c *coldSession) Within(ranges []backlog.Range, held bool, most int) (n int, err error) {
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
func (c *coldSession) Behind(keys []backlog.Key, most int) (n int, err error) {
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
