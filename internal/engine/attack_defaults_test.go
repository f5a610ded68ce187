package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// All defaults: 6500 tasks behind a dead head are enough for what the lane
// should load later (here: due in ten minutes) never to be loaded.
func TestBlockedKeyStarvesDelayedTasksDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(1)), handlers: handlers(
			"bad", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { return nil, errDown }),
			"good", engine.Handler(ok))}, nil)
		head := w.enqueue(e, "bad", func(in *store.Insert) { in.Task.Key = "k0" })
		w.expect(head, task.Dead, time.Second)
		lane := w.get(head).ID.Lane()
		for range 13 {
			var batch []store.Insert
			for range 500 {
				batch = append(batch, w.insert("good", func(in *store.Insert) { in.Task.Key = "k0" }))
			}
			if _, err := e.Enqueue(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		var ids []task.ID
		for i := range 50 {
			insert := w.insert("good", nil)
			insert.Task.ID = insert.Task.ID.WithLane(lane)
			insert.Task.Key = fmt.Sprintf("other-%d", i)
			insert.Delay = 10 * time.Minute
			if _, err := e.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, insert.Task.ID)
		}
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("20 minutes after their time %d of %d tasks of other keys of the lane have run; %+v", n, len(ids), e.Stats())
		}
		w.stop(e)
	})
}
