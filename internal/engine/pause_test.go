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

// heldClaim is a store whose claims commit, and answer when they are let.
type heldClaim struct {
	store.Backend
	committed chan struct{}
	answer    chan struct{}
}

func (s *heldClaim) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	claimed, err := s.Backend.Claim(ctx, claim)
	if len(claimed.Tasks) > 0 && s.answer != nil {
		s.committed <- struct{}{}
		<-s.answer
		s.answer = nil
	}
	return claimed, err
}

// A process that was stopped between the commit of a claim and its answer
// starts nothing of it, although none of its timers has told it yet that it
// was away: the row goes back without cost.
func TestStoppedBetweenClaimAndStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newWorld(t, 2), &began{}
		slow := &heldClaim{committed: make(chan struct{}), answer: make(chan struct{})}
		a := w.node("a", &registry{handlers: handlers("t", b.handler("a"))}, func(c *engine.Config) {
			slow.Backend = c.Store.(store.Backend)
			c.Store = slow
		})
		id := w.enqueue(a, "t", nil)
		<-slow.committed
		a.Blink(4 * time.Second)
		answer := slow.answer
		close(answer)
		time.Sleep(100 * time.Millisecond)
		if lag := b.lag(id, time.Now()); lag < time.Minute {
			t.Error("it began all the same")
		}
		got := w.expect(id, task.Succeeded, 30*time.Second)
		if got.Attempt != 1 || got.Crashes != 0 {
			t.Errorf("attempt %d, crashes %d", got.Attempt, got.Crashes)
		}
		w.stop(a)
	})
}

// Three nodes, one is stopped for 15 s with attempts of all kinds under way:
// with and without keys, borrowed, one that fails and one that ends while its
// node is away. Its late results are refused, its own contexts end, and every
// task runs again once and ends well.
func TestFrozenNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 6), &phone{}
		var counting sync.Mutex
		ended := map[error]int{}
		count := func(cause error) {
			counting.Lock()
			defer counting.Unlock()
			ended[cause]++
		}
		r := func(name string) *registry {
			return &registry{handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				if run.Task.Crashes > 0 {
					return nil, nil
				}
				select {
				case <-ctx.Done():
					count(context.Cause(ctx))
				case <-time.After(6 * time.Second):
					count(nil)
				}
				return []byte(`"late"`), nil
			})}
		}
		a, b, c := w.freezable(p, "a", r("a")), w.freezable(p, "b", r("b")), w.freezable(p, "c", r("c"))
		time.Sleep(10 * time.Second)
		var ids []task.ID
		for i := range 20 {
			insert := w.owned(c.Engine, "t")
			if i < 5 {
				insert.Task.Key = string(rune('a' + i))
			}
			if _, err := c.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, insert.Task.ID)
		}
		time.Sleep(100 * time.Millisecond)
		c.faults.Resume()
		time.Sleep(15 * time.Second)
		if c.Node() != "c" || !c.Stats().Lost {
			t.Errorf("the frozen node is %s, lost %v", c.Node(), c.Stats().Lost)
		}
		c.faults.Heal()
		for _, id := range ids {
			got := w.expect(id, task.Succeeded, 20*time.Second)
			if got.Attempt != 1 || got.Crashes != 1 || string(got.Result) == `"late"` {
				t.Errorf("attempt %d, crashes %d, result %s", got.Attempt, got.Crashes, got.Result)
			}
		}
		counting.Lock()
		if ended[engine.ErrLost] != len(ids) {
			t.Errorf("attempts of the frozen node ended by %v", ended)
		}
		counting.Unlock()
		time.Sleep(5 * time.Minute) // the calls that hang come back
		if c.Node() == "c" || c.Stats().Lost {
			t.Errorf("the node that came back is %s, lost %v", c.Node(), c.Stats().Lost)
		}
		w.even("default", 6, a.Engine, b.Engine, c.Engine)
		w.stop(a.Engine, b.Engine, c.Engine)
	})
}

// Nodes that could not read the store for a while, all of them, bury nobody:
// what they saw before does not count.
func TestOutageKillsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 6), &phone{}
		r := &registry{handlers: handlers("t", engine.Handler(ok))}
		nodes := []*frozen{w.freezable(p, "a", r), w.freezable(p, "b", r), w.freezable(p, "c", r)}
		time.Sleep(10 * time.Second)
		for _, n := range nodes {
			n.faults.Resume()
		}
		time.Sleep(20 * time.Second)
		for _, n := range nodes {
			n.faults.Heal()
		}
		time.Sleep(5 * time.Minute)
		for i, n := range nodes {
			if want := string(rune('a' + i)); n.Node() != want || n.Stats().Lost {
				t.Errorf("%s is %s now, lost %v", want, n.Node(), n.Stats().Lost)
			}
		}
		w.stop(nodes[0].Engine, nodes[1].Engine, nodes[2].Engine)
	})
}

// A node that could not read for a while does not count what it read of
// another before that: there are five successive reads or none.
func TestReadsBeforeAGapDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 6), &phone{}
		r := &registry{handlers: handlers("t", engine.Handler(ok))}
		a, b := w.freezable(p, "a", r), w.freezable(p, "b", r)
		time.Sleep(10*time.Second + 100*time.Millisecond)
		b.faults.Resume()
		time.Sleep(4 * time.Second)
		a.faults.Resume()
		time.Sleep(20 * time.Second)
		a.faults.Heal()
		for before := a.Topology(); a.Topology() == before; {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		b.faults.Heal()
		time.Sleep(time.Minute)
		if a.Node() != "a" || b.Node() != "b" {
			t.Errorf("the nodes are %s and %s now", a.Node(), b.Node())
		}
		w.stop(a.Engine, b.Engine)
	})
}
