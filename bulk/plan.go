package bulk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The plan of an operation is the list of its tasks, on disk before the first of
// them is touched: so what matched when it began is what is treated, another node
// can go on where one ended, and the report can tell what became of each.

const (
	// kindChunk is the kind of the objects that keep plans. Their names are the
	// operation's and the number of the chunk.
	kindChunk = "bulk.chunk"
	// chunkSize is how many tasks a chunk has, but for the last.
	chunkSize = 2000
	idSize    = len(task.ID{})
)

// chunk is a part of a plan.
type chunk struct {
	IDs     []byte `json:"ids"`               // 16 bytes each
	Results []byte `json:"results,omitempty"` // a letter for each, once all have had their turn
	version int64
}

func chunkName(operation string, number int) string { return fmt.Sprintf("%s/%06d", operation, number) }

func (c *chunk) len() int { return len(c.IDs) / idSize }

func (c *chunk) ids(from, to int) []task.ID {
	ids := make([]task.ID, 0, to-from)
	for i := from; i < to; i++ {
		ids = append(ids, task.ID(c.IDs[i*idSize:(i+1)*idSize]))
	}
	return ids
}

func (r *Runner) readChunk(ctx context.Context, operation string, number int) (*chunk, error) {
	object, err := r.backend.Object(ctx, kindChunk, chunkName(operation, number))
	if err != nil {
		return nil, err
	}
	c := &chunk{version: object.Version}
	return c, json.Unmarshal(object.Body, c)
}

// writeChunk stores a chunk, in place of what is there: a node that ended before it
// had noted that it had stored it may have left one. What is there stays if another
// node has taken the operation meanwhile: it may be what that one goes by.
func (r *Runner) writeChunk(ctx context.Context, o *work, number int, c *chunk) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	put := func() error {
		changed, err := r.backend.Change(ctx, store.Change{Quiet: true, Put: []store.Object{
			{Kind: kindChunk, Name: chunkName(o.ID, number), Body: body, Version: c.version, Actor: "bulk"}}})
		if err == nil {
			c.version = changed.Put[0].Version
		}
		return err
	}
	if err = put(); !isCode(err, task.CodeConflict) {
		return err
	}
	there, err := r.readChunk(ctx, o.ID, number)
	if err != nil {
		return err
	}
	if err := operation.Unchanged(ctx, r.backend, o.Operation); err != nil { // after the look: who takes it writes later
		return err
	}
	c.version = there.version
	return put()
}

// collect lists the next chunk of what an operation is about, and whether that was
// all. Cursor is where the next one begins.
func (r *Runner) collect(ctx context.Context, o *work) (ids []task.ID, cursor string, all bool, err error) {
	if o.Named > 0 {
		first := min(o.Progress.Planned, len(o.IDs))
		ids = o.IDs[first:min(first+chunkSize, len(o.IDs))]
		return ids, "", first+len(ids) == len(o.IDs), nil
	}
	for cursor = o.Progress.Cursor; len(ids) < chunkSize; {
		page, next, err := r.backend.Find(ctx, o.Filter, store.Page{Limit: min(pageSize, chunkSize-len(ids)), Cursor: cursor, Bare: true})
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

// find reads tasks whatever their state; those that are gone are absent.
func (r *Runner) find(ctx context.Context, ids []task.ID) (map[task.ID]*task.Task, error) {
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
			if cursor = next; next == "" {
				break
			}
		}
	}
	return found, nil
}

// pageSize is how many tasks are read whole at once, each with up to 1 MiB of payload:
// SQLite has 256 MiB in all.
const pageSize = 100
