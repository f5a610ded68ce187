package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/task"
)

// gauge counts how many run at once.
type gauge struct{ running, most, done atomic.Int64 }

func (g *gauge) run(takes time.Duration) engine.Handler {
	return func(context.Context, *engine.Run) ([]byte, error) {
		now := g.running.Add(1)
		for was := g.most.Load(); now > was && !g.most.CompareAndSwap(was, now); was = g.most.Load() {
		}
		time.Sleep(takes)
		g.running.Add(-1)
		g.done.Add(1)
		return nil, nil
	}
}

// The configured limit of a target holds over all nodes, is used up, and goes round
// where there are more nodes than it allows attempts.
func TestTargetLimitHoldsOverNodes(t *testing.T) {
	for _, row := range []struct {
		limit, nodes, tasks int
		within              time.Duration
	}{{3, 1, 60, 21 * time.Second}, {7, 3, 210, 45 * time.Second}, {2, 3, 30, 3 * time.Minute}, {1, 2, 30, 3 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			w, slow := newWorld(t, 6), gauge{}
			var nodes []*engine.Engine
			for i := range row.nodes {
				nodes = append(nodes, w.node(string(rune('a'+i)), &registry{handlers: handlers("slow", slow.run(time.Second))}, func(c *engine.Config) {
					c.TargetLimit = func(string) int { return row.limit }
				}))
			}
			time.Sleep(10 * time.Second)
			for i := range row.tasks {
				w.enqueue(nodes[i%row.nodes], "slow", nil)
			}
			time.Sleep(row.within)
			synctest.Wait()
			if slow.done.Load() != int64(row.tasks) || slow.most.Load() != int64(row.limit) {
				t.Errorf("limit %d on %d nodes: %d of %d ran, %d at once", row.limit, row.nodes, slow.done.Load(), row.tasks, slow.most.Load())
			}
			w.stop(nodes...)
		})
	}
}

// The backlog of a limited target does not fill memory, and a limit that is raised
// holds within a second.
func TestLimitedTargetHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, slow := newWorld(t, 4), gauge{}
		var limit atomic.Int64
		limit.Store(2)
		e := w.node("a", &registry{handlers: handlers("slow", slow.run(time.Second), "fine", ok)}, func(c *engine.Config) {
			c.NearFuture = 200
			c.TargetLimit = func(target string) int {
				if target == "slow" {
					return int(limit.Load())
				}
				return 0
			}
		})
		for range 2000 {
			w.enqueue(e, "slow", nil)
		}
		time.Sleep(10 * time.Second)
		for range 100 {
			w.expect(w.enqueue(e, "fine", nil), task.Succeeded, time.Second)
		}
		if most := slow.most.Load(); most != 2 {
			t.Errorf("%d at once under a limit of 2", most)
		}
		if before := slow.done.Load(); before < 18 {
			t.Errorf("%d ran in ten seconds", before)
		}
		limit.Store(400)
		time.Sleep(30 * time.Second)
		if most := slow.most.Load(); most < 100 || most > 400 {
			t.Errorf("%d at once under a limit of 400", most)
		}
		limit.Store(1)
		time.Sleep(3 * time.Second)
		slow.most.Store(0)
		time.Sleep(10 * time.Second)
		if most := slow.most.Load(); most > 1 {
			t.Errorf("%d at once under a limit of 1", most)
		}
		w.stop(e)
	})
}
