package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	b := &settling{store: s, all: settlements, results: make([]store.Settled, len(settlements))}
	b.sort()
	settle := b.many
	if s.spread {
		settle = b.manySpread
	}
	if err := settle(ctx, b.plain); err != nil {
		return nil, err
	}
	if err := b.rest(ctx); err != nil {
		return nil, err
	}
	return b.results, nil
}

// settling is one call of Settle. Settlements are known by their place.
type settling struct {
	store   *Store
	all     []store.Settlement
	results []store.Settled
	node    string     // of those that go together
	plain   []int      // go together
	apart   []int      // go by themselves: unusual, or not ended by what went together
	lock    sync.Mutex // of apart and results, while several lanes are settled at once
}

// sort refuses what must not reach the database, and parts the usual from the
// unusual.
func (b *settling) sort() {
	seen := make(map[task.ID]bool, len(b.all))
	for i := range b.all {
		s := &b.all[i]
		if err := checkSettlement(s); err != nil {
			b.results[i] = store.Settled{Status: store.StatusRefused, Err: err}
			continue
		}
		if isPlain(s) && b.node == "" {
			b.node = s.Task.Node
		}
		if isPlain(s) && b.node == s.Task.Node && !seen[s.Task.ID] {
			b.plain = append(b.plain, i)
		} else {
			b.apart = append(b.apart, i)
		}
		seen[s.Task.ID] = true
	}
}

func checkSettlement(s *store.Settlement) error {
	if s.Task == nil {
		return task.Invalid("task", "a settlement needs its task", "")
	}
	return check.Settlement(s)
}

func isPlain(s *store.Settlement) bool {
	if len(s.Follow) > 0 || s.StartedAt.IsZero() || s.Task.Node == "" {
		return false
	}
	return ending.GivesBack(s.Outcome) || s.Outcome == task.OutcomeSucceeded && s.Failure == nil && !s.Unstarted
}

// many settles together. When the database refuses some data, halves go by
// themselves until the bad item is alone.
func (b *settling) many(ctx context.Context, places []int) error {
	if len(places) == 0 {
		return nil
	}
	together := b.together
	if b.store.spread {
		together = b.laneTogether
	}
	err := b.store.partitioning(ctx, func() error { return together(ctx, places) })
	switch {
	case err == nil:
		return nil
	case !refusal(err):
		return err
	case len(places) == 1:
		b.lock.Lock()
		defer b.lock.Unlock()
		b.apart = append(b.apart, places[0])
		return nil
	}
	half := len(places) / 2
	return errors.Join(b.many(ctx, places[:half]), b.many(ctx, places[half:]))
}
