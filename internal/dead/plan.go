package dead

import (
	"cmp"
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// windowSize is how many letters are put in order at once, a multiple of
	// [operation.ChunkSize]: it bounds the memory that planning takes.
	windowSize = 250_000
	// lettersPage is how many letters are listed in one call.
	lettersPage = 5000
)

// collect lists the next window of what an operation is about, in the order in
// which it goes, and whether that was all. cursor is the last id of the window.
func (w *work) collect(ctx context.Context, o *redrive) (ids []task.ID, cursor task.ID, all bool, err error) {
	if len(o.IDs) > 0 {
		letters, _, err := w.r.named(ctx, o.IDs)
		return inOrder(letters), cursor, true, err
	}
	var letters []store.Letter
	cursor = o.Cursor
	for len(letters) < windowSize {
		page, err := w.r.backend.Letters(ctx, o.Filter, cursor, lettersPage)
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
	ids := idsOf(letters)
	for i, letter := range letters {
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

func idsOf(letters []store.Letter) []task.ID {
	ids := make([]task.ID, len(letters))
	for i := range letters {
		ids[i] = letters[i].ID
	}
	return ids
}
