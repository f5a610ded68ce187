package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tasks of one queue that never end, at many targets, hold no node: tasks of other
// queues start at once, as many as the slots that are kept for their queue.
func TestAQueueHoldsNoNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		lanes := map[string][]uint16{"default": w.lanes, "busy": w.queue("busy", 2).Numbers, "heavy": w.queue("heavy", 2).Numbers}
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "heavy", Lanes: 2, Weight: 2}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		running := map[string]int{}
		hang := func(ctx context.Context, run *engine.Run) ([]byte, error) {
			mu.Lock()
			running[run.Task.Queue]++
			mu.Unlock()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		r := &registry{handlers: handlers("hang0", hang, "hang1", hang, "hang2", hang, "hang3", hang, "ok0", ok, "ok1", ok, "ok2", ok, "ok3", ok), policy: unguarded(t)}
		e := w.node("a", r, func(c *engine.Config) { c.Slots = 160 })
		put := func(queue, taskType string, count int) (last task.ID) {
			for i := range count {
				last = w.enqueue(e, fmt.Sprint(taskType, i%4), func(in *store.Insert) {
					in.Task.Queue = queue
					in.Task.ID = in.Task.ID.WithLane(lanes[queue][i%2])
				})
			}
			return last
		}
		put("busy", "hang", 640)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		// One slot in eight is kept: 20, of which heavy has twice as many as the others.
		if running["busy"] != 160-5-10 {
			t.Errorf("%d tasks of one queue run in 160 slots", running["busy"])
		}
		w.expect(put("default", "ok", 50), task.Succeeded, time.Minute)
		put("heavy", "hang", 50)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if running["heavy"] != 10 || running["busy"] != 145 {
			t.Errorf("%v run, want 10 of the heavy queue", running)
		}
		w.expect(put("default", "ok", 50), task.Succeeded, time.Minute)
		w.stop(e)
	})
}

// A queue that is alone has all slots.
func TestAQueueAloneHasAllSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		var mu sync.Mutex
		running := 0
		hang := func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			mu.Lock()
			running++
			mu.Unlock()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		e := w.node("a", &registry{handlers: handlers("hang0", hang, "hang1", hang, "hang2", hang, "hang3", hang), policy: unguarded(t)}, func(c *engine.Config) { c.Slots = 40 })
		for i := range 80 {
			w.enqueue(e, fmt.Sprint("hang", i%4), nil)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if running != 40 {
			t.Errorf("%d run in 40 slots", running)
		}
		w.stop(e)
	})
}

// However few slots there are, those that stay idle beside a busy queue, for queues that
// have nothing to do, are no more than one in eight; and as long as one is, another
// queue starts at once.
func TestIdleQueuesCostAnEighthAtMost(t *testing.T) {
	for _, row := range []struct{ slots, idle, internal, busy int }{
		{1, 0, 1, 1}, {1, 1, 1, 1}, {2, 1, 0, 2}, {2, 3, 1, 2}, {4, 1, 0, 4}, {4, 1, 1, 4}, {7, 2, 0, 7}, {5, 2, 1, 5}, {7, 3, 1, 7},
		{8, 0, 1, 8}, {8, 1, 0, 7}, {8, 4, 1, 7}, {15, 7, 1, 14}, {16, 0, 1, 15}, {16, 1, 1, 14}, {16, 7, 1, 14}, {24, 11, 0, 21}, {16, 20, 0, 14},
	} {
		t.Run(fmt.Sprintf("%+v", row), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2)
				lanes := map[string][]uint16{"default": w.lanes}
				for i := range row.idle {
					name := fmt.Sprint("idle", i)
					lanes[name] = w.queue(name, 1).Numbers
				}
				if row.internal > 0 {
					lanes["own"] = w.queue("own", 1).Numbers
				}
				var mu sync.Mutex
				running := map[string]int{}
				hang := func(ctx context.Context, run *engine.Run) ([]byte, error) {
					mu.Lock()
					running[run.Task.Queue]++
					mu.Unlock()
					<-ctx.Done()
					return nil, ctx.Err()
				}
				e := w.node("a", &registry{handlers: handlers("hang", hang), policy: unguarded(t)}, func(c *engine.Config) {
					c.Slots, c.Internal, c.Share = row.slots, "own", 1
				})
				put := func(queue string, count int) {
					for i := range count {
						w.enqueue(e, "hang", func(in *store.Insert) {
							in.Task.Queue = queue
							in.Task.ID = in.Task.ID.WithLane(lanes[queue][i%len(lanes[queue])])
						})
					}
					time.Sleep(5 * time.Second)
					synctest.Wait()
				}
				put("default", 2*row.slots)
				if running["default"] != row.busy {
					t.Errorf("%d of %d slots are used beside %d idle queues, want %d", running["default"], row.slots, row.idle, row.busy)
				}
				if row.idle > 0 && row.busy < row.slots {
					if put("idle0", 1); running["idle0"] != 1 {
						t.Error("a task of an idle queue did not start")
					}
				}
				w.stop(e)
			})
		})
	}
}
