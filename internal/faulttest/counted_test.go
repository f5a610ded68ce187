package faulttest

import (
	"context"
	"maps"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// countedStore counts the calls that the engine makes.
type countedStore struct {
	*sqlite.Store
	mu     sync.Mutex
	byName map[string]int
}

var _ store.Waker = (*countedStore)(nil)

func (s *countedStore) count(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		s.byName = map[string]int{}
	}
	s.byName[name]++
}

func (s *countedStore) calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.byName)
}

func (s *countedStore) total() (n int) {
	for _, calls := range s.calls() {
		n += calls
	}
	return n
}

func (s *countedStore) Beat(ctx context.Context, node string, report store.Report) ([]task.ID, error) {
	s.count("Beat")
	return s.Store.Beat(ctx, node, report)
}

func (s *countedStore) Topology(ctx context.Context) (*store.Topology, error) {
	s.count("Topology")
	return s.Store.Topology(ctx)
}

func (s *countedStore) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	s.count("TakeLanes")
	return s.Store.TakeLanes(ctx, node, lanes)
}

func (s *countedStore) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	s.count("FreeLanes")
	return s.Store.FreeLanes(ctx, node, lanes)
}

func (s *countedStore) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	s.count("Enqueue")
	return s.Store.Enqueue(ctx, batches)
}

func (s *countedStore) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	s.count("Scan")
	return s.Store.Scan(ctx, ranges)
}

func (s *countedStore) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	s.count("Claim")
	return s.Store.Claim(ctx, claim)
}

func (s *countedStore) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	s.count("Running")
	return s.Store.Running(ctx, node, ids)
}

func (s *countedStore) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	s.count("Settle")
	return s.Store.Settle(ctx, settlements)
}

func (s *countedStore) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	s.count("Recover")
	return s.Store.Recover(ctx, lanes, limit)
}

func (s *countedStore) Mark(ctx context.Context, marks []store.Marking) error {
	s.count("Mark")
	return s.Store.Mark(ctx, marks)
}

func (s *countedStore) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	s.count("Marks")
	return s.Store.Marks(ctx, lanes, most)
}

func (s *countedStore) Queues(ctx context.Context) ([]store.Queue, error) {
	s.count("Queues")
	return s.Store.Queues(ctx)
}
