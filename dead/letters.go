package dead

import (
	"context"
	"encoding/json"
	"time"

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

// bounded is a filter that matches letters only which are dead by now.
func bounded(filter store.Filter, now time.Time) store.Filter {
	if filter.DiedBefore.IsZero() || filter.DiedBefore.After(now) {
		filter.DiedBefore = now
	}
	return Letters(filter)
}

// Purged is what a purge led to.
type Purged struct {
	Matched int // letters deleted; of a dry run those that match
	// DiedBefore is, of a dry run by filter, when it began to count: with it in the
	// filter no letter is meant that dies later.
	DiedBefore time.Time
}

// Purge deletes the letters that match, in batches; also with an error, Matched are those
// deleted before it. A filter means letters that are dead by now. The owners of
// lanes whose keys were released are told. The row of the audit log is written with
// the first batch that deletes any. A dry run only counts.
func (k *Keeper) Purge(ctx context.Context, filter store.Filter, dryRun bool, audit store.Audit) (result Purged, err error) {
	r := k.redriver
	within := Letters(filter)
	if filter.IDs == nil {
		within = bounded(filter, r.clock.Now(ctx))
	}
	if dryRun {
		result.DiedBefore = within.DiedBefore
		result.Matched, err = r.backend.Count(ctx, Letters(filter), mostCounted)
		return result, err
	}
	counted, err := r.backend.Count(ctx, within, mostCounted)
	if err != nil {
		return result, err
	}
	audit.Before, _ = json.Marshal(map[string]any{"filter": FilterText(within)}) // plain values
	audit.After, _ = json.Marshal(map[string]any{"purged": counted})             // they go in many transactions, the row with the first
	for rows := []store.Audit{audit}; ; {
		letters, err := r.backend.Purge(ctx, within, purgeBatch, rows...)
		if result.Matched += len(letters); result.Matched > 0 {
			rows = nil
		}
		wakeReleased(r.node, letters)
		if err != nil || len(letters) == 0 {
			return result, err
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
