package postgres

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// source is one kind of tables as a list sees it.
type source struct {
	table, columns string
	size           string // of what may be large of a row, in bytes
	failed         string // the column of the last failure's time
	states         []task.State
	indexed        func(*where.Where, store.Filter) // conditions that an index answers
}

const (
	specSize = `coalesce(octet_length(spec), 0)`
	rowSize  = specSize + ` + octet_length(payload)`
)

var sources = [...]source{
	{table: "outlast_live", failed: "failed_at", columns: liveColumns, size: rowSize, states: []task.State{task.Pending, task.Running}, indexed: func(w *where.Where, f store.Filter) {
		switch {
		case f.State == task.Running:
			w.And(`(id, lane) IN (SELECT r.id, r.lane FROM outlast_running r)`)
		case f.Key != "":
			w.And(`lane IN (SELECT l.lane FROM outlast_lane l) AND key = ? AND key IS NOT NULL`, f.Key)
		}
	}},
	{table: "outlast_done", failed: "failed_at", columns: doneColumns, size: rowSize + ` + coalesce(octet_length(result), 0)`, states: []task.State{task.Succeeded, task.Canceled}, indexed: func(*where.Where, store.Filter) {}},
	{table: "outlast_dead", failed: "finished_at", columns: deadColumns, size: rowSize, states: []task.State{task.Dead}, indexed: deadIndexed},
}

// deadIndexed adds the one condition that an index of dead letters answers
// best.
func deadIndexed(w *where.Where, f store.Filter) {
	switch {
	case len(f.Queues) > 0: // the one that leads to no other queue's
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
}

var liveSource, doneSource, deadSource = &sources[0], &sources[1], &sources[2]

// bared are the columns of tasks without what is not read.
var bared = strings.NewReplacer(" payload,", " NULL::bytea,", " result,", " NULL::bytea,")

// bare is the source without the payloads and results of its tasks.
func (s source) bare() *source {
	s.columns, s.size = bared.Replace(s.columns), specSize
	return &s
}

// sourcesOf lists the tables that can hold tasks of the filter.
func sourcesOf(f store.Filter, bare bool) (list []*source) {
	for i := range sources {
		s := &sources[i]
		if where.OnlyDead(f) && s != deadSource || f.Live && s != liveSource {
			continue
		}
		for _, state := range s.states {
			if f.State == "" || f.State == state {
				list = append(list, s)
				break
			}
		}
	}
	for i, s := range list {
		if bare {
			list[i] = s.bare()
		}
	}
	return list
}

// field is a text of a column of JSON. The type json refuses to make text of
// a document with an escaped NUL, so such a document has no fields here.
func field(column, name string) string {
	return `CASE WHEN strpos(` + column + `, '\u0000') = 0 THEN ` + column + `::json ->> '` + name + `' END`
}

var dialect = &where.Dialect{
	Category: `(` + field("last_error", "category") + `) = ?`,
	Trace:    `strpos(` + field("spec", "trace_parent") + `, ?) > 0`,
	Message:  `strpos(lower((` + field("last_error", "message") + `) COLLATE "C"), ?) > 0`,
	Metadata: `CASE WHEN strpos(spec, '\u0000') = 0 THEN spec::json -> 'metadata' ->> ?::text END = ?`,
}

// rest adds the conditions that are checked row by row.
func (s *source) rest(w *where.Where, f store.Filter) {
	if f.State != "" && len(s.states) > 1 {
		for number, state := range states {
			if state == f.State {
				w.And(`state = ?::bigint`, number)
			}
		}
	}
	w.Columns(f, dialect)
	w.Failed(f, s.failed)
	if f.Failed && s.table == doneSource.table {
		w.And(`state <> 2`)
	}
}

// index adds the conditions that an index answers.
func (s *source) index(w *where.Where, f store.Filter) {
	if byFailure(f) {
		w.Failed(f, s.failed)
		return
	}
	s.indexed(w, f)
}

// byFailure reports whether a list is in the order of failures.
func byFailure(f store.Filter) bool { return f.ByFailure() && f.IDs == nil }

// order is the order of a list, the newest first.
func (s *source) order(f store.Filter) string {
	if byFailure(f) {
		return s.failed + ` DESC, id DESC`
	}
	return `id DESC`
}

// place are the columns of a row's place in a list.
func (s *source) place(f store.Filter) string {
	if byFailure(f) {
		return s.failed + `, id`
	}
	return `0::bigint, id`
}

// scanLimit is how many rows of one table a page reads, so that what is asked of
// each takes a few ten milliseconds: three tables stay below 20 000.
const scanLimit = 4000

// depth is how many rows of the table a page reads.
func (s *source) depth(f store.Filter) int {
	if s.table == deadSource.table && where.Scattered(f) || s.table == liveSource.table && byFailure(f) {
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

// window is a statement that reads at most depth rows of the table in
// the order of the list, and passes those that match, up to the one with
// which all that it has passed are as large as a page gets; the size of all up to a
// row is its last column.
func (s *source) window(f store.Filter, before cursor.Place, limit int) (text string, args []any) {
	inner, outer := &where.Where{}, &where.Where{}
	s.index(inner, f)
	inner.IDs(f)
	inner.Below(before, s.failed)
	s.rest(outer, f)
	text = fmt.Sprintf(`SELECT %[1]s, total FROM (SELECT *, sum(size) OVER (ORDER BY %[8]s) AS total FROM (
SELECT *, %[2]s AS size FROM (SELECT * FROM %[3]s WHERE %[4]s ORDER BY %[8]s LIMIT %[5]d) w WHERE %[6]s ORDER BY %[8]s LIMIT ?) w) w
WHERE total - size < %[7]d ORDER BY %[8]s`, s.columns, s.size, s.table, inner, s.depth(f), outer, pages.MostBytes, s.order(f))
	return text, append(append(inner.Args, outer.Args...), limit)
}

// floor is a statement for the place of the last row that window reads; it has
// no row if the window reaches the end.
func (s *source) floor(f store.Filter, before cursor.Place) (text string, args []any) {
	inner := &where.Where{}
	s.index(inner, f)
	inner.IDs(f)
	inner.Below(before, s.failed)
	return fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT 1 OFFSET %d`, s.place(f), s.table, inner, s.order(f), s.depth(f)-1), inner.Args
}

// spreadWindow is window where tables are distributed, of some columns: each machine
// passes the rows that match down to the floor, so that it sends those alone.
func (s *source) spreadWindow(columns string, f store.Filter, before, floor cursor.Place, limit int) (text string, args []any) {
	w := &where.Where{}
	s.index(w, f)
	w.IDs(f)
	w.Below(before, s.failed)
	w.From(floor, s.failed)
	s.rest(w, f)
	return fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT ?`, columns, s.table, w, s.order(f)), append(w.Args, limit)
}

// deadWhere is a whole filter as a condition on dead letters.
func deadWhere(filter store.Filter) *where.Where {
	w := &where.Where{}
	deadSource.indexed(w, filter)
	w.IDs(filter)
	deadSource.rest(w, filter)
	if filter.Live || filter.State != "" && filter.State != task.Dead {
		w.And(`false`)
	}
	if filter.IDs != nil {
		w.And(`id = ANY(?::uuid[])`, filter.IDs)
	}
	return w
}

// numbered is a statement with question marks as this database wants it, with
// the schema of the store.
func (s *Store) numbered(text string, args []any) (string, []any) {
	var out strings.Builder
	n := 0
	for part := range strings.SplitSeq(text, "?") {
		if n > 0 {
			out.WriteString("$" + strconv.Itoa(n))
		}
		out.WriteString(part)
		n++
	}
	text = unmarked(out.String())
	if s.spread {
		text = routed(out.String())
	}
	return newStatement(text, quote(s.schema)+".").text, args
}
