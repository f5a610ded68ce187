package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// longCrew is a worker group with tasks that take long, and room for so many.
type longCrew struct {
	takes time.Duration
	taken func() // tells that one was taken

	mu            sync.Mutex
	room, running int
}

func (c *longCrew) run(ctx context.Context, _ *engine.Run) ([]byte, error) {
	if !c.begin() {
		return nil, holds{engine.HandlerOutcome{Action: engine.ActionHold, Since: time.Now(), After: 5 * time.Second, Held: store.Held{Failures: 1, Error: "busy"}}}
	}
	defer c.change(0, -1)
	if c.taken != nil {
		c.taken()
	}
	select {
	case <-time.After(c.takes):
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *longCrew) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running >= c.room {
		return false
	}
	c.running++
	return true
}

// change adds to the room and to what runs, and returns the latter.
func (c *longCrew) change(room, running int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room += room
	c.running += running
	return c.running
}

// A group is tried again while tasks that it has taken before still run: they say
// nothing of the room that there is now.
func TestLongTasksDoNotKeepAGroupFromBeingTried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		c := &longCrew{takes: time.Hour, room: 1}
		e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", c.run)}, nil)
		first := w.enqueue(e, "g", nil)
		time.Sleep(time.Second)
		w.enqueue(e, "g", nil)
		time.Sleep(20 * time.Second)
		if got, running := w.get(first), c.change(1, 0); running != 1 || got.State != task.Running {
			t.Fatalf("%d run", running)
		}
		time.Sleep(10 * time.Second)
		if running := c.change(0, 0); running != 2 {
			t.Errorf("%d run ten seconds after there was room for another", running)
		}
		stop(t, e)
	})
}

// A group that has come back gets its tasks before the first of them has ended: at
// once if it is known that it has taken one, else one after another.
func TestRecoveryDoesNotWaitForALongTask(t *testing.T) {
	for name, within := range map[string]time.Duration{"told": 15 * time.Second, "not told": 5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 1)
				c := &longCrew{takes: time.Hour}
				e := w.node("n", &registry{policy: unguarded(t), handlers: handlers("g", c.run)}, nil)
				if name == "told" {
					c.taken = func() { e.Taken("g") }
				}
				for range 6 {
					w.enqueue(e, "g", nil)
				}
				time.Sleep(time.Minute)
				c.change(10, 0)
				time.Sleep(within)
				if running := c.change(0, 0); running != 6 {
					t.Errorf("%d of 6 tasks run %v after the group came back", running, within)
				}
				stop(t, e)
			})
		})
	}
}
