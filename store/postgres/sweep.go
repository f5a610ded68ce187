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

// lockFree takes the locks of those lanes that nobody has.
var lockFree = newQuery(`SELECT lane FROM outlast_lane WHERE lane = ANY($1::integer[]) ORDER BY lane FOR NO KEY UPDATE SKIP LOCKED`)

// sweep shortens the logs of lanes, but for those that somebody has locked: no claim
// of the process waits for it.
func sweep(ctx context.Context, s *Store, lanes []uint16, clock int64) error {
	if err := s.log.Begin(ctx); err != nil {
		return err
	}
	defer s.log.End()
	for _, numbers := range s.eachLane(laneNumbers(lanes)) {
		var now changed
		var free []uint16
		err := s.write(ctx, func(t *tx) error {
			free, now = nil, changed{}
			err := each(ctx, t, lockFree, func(r row) error {
				free = append(free, uint16(r.Int(0)))
				return nil
			}, numbers)
			if err != nil || len(free) == 0 {
				return err
			}
			return t.run(ctx, append([]*call{{query: shorten, args: []any{s.offset(), laneNumbers(free)}}}, readLog(s, free, &now)...)...)
		})
		if err != nil {
			return err
		}
		s.log.Replace(now.lanes, now.batches)
		s.readAhead.doubt(now.lanes)
		s.log.Looked(free, clock)
	}
	return nil
}

// sweepOld sweeps lanes where it is time to look at a batch again.
func sweepOld(ctx context.Context, s *Store, now int64) error {
	for lanes := range slices.Chunk(s.log.Old(now, tooOld), 16) {
		if err := sweep(ctx, s, lanes, now); err != nil {
			return err
		}
	}
	return nil
}
