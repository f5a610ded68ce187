package memory

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	out := make([][]store.Entry, len(ranges))
	for i, r := range ranges {
		lane := d.lane(r.Lane)
		if lane == nil || lane.pending[r.Park] == nil {
			continue
		}
		after := place{first: r.After, id: r.AfterID}
		for p := range lane.pending[r.Park].from(after) {
			if p == after {
				continue
			}
			if p.first > r.Until || len(out[i]) >= r.Limit {
				break
			}
			out[i] = append(out[i], stored.Entry(&d.live[p.id].Task))
		}
	}
	return out, nil
}

// Mark implements [store.Store].
func (s *Store) Mark(ctx context.Context, marks []store.Marking) error {
	now, err := s.begin(ctx)
	if err != nil {
		return err
	}
	d := s.data
	defer d.mu.Unlock()
	var lanes []uint16
	for _, mark := range marks {
		r := d.live[mark.ID]
		if r == nil || r.State != task.Pending || r.Park == mark.Mark {
			continue
		}
		d.change(r, now, func(r *row) { r.Park = mark.Mark })
		lanes = append(lanes, r.ID.Lane())
	}
	if len(lanes) > 0 {
		s.commit(lanes...)
	}
	return nil
}

// Marks implements [store.Store].
func (s *Store) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	var out []store.Entry
	for _, number := range lanes {
		lane := d.lane(number)
		if lane == nil {
			continue
		}
		end := len(out) + most
		for _, mark := range sortedKeys(lane.pending) {
			if most > 0 && len(out) == end {
				break
			}
			if first, ok := lane.pending[mark].min(); ok && mark != 0 {
				out = append(out, stored.Entry(&d.live[first.id].Task))
			}
		}
	}
	return out, nil
}

// Running implements [store.Store].
func (s *Store) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	if ids == nil {
		for r := range d.running(node) {
			ids = append(ids, r.ID)
		}
	}
	var out []*task.Task
	seen := map[task.ID]bool{}
	for _, id := range ids {
		if r := d.live[id]; r != nil && r.State == task.Running && r.Node == node && !seen[id] {
			seen[id] = true
			out = append(out, clone(&r.Task))
		}
	}
	return out, nil
}

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
