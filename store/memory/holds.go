package memory

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// Holds implements [store.Query].
func (s *Store) Holds(ctx context.Context, filter store.HoldFilter) (found []store.Hold, err error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	lanes := slices.Sorted(slices.Values(filter.Lanes))
	for _, number := range slices.Compact(lanes) {
		lane := s.data.lane(number)
		if lane == nil || number < filter.AfterLane {
			continue
		}
		for _, name := range sortedKeys(lane.keys) {
			k := lane.keys[name]
			if k.hold == nil || number == filter.AfterLane && name <= filter.AfterKey || filter.Waited && k.pending.length == 0 {
				continue
			}
			hold := store.Hold{Lane: number, Key: name, Holder: k.hold.holder, Mode: k.hold.mode, Since: k.hold.since, Waiting: min(k.pending.length, filter.Count)}
			if !filter.Takes(&hold) {
				continue
			}
			if len(found) == filter.Limit {
				return found, nil
			}
			found = append(found, hold)
		}
	}
	return found, nil
}

// parked counts the pending tasks of a queue behind keys held in mode park.
func (d *data) parked(q *queue) (n int) {
	for _, number := range q.Numbers {
		for _, k := range d.lanes[number].keys {
			if k.hold != nil && k.hold.mode == "park" {
				n += k.pending.length
			}
		}
	}
	return n
}
