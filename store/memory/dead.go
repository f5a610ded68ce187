package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// count adds a dead letter to the counters, or with -1 takes it away.
func count(stats *store.DeadStats, t *task.Task, by int) {
	stats.Total += by
	add(stats.ByType, t.Type, by)
	add(stats.ByReason, string(t.DeadReason), by)
	if t.LastError != nil {
		add(stats.ByCategory, t.LastError.Category, by)
	}
}

func add(counters map[string]int, name string, by int) {
	if counters[name] += by; counters[name] == 0 {
		delete(counters, name)
	}
}

// DeadStats implements [store.Query]. Letters without an error have no
// category.
func (s *Store) DeadStats(ctx context.Context) (*store.DeadStats, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	stats := s.data.stats
	stats.ByType, stats.ByReason, stats.ByCategory = maps.Clone(stats.ByType), maps.Clone(stats.ByReason), maps.Clone(stats.ByCategory)
	return &stats, nil
}

// DeadGroups implements [store.Query]. The example is the letter that died
// last.
func (s *Store) DeadGroups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	groups := map[string]*store.DeadGroup{}
	for p := range d.deadByEnd.all() {
		t := d.dead[p.id]
		if !filter.Matches(t) {
			continue
		}
		var failure task.Failure
		if t.LastError != nil {
			failure = *t.LastError
		}
		group := ensure(groups, failure.Fingerprint)
		if group.Count == 0 {
			group.Fingerprint, group.FirstSeen = failure.Fingerprint, t.FinishedAt
		}
		group.Count++
		group.Type, group.Reason, group.Category, group.Message = t.Type, t.DeadReason, failure.Category, failure.Message
		group.LastSeen, group.Example = t.FinishedAt, t.ID
	}
	var out []store.DeadGroup
	for _, group := range groups {
		out = append(out, *group)
	}
	slices.SortFunc(out, func(a, b store.DeadGroup) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out[:min(len(out), max(0, limit))], nil
}

// Letters implements [store.Query].
func (s *Store) Letters(ctx context.Context, filter store.Filter, after task.ID, limit int) ([]store.Letter, error) {
	if _, err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.data.mu.Unlock()
	var letters []store.Letter
	for id, t := range s.data.dead {
		if id.Compare(after) > 0 && filter.Matches(t) {
			letters = append(letters, store.Letter{ID: id, Key: t.Key, Seq: t.Seq})
		}
	}
	slices.SortFunc(letters, func(a, b store.Letter) int { return a.ID.Compare(b.ID) })
	return letters[:min(len(letters), max(0, limit))], nil
}

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
		if t := d.dead[p.id]; filter.Matches(t) {
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
