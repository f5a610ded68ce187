package mysql

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// window is how many rows one page looks at, so that what is asked of each takes a few
// ten milliseconds.
const window = 6000

// source is the table whose rows are walked, in the order of ids, and what an
// index of it selects. Every task is in outlast_task, so one source will do.
type source struct {
	table string // with the name t, r or d
	id    string // its column of the id
	at    string // its column of the time that a list is in the order of, "" for ids alone
	where where.Where
}

// order is the order of a list, the newest first.
func (s *source) order() string {
	if s.at == "" {
		return s.id + ` DESC`
	}
	return s.at + ` DESC, ` + s.id + ` DESC`
}

// place are the columns of a row's place in a list.
func (s *source) place() string { return cmp.Or(s.at, `0`) + `, ` + s.id }

// failures walks the tasks that have failed.
func failures() source {
	return source{table: `outlast_failed f FORCE INDEX (outlast_failed_at) STRAIGHT_JOIN outlast_task t ON t.id = f.id`, id: `f.id`, at: `f.failed_at`}
}

// sourceOf finds the narrowest table that has all tasks of a filter.
func sourceOf(f store.Filter) source {
	switch {
	case f.State == task.Running:
		return source{table: `outlast_run r STRAIGHT_JOIN outlast_task t ON t.id = r.id`, id: `r.id`}
	case where.OnlyDead(f):
		s := source{table: `outlast_dead d STRAIGHT_JOIN outlast_task t ON t.id = d.id`, id: `d.id`}
		switch { // one index is used: the most selective, or the one that leads to no other queue's
		case len(f.Queues) > 0:
			s.where.Queues(`d.queue`, f.Queues)
		case f.Fingerprint != "":
			s.where.And(`d.fingerprint = ?`, f.Fingerprint)
		case f.Type != "":
			s.where.And(`d.type = ?`, f.Type)
		case f.Reason != "":
			s.where.And(`d.reason = ?`, string(f.Reason))
		}
		return s
	}
	s := source{table: `outlast_task t`, id: `t.id`}
	if (f.State == task.Pending || f.Live) && f.Key != "" {
		s.table = `outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_line) ON t.lane = l.lane`
		s.where.And(`t.line = ?`, f.Key)
	}
	return s
}

// joins are those of knownJoins that the source has not.
func (s *source) joins() string {
	all := knownJoins
	for _, own := range [...]string{"outlast_run r", "outlast_dead d"} {
		if strings.HasPrefix(s.table, own) {
			at := strings.Index(all, " LEFT JOIN "+own)
			end := strings.Index(all[at+1:], " LEFT JOIN ")
			if end < 0 {
				return all[:at]
			}
			return all[:at] + all[at+1+end:]
		}
	}
	return all
}

// idRange adds what a page and a filter say of the id.
func (s *source) idRange(f store.Filter, before cursor.Place) {
	if s.at != "" {
		s.where.Failed(f, s.at)
	}
	var w where.Where
	w.IDs(f)
	w.Below(before, s.at)
	s.add(&w)
}

// add adds conditions on the id.
func (s *source) add(w *where.Where) {
	if len(w.Args) > 0 {
		s.where.And(bareID.ReplaceAllString(w.String(), s.id+` `), w.Args...)
	}
}

var bareID = regexp.MustCompile(`\bid `)

// conditions are those of a filter that are checked row by row.
func conditions(f store.Filter) (w where.Where) {
	for _, c := range [...]struct{ text, value string }{
		{`t.type = ?`, f.Type}, {`t.queue = ?`, f.Queue}, {`t.queue <> ?`, f.Without}, {`t.order_key = ?`, f.Key}, {`COALESCE(d.category, e.category, t.category) = ?`, f.Category},
		{`t.target = ?`, f.Target},
		{`d.reason = ?`, string(f.Reason)}, {`d.fingerprint = ?`, f.Fingerprint}, {`LOCATE(?, t.trace) > 0`, f.Trace},
	} {
		if c.value != "" {
			w.And(c.text, c.value)
		}
	}
	w.Queues(`t.queue`, f.Queues)
	if !f.DiedBefore.IsZero() {
		w.And(`d.finished_at < ?`, f.DiedBefore.UnixMicro())
	}
	w.Failed(f, `COALESCE(d.finished_at, t.failed_at)`)
	if f.Failed {
		w.And(`t.state <> 2`)
	}
	if f.AttemptMin > 0 {
		w.And(`COALESCE(e.attempt, d.attempt, t.attempt + (r.id IS NOT NULL)) >= ?`, f.AttemptMin)
	}
	if len(f.Metadata) > 0 {
		wanted, _ := json.Marshal(f.Metadata) // texts
		w.And(`JSON_CONTAINS(CONVERT(t.spec USING utf8mb4) COLLATE utf8mb4_bin, ?, '$.metadata')`, string(wanted))
	}
	if f.Search != "" {
		// Bytes are compared, as in hebrew_bin: a character set of single bytes of which
		// LOWER changes A to Z alone. That of Unicode is another than Go's, and makes
		// one letter of several.
		w.And(`(t.order_key = ? OR t.type = ? OR LOCATE(CONVERT(CAST(? AS BINARY) USING hebrew) COLLATE hebrew_bin, LOWER(CONVERT(CAST(JSON_UNQUOTE(JSON_EXTRACT(
 CONVERT(COALESCE(e.last_error, d.last_error, t.last_error) USING utf8mb4), '$.message')) AS BINARY) USING hebrew))) > 0)`, f.Search, f.Search, where.Small(f.Search))
	}
	if f.Live {
		w.And(`t.state = 0`)
	}
	switch f.State {
	case task.Pending:
		w.And(`t.state = 0 AND r.id IS NULL`)
	case task.Succeeded:
		w.And(`t.state = 2`)
	case task.Dead:
		w.And(`t.state = 3`)
	case task.Canceled:
		w.And(`t.state = 4`)
	}
	return w
}

// Find implements [store.Query].
func (s *Store) Find(ctx context.Context, filter store.Filter, page store.Page) (found []*task.Task, next string, err error) {
	asked, err := pages.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	err = s.snapshot(ctx, func(c *session) (err error) {
		if filter.IDs != nil {
			found, next, err = asked.ReadByID(filter.IDs, func(id task.ID) (*task.Task, error) { return c.findID(filter, id, asked.Bare) })
			return err
		}
		found, next, err = asked.Read(func(before cursor.Place, limit int) ([]*task.Task, cursor.Place, error) {
			var windows []pages.Window
			for _, filter := range partsOf(filter) {
				windows = append(windows, func(limit int) ([]*task.Task, cursor.Place, error) {
					return c.findWindow(filter, &asked, before, limit)
				})
			}
			return asked.Merge(windows, limit)
		})
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return found, next, nil
}

// partsOf are the filters of the windows of a page: one for each queue where an index has
// them apart.
func partsOf(f store.Filter) []store.Filter {
	if where.OnlyDead(f) && !f.ByFailure() {
		return where.EachQueue(f)
	}
	return []store.Filter{f}
}

// findWindow reads a page from a window of the source. floor is the place at
// which the next page begins, zero after the last.
func (s *session) findWindow(filter store.Filter, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, floor cursor.Place, err error) {
	from, err := s.walked(filter)
	if err != nil {
		return nil, floor, err
	}
	from.idRange(filter, before)
	match := conditions(filter)
	last := `SELECT ` + from.place() + ` FROM ` + from.table + ` WHERE ` + from.where.String() + ` ORDER BY ` + from.order() + ` LIMIT 1 OFFSET ?`
	if _, err := s.first(last, []any{&floor.At, (*identity)(&floor.ID)}, append(from.where.Args[:len(from.where.Args):len(from.where.Args)], window-1)...); err != nil {
		return nil, floor, err
	}
	var to where.Where
	to.From(floor, from.at)
	from.add(&to)
	args := append(append(from.where.Args[:len(from.where.Args):len(from.where.Args)], match.Args...), limit+1)
	query := ` FROM ` + from.table + from.joins() + ` WHERE ` + from.where.String() + ` AND ` + match.String() + ` ORDER BY ` + from.order() + ` LIMIT ?`
	ids, end, more, err := s.fitting(`SELECT `+from.place()+`, `+sizeOfTask(asked.Bare)+query, limit, args...)
	if err != nil || len(ids) == 0 {
		return nil, floor, err
	}
	if more {
		floor = end
	}
	found, err = s.tasks(`SELECT `+columns(asked.Bare)+` FROM outlast_task t`+knownJoins+` WHERE t.id IN (?`+strings.Repeat(`, ?`, len(ids)-1)+`)`, ids...)
	asked.Sort(found)
	return found, floor, err
}

// walked is the source that a list or a count walks.
func (s *session) walked(filter store.Filter) (source, error) {
	if filter.ByFailure() {
		from := failures()
		if filter.State == task.Running {
			from.where.And(`EXISTS (SELECT 1 FROM outlast_run x WHERE x.id = f.id)`)
		}
		return from, nil
	}
	return s.narrowed(sourceOf(filter), filter)
}

// fitting reads places with the sizes of their tasks: the ids of those that a page takes,
// the place of the last, and whether there are more.
func (s *session) fitting(query string, limit int, args ...any) (ids []any, end cursor.Place, more bool, err error) {
	bytes := 0
	err = s.each(query, func(rows *sql.Rows) error {
		var at cursor.Place
		var size int
		if err := rows.Scan(&at.At, (*identity)(&at.ID), &size); err != nil {
			return err
		}
		if more = more || len(ids) == limit || bytes >= pages.MostBytes; !more {
			ids, bytes, end = append(ids, at.ID), bytes+size, at
		}
		return nil
	}, args...)
	return ids, end, more, err
}

// bared are the columns of tasks without what is not read.
var bared = strings.NewReplacer(" t.payload,", " NULL,", " e.result,", " NULL,")

func columns(bare bool) string {
	if bare {
		return bared.Replace(taskColumns)
	}
	return taskColumns
}

// sizeOfTask is about how large a row of knownJoins is.
func sizeOfTask(bare bool) string {
	if bare {
		return `COALESCE(LENGTH(t.spec), 0)`
	}
	return `t.size + COALESCE(LENGTH(t.spec), 0) + COALESCE(LENGTH(e.result), 0)`
}

// livePending counts live tasks as far as a window.
const livePending = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank)
 ON t.lane = l.lane AND t.state = 0 LIMIT ?) few`

// narrowed walks the live tasks alone when pending ones are wanted and few
// are live; else it walks the ended ones too.
func (s *session) narrowed(from source, f store.Filter) (source, error) {
	if f.State != task.Pending && (!f.Live || f.State != "") || f.Key != "" {
		return from, nil
	}
	var n int
	if _, err := s.first(livePending, []any{&n}, window); err != nil || n == window {
		return from, err
	}
	from.table = `outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank) ON t.lane = l.lane AND t.state = 0`
	return from, nil
}

func (s *session) findID(filter store.Filter, id task.ID, bare bool) (*task.Task, error) {
	all := source{table: `outlast_task t`, id: `t.id`}
	all.where.And(`t.id = ?`, id)
	all.idRange(filter, cursor.Place{})
	match := conditions(filter)
	if filter.State == task.Running {
		match.And(`r.id IS NOT NULL`)
	}
	found, err := s.tasks(`SELECT `+columns(bare)+` FROM `+all.table+knownJoins+` WHERE `+all.where.String()+` AND `+match.String(),
		append(all.where.Args, match.Args...)...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// pendingOfQueue counts the pending tasks of a queue by its lanes, whatever else there
// is. Inputs: queue, limit.
const pendingOfQueue = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank)
 ON t.lane = l.lane AND t.state = 0 LEFT JOIN outlast_run r ON r.id = t.id WHERE l.queue = ? AND r.id IS NULL LIMIT ?) few`

// deadOfQueue counts the dead letters of a queue by its lanes. Inputs: queue, limit.
const deadOfQueue = `SELECT COUNT(*) FROM (SELECT 1 FROM outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank)
 ON t.lane = l.lane AND t.state = 3 WHERE l.queue = ? LIMIT ?) few`

// Count implements [store.Query].
func (s *Store) Count(ctx context.Context, filter store.Filter, limit int) (n int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	filter = where.Exact(filter)
	err = s.snapshot(ctx, func(c *session) error {
		n = 0
		if filter.IDs != nil {
			all := pages.Request{Limit: limit}
			found, _, err := all.ByID(filter.IDs, func(id task.ID) (*task.Task, error) { return c.findID(filter, id, true) })
			n = len(found)
			return err
		}
		if where.PendingOf(filter) {
			_, err := c.first(pendingOfQueue, []any{&n}, filter.Queue, limit)
			return err
		}
		if where.DeadOf(filter) {
			_, err := c.first(deadOfQueue, []any{&n}, filter.Queue, limit)
			return err
		}
		if kind, name, ok := where.Counter(filter); ok {
			all, err := sqlstore.KeptCount(coldSession{c}, kind, name)
			n = min(all, limit)
			return err
		}
		from, err := c.walked(filter)
		if err != nil {
			return err
		}
		from.idRange(filter, cursor.Place{})
		match := conditions(filter)
		_, err = c.first(`SELECT COUNT(*) FROM (SELECT 1 FROM `+from.table+from.joins()+` WHERE `+from.where.String()+` AND `+match.String()+` LIMIT ?) matching`,
			[]any{&n}, append(append(from.where.Args, match.Args...), limit)...)
		return err
	})
	return n, err
}

// purgeable lists dead letters of a filter, the oldest first.
func purgeable(filter store.Filter, limit int) (query string, args []any) {
	from, match := deadOf(filter)
	return `SELECT ` + taskColumns + ` FROM ` + from.table + from.joins() + ` WHERE ` + from.where.String() + ` AND ` + match.String() +
		` ORDER BY ` + from.id + ` LIMIT ?`, append(append(from.where.Args, match.Args...), limit)
}

// deadOf is a filter of dead letters alone.
func deadOf(filter store.Filter) (from source, match where.Where) {
	other := filter.State != "" && filter.State != task.Dead
	filter.State = task.Dead
	from, match = sourceOf(filter), conditions(filter)
	from.idRange(filter, cursor.Place{})
	if other {
		match.And(`1 = 0`)
	}
	if filter.IDs != nil {
		args := []any{}
		for _, id := range filter.IDs {
			args = append(args, id)
		}
		from.where.And(`d.id IN (NULL`+strings.Repeat(", ?", len(args))+`)`, args...)
	}
	return from, match
}
