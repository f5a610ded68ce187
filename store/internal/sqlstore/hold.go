package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
)

var (
	lanesOf     = query(`SELECT lane FROM outlast_lane WHERE queue = $1::text ORDER BY lane`)
	releaseLane = query(`DELETE FROM outlast_key_hold WHERE lane = $1::integer AND "key" = $2::text`)
)

// uncounted stands for how many wait behind a hold where nobody has looked.
const uncounted = -1

func scanHold(r Row) store.Hold {
	return store.Hold{Lane: uint16(r.Int(0)), Key: r.Text(1), Holder: r.ID(2), Mode: r.Text(3), Since: r.Time(4), Waiting: int(r.Int(5))}
}

// Holds implements [store.Waits]. Who waits behind more than one is counted by a statement
// for each hold that is returned.
func (c Cold) Holds(ctx context.Context, filter store.HoldFilter) (found []store.Hold, err error) {
	most := min(filter.Count, 1)
	if filter.Waited {
		most = 1
	}
	err = c.db.Survey(ctx, func(s Session) error {
		holds, err := all(s, c.own.Holds, scanHold, filter.AfterLane, filter.AfterKey, store.MostHolds, most)
		if err != nil {
			return err
		}
		var taken []store.Hold
		for i := range holds {
			if filter.Takes(&holds[i]) {
				taken = append(taken, holds[i])
			}
		}
		found, err = store.Behind(taken, filter, func(hold *store.Hold, most int) (int, error) {
			if hold.Waiting == 0 || hold.Waiting != uncounted && most <= 1 {
				return hold.Waiting, nil
			}
			n, _, err := first(s, c.own.Behind, intOf, hold.Lane, hold.Key, most)
			return int(n), err
		})
		for i := range found {
			found[i].Waiting = max(0, found[i].Waiting)
		}
		return err
	})
	return found, err
}

// Backlog implements [store.Waits].
func (c Cold) Backlog(ctx context.Context, lanes []uint16, most int) (found store.Backlog, err error) {
	err = c.db.Snapshot(ctx, func(s Session) (err error) {
		found, err = backlog.Count(s, lanes, most)
		return err
	})
	return found, err
}

// ReleaseKey implements [store.Admin]: in whichever lane of the queue the key is.
func (c Cold) ReleaseKey(ctx context.Context, queue, key string, audit ...store.Audit) (bool, error) {
	return writing(ctx, c, "release_key", func(tx Tx) (released bool, err error) {
		calls, err := all(tx, lanesOf, func(r Row) *Call { return &Call{Query: releaseLane, Args: []any{uint16(r.Int(0)), key}} }, queue)
		if err != nil || len(calls) == 0 {
			return false, err
		}
		if err := tx.Run(calls...); err != nil {
			return false, err
		}
		for _, one := range calls {
			released = released || one.Changed > 0
		}
		if !released {
			return false, nil
		}
		return true, Log(tx, audit)
	})
}
