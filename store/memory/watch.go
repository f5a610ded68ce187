package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
)

// commit tells the watchers of other handles about a commit; no lanes means
// any. The caller holds the lock.
func (s *Store) commit(lanes ...uint16) {
	for other := range s.data.handles {
		if other == s {
			continue
		}
		for w := range other.watchers {
			w.any = w.any || len(lanes) == 0
			for _, lane := range lanes {
				w.lanes[lane] = struct{}{}
			}
			select {
			case w.signal <- struct{}{}:
			default:
			}
		}
	}
}

// Watch implements [store.Waker]: wake is called soon after another handle
// has committed. It returns nil when ctx ends, and ErrClosed when
// the handle does.
func (s *Store) Watch(ctx context.Context, wake func(lanes []store.ChangedLane)) error {
	if _, err := s.begin(ctx); err != nil {
		return err
	}
	w := &watcher{signal: make(chan struct{}, 1), lanes: map[uint16]struct{}{}}
	s.watchers[w] = struct{}{}
	s.data.mu.Unlock()
	defer func() {
		s.data.mu.Lock()
		delete(s.watchers, w)
		s.data.mu.Unlock()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.ended:
			return store.ErrClosed
		case <-w.signal:
		}
		s.data.mu.Lock()
		var lanes []store.ChangedLane
		for _, lane := range slices.Sorted(maps.Keys(w.lanes)) {
			lanes = append(lanes, store.ChangedLane{Lane: lane, From: store.AnyRank})
		}
		if w.any {
			lanes = nil
		}
		w.any = false
		clear(w.lanes)
		s.data.mu.Unlock()
		wake(lanes)
	}
}
