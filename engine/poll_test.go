package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// slowScans is a store that tells of nothing, and whose scans take a while.
type slowScans struct {
	store.Store
	each time.Duration
}

func (s *slowScans) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	time.Sleep(s.each)
	return s.Store.Scan(ctx, ranges)
}

// A row that nobody told of, such as one of a caller's own transaction, is found by
// the poll also while wake-ups for other lanes do not end.
func TestUntoldRowsAreFoundAmongManyWakeUps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, func(c *engine.Config) {
			c.Store = &slowScans{c.Store, 4 * time.Millisecond}
		})
		time.Sleep(3 * time.Second)
		heard, hush := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		calls.Go(func() {
			for heard.Err() == nil {
				e.Heard(w.lanes[0])
				time.Sleep(3 * time.Millisecond)
			}
		})
		time.Sleep(time.Second)
		untold := w.insert("mail", func(in *store.Insert) { in.Task.ID = in.Task.ID.WithLane(w.lanes[3]) })
		if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{untold}}}); err != nil {
			t.Fatal(err)
		}
		w.expect(untold.Task.ID, task.Succeeded, 2*time.Second)
		hush()
		calls.Wait()
		w.stop(e)
	})
}
