package bulk

import (
	"context"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostForgotten is how many of the newest operations are looked at.
const mostForgotten = 10_000

// Items is a page of the report of an operation, in the order in which its tasks
// go: at most page.Limit of them, 100 when it is 0.
func (r *Runner) Items(ctx context.Context, id string, page store.Page) (items []Item, next string, err error) {
	from, limit, err := operation.Place(page)
	if err != nil {
		return nil, "", err
	}
	stored, err := r.backend.Operation(ctx, id)
	if err != nil {
		return nil, "", err
	}
	o, err := opened(stored)
	if err != nil || !Is(stored.Kind) || o.Progress.Forgotten {
		return nil, "", operation.NoReport(id)
	}
	to := min(from+limit, o.Progress.Planned)
	for from < to {
		some, err := r.itemsOf(ctx, o, from, min(to, (from/chunkSize+1)*chunkSize))
		if err != nil {
			return nil, "", err
		}
		items, from = append(items, some...), from+len(some)
	}
	if to < o.Progress.Planned {
		next = strconv.Itoa(to)
	}
	return items, next, nil
}

// itemsOf are the items of places of one chunk.
func (r *Runner) itemsOf(ctx context.Context, o *work, from, to int) ([]Item, error) {
	number := from / chunkSize
	c, err := r.readChunk(ctx, o.ID, number)
	if err != nil {
		return nil, err
	}
	base := number * chunkSize
	ids := c.ids(from-base, min(to-base, c.len()))
	found, err := r.find(ctx, ids)
	if err != nil {
		return nil, err
	}
	results := c.Results
	if len(results) == 0 && len(o.Results) > 0 && number == (o.Done-1)/chunkSize {
		results = o.Results
	}
	items := make([]Item, len(ids))
	for i, id := range ids {
		items[i] = Item{Place: from + i + 1, ID: id, Status: Waiting, Task: found[id]}
		if at := from - base + i; at < len(results) {
			items[i].Status = statusOf(results[at])
		}
	}
	return items, nil
}

// Forget deletes the plans of operations that ended before a time.
func (r *Runner) Forget(ctx context.Context, before time.Time) error {
	operations, err := r.backend.Operations(ctx, "", mostForgotten)
	if err != nil {
		return err
	}
	for i := range operations {
		o, err := opened(&operations[i])
		if err != nil || !Is(o.Kind) || o.FinishedAt.IsZero() || !o.FinishedAt.Before(before) || o.Progress.Forgotten {
			continue
		}
		if err := r.forgetOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) forgetOne(ctx context.Context, o *work) error {
	for number := 0; number*chunkSize < o.Progress.Planned; number++ {
		part, err := r.backend.Object(ctx, kindChunk, chunkName(o.ID, number))
		if isCode(err, task.CodeNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		part.Body = nil
		if _, err := r.backend.Change(ctx, store.Change{Quiet: true, Delete: []store.Object{*part}}); err != nil {
			return err
		}
	}
	o.Progress.Forgotten, o.Results, o.IDs = true, nil, nil
	return r.put(ctx, o)
}
