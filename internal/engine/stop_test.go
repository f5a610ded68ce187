package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
)

// complaints is a log of warnings and errors.
type complaints struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (c *complaints) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines.Write(line)
}

// A graceful stop at any moment, in a hurry or not, on a store that takes its time,
// complains of nothing and leaves no lane and no node behind, also while keyed tasks
// run.
func TestStopLeavesNothing(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 4))
			w, log := newWorld(t, 8), &complaints{}
			w.log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			work := func(ctx context.Context, run *engine.Run) ([]byte, error) {
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(time.Duration(len(run.Task.Payload)) * time.Millisecond):
					return ok(ctx, run)
				}
			}
			e := w.node("a", &registry{handlers: handlers("t", work)}, func(c *engine.Config) {
				slow, _ := faulty.Wrap(c.Store.(store.Backend), seed, faulty.Rule{Kind: faulty.Delay, Probability: 1, Wait: 20 * time.Millisecond})
				c.Store = slow
			})
			for range 20 {
				w.enqueue(e, "t", func(i *store.Insert) {
					i.Task.Payload = make([]byte, random.IntN(2000))
					if random.IntN(2) == 0 {
						i.Task.Key = string(rune('a' + random.IntN(8)))
					}
				})
			}
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			if random.IntN(2) == 0 {
				go func() {
					time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
					cancel()
				}()
			}
			if err := e.Stop(ctx); err != nil {
				t.Error(err)
			}
			cancel()
			if owners := w.lanesOf("default"); owners[""] != 8 {
				t.Errorf("seed %d: lanes by owner after the stop: %v", seed, owners)
			}
			if log.lines.Len() > 0 {
				t.Errorf("seed %d: %s", seed, log.lines.String())
			}
			synctest.Wait()
		})
	}
}

// stuckLanes is a store on which somebody holds the rows of lanes.
type stuckLanes struct {
	store.Backend
	stuck atomic.Bool
}

func (s *stuckLanes) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	if s.stuck.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Backend.FreeLanes(ctx, node, lanes)
}

// A node that cannot give its lanes back leaves all the same, which frees them.
func TestStopWhileLanesAreStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		s := &stuckLanes{}
		e := w.node("a", &registry{handlers: handlers("x", ok)}, func(c *engine.Config) {
			s.Backend = c.Store.(store.Backend)
			c.Store = s
		})
		time.Sleep(3 * time.Second)
		s.stuck.Store(true)
		if err := e.Stop(t.Context()); err != nil {
			t.Errorf("the stop answers %v", err)
		}
		topology, err := w.store.Topology(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if state := topology.Nodes[0].State; state != store.NodeLeft {
			t.Errorf("after the stop the node is %s", state)
		}
	})
}

// A goodbye that was lost once is said again: nobody waits until the node is taken for dead.
func TestStopSaysGoodbyeAgain(t *testing.T) {
	for _, kind := range []faulty.Kind{faulty.Fail, faulty.Lose} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 8)
			e := w.node("a", &registry{handlers: handlers("t", ok)}, func(c *engine.Config) {
				c.Store, _ = faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: kind, Methods: []string{"Leave"}, Nth: 1})
			})
			if err := e.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if owners := w.lanesOf("default"); owners[""] != 8 {
				t.Errorf("lanes by owner after the stop: %v", owners)
			}
		})
	}
}
