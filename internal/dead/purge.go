package dead

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
)

// Purge deletes the letters that match, in batches; also with an error, Matched are those
// deleted before it. A filter means letters that are dead by now. The owners of
// lanes whose keys were released are told. The row of the audit log is written with
// the first batch that deletes any. A dry run only counts.
func (k *Keeper) Purge(ctx context.Context, filter store.Filter, dryRun bool, audit store.Audit) (result inspect.Purged, err error) {
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
