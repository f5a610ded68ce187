package engine_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// silentStore is a store whose connections go silent: a call of one method gets no
// answer until its context ends, as behind a firewall that has lost its state.
type silentStore struct {
	store.Store
	t      *testing.T
	method string

	mu    sync.Mutex
	calls int
	at    int // which call gets no answer, from 1
}

// silence reports whether the call ended without an answer. No call may wait for ever.
func (s *silentStore) silence(ctx context.Context, method string) error {
	deadline, bounded := ctx.Deadline()
	if limit := time.Until(deadline); !bounded || limit > 30*time.Second {
		s.t.Errorf("%s is called with a limit of %s (bounded: %v)", method, limit, bounded)
		return nil
	}
	s.mu.Lock()
	hit := false
	if method == s.method {
		s.calls++
		hit = s.calls == s.at
	}
	s.mu.Unlock()
	if !hit {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s *silentStore) Beat(ctx context.Context, node string, report store.Report) ([]task.ID, error) {
	if err := s.silence(ctx, "Beat"); err != nil {
		return nil, err
	}
	return s.Store.Beat(ctx, node, report)
}

func (s *silentStore) Bury(ctx context.Context, node string, counter int64) (bool, error) {
	if err := s.silence(ctx, "Bury"); err != nil {
		return false, err
	}
	return s.Store.Bury(ctx, node, counter)
}

func (s *silentStore) Topology(ctx context.Context) (*store.Topology, error) {
	if err := s.silence(ctx, "Topology"); err != nil {
		return nil, err
	}
	return s.Store.Topology(ctx)
}

func (s *silentStore) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if err := s.silence(ctx, "TakeLanes"); err != nil {
		return nil, err
	}
	return s.Store.TakeLanes(ctx, node, lanes)
}

func (s *silentStore) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if err := s.silence(ctx, "FreeLanes"); err != nil {
		return nil, err
	}
	return s.Store.FreeLanes(ctx, node, lanes)
}

func (s *silentStore) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	if err := s.silence(ctx, "Enqueue"); err != nil {
		return nil, err
	}
	return s.Store.Enqueue(ctx, batches)
}

func (s *silentStore) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if err := s.silence(ctx, "Scan"); err != nil {
		return nil, err
	}
	return s.Store.Scan(ctx, ranges)
}

func (s *silentStore) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	if err := s.silence(ctx, "Claim"); err != nil {
		return store.Claimed{}, err
	}
	return s.Store.Claim(ctx, claim)
}

func (s *silentStore) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	if err := s.silence(ctx, "Running"); err != nil {
		return nil, err
	}
	return s.Store.Running(ctx, node, ids)
}

func (s *silentStore) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	if err := s.silence(ctx, "Settle"); err != nil {
		return nil, err
	}
	return s.Store.Settle(ctx, settlements)
}

func (s *silentStore) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	if err := s.silence(ctx, "Recover"); err != nil {
		return nil, err
	}
	return s.Store.Recover(ctx, lanes, limit)
}

func (s *silentStore) Mark(ctx context.Context, marks []store.Marking) error {
	if err := s.silence(ctx, "Mark"); err != nil {
		return err
	}
	return s.Store.Mark(ctx, marks)
}

func (s *silentStore) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	if err := s.silence(ctx, "Marks"); err != nil {
		return nil, err
	}
	return s.Store.Marks(ctx, lanes, most)
}

// A call that gets no answer holds a node up for a bounded time: a node that lives
// takes the work of one that died, and starts what is due, 15 s later at most than
// it would have.
func TestSilentCallsHoldANodeUpForABoundedTime(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, method := range []string{"Beat", "Bury", "Topology", "TakeLanes", "FreeLanes", "Enqueue", "Scan", "Claim", "Running", "Settle", "Recover", "Mark", "Marks"} {
		for _, at := range []int{1, 2, 5} {
			t.Run(method, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { workBesideSilence(t, method, at) })
			})
		}
	}
}

func workBesideSilence(t *testing.T, method string, at int) {
	w := newWorld(t, 4)
	var mu sync.Mutex
	ended := map[task.ID]time.Time{}
	r := &registry{policy: unguarded(t, retry.Attempts(10), retry.Fixed(time.Second)), handlers: handlers("t", func(_ context.Context, run *engine.Run) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		ended[run.Task.ID] = time.Now()
		return nil, nil
	})}
	dying := w.node("dies", r, nil)
	silent := &silentStore{t: t, method: method}
	doubted := map[string]int{}
	lives := w.node("lives", r, func(c *engine.Config) {
		silent.Store, c.Store = c.Store, silent
		c.Observer.Doubted = func(kind string) {
			mu.Lock()
			defer mu.Unlock()
			doubted[kind]++
		}
	})
	time.Sleep(3 * time.Second)
	silent.mu.Lock()
	silent.calls, silent.at = 0, at
	silent.mu.Unlock()
	dying.Kill()
	started := time.Now()
	accepted := map[task.ID]time.Time{}
	for range 60 {
		insert := w.insert("t", nil)
		if _, err := lives.Enqueue(t.Context(), []store.Insert{insert}); err == nil {
			accepted[insert.Task.ID] = time.Now()
		}
		time.Sleep(time.Second)
	}
	time.Sleep(30 * time.Second)
	mu.Lock()
	defer mu.Unlock()
	for id, since := range accepted {
		latest := since.Add(15 * time.Second)
		if dead := started.Add(10 * time.Second); since.Before(dead) {
			latest = dead.Add(15 * time.Second)
		}
		if at, ran := ended[id]; !ran || at.After(latest) {
			t.Errorf("a task accepted %s after the death ran %s after it (ran: %v)", since.Sub(started), at.Sub(started), ran)
		}
	}
	want := map[string]int{}
	switch method {
	case "Claim", "Enqueue", "Settle":
		want[strings.ToLower(method)] = 1
	}
	if !maps.Equal(doubted, want) {
		t.Errorf("the observer was told of unknown outcomes of %v, not %v", doubted, want)
	}
	if len(accepted) < 40 {
		t.Errorf("only %d of 60 tasks were accepted", len(accepted))
	}
	w.stop(lives)
}
