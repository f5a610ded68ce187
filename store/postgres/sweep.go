package postgres

import (
	"context"
	"slices"
)

// apartAtOnce is how many rows one statement sets apart.
const apartAtOnce = 2000

// tooOld is the age of a batch, in µs, from which it is looked at whether its tasks
// still run: they may have ended without a word to this process.
const tooOld = 10_000_000

// setApart gives all rows of a node in lanes that run by the log rows of their own,
// but for those that others have locked.
func (t *tx) setApart(ctx context.Context, node string, lanes []int32) error {
	for {
		n, err := exec(ctx, t, setApart, node, lanes, apartAtOnce)
		if err != nil || n < apartAtOnce {
			return err
		}
	}
}

// sweep shortens the logs of lanes.
func (s *Store) sweep(ctx context.Context, lanes []uint16) error {
	if err := s.log.Begin(ctx); err != nil {
		return err
	}
	defer s.log.End()
	numbers := make([]int32, len(lanes))
	for i, lane := range lanes {
		numbers[i] = int32(lane)
	}
	var now changed
	_, err := s.pipeline(ctx, &call{query: lockLanes, args: []any{numbers}},
		&call{query: shorten, args: []any{s.offset(), numbers}}, readLog(s.log, lanes, &now))
	if err == nil {
		s.log.Replace(now.lanes, now.batches)
	}
	return err
}

// sweepOld sweeps lanes where it is time to look at a batch again.
func sweepOld(ctx context.Context, s *Store, now int64) error {
	for lanes := range slices.Chunk(s.log.Old(now, tooOld), 16) {
		if err := s.sweep(ctx, lanes); err != nil {
			return err
		}
	}
	return nil
}
