package sqlite

import (
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// source is one of the two kinds of tables as a list sees it.
type source struct {
	table, columns string
	size           string // of what may be large of a row, in bytes
	failed         string // the column of the last failure's time
	states         []task.State
	indexed        func(*where.Where, store.Filter) // conditions that an index answers
	few            bool                             // the live tasks are few enough to look at all when pending ones are wanted
}

// index adds the conditions that an index answers.
func (s *source) index(w *where.Where, f store.Filter) {
	if byFailure(f) {
		w.Failed(f, s.failed)
		return
	}
	s.indexed(w, f)
	if s.few && (f.State == task.Pending || f.Live) && f.Key == "" && s.table == taskSource.table {
		w.And(`num IN (SELECT num FROM outlast_task INDEXED BY outlast_task_rank WHERE state = 5)`)
	}
}

var (
	taskSource = source{table: "outlast_known", failed: "failed_at", columns: taskColumns, size: `ifnull(octet_length(spec), 0) + ifnull(octet_length(payload), 0) + ifnull(octet_length(result), 0)`, states: []task.State{task.Pending, task.Running, task.Succeeded, task.Canceled}, indexed: func(w *where.Where, f store.Filter) {
		isLive := f.Live || f.State == task.Pending || f.State == task.Running
		switch {
		case f.State == task.Running:
			w.And(`num IN (SELECT num FROM outlast_run)`)
		case isLive && f.Key != "":
			w.And(`live AND key = ? AND key IS NOT NULL AND lane IN (SELECT lane FROM outlast_lane)`, f.Key)
		}
	}}
	deadSource = source{table: "outlast_dead", failed: "finished_at", columns: deadColumns, size: `ifnull(octet_length(spec), 0) + ifnull(octet_length(payload), 0)`, states: []task.State{task.Dead}, indexed: func(w *where.Where, f store.Filter) {
		switch { // one index is used: the most selective, or the one that leads to no other queue's
		case len(f.Queues) > 0:
			w.Queues(`queue`, f.Queues)
		case f.Fingerprint != "":
			w.And(`fingerprint = ?`, f.Fingerprint)
		case f.Type != "":
			w.And(`type = ?`, f.Type)
		case f.Queue != "":
			w.And(`queue = ?`, f.Queue)
		case f.Reason != "":
			w.And(`reason = ?`, string(f.Reason))
		}
	}}
)

// bared are the columns of tasks without what is not read.
var bared = strings.NewReplacer(" payload,", " null,", " result,", " null,")

// bare is the source without the payloads and results of its tasks.
func (s source) bare() source {
	s.columns, s.size = bared.Replace(s.columns), `ifnull(octet_length(spec), 0)`
	return s
}

// sources lists the tables that can hold tasks of the filter.
func sources(f store.Filter, bare bool) []source {
	var list []source
	for _, s := range [...]source{taskSource, deadSource} {
		if where.OnlyDead(f) && s.table != deadSource.table || f.Live && s.table == deadSource.table {
			continue
		}
		for _, state := range s.states {
			if f.State == "" || f.State == state {
				list = append(list, s)
				break
			}
		}
	}
	for i := range list {
		if bare {
			list[i] = list[i].bare()
		}
	}
	return list
}

var dialect = &where.Dialect{
	Category: `last_error ->> '$.category' = ?`,
	Trace:    `instr(spec ->> '$.trace_parent', ?) > 0`,
	Message:  `instr(lower(last_error ->> '$.message'), ?) > 0`,
	Metadata: `EXISTS (SELECT 1 FROM json_each(spec, '$.metadata') m WHERE m.key = ? AND m.value = ?)`,
}

// rest adds the conditions that are checked row by row.
func (s *source) rest(w *where.Where, f store.Filter) {
	if f.State != "" && len(s.states) > 1 {
		for number, state := range states {
			if state == f.State {
				w.And(`state = ?`, number)
			}
		}
	}
	switch {
	case f.Live && s.table == taskSource.table:
		w.And(`live`)
	case f.Live:
		w.And(`false`)
	}
	w.Failed(f, s.failed)
	if f.Failed && s.table == taskSource.table {
		w.And(`state <> 2`)
	}
	w.Columns(f, dialect)
}

// byFailure reports whether a list is in the order of failures.
func byFailure(f store.Filter) bool { return f.ByFailure() && f.IDs == nil }

// by are the columns that a list is in the order of, the newest first.
func (s *source) by(f store.Filter) (columns, order string) {
	if byFailure(f) {
		return s.failed + `, id`, s.failed + ` DESC, id DESC`
	}
	return `id`, `id DESC`
}

// depth is how many rows of the table a page reads.
func (s *source) depth(f store.Filter) int {
	if s.table == deadSource.table && where.Scattered(f) || s.table == taskSource.table && byFailure(f) {
		return scanLimit / 4
	}
	return scanLimit
}

// parts are the filters of the windows of the table: one for each queue where an index
// has them apart.
func (s *source) parts(f store.Filter) []store.Filter {
	if s.table == deadSource.table && !byFailure(f) {
		return where.EachQueue(f)
	}
	return []store.Filter{f}
}

// window is a statement that reads at most depth rows of the table, those of the highest
// places, and passes those that match, up to the one with which all that it has passed are
// as large as a page gets; the size of all up to a row is its last column. What it puts in
// order are ids and sizes: whole rows may be large.
func (s *source) window(f store.Filter, before cursor.Place, limit int) (*query, []any) {
	inner, outer := &where.Where{}, &where.Where{}
	s.index(inner, f)
	inner.IDs(f)
	inner.Below(before, s.failed)
	s.rest(outer, f)
	columns, order := s.by(f)
	text := fmt.Sprintf(`SELECT %[1]s, total FROM (SELECT id, total FROM (SELECT id, size, sum(size) OVER (ORDER BY %[9]s) AS total
FROM (SELECT %[8]s, size FROM (SELECT *, %[6]s AS size FROM %[2]s WHERE %[3]s ORDER BY %[9]s LIMIT %[4]d)
WHERE %[5]s ORDER BY %[9]s LIMIT ?)) WHERE total - size < %[7]d) CROSS JOIN %[2]s USING (id)`,
		s.columns, s.table, inner, s.depth(f), outer, s.size, pages.MostBytes, columns, order)
	return &query{sql: text}, append(append(inner.Args, outer.Args...), limit)
}

// floor is a statement for the place of the last row that window reads; it has
// no row if the window reaches the end.
func (s *source) floor(f store.Filter, before cursor.Place) (*query, []any) {
	inner := &where.Where{}
	s.index(inner, f)
	inner.IDs(f)
	inner.Below(before, s.failed)
	columns, order := s.by(f)
	if columns == `id` {
		columns = `0, id`
	}
	return &query{sql: fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT 1 OFFSET %d`, columns, s.table, inner, order, s.depth(f)-1)}, inner.Args
}
