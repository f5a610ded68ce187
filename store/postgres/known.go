package postgres

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// entryOf reads whose a dedupe key is, and whether its window lasts. Inputs:
// what to add to the clock, lane, queue, key.
var entryOf = newQuery(`SELECT id, expires > ` + nowMicro + ` FROM outlast_dedupe WHERE lane = $2::integer AND queue = $3::text AND key = $4::text`)

// knownAtOnce is how many items are looked up in one round trip.
const knownAtOnce = 500

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) (known []bool, err error) {
	err = s.lookUp(ctx, func(c session, _ int64) error {
		known = make([]bool, 0, len(items))
		for some := range slices.Chunk(items, knownAtOnce) {
			l := &lookUp{store: s, there: map[task.ID]bool{}, live: map[task.ID]bool{}, holders: map[int]task.ID{}}
			if err := l.run(ctx, c, some); err != nil {
				return err
			}
			known = append(known, l.known(some)...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return known, nil
}

// lookUp is what is known of items to insert.
type lookUp struct {
	store   *Store
	there   map[task.ID]bool
	live    map[task.ID]bool
	holders map[int]task.ID // by item: whose its dedupe key is; zero if its window lasts
}

func (l *lookUp) run(ctx context.Context, c session, items []store.Insert) error {
	wanted := make([]task.ID, len(items))
	var calls []*call
	for i := range items {
		wanted[i] = items[i].Task.ID
		if items[i].Dedupe != nil {
			calls = append(calls, l.entry(i, &items[i]))
		}
	}
	for _, ids := range l.store.byLane(wanted) {
		calls = append(calls, l.ids(liveOf, ids, l.there), l.ids(endedOf, ids, l.there))
	}
	if err := c.run(ctx, calls...); err != nil {
		return err
	}
	return l.holdersLive(ctx, c)
}

func (l *lookUp) entry(at int, item *store.Insert) *call {
	return &call{query: entryOf, args: []any{l.store.offset(), item.Dedupe.Lane, item.Task.Queue, item.Dedupe.Key}, scan: func(r row) error {
		if l.holders[at] = r.ID(0); r.Bool(1) {
			l.holders[at] = task.ID{}
		}
		return nil
	}}
}

func (l *lookUp) ids(query *query, ids []task.ID, found map[task.ID]bool) *call {
	return &call{query: query, args: []any{ids}, scan: func(r row) error {
		found[r.ID(0)] = true
		return nil
	}}
}

// holdersLive finds out of entries whose window is over whether their tasks
// live, which may be of another lane.
func (l *lookUp) holdersLive(ctx context.Context, c session) error {
	var late []task.ID
	for _, id := range l.holders {
		if !id.IsZero() {
			late = append(late, id)
		}
	}
	if len(late) == 0 {
		return nil
	}
	var calls []*call
	for _, ids := range l.store.byLane(late) {
		calls = append(calls, l.ids(liveOf, ids, l.live))
	}
	return c.run(ctx, calls...)
}

func (l *lookUp) known(items []store.Insert) []bool {
	known := make([]bool, len(items))
	for i := range items {
		holder, held := l.holders[i]
		known[i] = l.there[items[i].Task.ID] || held && (holder.IsZero() || l.live[holder])
	}
	return known
}
