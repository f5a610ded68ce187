package operation

import (
	"context"
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	mostItems    = 500
	defaultItems = 100

	// PageSize is how many tasks are read whole at once, each with up to 1 MiB of
	// payload: SQLite has 256 MiB in all.
	PageSize = 100
)

// Item is one task of a plan.
type Item struct {
	Place int // in the plan, from 0
	Chunk *Chunk
	ID    task.ID
	Task  *task.Task // as it is now, nil when it is gone
}

// InChunk is its place in the chunk, from 0.
func (i *Item) InChunk() int { return i.Place % ChunkSize }

// Report calls each for the tasks of a page of the report, in the order in which they
// go: at most page.Limit of them, 100 when it is 0. A page of which a part cannot be read
// is an error that says so, code "not_found" or "conflict".
func (r *Runner[T, W]) Report(ctx context.Context, id string, page store.Page, each func(W, *Item)) (next string, err error) {
	from, limit, err := place(page)
	if err != nil {
		return "", err
	}
	stored, err := r.Backend.Operation(ctx, id)
	if err != nil {
		return "", err
	}
	o, err := Read[T, W](stored)
	if err != nil || !r.Is(stored.Kind) || o.progress().Forgotten {
		return "", noReport(id)
	}
	to := min(from+limit, o.progress().Planned)
	for number := from / ChunkSize; number*ChunkSize < to; number++ {
		chunk, err := r.ReadChunk(ctx, id, number)
		if err != nil {
			return "", err
		}
		first, end := max(from, number*ChunkSize), min(to, (number+1)*ChunkSize)
		ids := chunk.Between(first%ChunkSize, end-number*ChunkSize)
		if len(ids) < end-first {
			return "", unread(task.CodeConflict, id, number, "too short")
		}
		found, err := Find(ctx, r.Backend, ids)
		if err != nil {
			return "", err
		}
		for i, id := range ids {
			each(o, &Item{Place: first + i, Chunk: chunk, ID: id, Task: found[id]})
		}
	}
	if to < o.progress().Planned {
		next = strconv.Itoa(to)
	}
	return next, nil
}

// place is where a page of a report begins, counted from 0, and how many items it has at
// most: 100 when the limit is 0. It refuses limits outside 0 to 500 and cursors that are
// not of a report.
func place(page store.Page) (from, limit int, err error) {
	if page.Limit < 0 || page.Limit > mostItems {
		return 0, 0, task.Invalid("limit", "is outside 1 to 500", "0 means 100")
	}
	if limit = page.Limit; limit == 0 {
		limit = defaultItems
	}
	if page.Cursor == "" {
		return 0, limit, nil
	}
	place, err := strconv.ParseUint(page.Cursor, 10, 31)
	if err != nil || strconv.FormatUint(place, 10) != page.Cursor {
		return 0, 0, task.Invalid("cursor", "the cursor is not one of this report", "use the next cursor of the page before, unchanged")
	}
	return int(place), limit, nil
}

// noReport is the error of an operation whose report is not there, or not any more.
func noReport(id string) error {
	return &task.Error{Code: task.CodeNotFound, Message: "the operation " + task.Quote(id) + " has no report",
		Hint: "reports are deleted with the letters' retention after the operation has ended"}
}

// Find reads tasks whatever their state; those that are gone are absent.
func Find(ctx context.Context, query store.Query, ids []task.ID) (map[task.ID]*task.Task, error) {
	found := make(map[task.ID]*task.Task, len(ids))
	for part := range slices.Chunk(ids, PageSize) {
		for cursor := ""; ; {
			page, next, err := query.Find(ctx, store.Filter{IDs: part}, store.Page{Limit: PageSize, Cursor: cursor})
			if err != nil {
				return nil, err
			}
			for _, t := range page {
				found[t.ID] = t
			}
			if cursor = next; next == "" {
				break
			}
		}
	}
	return found, nil
}
