// Package newest sees which tasks others have inserted, by asking for the newest ids: these
// are in the order of their making, so what was just inserted is at the end.
package newest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/task"
)

const (
	// every is how often the newest ids are asked for, few how many of them, and many how
	// many if all of the few are new.
	every = 20 * time.Millisecond
	few   = 16
	many  = 1000

	// back is how much older than the newest an id may be that is still noticed: clocks
	// differ, and transactions commit in another order than ids are made. There must be a
	// bound: a store might walk over rows that are deleted but still there, as while
	// an old snapshot is open.
	back = 2 * time.Second
)

// Spotter finds new tasks, but for those that its own store has inserted.
type Spotter struct {
	read func(ctx context.Context, after task.ID, most int) ([]task.ID, error)

	mu   sync.Mutex
	own  [many]task.ID // inserted last
	next int           // place of the next of them
}

// New makes a spotter. What it is given reads ids above one, at most so many, the newest ones.
func New(read func(ctx context.Context, after task.ID, most int) ([]task.ID, error)) *Spotter {
	return &Spotter{read: read}
}

// Note notes a task that the store itself is about to insert.
func Note(s *Spotter, id task.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own[s.next] = id
	s.next = (s.next + 1) % len(s.own)
}

// Spot implements [github.com/outlast-dev/outlast/store.Spotter].
func (s *Spotter) Spot(ctx context.Context, found func(lanes []uint16)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	known, err := s.read(ctx, task.ID{}, few)
	for err == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var seen, fresh []task.ID
		if seen, fresh, err = s.look(ctx, known); err != nil {
			break
		}
		if len(seen) > 0 {
			known = seen
		}
		if len(fresh) > 0 {
			found(lanesOf(fresh))
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// look returns the newest ids, and those of them and beyond that are news.
func (s *Spotter) look(ctx context.Context, known []task.ID) (seen, fresh []task.ID, err error) {
	seen, err = s.read(ctx, from(known), few)
	if err != nil {
		return nil, nil, err
	}
	fresh = s.news(seen, known)
	if len(fresh) < few || len(known) == 0 {
		return seen, fresh, nil
	}
	more, err := s.read(ctx, slices.MaxFunc(known, task.ID.Compare), many)
	return seen, s.news(more, known), err
}

// from is the id above which news are looked for.
func from(known []task.ID) (id task.ID) {
	if len(known) == 0 {
		return id
	}
	last := slices.MaxFunc(known, task.ID.Compare).Time()
	if now := time.Now(); now.Before(last) { // somebody's clock is ahead
		last = now
	}
	return task.NewID(last.Add(-back), zeros{})
}

// zeros are the bits of the least id of its millisecond.
type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }

// news are the ids that are not known and not the store's own.
func (s *Spotter) news(ids, known []task.ID) (news []task.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if !slices.Contains(known, id) && !slices.Contains(s.own[:], id) {
			news = append(news, id)
		}
	}
	return news
}

func lanesOf(ids []task.ID) (lanes []uint16) {
	for _, id := range ids {
		lanes = append(lanes, id.Lane())
	}
	slices.Sort(lanes)
	return slices.Compact(lanes)
}
