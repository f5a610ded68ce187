package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// A node whose clock is a second ahead of the store's starts nothing early by
// the store's clock, next to nothing late, and does not ask all the time.
func TestClockAheadOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ahead = time.Second
		w := newWorld(t, 4)
		w.store = memory.New(memory.WithClock(func() time.Time { return time.Now().Add(-ahead) }))
		w.lanes = w.queue("default", 4).Numbers
		late := map[task.ID]time.Duration{}
		var faults *faulty.Faults
		a := w.node("a", &registry{handlers: handlers("t", func(_ context.Context, run *engine.Run) ([]byte, error) {
			late[run.Task.ID] = time.Now().Add(-ahead).Sub(run.Task.RunAt)
			return nil, nil
		})}, func(c *engine.Config) {
			backend, f := faulty.Wrap(c.Store.(store.Backend), 1)
			faults, c.Store = f, backend
		})
		var ids []task.ID
		for range 50 {
			ids = append(ids, w.enqueue(a, "t", func(in *store.Insert) { in.Delay = 700 * time.Millisecond }))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		slow := 0
		for _, id := range ids {
			w.expect(id, task.Succeeded, time.Second)
			if late[id] < 0 || late[id] > 500*time.Millisecond {
				t.Errorf("it began %s after it was due", late[id])
			}
			if late[id] > 5*time.Millisecond {
				slow++
			}
		}
		if slow > 8 {
			t.Errorf("%d of %d tasks were late, those before the lag is known excepted", slow, len(ids))
		}
		if calls := faults.Calls("Claim"); calls > 150 {
			t.Errorf("%d claims for %d tasks", calls, len(ids))
		}
		t.Logf("%d claims, %d late", faults.Calls("Claim"), slow)
		w.stop(a)
	})
}
