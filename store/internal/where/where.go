// Package where makes conditions of SQL from filters.
package where

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Where collects conditions joined by AND. Only constants of the program
// become text; whatever comes from outside is an argument, in the place of a
// question mark. The zero Where is true.
type Where struct {
	text []string
	Args []any
}

// And adds a condition and its arguments.
func (w *Where) And(text string, args ...any) {
	w.text = append(w.text, text)
	w.Args = append(w.Args, args...)
}

// Copy returns a copy, to which others can be added.
func (w *Where) Copy() *Where { return &Where{slices.Clone(w.text), slices.Clone(w.Args)} }

// String is the text of the condition.
func (w *Where) String() string {
	if len(w.text) == 0 {
		return "1 = 1"
	}
	return strings.Join(w.text, " AND ")
}

// IDs adds what a page and a filter say of the id: below before, unless that
// is zero, and of the time of creation.
func (w *Where) IDs(f store.Filter, before task.ID) {
	if !before.IsZero() {
		w.And(`id < ?`, before)
	}
	if !f.Since.IsZero() {
		w.And(`id >= ?`, idAt(f.Since))
	}
	if !f.Until.IsZero() {
		w.And(`id < ?`, idAt(f.Until.Add(time.Millisecond)))
	}
}

// idAt is the smallest id of a millisecond.
func idAt(t time.Time) (id task.ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, t.UnixMilli()))<<16)
	return id
}

// Dialect is how conditions on JSON are written.
type Dialect struct {
	Category string // the category of the last error is ?
	Trace    string // the trace parent contains ?
}

// Columns adds the conditions on columns of the filter, but for its state and
// ids.
func (w *Where) Columns(f store.Filter, d *Dialect) {
	for _, c := range [...]struct{ text, value string }{
		{`type = ?`, f.Type}, {`queue = ?`, f.Queue}, {`key = ?`, f.Key}, {d.Category, f.Category},
		{`reason = ?`, string(f.Reason)}, {`fingerprint = ?`, f.Fingerprint}, {d.Trace, f.Trace},
	} {
		if c.value != "" {
			w.And(c.text, c.value)
		}
	}
	if !f.DiedBefore.IsZero() {
		w.And(`finished_at < ?`, f.DiedBefore.UnixMicro())
	}
}

// OnlyDead reports whether the filter can match dead letters alone.
func OnlyDead(f store.Filter) bool {
	return f.State == task.Dead || f.Reason != "" || f.Fingerprint != "" || !f.DiedBefore.IsZero()
}

// Empty reports whether the filter selects all dead letters.
func Empty(f store.Filter) bool {
	return f.IDs == nil && (f.State == "" || f.State == task.Dead) && f.Type == "" && f.Queue == "" && f.Key == "" &&
		f.Category == "" && f.Trace == "" && f.Since.IsZero() && f.Until.IsZero() && f.Reason == "" && f.Fingerprint == "" &&
		f.DiedBefore.IsZero()
}
