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
	Before cursor.Place // the page begins below it; zero for the newest task
	Bare   bool         // its tasks come without payload and result
	bytes  int          // MostBytes, or 0 for no bound
	name   string
	bound  bool // to queues
	failed bool // the newest failure first, not the newest task
}

// PlaceOf is where a task stands in the list.
func (r *Request) PlaceOf(t *task.Task) cursor.Place {
	if !r.failed {
		return cursor.Place{ID: t.ID}
	}
	return cursor.Place{At: t.LastFailedAt.UnixMicro(), ID: t.ID}
}

// Asked checks what a caller asks for.
func Asked(filter store.Filter, page store.Page) (r Request, err error) {
	if r.Limit = page.Limit; r.Limit == 0 {
		r.Limit = Default
	}
	if r.Limit < 1 || r.Limit > Most {
		return r, task.Invalid("limit", "it is not between 1 and 500", "")
	}
	r.Bare, r.bytes, r.bound, r.failed = page.Bare, MostBytes, len(filter.Queues) > 0, filter.ByFailure() && filter.IDs == nil
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

// next is the cursor of the page that begins below floor, "" for no place.
func (r *Request) next(floor cursor.Place) string {
	if floor.IsZero() {
		return ""
	}
	return cursor.Encode(floor, r.name)
}

// mostWindows is how many windows a page is read of whose filter is bound to queues.
const mostWindows = 25

// Read makes a page with its cursor. read gets what begins below a place, and where that
// ends, zero for the last. A filter that is bound to queues goes on until the page is
// full, so that tasks of other queues, which take up the windows, show neither in what it
// has nor in its cursor; after many windows, it ends at a full second.
func (r *Request) Read(read func(before cursor.Place, limit int) (found []*task.Task, floor cursor.Place, err error)) (found []*task.Task, next string, err error) {
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
		return found, r.next(r.outside(found, floor)), nil
	}
	return found, r.next(r.PlaceOf(found[len(found)-1])), nil
}

func (r *Request) full(found []*task.Task) bool {
	bytes := 0
	for _, t := range found {
		bytes += Bytes(t)
	}
	return len(found) >= r.Limit || bytes >= MostBytes
}

// stuck reports whether the cursor for floor would lead to the same page again.
func (r *Request) stuck(found []*task.Task, floor cursor.Place) bool {
	return !r.Before.IsZero() && r.outside(found, floor).Compare(r.Before) >= 0
}

// outside is where a page ends without telling of the task at floor: at the next full
// second, or at the last task that it has.
func (r *Request) outside(found []*task.Task, floor cursor.Place) (end cursor.Place) {
	switch {
	case floor.IsZero():
		return floor
	case r.failed:
		end.At = (floor.At/1e6 + 1) * 1e6
	default:
		second := uint64(floor.ID.Time().Unix()+1) * 1000 //nolint:gosec // after 1970
		binary.BigEndian.PutUint64(end.ID[:8], second<<16)
	}
	if n := len(found); n > 0 && r.PlaceOf(found[n-1]).Compare(end) < 0 {
		return r.PlaceOf(found[n-1])
	}
	return end
}

// Window reads tasks of one table that match, newest first, at most limit.
// end is the lowest place that it has covered, zero if it has covered all.
type Window func(limit int) (found []*task.Task, end cursor.Place, err error)

// Merge reads a window of every table. Below the highest of the windows' ends
// nothing is known; the page stops there. floor is the place at which the next
// page begins, zero after the last.
func (r *Request) Merge(windows []Window, limit int) (found []*task.Task, floor cursor.Place, err error) {
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
	r.Sort(found)
	if at := slices.IndexFunc(found, func(t *task.Task) bool { return r.PlaceOf(t).Compare(floor) < 0 }); at >= 0 {
		found = found[:at]
	}
	if n := fit(found, limit); n < len(found) {
		return found[:n], r.PlaceOf(found[n-1]), nil
	}
	return found, floor, nil
}

// Sort puts tasks in the order of the list.
func (r *Request) Sort(found []*task.Task) {
	slices.SortFunc(found, func(a, b *task.Task) int { return r.PlaceOf(b).Compare(r.PlaceOf(a)) })
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
func (r *Request) ByID(ids []task.ID, get func(task.ID) (*task.Task, error)) (found []*task.Task, floor cursor.Place, err error) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b task.ID) int { return b.Compare(a) })
	bytes := 0
	for _, id := range slices.Compact(ids) {
		if !r.Before.IsZero() && id.Compare(r.Before.ID) >= 0 {
			continue
		}
		if len(found) == r.Limit || r.bytes > 0 && bytes >= r.bytes {
			return found, cursor.Place{ID: found[len(found)-1].ID}, nil
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
