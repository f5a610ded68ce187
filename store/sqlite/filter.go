package sqlite

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// source is one of the two kinds of tables as a list sees it.
type source struct {
	table, columns string
	states         []task.State
	indexed        func(*where, store.Filter) // conditions that an index answers
	few            bool                       // the live tasks are few enough to look at all when pending ones are wanted
}

// index adds the conditions that an index answers.
func (s *source) index(w *where, f store.Filter) {
	s.indexed(w, f)
	if s.few && f.State == task.Pending && f.Key == "" && s.table == taskSource.table {
		w.and(`num IN (SELECT num FROM outlast_task INDEXED BY outlast_task_rank WHERE state = 5)`)
	}
}

var (
	taskSource = source{table: "outlast_known", columns: taskColumns, states: []task.State{task.Pending, task.Running, task.Succeeded, task.Canceled}, indexed: func(w *where, f store.Filter) {
		isLive := f.State == task.Pending || f.State == task.Running
		switch {
		case f.State == task.Running:
			w.and(`num IN (SELECT num FROM outlast_run)`)
		case isLive && f.Key != "":
			w.and(`live AND key = ? AND key IS NOT NULL AND lane IN (SELECT lane FROM outlast_lane)`, f.Key)
		}
	}}
	deadSource = source{table: "outlast_dead", columns: deadColumns, states: []task.State{task.Dead}, indexed: func(w *where, f store.Filter) {
		switch { // one index is used: the most selective
		case f.Fingerprint != "":
			w.and(`fingerprint = ?`, f.Fingerprint)
		case f.Type != "":
			w.and(`type = ?`, f.Type)
		case f.Reason != "":
			w.and(`reason = ?`, string(f.Reason))
		}
	}}
)

// sources lists the tables that can hold tasks of the filter.
func sources(f store.Filter) []source {
	var list []source
	for _, s := range [...]source{taskSource, deadSource} {
		onlyDead := f.Reason != "" || f.Fingerprint != "" || !f.DiedBefore.IsZero()
		if onlyDead && s.table != deadSource.table {
			continue
		}
		for _, state := range s.states {
			if f.State == "" || f.State == state {
				list = append(list, s)
				break
			}
		}
	}
	return list
}

// where collects conditions joined by AND. Only constants of this package
// become text; whatever comes from outside is an argument.
type where struct {
	text []string
	args []any
}

func (w *where) and(text string, args ...any) {
	w.text = append(w.text, text)
	w.args = append(w.args, args...)
}

func (w *where) copy() *where { return &where{slices.Clone(w.text), slices.Clone(w.args)} }

func (w *where) String() string {
	if len(w.text) == 0 {
		return "1"
	}
	return strings.Join(w.text, " AND ")
}

// idRange adds the conditions on the id: page and creation time.
func (w *where) idRange(f store.Filter, before task.ID) {
	if !before.IsZero() {
		w.and(`id < ?`, before)
	}
	if !f.Since.IsZero() {
		w.and(`id >= ?`, idAt(f.Since))
	}
	if !f.Until.IsZero() {
		w.and(`id < ?`, idAt(f.Until.Add(time.Millisecond)))
	}
}

// idAt is the smallest id of a millisecond.
func idAt(t time.Time) (id task.ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, t.UnixMilli()))<<16)
	return id
}

// rest adds the conditions that are checked row by row.
func (w *where) rest(s *source, f store.Filter) {
	if f.State != "" && len(s.states) > 1 {
		for number, state := range states {
			if state == f.State {
				w.and(`state = ?`, number)
			}
		}
	}
	for _, c := range [...]struct{ text, value string }{
		{`type = ?`, f.Type}, {`queue = ?`, f.Queue}, {`key = ?`, f.Key}, {`last_error ->> '$.category' = ?`, f.Category},
		{`reason = ?`, string(f.Reason)}, {`fingerprint = ?`, f.Fingerprint},
	} {
		if c.value != "" {
			w.and(c.text, c.value)
		}
	}
	if f.Trace != "" {
		w.and(`instr(spec ->> '$.trace_parent', ?) > 0`, f.Trace)
	}
	if !f.DiedBefore.IsZero() {
		w.and(`finished_at < ?`, f.DiedBefore.UnixMicro())
	}
}

// window is a statement that reads at most scanLimit rows of the table in
// the order of ids and passes those that match.
func (s *source) window(f store.Filter, before task.ID, order, columns string, limit int) (*query, []any) {
	inner, outer := &where{}, &where{}
	s.index(inner, f)
	inner.idRange(f, before)
	outer.rest(s, f)
	text := fmt.Sprintf(`SELECT %s FROM (SELECT * FROM %s WHERE %s ORDER BY id %s LIMIT %d) WHERE %s ORDER BY id %s LIMIT ?`,
		columns, s.table, inner, order, scanLimit, outer, order)
	return &query{sql: text}, append(append(inner.args, outer.args...), limit)
}

// floor is a statement for the id of the last row that window reads; it has
// no row if the window reaches the end.
func (s *source) floor(f store.Filter, before task.ID) (*query, []any) {
	inner := &where{}
	s.index(inner, f)
	inner.idRange(f, before)
	return &query{sql: fmt.Sprintf(`SELECT id FROM %s WHERE %s ORDER BY id DESC LIMIT 1 OFFSET %d`, s.table, inner, scanLimit-1)}, inner.args
}
