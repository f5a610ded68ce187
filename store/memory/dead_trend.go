package memory

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostTrend is how many letters a trend looks at.
const mostTrend = 20_000

const hour = 3_600_000_000 // µs

// DeadTrend implements [store.Query].
func (s *Store) DeadTrend(ctx context.Context, filter store.Filter, since store.Time) ([]store.DeadPart, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	var letters []*task.Task
	for p := range d.deadByEnd.all() {
		if t := d.dead[p.id]; matches(t, filter) {
			letters = append(letters, t)
		}
	}
	slices.SortFunc(letters, func(a, b *task.Task) int { return b.ID.Compare(a.ID) })
	counts := map[store.DeadPart]int{}
	for _, t := range letters[:min(len(letters), mostTrend)] {
		part := store.DeadPart{Reason: t.DeadReason, Target: t.Target}
		if n := len(d.attempts[t.ID]); n > 0 {
			part.Node = d.attempts[t.ID][n-1].Node
		}
		if t.LastError != nil {
			part.Fingerprint = t.LastError.Fingerprint
		}
		if !t.FinishedAt.Before(since) {
			part.Hour = t.FinishedAt.UnixMicro() / hour
		}
		counts[part]++
	}
	parts := make([]store.DeadPart, 0, len(counts))
	for part, n := range counts {
		part.Count = n
		parts = append(parts, part)
	}
	return parts, nil
}
