package memory

import (
	"context"

	"github.com/outlast-dev/outlast/store"
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
			out[i] = append(out[i], d.live[p.id].entry())
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
				out = append(out, d.live[first.id].entry())
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
