package bulk

import (
	"context"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// batchSize is how many tasks are done in one transaction. It holds the locks of
// their lanes, so it is short.
const batchSize = 200

// worker is what one node does for an operation.
type worker struct {
	*Runner
	hold *operation.Hold[work, *work]
}

// Step does what comes next.
func (w *worker) Step(ctx context.Context) (time.Duration, error) {
	o, err := w.hold.Read(ctx)
	switch {
	case err != nil:
		return 0, err
	case !o.Complete:
		return 0, w.plan(ctx, o)
	case len(o.Results) > 0 && (o.Done%operation.ChunkSize == 0 || o.Done == o.Planned):
		return 0, w.keepResults(ctx, o)
	case o.Done >= o.Planned:
		return 0, w.end(ctx, store.OperationDone, "")
	}
	return 0, w.steerSome(ctx, o)
}

// Fail ends the operation.
func (w *worker) Fail(ctx context.Context, reason string) error {
	return w.end(ctx, store.OperationFailed, reason)
}

// plan puts the next chunk into the plan.
func (w *worker) plan(ctx context.Context, o *work) error {
	ids, cursor, all, err := w.collect(ctx, o)
	if err != nil {
		return err
	}
	o.Cursor, o.Waiting = cursor, fmt.Sprintf("the list of tasks: %d so far", o.Planned+len(ids))
	return w.Extend(ctx, o, ids, all)
}

// collect lists the next chunk of what an operation is about, and whether that was
// all. Cursor is where the next one begins.
func (w *worker) collect(ctx context.Context, o *work) (ids []task.ID, cursor string, all bool, err error) {
	if o.Named > 0 {
		first := min(o.Planned, len(o.IDs))
		ids = o.IDs[first:min(first+operation.ChunkSize, len(o.IDs))]
		return ids, "", first+len(ids) == len(o.IDs), nil
	}
	for cursor = o.Cursor; len(ids) < operation.ChunkSize; {
		page, next, err := w.backend.Find(ctx, o.Filter, store.Page{Limit: min(operation.PageSize, operation.ChunkSize-len(ids)), Cursor: cursor, Bare: true})
		if err != nil {
			return nil, "", false, err
		}
		for _, t := range page {
			if o.Hidden == "" || t.Queue != o.Hidden {
				ids = append(ids, t.ID)
			}
		}
		if cursor = next; next == "" {
			return ids, "", true, nil
		}
	}
	return ids, cursor, false, nil
}

// steerSome does the next tasks of the plan, and notes in the same transaction what
// became of each.
func (w *worker) steerSome(ctx context.Context, o *work) error {
	number, from := o.Done/operation.ChunkSize, o.Done%operation.ChunkSize
	c, err := w.ReadChunk(ctx, o.ID, number)
	if err != nil {
		return err
	}
	ids := c.Between(from, from+batchSize)
	if len(ids) == 0 {
		return w.Fail(ctx, fmt.Sprintf("chunk %d of the plan has %d tasks only", number, c.Len()))
	}
	request := inspect.BulkRequest{Action: o.Action, RunAt: o.RunAt}
	steering := steering(&request, ids)
	steering.Operation = o.Operation
	steering.Note = func(stored *store.Operation, steered []store.Steered) error {
		noted, err := operation.Read[work](stored)
		if err != nil {
			return err
		}
		noted.note(steered)
		return operation.Save(noted)
	}
	steered, _, err := w.backend.Steer(ctx, steering)
	if err != nil {
		return err
	}
	w.tell(steered)
	return nil
}

// note writes down what was done.
func (o *work) note(steered []store.Steered) {
	for i := range steered {
		o.Results = append(o.Results, letters[became(&steered[i])])
		if steered[i].Err == nil {
			o.Changed++
		} else {
			o.Skipped++
		}
	}
	o.Done += len(steered)
}

// status is what has become of a task of the plan.
func (o *work) status(item *operation.Item) inspect.BulkStatus {
	results := item.Chunk.Results
	if len(results) == 0 && item.Place/operation.ChunkSize == (o.Done-1)/operation.ChunkSize {
		results = o.Results
	}
	if at := item.InChunk(); at < len(results) {
		return statusOf(results[at])
	}
	return inspect.BulkWaiting
}

// keepResults moves the results of a chunk that is done from the operation to it.
func (w *worker) keepResults(ctx context.Context, o *work) error {
	number := (o.Done - 1) / operation.ChunkSize
	c, err := w.ReadChunk(ctx, o.ID, number)
	if err != nil {
		return err
	}
	c.Results = o.Results
	if err := w.WriteChunk(ctx, o.ID, number, c); err != nil {
		return err
	}
	o.Results = nil
	return w.Put(ctx, o)
}

// end ends the operation. That it has ended is an act of the program, with its numbers.
func (w *worker) end(ctx context.Context, state store.OperationState, message string) error {
	_, err := w.hold.End(ctx, state, message, func(o *work) []store.Audit {
		return []store.Audit{o.Acted("operation.end",
			map[string]any{"state": store.OperationRunning, "matched": o.Matched},
			map[string]any{"state": state, "done": o.Done, "changed": o.Changed, "skipped": o.Skipped, "reason": message})}
	})
	return err
}
