package sqlstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// Source is what a list of a filter reads: a table, or several that are joined.
type Source struct {
	Table       string // behind FROM
	Joins       string // what is read of a task beside, and asked by Rest
	ID          string // the column of the id
	At          string // the column of the time that the list is in the order of; "" for ids alone
	Columns     string // what [ScanTask] reads
	Size, Spec  string // the bytes of what may be large of a row, and of its spec alone
	Depth       int    // how many rows a page looks at
	Index, Rest where.Where
}

// bared are the columns of tasks without what is not read.
var bared = strings.NewReplacer(" payload,", " NULL,", " result,", " NULL,", " t.payload,", " NULL,", " e.result,", " NULL,")

// Bare is the source without the payloads and results of its tasks.
func (s *Source) Bare(bare bool) *Source {
	if bare {
		s.Columns, s.Size = bared.Replace(s.Columns), s.Spec
	}
	return s
}

// Order is the order of a list, the newest first.
func (s *Source) Order() string {
	if s.At == "" {
		return s.ID + ` DESC`
	}
	return s.At + ` DESC, ` + s.ID + ` DESC`
}

// Place are the columns of a row's place in a list.
func (s *Source) Place() string {
	if s.At == "" {
		return `0, ` + s.ID
	}
	return s.At + `, ` + s.ID
}

// ScanPlace reads the place that a row begins with.
func ScanPlace(r Row) cursor.Place { return cursor.Place{At: r.Int(0), ID: r.ID(1)} }

// Below is what an index answers of what is below a place, and not below another.
func (s *Source) Below(before, floor cursor.Place) *where.Where {
	bounds := &where.Where{}
	bounds.Below(before, s.At, s.ID)
	bounds.From(floor, s.At, s.ID)
	return s.Index.With(bounds)
}

// Floor reads the place of the last row that a window below a place looks at; it is zero
// if the window reaches the end.
func (s *Source) Floor(on Session, before cursor.Place) (cursor.Place, error) {
	w := s.Below(before, cursor.Place{})
	end, _, err := first(on, Made(fmt.Sprintf(`SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT 1 OFFSET %d`, s.Place(), s.Table, w, s.Order(), s.Depth-1)), ScanPlace, w.Args...)
	return end, err
}

// count is a statement that counts what matches, to a limit.
func (s *Source) count(limit int) (*Query, []any) {
	w := s.Index.With(&s.Rest)
	return Made(`SELECT count(*) FROM (SELECT 1 FROM ` + s.Table + s.Joins + ` WHERE ` + w.String() + ` LIMIT ?) x`), append(w.Args, limit)
}

// Oldest is a statement that reads what matches, in the order of ids.
func (s *Source) Oldest(columns string, limit int) (text string, args []any) {
	w := s.Index.With(&s.Rest)
	return `SELECT ` + columns + ` FROM ` + s.Table + s.Joins + ` WHERE ` + w.String() + ` ORDER BY ` + s.ID + ` LIMIT ?`, append(w.Args, max(0, limit))
}

// ReadWindow reads a window by a statement that passes tasks, and behind each how large
// those up to it are, up to the one with which they are as large as a page gets.
func (s *Source) ReadWindow(on Session, text string, args []any, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, end cursor.Place, err error) {
	bytes := int64(0)
	err = on.Run(&Call{Query: Made(text), Args: args, Scan: func(r Row) error {
		found, bytes = append(found, ScanTask(r)), max(bytes, r.Int(TaskWidth))
		return nil
	}})
	if err != nil {
		return nil, end, err
	}
	asked.Sort(found)
	if len(found) >= limit || bytes >= pages.MostBytes {
		return found, asked.PlaceOf(found[len(found)-1]), nil
	}
	end, err = s.Floor(on, before)
	return found, end, err
}

// Table is a table of tasks, or a view of several, where each task is in one of them.
type Table struct {
	Name, Columns string
	Large         string // columns of which the bytes count, beside those of the spec
	Failed        string // the column of the last failure's time
	States        []task.State
	Live          string                           // the condition that a row is live; "" if none is
	Index         func(*where.Where, store.Filter) // adds what an index answers
}

// scanLimit is how many rows of one table a page reads, so that what is asked of
// each takes a few ten milliseconds: three tables stay below 20 000.
const scanLimit = 4000

// SourcesOf are what a list of a filter reads of those tables that can have tasks of it:
// one for each queue where an index has them apart, if that is wanted.
func SourcesOf(tables []*Table, f store.Filter, d *where.Dialect, parted bool) (list []*Source) {
	for _, t := range tables {
		switch {
		case where.OnlyDead(f) && !t.dead(), f.Live && t.Live == "":
		case f.State == "" || slices.Contains(t.States, f.State):
			list = append(list, t.sources(f, d, parted)...)
		}
	}
	return list
}

func (t *Table) dead() bool { return t.States[0] == task.Dead }

func (t *Table) sources(f store.Filter, d *where.Dialect, parted bool) (list []*Source) {
	failed := f.ByFailure() && f.IDs == nil
	filters := []store.Filter{f}
	if parted && t.dead() && !failed {
		filters = where.EachQueue(f)
	}
	for _, f := range filters {
		list = append(list, t.Source(f, d, failed))
	}
	return list
}

// Source is what a list of a filter reads of the table, in the order of failures or of ids.
func (t *Table) Source(f store.Filter, d *where.Dialect, failed bool) *Source {
	s := &Source{Table: t.Name, ID: `id`, Columns: t.Columns, Depth: scanLimit, Spec: `coalesce(octet_length(spec), 0)`}
	s.Size = s.Spec + t.Large
	if t.dead() && where.Scattered(f) || t.Live != "" && failed {
		s.Depth /= 4
	}
	if failed {
		s.At = t.Failed
		s.Index.Failed(f, t.Failed)
	} else {
		t.Index(&s.Index, f)
	}
	s.Index.Created(f, s.ID)
	if f.State != "" && len(t.States) > 1 {
		s.Rest.And(`state = CAST(? AS bigint)`, slices.Index(States[:], f.State))
	}
	if f.Live {
		s.Rest.And(t.Live)
	}
	s.Rest.Columns(f, d)
	s.Rest.Failed(f, t.Failed)
	if f.Failed && slices.Contains(t.States, task.Succeeded) {
		s.Rest.And(`state <> 2`)
	}
	return s
}

// DeadIndex adds the one condition that an index of dead letters answers best: that of
// queues first, since it leads to no other queue's.
func DeadIndex(w *where.Where, f store.Filter) {
	switch {
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
}

// dead is the source of the dead letters of a filter.
func (c Cold) dead(f store.Filter) *Source {
	none := f.Live || f.State != "" && f.State != task.Dead
	f.State, f.Live = task.Dead, false
	s := c.db.Dead(f)
	if f.IDs != nil {
		s.Index.AnyID(f.IDs, s.ID, c.own.Words)
	}
	if none {
		s.Rest.And(`1 = 0`)
	}
	return s
}
