package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A target is shared by two queues. After an outage, in which first attempts failed and
// retries worked, one queue is paused with retries that are due. First attempts of the
// other queue, which work by now, must go on.
func TestPausedQueueHoldsUpNoOther(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		other := w.queue("other", 2)
		var there atomic.Bool
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(25), retry.Fixed(0), retry.NoJitter()),
			handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				time.Sleep(time.Millisecond)
				if run.Task.Attempt == 1 && !there.Load() {
					return nil, errDown
				}
				return nil, nil
			})}, func(c *engine.Config) { c.Share, c.Rand = 1, nil })
		w.fill(e, "t", 20_000)
		for began := time.Now(); known(e, "t").Breaker.State != "ramping"; time.Sleep(20 * time.Millisecond) {
			if time.Since(began) > 10*time.Minute {
				t.Fatal("the target did not recover")
			}
		}
		time.Sleep(2 * time.Second)
		if _, err := w.store.PauseQueue(t.Context(), "default", true); err != nil {
			t.Fatal(err)
		}
		if err := e.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		there.Store(true)
		time.Sleep(time.Second)
		var ids []task.ID
		for range 50 {
			ids = append(ids, w.enqueue(e, "t", func(i *store.Insert) {
				i.Task.Queue, i.Task.ID = "other", i.Task.ID.WithLane(other.Numbers[0])
			}))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("%d of %d tasks of the other queue have ended after a minute: %+v", n, len(ids), known(e, "t"))
		}
		w.stop(e)
	})
}
