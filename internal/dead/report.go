package dead

import (
	"context"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Items is a page of the report of a redrive, in the order in which its letters
// go: at most page.Limit of them, 100 when it is 0.
func (r *Redriver) Items(ctx context.Context, id string, page store.Page) (items []inspect.RedriveItem, next string, err error) {
	next, err = r.Report(ctx, id, page, func(o *redrive, item *operation.Item) {
		items = append(items, o.item(item))
	})
	return items, next, err
}

// item says what has become of a letter.
func (o *redrive) item(of *operation.Item) inspect.RedriveItem {
	item, t := inspect.RedriveItem{Place: of.Place + 1, ID: of.ID}, of.Task
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
	case of.Chunk.IsSkipped(of.InChunk()):
		item.Status = inspect.RedriveSkipped
	case t != nil && t.Spec.Redrive == o.ID:
		item.Status = inspect.RedriveStatus(t.State)
	case of.Place >= o.Done:
		item.Status = inspect.RedriveWaiting
	case t == nil:
		item.Status = inspect.RedriveGone
	default:
		item.Status = inspect.RedriveResent
	}
	return item
}
