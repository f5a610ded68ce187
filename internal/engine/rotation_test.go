package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A queue of which one task may run at a time is worked on by nodes that each start
// a type of their own. All get their turn, also after tasks that outlast a turn, and
// no two tasks run at once.
func TestNodesTakeTurnsUnderALowLimit(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, takes := range []time.Duration{0, time.Second, 40 * time.Second} {
		t.Run(takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 4)
				q, err := w.store.PutQueue(t.Context(), store.Queue{Name: "one", Lanes: 2, Concurrency: 1})
				if err != nil {
					t.Fatal(err)
				}
				var running, most atomic.Int64
				do := func(context.Context, *engine.Run) ([]byte, error) {
					most.Store(max(most.Load(), running.Add(1)))
					defer running.Add(-1)
					time.Sleep(takes)
					return nil, nil
				}
				var nodes []*engine.Engine
				types := []string{"x", "y", "z"}
				for _, name := range types {
					nodes = append(nodes, w.node("node-"+name, &registry{handlers: handlers(name, do)}, nil))
				}
				time.Sleep(5 * time.Second)
				var ids []task.ID
				for i := range 12 {
					ids = append(ids, w.enqueue(nodes[0], types[i%3], func(in *store.Insert) {
						in.Task.Queue, in.Task.ID = "one", in.Task.ID.WithLane(q.Numbers[i%2])
					}))
				}
				time.Sleep(30 * time.Minute)
				synctest.Wait()
				if n := w.countDone(ids); n != len(ids) || most.Load() != 1 {
					t.Errorf("%d of %d ran, %d at once", n, len(ids), most.Load())
				}
				w.stop(nodes...)
			})
		})
	}
}
