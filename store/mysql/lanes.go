package mysql

import (
	"cmp"
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

const (
	// takeLane gives a free lane to a node that is alive, by compare-and-set
	// on the epoch. It waits for claims in flight, which have locked the row
	// shared. Inputs: node, lane, epoch, node.
	takeLane = `UPDATE outlast_lane SET owner = ?, epoch = epoch + 1 WHERE lane = ? AND epoch = ?
 AND NOT EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = owner AND n.state = 'alive')
 AND EXISTS (SELECT 1 FROM outlast_node n WHERE n.id = ? AND n.state = 'alive')`

	// freeLane gives a lane back unless a keyed task of it runs. Inputs:
	// lane, epoch, node. An owner's claim of a keyed task is over, or fails
	// for the epoch, since it locks the same row. That a borrower may claim
	// one meanwhile does no harm: the primary key of outlast_line keeps the
	// order of the key.
	freeLane = `UPDATE outlast_lane l SET owner = NULL WHERE lane = ? AND epoch = ? AND owner = ?
 AND NOT EXISTS (SELECT 1 FROM outlast_line k WHERE k.lane = l.lane)`
)

// TakeLanes implements [store.Store].
func (s *Store) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return s.changeLanes(ctx, lanes, 1, func(tx *tx, lane store.LaneEpoch) (int64, error) {
		return tx.changed(takeLane, node, lane.Lane, lane.Epoch, node)
	})
}

// FreeLanes implements [store.Store].
func (s *Store) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return s.changeLanes(ctx, lanes, 0, func(tx *tx, lane store.LaneEpoch) (int64, error) {
		return tx.changed(freeLane, lane.Lane, lane.Epoch, node)
	})
}

func (s *Store) changeLanes(ctx context.Context, lanes []store.LaneEpoch, raise int64, change func(*tx, store.LaneEpoch) (int64, error)) ([]store.LaneEpoch, error) {
	lanes = slices.Clone(lanes)
	slices.SortFunc(lanes, func(a, b store.LaneEpoch) int { return cmp.Compare(a.Lane, b.Lane) })
	var changed []store.LaneEpoch
	err := s.write(ctx, "lanes", func(tx *tx) error {
		changed = nil
		for _, lane := range lanes {
			n, err := change(tx, lane)
			if err != nil {
				return err
			}
			if n == 1 {
				changed = append(changed, store.LaneEpoch{Lane: lane.Lane, Epoch: lane.Epoch + raise})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}
