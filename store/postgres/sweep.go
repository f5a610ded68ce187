package postgres

import (
	"context"
	"slices"
)

// apartAtOnce is how many rows one statement sets apart.
const apartAtOnce = 2000

// tooOld is how long rows run by the log, in µs, before they are set apart: so the
// log of a lane is short, however long its tasks run.
const tooOld = 10_000_000

// setApart gives rows that run by the log rows of their own, but for those that
// others have locked.
func (t *tx) setApart(ctx context.Context, q *query, which any, lanes []int32) error {
	for {
		n, err := exec(ctx, t, q, which, lanes, apartAtOnce)
		if err != nil || n < apartAtOnce {
			return err
		}
	}
}

// sweep sets apart what has run by the log for long, and what a lost node ran by
// it, and deletes the batches.
type sweep struct {
	store  *Store
	before int64  // the number below which batches are old
	node   string // that is lost
}

func (s *sweep) run(ctx context.Context, lanes []uint16) error {
	log := s.store.log
	if err := log.Begin(ctx); err != nil {
		return err
	}
	defer log.End()
	numbers := make([]int32, len(lanes))
	for i, lane := range lanes {
		numbers[i] = int32(lane)
	}
	var now changed
	err := s.store.write(ctx, func(t *tx) error { return t.setApart(ctx, setOldApart, s.before, numbers) })
	if err == nil {
		_, err = s.store.pipeline(ctx, &call{query: lockLanes, args: []any{numbers}},
			&call{query: endIdle, args: []any{s.store.offset(), numbers, s.before, s.node}}, readLog(log, lanes, &now))
	}
	if err == nil {
		log.Replace(now.lanes, now.batches)
	}
	return err
}

// old sweeps lanes where batches are old. What is known of lanes that are not
// among those that are owned is forgotten.
func (s *sweep) old(ctx context.Context, owned []uint16) error {
	for lanes := range slices.Chunk(s.store.log.Old(s.before), 16) {
		if err := s.run(ctx, lanes); err != nil {
			return err
		}
		for _, lane := range lanes {
			if !slices.Contains(owned, lane) {
				s.store.log.Forget(lane)
			}
		}
	}
	return nil
}
