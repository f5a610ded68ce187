package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The plan of an operation is the list of its tasks in the order in which they go, on
// disk before the first of them is touched: so what matched when it began is what is
// treated, another node can go on where one ended, and the report can tell what
// became of each.

const (
	// ChunkSize is how many tasks a chunk has, but for the last.
	ChunkSize = 2000
	// chunksPerChange is how many chunks are stored in one transaction.
	chunksPerChange = 50
	// mostForgotten is how many of the newest operations are looked at.
	mostForgotten = 10_000

	idSize = len(task.ID{})
)

// Chunk is a part of a plan, an object whose name is that of the operation and the
// number of the chunk.
type Chunk struct {
	IDs     []byte `json:"ids"`               // 16 bytes each
	Results []byte `json:"results,omitempty"` // of actions on tasks: a letter for each, once all have had their turn
	Skipped []byte `json:"skipped,omitempty"` // of redrives: a bit for each that could not be sent back
	version int64
}

func chunkOf(ids []task.ID) *Chunk {
	c := &Chunk{}
	for _, id := range ids {
		c.IDs = append(c.IDs, id[:]...)
	}
	return c
}

// Len is how many tasks it has.
func (c *Chunk) Len() int { return len(c.IDs) / idSize }

// Between are the tasks from one place to before another, or to the end.
func (c *Chunk) Between(from, to int) (ids []task.ID) {
	for i := from; i < min(to, c.Len()); i++ {
		ids = append(ids, task.ID(c.IDs[i*idSize:(i+1)*idSize]))
	}
	return ids
}

// Skip marks a task as one that was skipped.
func (c *Chunk) Skip(i int) {
	if len(c.Skipped) == 0 {
		c.Skipped = make([]byte, (c.Len()+7)/8)
	}
	c.Skipped[i/8] |= 1 << (i % 8)
}

// IsSkipped reports whether a task is marked so.
func (c *Chunk) IsSkipped(i int) bool {
	return i/8 < len(c.Skipped) && c.Skipped[i/8]&(1<<(i%8)) != 0
}

func chunkName(id string, number int) string { return fmt.Sprintf("%s/%06d", id, number) }

// object is the chunk as it is stored.
func (r *Runner[T, W]) object(id string, number int, c *Chunk) (store.Object, error) {
	body, err := json.Marshal(c)
	return store.Object{Kind: r.Chunks, Name: chunkName(id, number), Body: body, Version: c.version, Actor: "outlast"}, err
}

// errPlan is the cause of the errors of chunks that cannot be read: to try again does
// not help.
var errPlan = errors.New("the plan cannot be read")

// unread is the error of a chunk that is missing or damaged.
func unread(code task.Code, id string, number int, is string) error {
	return &task.Error{Code: code, Message: fmt.Sprintf("chunk %d of the plan of the operation %s is %s", number, task.Quote(id), is),
		Hint: "what was done before it stays done; start another operation for the rest", Err: errPlan}
}

// ReadChunk reads a chunk of the plan of an operation; code "not_found" if it is missing,
// "conflict" if it is damaged.
func (r *Runner[T, W]) ReadChunk(ctx context.Context, id string, number int) (*Chunk, error) {
	object, err := r.Backend.Object(ctx, r.Chunks, chunkName(id, number))
	if isCode(err, task.CodeNotFound) {
		return nil, unread(task.CodeNotFound, id, number, "missing")
	}
	if err != nil {
		return nil, err
	}
	c := &Chunk{version: object.Version}
	if err := json.Unmarshal(object.Body, c); err != nil || len(c.IDs)%idSize != 0 {
		return nil, unread(task.CodeConflict, id, number, "damaged")
	}
	return c, nil
}

// WriteChunk stores a chunk that was changed; code "conflict" if another node has
// stored it since it was read.
func (r *Runner[T, W]) WriteChunk(ctx context.Context, id string, number int, c *Chunk) error {
	object, err := r.object(id, number, c)
	if err != nil {
		return err
	}
	changed, err := r.Backend.Change(ctx, store.Change{Quiet: true, Put: []store.Object{object}})
	if err == nil {
		c.version = changed.Put[0].Version
	}
	return err
}

// Extend adds tasks to the plan of an operation, the last ones or not, and stores it.
func (r *Runner[T, W]) Extend(ctx context.Context, o W, ids []task.ID, last bool) error {
	b, p := o.base(), o.progress()
	if err := r.addChunks(ctx, b.Operation, p.Planned/ChunkSize, ids); err != nil {
		return err
	}
	p.Planned, p.Complete = p.Planned+len(ids), last
	b.Matched = max(b.Matched, p.Planned)
	if last {
		b.IDs, b.Matched, p.Waiting = nil, p.Planned, ""
	}
	return r.Put(ctx, o)
}

// addChunks stores tasks as chunks from a number on.
func (r *Runner[T, W]) addChunks(ctx context.Context, o *store.Operation, number int, ids []task.ID) error {
	for part := range slices.Chunk(ids, chunksPerChange*ChunkSize) {
		change := store.Change{Quiet: true}
		for some := range slices.Chunk(part, ChunkSize) {
			object, err := r.object(o.ID, number, chunkOf(some))
			if err != nil {
				return err
			}
			change.Put = append(change.Put, object)
			number++
		}
		if err := r.replace(ctx, o, change); err != nil {
			return err
		}
	}
	return nil
}

// replace stores chunks in place of what is there: a node that ended before it had
// noted its plan may have left some. What is there stays if another node has taken the
// operation meanwhile: it may be what that one goes by.
func (r *Runner[T, W]) replace(ctx context.Context, o *store.Operation, change store.Change) error {
	_, err := r.Backend.Change(ctx, change)
	if !isCode(err, task.CodeConflict) {
		return err
	}
	for i := range change.Put {
		object := &change.Put[i]
		there, err := r.Backend.Object(ctx, object.Kind, object.Name)
		switch {
		case isCode(err, task.CodeNotFound):
			object.Version = 0
		case err != nil:
			return err
		default:
			object.Version = there.Version
		}
	}
	now, err := r.Backend.Operation(ctx, o.ID) // after the look: who takes it writes later
	if err != nil {
		return err
	}
	if now.Version != o.Version {
		return &task.Error{Code: task.CodeConflict, Message: "the operation has changed"}
	}
	_, err = r.Backend.Change(ctx, change)
	return err
}

// Forget deletes the plans of operations that ended before a time, and with them the
// reports.
func (r *Runner[T, W]) Forget(ctx context.Context, before time.Time) error {
	operations, err := r.Backend.Operations(ctx, "", mostForgotten)
	if err != nil {
		return err
	}
	for i := range operations {
		stored := &operations[i]
		if !r.Is(stored.Kind) || stored.FinishedAt.IsZero() || !stored.FinishedAt.Before(before) {
			continue
		}
		o, err := Read[T, W](stored)
		if err != nil || o.progress().Forgotten {
			continue
		}
		if err := r.forget(ctx, stored.ID, o.progress().Planned); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner[T, W]) forget(ctx context.Context, id string, planned int) error {
	for number := 0; number*ChunkSize < planned; number++ {
		object, err := r.Backend.Object(ctx, r.Chunks, chunkName(id, number))
		if isCode(err, task.CodeNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		object.Body = nil
		if _, err := r.Backend.Change(ctx, store.Change{Quiet: true, Delete: []store.Object{*object}}); err != nil {
			return err
		}
	}
	_, err := r.Update(ctx, id, func(o W) ([]store.Audit, error) {
		o.base().IDs, o.progress().Forgotten = nil, true
		return nil, nil
	})
	return err
}
