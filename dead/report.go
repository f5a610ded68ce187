package dead

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ItemStatus is what has become of one letter of a redrive.
type ItemStatus string

// What becomes of letters. A letter that was sent back has the state of its
// task: pending, running, succeeded, dead (again) or canceled.
const (
	ItemWaiting   ItemStatus = "waiting"   // its turn has not come
	ItemPending   ItemStatus = "pending"   // was sent back; waits for its first or next attempt
	ItemRunning   ItemStatus = "running"   // was sent back, and runs
	ItemSucceeded ItemStatus = "succeeded" // was sent back, and succeeded
	ItemDead      ItemStatus = "dead"      // was sent back, and died again
	ItemCanceled  ItemStatus = "canceled"  // was sent back, and was canceled
	ItemResent    ItemStatus = "resent"    // was sent back, died again, and another redrive has sent it back since
	ItemGone      ItemStatus = "gone"      // was sent back; what became of it was deleted, by a purge or after its retention
	ItemSkipped   ItemStatus = "skipped"   // was not sent back: it was no dead letter any more when its turn came
)

// Item is one letter of a redrive.
type Item struct {
	Place   int // in the order in which they go, from 1
	ID      task.ID
	Status  ItemStatus
	Type    string // "" when the task is gone
	Queue   string
	Key     string
	Attempt int
	Reason  task.DeadReason // of a letter that is dead
	Error   *task.Failure   // its last, if it has failed since, or waits
	At      time.Time       // when that status began, as far as it is known
}

// Items is a page of the report of a redrive, in the order in which its letters
// go: at most page.Limit of them, 100 when it is 0.
func (r *Redriver) Items(ctx context.Context, id string, page store.Page) (items []Item, next string, err error) {
	from, limit, err := operation.Place(page)
	if err != nil {
		return nil, "", err
	}
	stored, err := r.backend.Operation(ctx, id)
	if err != nil {
		return nil, "", err
	}
	o, err := opened(stored)
	if err != nil || stored.Kind != KindRedrive || o.Progress.Forgotten {
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
func (r *Redriver) itemsOf(ctx context.Context, o *redrive, from, to int) ([]Item, error) {
	part, err := r.readChunk(ctx, o.ID, from/chunkSize)
	if err != nil {
		return nil, err
	}
	base := from / chunkSize * chunkSize
	ids := part.ids(from-base, min(to-base, part.len()))
	found, err := r.find(ctx, ids)
	if err != nil {
		return nil, err
	}
	items := make([]Item, len(ids))
	for i, id := range ids {
		place := from + i
		items[i] = o.item(id, found[id], place < o.Done, part.isSkipped(place-base))
		items[i].Place = place + 1
	}
	return items, nil
}

// item says what has become of a letter. handled says that its turn was.
func (o *redrive) item(id task.ID, t *task.Task, handled, skipped bool) Item {
	item := Item{ID: id}
	if t != nil {
		item.Type, item.Queue, item.Key, item.Attempt, item.At = t.Type, t.Queue, t.Key, t.Attempt, t.UpdatedAt
		if t.State == task.Dead {
			item.Reason = t.DeadReason
		}
		if t.State == task.Dead || t.State != task.Succeeded && t.Spec.Redrive == o.ID && hasFailed(t, o.KeepAttempts) {
			item.Error = t.LastError
		}
	}
	switch {
	case skipped:
		item.Status = ItemSkipped
	case t != nil && t.Spec.Redrive == o.ID:
		item.Status = ItemStatus(t.State)
	case !handled:
		item.Status = ItemWaiting
	case t == nil:
		item.Status = ItemGone
	default:
		item.Status = ItemResent
	}
	return item
}

// find reads tasks whatever their state; those that are gone are absent.
func (r *Redriver) find(ctx context.Context, ids []task.ID) (map[task.ID]*task.Task, error) {
	found := make(map[task.ID]*task.Task, len(ids))
	for part := range slices.Chunk(ids, pageSize) {
		for cursor := ""; ; {
			page, next, err := r.backend.Find(ctx, store.Filter{IDs: part}, store.Page{Limit: pageSize, Cursor: cursor})
			if err != nil {
				return nil, err
			}
			for _, t := range page {
				found[t.ID] = t
			}
			if next == "" {
				break
			}
			cursor = next
		}
	}
	return found, nil
}

// forget deletes the plans of redrives that ended before a time.
func (r *Redriver) forget(ctx context.Context, before time.Time) error {
	operations, err := r.backend.Operations(ctx, "", mostForgotten)
	if err != nil {
		return err
	}
	for i := range operations {
		operation := &operations[i]
		o, err := opened(operation)
		if err != nil || operation.Kind != KindRedrive || o.FinishedAt.IsZero() || !o.FinishedAt.Before(before) || o.Progress.Forgotten {
			continue
		}
		if err := r.forgetOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// mostForgotten is how many of the newest operations are looked at.
const mostForgotten = 10_000

func (r *Redriver) forgetOne(ctx context.Context, o *redrive) error {
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
	_, err := r.update(ctx, o.ID, func(o *redrive) ([]store.Audit, error) {
		o.Progress.Forgotten = true
		return nil, nil
	})
	return err
}
