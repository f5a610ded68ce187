// Package where makes conditions of SQL from filters.
package where

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
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

// With is both conditions.
func (w *Where) With(other *Where) *Where {
	return &Where{slices.Concat(w.text, other.text), slices.Concat(w.Args, other.Args)}
}

// String is the text of the condition.
func (w *Where) String() string {
	if len(w.text) == 0 {
		return "1 = 1"
	}
	return strings.Join(w.text, " AND ")
}

// Below adds what a page says: that it begins below a place, unless that is zero, in a
// list in the order of the column id, or of the column at and then id.
func (w *Where) Below(before cursor.Place, at, id string) {
	switch {
	case before.IsZero():
	case before.At == 0:
		w.And(id+` < ?`, before.ID)
	default:
		w.And(at+` <= ? AND (`+at+` < ? OR `+id+` < ?)`, before.At, before.At, before.ID)
	}
}

// From adds that a page does not go below a place, as Below adds where it begins.
func (w *Where) From(floor cursor.Place, at, id string) {
	switch {
	case floor.IsZero():
	case floor.At == 0:
		w.And(id+` >= ?`, floor.ID)
	default:
		w.And(at+` >= ? AND (`+at+` > ? OR `+id+` >= ?)`, floor.At, floor.At, floor.ID)
	}
}

// Failed adds what a filter says of the last failure, whose time is in the column at.
func (w *Where) Failed(f store.Filter, at string) {
	if !f.ByFailure() {
		return
	}
	w.And(at + ` IS NOT NULL`)
	if !f.FailedSince.IsZero() {
		w.And(at+` >= ?`, f.FailedSince.UnixMicro())
	}
	if !f.FailedUntil.IsZero() {
		w.And(at+` < ?`, f.FailedUntil.UnixMicro())
	}
}

// Created adds what a filter says of the time of creation, which is in the column id.
func (w *Where) Created(f store.Filter, id string) {
	if !f.Since.IsZero() {
		w.And(id+` >= ?`, idAt(f.Since))
	}
	if !f.Until.IsZero() {
		w.And(id+` < ?`, idAt(f.Until.Add(time.Millisecond)))
	}
}

// idAt is the smallest id of a millisecond.
func idAt(t time.Time) (id task.ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(0, t.UnixMilli()))<<16)
	return id
}

// Dialect is how conditions on tasks are written.
type Dialect struct {
	Columns  map[string]string // that have other names than those of PostgreSQL
	Attempt  string            // there were at least ? attempts
	Category string            // the category of the last error is ?
	Trace    string            // the trace parent contains ?
	Message  string            // the message of the last error, its letters A to Z made small, contains ?
	AnyID    string            // the id is one of the list ?; "" for a list of question marks
	Metadata string            // the metadata have the name ? with the value ?
	Contains string            // instead: the metadata have all that the JSON ? has
}

// Column is a column by its name in PostgreSQL.
func (d *Dialect) Column(name string) string { return cmp.Or(d.Columns[name], name) }

// Columns adds the conditions on columns of the filter, but for its state and
// ids.
func (w *Where) Columns(f store.Filter, d *Dialect) {
	for _, c := range [...]struct{ text, value string }{
		{d.Column("type") + ` = ?`, f.Type}, {d.Column("queue") + ` = ?`, f.Queue}, {d.Column("queue") + ` <> ?`, f.Without},
		{d.Column("key") + ` = ?`, f.Key}, {d.Column("target") + ` = ?`, f.Target}, {d.Category, f.Category},
		{d.Column("reason") + ` = ?`, string(f.Reason)}, {d.Column("fingerprint") + ` = ?`, f.Fingerprint}, {d.Trace, f.Trace},
	} {
		if c.value != "" {
			w.And(c.text, c.value)
		}
	}
	w.Queues(d.Column("queue"), f.Queues)
	if !f.DiedBefore.IsZero() {
		w.And(d.Column("finished_at")+` < ?`, f.DiedBefore.UnixMicro())
	}
	if f.AttemptMin > 0 {
		w.And(d.Attempt, int64(f.AttemptMin))
	}
	w.metadata(f.Metadata, d)
	if f.Search != "" {
		w.And(`(`+d.Column("key")+` = ? OR `+d.Column("type")+` = ? OR `+d.Message+`)`, f.Search, f.Search, store.Small(f.Search))
	}
}

func (w *Where) metadata(wanted map[string]string, d *Dialect) {
	if d.Contains != "" && len(wanted) > 0 {
		text, _ := json.Marshal(wanted) // texts
		w.And(d.Contains, string(text))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		w.And(d.Metadata, name, wanted[name])
	}
}

// AnyID adds that the column id is one of some.
func (w *Where) AnyID(ids []task.ID, id string, d *Dialect) {
	if d.AnyID != "" {
		w.And(d.AnyID, ids)
		return
	}
	args := make([]any, len(ids))
	for i := range ids {
		args[i] = ids[i]
	}
	w.And(id+` IN (NULL`+strings.Repeat(`, ?`, len(ids))+`)`, args...)
}

// Queues adds that a column is one of the queues, nothing for none.
func (w *Where) Queues(column string, queues []string) {
	switch len(queues) {
	case 0:
	case 1:
		w.And(column+` = ?`, queues[0])
	default:
		text := column + ` IN (?` + strings.Repeat(`, ?`, len(queues)-1) + `)`
		args := make([]any, len(queues))
		for i, queue := range queues {
			args[i] = queue
		}
		w.And(text, args...)
	}
}

// EachQueue is a filter for each of its queues: what an index has by queue is read of one
// after the other.
func EachQueue(f store.Filter) []store.Filter {
	if f.Queue != "" && slices.Contains(f.Queues, f.Queue) {
		f.Queues = []string{f.Queue}
	}
	if len(f.Queues) < 2 {
		return []store.Filter{f}
	}
	each := make([]store.Filter, len(f.Queues))
	for i := range each {
		each[i] = f
		each[i].Queues = f.Queues[i : i+1]
	}
	return each
}

// Exact is a filter for what counts all that matches, by queue if it names one of those
// that it is bound to.
func Exact(f store.Filter) store.Filter {
	if f.Queue != "" && slices.Contains(f.Queues, f.Queue) {
		f.Queues = nil
	}
	return f
}

// OnlyDead reports whether the filter can match dead letters alone.
func OnlyDead(f store.Filter) bool {
	return f.State == task.Dead || f.Reason != "" || f.Fingerprint != "" || !f.DiedBefore.IsZero()
}

// PendingOf reports whether the filter selects the pending tasks of a queue, and
// nothing else.
func PendingOf(f store.Filter) bool {
	queue, state := f.Queue, f.State
	f.Queue, f.State = "", ""
	return queue != "" && state == task.Pending && Empty(f)
}

// Counter is the counter of dead letters that has the number of those that a filter
// selects; ok is false where there is none.
func Counter(f store.Filter) (kind, name string, ok bool) {
	if f.State != task.Dead {
		return "", "", false
	}
	one, rest := [...][2]string{{"type", f.Type}, {"reason", string(f.Reason)}, {"category", f.Category}, {"fingerprint", f.Fingerprint}}, f
	rest.Type, rest.Reason, rest.Category, rest.Fingerprint = "", "", "", ""
	kind, n := "total", 0
	for _, c := range one {
		if c[1] != "" {
			kind, name, n = c[0], c[1], n+1
		}
	}
	return kind, name, n <= 1 && Empty(rest)
}

// OnlyGroup reports whether a filter selects a group of dead letters, and nothing else.
func OnlyGroup(f store.Filter) bool {
	f.State = task.Dead
	kind, _, ok := Counter(f)
	return ok && kind == "fingerprint"
}

// Grouped is how many letters grouping and trends look at: few of those that lie
// scattered among all, as those of a type and a group do, for each may be a read of
// its own.
func Grouped(f store.Filter) int {
	if Scattered(f) {
		return 1000
	}
	return 4000
}

// Scattered reports whether the index of dead letters that answers a filter best leads
// to rows far from each other. A filter that is bound to queues is answered by that of
// queues.
func Scattered(f store.Filter) bool {
	return len(f.Queues) == 0 && (f.Fingerprint != "" || f.Type != "")
}

// DeadOf reports whether the filter selects the dead letters of a queue, and nothing
// else.
func DeadOf(f store.Filter) bool {
	queue, state := f.Queue, f.State
	f.Queue = ""
	return queue != "" && state == task.Dead && Empty(f)
}

// Empty reports whether the filter selects all dead letters.
func Empty(f store.Filter) bool {
	return f.IDs == nil && !f.Live && (f.State == "" || f.State == task.Dead) && f.Type == "" && f.Queue == "" && f.Key == "" &&
		f.Category == "" && f.Trace == "" && f.Since.IsZero() && f.Until.IsZero() && f.Reason == "" && f.Fingerprint == "" &&
		f.DiedBefore.IsZero() && !f.ByFailure() && f.Target == "" && f.AttemptMin <= 0 && len(f.Metadata) == 0 && f.Search == "" && f.Without == "" &&
		len(f.Queues) == 0
}
