// Package pages puts pages of tasks together that are in several tables, each
// of which is read by windows in the order of ids, newest first.
package pages

import (
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/task"
)

// How many tasks a page has, and about how many bytes they have: the task that
// reaches MostBytes is the last of its page.
const (
	Default   = 100
	Most      = 500
	MostBytes = 8 << 20
)

// Request is a page that was asked for.
type Request struct {
	Limit  int
	Before task.ID // the page begins below it; zero for the newest task
	Bare   bool    // its tasks come without payload and result
	bytes  int     // MostBytes, or 0 for no bound
	name   string
	bound  bool // to queues
}

// Asked checks what a caller asks for.
func Asked(filter store.Filter, page store.Page) (r Request, err error) {
	if r.Limit = page.Limit; r.Limit == 0 {
		r.Limit = Default
	}
	if r.Limit < 1 || r.Limit > Most {
		return r, task.Invalid("limit", "it is not between 1 and 500", "")
	}
	r.Bare, r.bytes, r.bound = page.Bare, MostBytes, len(filter.Queues) > 0
	filter.Without = "" // cursors of a list are the same with what it hides
	name, err := json.Marshal(filter)
	if err != nil {
		return r, task.Invalid("filter", err.Error(), "")
	}
	if r.name = string(name); page.Cursor != "" {
		r.Before, err = cursor.Decode(page.Cursor, r.name)
	}
	return r, err
}

// next is the cursor of the page that begins below floor, "" for the zero id.
func (r *Request) next(floor task.ID) string {
	if floor.IsZero() {
		return ""
	}
	return cursor.Encode(floor, r.name)
}

// mostWindows is how many windows a page is read of whose filter is bound to queues.
const mostWindows = 25

// Read makes a page with its cursor. read gets what begins below an id, and where that
// ends, zero for the last. A filter that is bound to queues goes on until the page is
// full, so that tasks of other queues, which take up the windows, show neither in what it
// has nor in its cursor; after many windows, it ends at a full second.
func (r *Request) Read(read func(before task.ID, limit int) (found []*task.Task, floor task.ID, err error)) (found []*task.Task, next string, err error) {
	found, floor, err := read(r.Before, r.Limit)
	if err != nil || !r.bound {
		return found, r.next(floor), err
	}
	for n := 1; !r.full(found) && !floor.IsZero() && (n < mostWindows || r.stuck(found, floor)); n++ {
		var more []*task.Task
		if more, floor, err = read(floor, r.Limit-len(found)); err != nil {
			return nil, "", err
		}
		found = append(found, more...)
	}
	found = found[:fit(found, r.Limit)]
	if !r.full(found) {
		return found, r.next(outside(found, floor)), nil
	}
	return found, r.next(found[len(found)-1].ID), nil
}

func (r *Request) full(found []*task.Task) bool {
	bytes := 0
	for _, t := range found {
		bytes += Bytes(t)
	}
	return len(found) >= r.Limit || bytes >= MostBytes
}

// stuck reports whether the cursor for floor would lead to the same page again.
func (r *Request) stuck(found []*task.Task, floor task.ID) bool {
	return !r.Before.IsZero() && outside(found, floor).Compare(r.Before) >= 0
}

// outside is where a page ends without telling of the task at floor: at the next full
// second, or at the last task that it has.
func outside(found []*task.Task, floor task.ID) (end task.ID) {
	if floor.IsZero() {
		return floor
	}
	second := uint64(floor.Time().Unix()+1) * 1000 //nolint:gosec // after 1970
	binary.BigEndian.PutUint64(end[:8], second<<16)
	if n := len(found); n > 0 && found[n-1].ID.Compare(end) < 0 {
		return found[n-1].ID
	}
	return end
}

// Window reads tasks of one table that match, newest first, at most limit.
// end is the lowest id that it has covered, zero if it has covered all.
type Window func(limit int) (found []*task.Task, end task.ID, err error)

// Merge reads a window of every table. Below the highest of the windows' ends
// nothing is known; the page stops there. floor is the id at which the next
// page begins, zero after the last.
func Merge(windows []Window, limit int) (found []*task.Task, floor task.ID, err error) {
	for _, read := range windows {
		rows, end, err := read(limit)
		if err != nil {
			return nil, floor, err
		}
		if end.Compare(floor) > 0 {
			floor = end
		}
		found = append(found, rows...)
	}
	slices.SortFunc(found, func(a, b *task.Task) int { return b.ID.Compare(a.ID) })
	if at := slices.IndexFunc(found, func(t *task.Task) bool { return t.ID.Compare(floor) < 0 }); at >= 0 {
		found = found[:at]
	}
	if n := fit(found, limit); n < len(found) {
		return found[:n], found[n-1].ID, nil
	}
	return found, floor, nil
}

// fit is how many of the tasks a page takes.
func fit(found []*task.Task, limit int) int {
	bytes := 0
	for i, t := range found {
		if i == limit || bytes >= MostBytes {
			return i
		}
		bytes += Bytes(t)
	}
	return len(found)
}

// Bytes is about how much a task has of what may be large.
func Bytes(t *task.Task) int {
	bytes := len(t.Payload) + len(t.Result)
	for _, follow := range [...]*task.Follow{t.Spec.Fallback, t.Spec.OnSuccess, t.Spec.OnDead} {
		if follow != nil {
			bytes += len(follow.Payload)
		}
	}
	return bytes
}

// ReadByID is a page of those of the ids that get has something of.
func (r *Request) ReadByID(ids []task.ID, get func(task.ID) (*task.Task, error)) (found []*task.Task, next string, err error) {
	found, floor, err := r.ByID(ids, get)
	return found, r.next(floor), err
}

// ByID gets each of the ids, newest first, but for those that get has nothing
// of.
func (r *Request) ByID(ids []task.ID, get func(task.ID) (*task.Task, error)) (found []*task.Task, floor task.ID, err error) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b task.ID) int { return b.Compare(a) })
	bytes := 0
	for _, id := range slices.Compact(ids) {
		if !r.Before.IsZero() && id.Compare(r.Before) >= 0 {
			continue
		}
		if len(found) == r.Limit || r.bytes > 0 && bytes >= r.bytes {
			return found, found[len(found)-1].ID, nil
		}
		t, err := get(id)
		if err != nil {
			return nil, floor, err
		}
		if t != nil {
			found = append(found, t)
			bytes += Bytes(t)
		}
	}
	return found, floor, nil
}
