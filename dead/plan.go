package dead

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The plan of an operation is the list of its letters in the order in which
// they go, on disk before the first of them does: so another node can go on
// where one ended, and the report can tell what became of each.

const (
	// kindChunk is the kind of the objects that keep plans. Their names are
	// the operation's and the number of the chunk.
	kindChunk = "redrive.chunk"
	// chunkSize is how many letters a chunk has, but for the last.
	chunkSize = 2000
	// windowSize is how many letters are put in order at once, a multiple of
	// chunkSize: it bounds the memory that planning takes.
	windowSize = 250_000
	// lettersPage is how many letters are listed in one call.
	lettersPage = 5000
	// chunksPerChange is how many chunks are stored in one transaction.
	chunksPerChange = 50
)

// chunk is a part of a plan.
type chunk struct {
	IDs     []byte `json:"ids"`               // 16 bytes each
	Skipped []byte `json:"skipped,omitempty"` // a bit for each that could not be sent back
	version int64
}

func chunkName(operation string, number int) string { return fmt.Sprintf("%s/%06d", operation, number) }

func newChunk(ids []task.ID) *chunk {
	c := &chunk{}
	for _, id := range ids {
		c.IDs = append(c.IDs, id[:]...)
	}
	return c
}

func (c *chunk) len() int { return len(c.IDs) / len(task.ID{}) }

// ids are those from one place to before another.
func (c *chunk) ids(from, to int) []task.ID {
	ids := make([]task.ID, 0, to-from)
	for i := from; i < to; i++ {
		ids = append(ids, task.ID(c.IDs[i*16:i*16+16]))
	}
	return ids
}

func (c *chunk) isSkipped(i int) bool { return i/8 < len(c.Skipped) && c.Skipped[i/8]&(1<<(i%8)) != 0 }

func (c *chunk) skip(i int) {
	if len(c.Skipped) == 0 {
		c.Skipped = make([]byte, (c.len()+7)/8)
	}
	c.Skipped[i/8] |= 1 << (i % 8)
}

// readChunk reads a chunk of a plan.
func (r *Redriver) readChunk(ctx context.Context, operation string, number int) (*chunk, error) {
	object, err := r.backend.Object(ctx, kindChunk, chunkName(operation, number))
	if err != nil {
		return nil, err
	}
	c := &chunk{version: object.Version}
	return c, json.Unmarshal(object.Body, c)
}

func (c *chunk) object(operation string, number int) (store.Object, error) {
	body, err := json.Marshal(c)
	return store.Object{Kind: kindChunk, Name: chunkName(operation, number), Body: body, Version: c.version, Actor: KindRedrive}, err
}

// writeChunk stores a chunk that was changed.
func (r *Redriver) writeChunk(ctx context.Context, operation string, number int, c *chunk) error {
	object, err := c.object(operation, number)
	if err != nil {
		return err
	}
	changed, err := r.backend.Change(ctx, store.Change{Quiet: true, Put: []store.Object{object}})
	if err == nil {
		c.version = changed.Put[0].Version
	}
	return err
}

// writePlan stores ids as chunks from a number on. What is there already was
// left by a node that ended before it had noted its plan, and is replaced, unless
// another node has taken the operation meanwhile: it may be what that one goes by.
func (r *Redriver) writePlan(ctx context.Context, o *store.Operation, number int, ids []task.ID) error {
	change := store.Change{Quiet: true}
	write := func() error {
		_, err := r.backend.Change(ctx, change)
		if isCode(err, task.CodeConflict) {
			if err = r.readVersions(ctx, change.Put); err == nil {
				err = operation.Unchanged(ctx, r.backend, o) // after the look: who takes it writes later
			}
			if err == nil {
				_, err = r.backend.Change(ctx, change)
			}
		}
		change.Put = change.Put[:0]
		return err
	}
	for part := range slices.Chunk(ids, chunkSize) {
		object, err := newChunk(part).object(o.ID, number)
		if err != nil {
			return err
		}
		number++
		if change.Put = append(change.Put, object); len(change.Put) == chunksPerChange {
			if err := write(); err != nil {
				return err
			}
		}
	}
	if len(change.Put) == 0 {
		return nil
	}
	return write()
}

func (r *Redriver) readVersions(ctx context.Context, objects []store.Object) error {
	for i := range objects {
		o := &objects[i]
		there, err := r.backend.Object(ctx, o.Kind, o.Name)
		switch {
		case isCode(err, task.CodeNotFound):
			o.Version = 0
		case err != nil:
			return err
		default:
			o.Version = there.Version
		}
	}
	return nil
}

// collect lists the next window of what an operation is about, in the order in
// which it goes, and whether that was all. cursor is the last id of the window.
func (r *Redriver) collect(ctx context.Context, o *redrive) (ids []task.ID, cursor task.ID, all bool, err error) {
	if len(o.IDs) > 0 {
		letters, _, err := r.named(ctx, o.IDs)
		return inOrder(letters), cursor, true, err
	}
	var letters []store.Letter
	cursor = o.Progress.Cursor
	for len(letters) < windowSize {
		page, err := r.backend.Letters(ctx, o.Filter, cursor, lettersPage)
		if err != nil {
			return nil, cursor, false, err
		}
		if len(page) == 0 {
			return inOrder(letters), cursor, true, nil
		}
		letters, cursor = append(letters, page...), page[len(page)-1].ID
	}
	return inOrder(letters), cursor, false, nil
}

// inOrder are the ids of letters as they are, but for those of one ordering
// key: among the places that they have, they stand in the order of the key, so
// that none is overtaken by a later one.
func inOrder(letters []store.Letter) []task.ID {
	type key struct {
		lane uint16
		key  string
	}
	places := map[key][]int{}
	ids := make([]task.ID, len(letters))
	for i, letter := range letters {
		ids[i] = letter.ID
		if letter.Key != "" {
			k := key{letter.ID.Lane(), letter.Key}
			places[k] = append(places[k], i)
		}
	}
	for _, at := range places {
		bySeq := slices.Clone(at)
		slices.SortFunc(bySeq, func(a, b int) int { return cmp.Compare(letters[a].Seq, letters[b].Seq) })
		for i, place := range at {
			ids[place] = letters[bySeq[i]].ID
		}
	}
	return ids
}
