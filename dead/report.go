package dead

import (
	"context"
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
	next, err = r.runner.Report(ctx, id, page, func(o *redrive, item *operation.Item) {
		items = append(items, o.item(item))
	})
	return items, next, err
}

// item says what has become of a letter.
func (o *redrive) item(of *operation.Item) Item {
	item, t := Item{Place: of.Place + 1, ID: of.ID}, of.Task
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
		item.Status = ItemSkipped
	case t != nil && t.Spec.Redrive == o.ID:
		item.Status = ItemStatus(t.State)
	case of.Place >= o.Done:
		item.Status = ItemWaiting
	case t == nil:
		item.Status = ItemGone
	default:
		item.Status = ItemResent
	}
	return item
}
