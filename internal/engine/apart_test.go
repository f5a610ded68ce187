package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
)

// slowWithMany is a store whose large enqueues wait to be let go.
type slowWithMany struct {
	store.Backend
	letGo    chan struct{}
	underWay atomic.Int64
}

func (s *slowWithMany) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	rows := 0
	for i := range batches {
		rows += len(batches[i].Items)
	}
	if rows > 1000 {
		s.underWay.Add(1)
		<-s.letGo
		s.underWay.Add(-1)
	}
	return s.Backend.Enqueue(ctx, batches)
}

// Two large enqueues go at once, a third waits for one of them, a small one waits for
// none, and a stop waits for all.
func TestLargeEnqueuesHoldUpNoSmallOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		slow := &slowWithMany{Backend: w.store.Handle(), letGo: make(chan struct{})}
		e := w.node("a", &registry{}, func(c *engine.Config) { c.Store, c.EnqueueOnly = slow, true })
		answers := make(chan error, 3)
		large := func() {
			items := make([]store.Insert, 1001)
			for i := range items {
				items[i] = w.insert("t", nil)
			}
			go func() {
				_, err := e.Enqueue(context.Background(), items)
				answers <- err
			}()
			synctest.Wait()
		}
		large()
		large()
		id := w.enqueue(e, "t", nil)
		large()
		if n := slow.underWay.Load(); n != 2 {
			t.Errorf("%d large enqueues are under way", n)
		}
		stopped := make(chan error, 1)
		go func() { stopped <- e.Stop(context.Background()) }()
		synctest.Wait()
		select {
		case err := <-stopped:
			t.Errorf("stopped beside large enqueues: %v", err)
		default:
		}
		close(slow.letGo)
		for range 3 {
			if err := <-answers; err != nil {
				t.Error(err)
			}
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		w.get(id)
		if n, err := w.store.Count(t.Context(), store.Filter{}, 10_000); err != nil || n != 3004 {
			t.Errorf("%d tasks: %v", n, err)
		}
	})
}
