package memory

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters implements [store.Query].
func (s *Store) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) ([]store.Letter, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	var letters []store.Letter
	for id, t := range s.data.dead {
		if id.Compare(after) > 0 && matches(t, filter) {
			letters = append(letters, store.Letter{ID: id, Key: t.Key, Seq: t.Seq})
		}
	}
	slices.SortFunc(letters, func(a, b store.Letter) int { return a.ID.Compare(b.ID) })
	return letters[:min(len(letters), max(0, limit))], nil
}
