package memory

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Extend implements [store.Leaser].
func (s *Store) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	now, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	d := s.data
	defer d.mu.Unlock()
	results := make([]store.Extended, len(items))
	for i, item := range items {
		r := d.live[item.ID]
		if r == nil || r.State != task.Running || r.Claim != item.Claim || r.lease.IsZero() {
			results[i].Status = store.StatusStale
			continue
		}
		r.lease = now.Add(lease)
		results[i] = store.Extended{Status: store.StatusOK, CancelRequested: r.CancelRequested}
	}
	return results, nil
}
