package mysql

import (
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// window is how many rows one page looks at, so that what is asked of each takes a few
// ten milliseconds.
const window = 6000

var dialect = &where.Dialect{
	Columns: map[string]string{
		"type": "t.type", "queue": "t.queue", "key": "t.order_key", "seq": "t.seq", "target": "t.target",
		"reason": "d.reason", "fingerprint": "d.fingerprint", "finished_at": "d.finished_at",
	},
	Attempt:  `COALESCE(e.attempt, d.attempt, t.attempt + (r.id IS NOT NULL)) >= ?`,
	Category: `COALESCE(d.category, e.category, t.category) = ?`,
	Trace:    `LOCATE(?, t.trace) > 0`,
	// Bytes are compared, as in hebrew_bin: a character set of single bytes of which
	// LOWER changes A to Z alone. That of Unicode is another than Go's, and makes
	// one letter of several.
	Message: `LOCATE(CONVERT(CAST(? AS BINARY) USING hebrew) COLLATE hebrew_bin, LOWER(CONVERT(CAST(JSON_UNQUOTE(JSON_EXTRACT(
 CONVERT(COALESCE(e.last_error, d.last_error, t.last_error) USING utf8mb4), '$.message')) AS BINARY) USING hebrew))) > 0`,
	Contains: `JSON_CONTAINS(CONVERT(t.spec USING utf8mb4) COLLATE utf8mb4_bin, ?, '$.metadata')`,
}

// inState are the conditions of states.
var inState = map[task.State]string{
	task.Pending: `t.state = 0 AND r.id IS NULL`, task.Succeeded: `t.state = 2`, task.Dead: `t.state = 3`, task.Canceled: `t.state = 4`,
}

// sourceOf is what has the tasks of a filter: every task is in outlast_task, so one source
// will do.
func sourceOf(f store.Filter, table, joins, id string) *sqlstore.Source {
	s := &sqlstore.Source{
		Table: table, Joins: joins, ID: id, Columns: taskColumns, Depth: window,
		Size: `t.size + COALESCE(LENGTH(t.spec), 0) + COALESCE(LENGTH(e.result), 0)`, Spec: `COALESCE(LENGTH(t.spec), 0)`,
	}
	s.Index.Created(f, id)
	s.Rest.Columns(f, dialect)
	s.Rest.Failed(f, `COALESCE(d.finished_at, t.failed_at)`)
	if f.Failed {
		s.Rest.And(`t.state <> 2`)
	}
	if f.Live {
		s.Rest.And(`t.state = 0`)
	}
	if text := inState[f.State]; text != "" {
		s.Rest.And(text)
	}
	return s
}

// Tables implements [sqlstore.Lists].
func (d database) Tables(f store.Filter) []*sqlstore.Source {
	s := sourceOf(f, `outlast_task t`, knownJoins, `t.id`)
	if f.State == task.Running {
		s.Rest.And(`r.id IS NOT NULL`)
	}
	return []*sqlstore.Source{s}
}

const (
	failedTasks = `outlast_failed f FORCE INDEX (outlast_failed_at) STRAIGHT_JOIN outlast_task t ON t.id = f.id`
	runTasks    = `outlast_run r STRAIGHT_JOIN outlast_task t ON t.id = r.id`
	deadTasks   = `outlast_dead d STRAIGHT_JOIN outlast_task t ON t.id = d.id`
	keyTasks    = `outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_line) ON t.lane = l.lane`
	liveTasks   = `outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank) ON t.lane = l.lane AND t.state = 0`
)

// countLive counts live tasks as far as a window.
var countLive = coldQuery(`SELECT COUNT(*) FROM (SELECT 1 FROM ` + liveTasks + ` LIMIT ` + strconv.Itoa(window) + `) few`)

// Walks implements [sqlstore.Lists].
func (d database) Walks(on sqlstore.Session, f store.Filter, parted bool) (list []*sqlstore.Source, err error) {
	if parted && where.OnlyDead(f) && !f.ByFailure() {
		for _, f := range where.EachQueue(f) {
			list = append(list, d.walk(f))
		}
		return list, nil
	}
	from := d.walk(f)
	if from.Table == `outlast_task t` && (f.State == task.Pending || f.Live && f.State == "") {
		// Live tasks alone are walked where they are few, else the ended ones too.
		err = on.Run(&sqlstore.Call{Query: countLive, Scan: func(r sqlstore.Row) error {
			if r.Int(0) < window {
				from.Table = liveTasks
			}
			return nil
		}})
	}
	return []*sqlstore.Source{from}, err
}

// walk is the narrowest table that has all tasks of a filter.
func (d database) walk(f store.Filter) *sqlstore.Source {
	switch {
	case f.ByFailure():
		s := sourceOf(f, failedTasks, knownJoins, `f.id`)
		s.At = `f.failed_at`
		s.Index.Failed(f, s.At)
		if f.State == task.Running {
			s.Index.And(`EXISTS (SELECT 1 FROM outlast_run x WHERE x.id = f.id)`)
		}
		return s
	case f.State == task.Running:
		return sourceOf(f, runTasks, doneJoin+deadJoin, `r.id`)
	case where.OnlyDead(f):
		return d.Dead(f)
	case (f.State == task.Pending || f.Live) && f.Key != "":
		s := sourceOf(f, keyTasks, knownJoins, `t.id`)
		s.Index.And(`t.line = ?`, f.Key)
		return s
	}
	return sourceOf(f, `outlast_task t`, knownJoins, `t.id`)
}

// Dead implements [sqlstore.Lists]. One index is used: the most selective, or the one that
// leads to no other queue's.
func (d database) Dead(f store.Filter) *sqlstore.Source {
	s := sourceOf(f, deadTasks, runJoin+doneJoin, `d.id`)
	switch {
	case len(f.Queues) > 0:
		s.Index.Queues(`d.queue`, f.Queues)
	case f.Fingerprint != "":
		s.Index.And(`d.fingerprint = ?`, f.Fingerprint)
	case f.Type != "":
		s.Index.And(`d.type = ?`, f.Type)
	case f.Reason != "":
		s.Index.And(`d.reason = ?`, string(f.Reason))
	}
	return s
}

// Window implements [sqlstore.Lists]. It reads first how large the rows are down to the
// place at which the next page begins.
func (d database) Window(on sqlstore.Session, from *sqlstore.Source, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, end cursor.Place, err error) {
	if end, err = from.Floor(on, before); err != nil {
		return nil, end, err
	}
	w := from.Below(before, end).With(&from.Rest)
	query := `SELECT ` + from.Place() + `, ` + from.Size + ` FROM ` + from.Table + from.Joins + ` WHERE ` + w.String() + ` ORDER BY ` + from.Order() + ` LIMIT ?`
	var ids []any
	last, bytes, more := end, int64(0), false
	err = on.Run(&sqlstore.Call{Query: sqlstore.Made(query), Args: append(w.Args, limit+1), Scan: func(r sqlstore.Row) error {
		if more = more || len(ids) == limit || bytes >= pages.MostBytes; !more {
			last = sqlstore.ScanPlace(r)
			ids, bytes = append(ids, last.ID), bytes+r.Int(2)
		}
		return nil
	}})
	if err != nil || len(ids) == 0 {
		return nil, end, err
	}
	if more {
		end = last
	}
	found, err = sqlstore.Tasks(on, sqlstore.Made(`SELECT `+from.Columns+` FROM outlast_task t`+knownJoins+` WHERE t.id IN (?`+strings.Repeat(`, ?`, len(ids)-1)+`)`), ids...)
	asked.Sort(found)
	return found, end, err
}

const (
	// selectParked lists keys of lanes that are held in mode park.
	selectParked = `SELECT lane, line FROM outlast_key_hold WHERE lane IN (@lanes) AND hold_mode = 'park' ORDER BY lane, line LIMIT ?`

	// countWithin counts pending rows by ranges of marks, along the index by rank.
	countWithin = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_rank) LEFT JOIN outlast_run r ON r.id = t.id
WHERE (@ranges) AND r.id IS NULL LIMIT ?) pending`

	// countUnheld leaves out rows behind keys held in mode park.
	countUnheld = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_rank) LEFT JOIN outlast_run r ON r.id = t.id
 LEFT JOIN outlast_key_hold h ON h.lane = t.lane AND h.line = t.line AND h.hold_mode = 'park'
WHERE (@ranges) AND r.id IS NULL AND h.id IS NULL LIMIT ?) pending`

	inRange = `t.lane = ? AND t.state = 0 AND t.park BETWEEN ? AND ?`

	// countKeys counts the live rows of keys, of which none runs while they are held.
	countKeys = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_task t FORCE INDEX (outlast_task_line) WHERE (@keys) LIMIT ?) waiting`
	ofKey     = `t.lane = ? AND t.line = ?`

	// together is how many ranges or keys one statement has.
	together = 100
)

// Held implements [backlog.Source].
func (c coldSession) Held(lanes []uint16) (held []backlog.Key, err error) {
	args := make([]any, 0, len(lanes)+1)
	for _, lane := range lanes {
		args = append(args, lane)
	}
	err = c.each(list(selectParked, "@lanes", len(lanes)), func(rows *sql.Rows) error {
		var lane number
		var key text
		err := rows.Scan(&lane, &key)
		held = append(held, backlog.Key{Lane: uint16(lane), Key: string(key)})
		return err
	}, append(args, store.MostHolds)...)
	return held, err
}

// Within implements [backlog.Source].
func (c coldSession) Within(ranges []backlog.Range, held bool, most int) (n int, err error) {
	query := countWithin
	if held {
		query = countUnheld
	}
	return count(c, query, "@ranges", inRange, ranges, most, func(r backlog.Range) []any { return []any{r.Lane, r.Low, r.High} })
}

// Behind implements [backlog.Source].
func (c coldSession) Behind(keys []backlog.Key, most int) (n int, err error) {
	return count(c, countKeys, "@keys", ofKey, keys, most, func(key backlog.Key) []any { return []any{key.Lane, key.Key} })
}

// count counts by conditions of which one must hold, as many as go together at a time.
func count[T any](c coldSession, query, name, condition string, all []T, most int, args func(T) []any) (total int, err error) {
	for part := range slices.Chunk(all, together) {
		var values []any
		for _, one := range part {
			values = append(values, args(one)...)
		}
		conditions := condition + strings.Repeat(` OR `+condition, len(part)-1)
		n := 0
		if _, err := c.first(strings.Replace(query, name, conditions, 1), []any{&n}, append(values, most-total)...); err != nil {
			return 0, err
		}
		if total += n; total >= most {
			break
		}
	}
	return total, nil
}
