package memory

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// Holds implements [store.Waits].
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

// Backlog implements [store.Waits].
func (s *Store) Backlog(ctx context.Context, lanes []uint16, most int) (found store.Backlog, err error) {
	if _, err := s.begin(ctx); err != nil {
		return found, err
	}
	defer s.data.mu.Unlock()
	found = s.data.backlog(lanes)
	return store.Backlog{Pending: min(found.Pending, most), Aside: min(found.Aside, most), Parked: min(found.Parked, most)}, nil
}

// backlog counts the pending tasks of lanes: by mark, less those of keys held in mode park.
func (d *data) backlog(lanes []uint16) (found store.Backlog) {
	for _, number := range lanes {
		lane := d.lane(number)
		if lane == nil {
			continue
		}
		aside := 0
		for mark, rows := range lane.pending {
			found.Pending += rows.length
			if mark != 0 {
				aside += rows.length
			}
		}
		for name, k := range lane.keys {
			if k.hold == nil || k.hold.mode != "park" {
				continue
			}
			found.Parked, found.Pending = found.Parked+k.pending.length, found.Pending-k.pending.length
			if rows := lane.pending[store.KeyMark(name)]; rows != nil {
				aside -= rows.length
			}
		}
		found.Aside += aside
	}
	found.Aside = min(found.Aside, found.Pending)
	return found
}
