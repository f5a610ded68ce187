package dead

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// pageSize is how many letters are read at once; they are read whole, so it
// is small.
const pageSize = 100

// Letters is a filter that matches dead letters only.
func Letters(filter store.Filter) store.Filter {
	filter.State = task.Dead
	return filter
}

// Each calls do for every letter that matches, the newest first, until do
// returns an error. Letters that die meanwhile may be left out.
func Each(ctx context.Context, query store.Query, filter store.Filter, do func(*task.Task) error) error {
	for cursor := ""; ; {
		page, next, err := query.Find(ctx, Letters(filter), store.Page{Limit: pageSize, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, letter := range page {
			if err := do(letter); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		cursor = next
	}
}

// Export calls do for every letter that matches with its attempts, the oldest
// attempt first. A letter that goes away meanwhile is left out.
func Export(ctx context.Context, query store.Query, filter store.Filter, do func(*task.Task, []task.Attempt) error) error {
	return Each(ctx, query, filter, func(letter *task.Task) error {
		attempts, err := query.Attempts(ctx, letter.ID)
		if isCode(err, task.CodeNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return do(letter, attempts)
	})
}

// Purge deletes the letters that match, in batches, and returns how many;
// also with an error, those deleted before it. The owners of lanes whose keys
// were released are told. The rows of the audit log are written with the first
// batch that deletes any.
func Purge(ctx context.Context, admin store.Admin, node Node, filter store.Filter, audit ...store.Audit) (int, error) {
	deleted := 0
	for {
		letters, err := admin.Purge(ctx, Letters(filter), purgeBatch, audit...)
		if deleted += len(letters); deleted > 0 {
			audit = nil
		}
		wakeReleased(node, letters)
		if err != nil || len(letters) == 0 {
			return deleted, err
		}
	}
}

// wakeReleased tells the owners of the lanes in which keys were released with
// the letters.
func wakeReleased(node Node, letters []*task.Task) {
	var keyed []task.ID
	for _, letter := range letters {
		if letter.Key != "" {
			keyed = append(keyed, letter.ID)
		}
	}
	if len(keyed) > 0 {
		node.Wake(lanesOf(keyed)...)
	}
}
