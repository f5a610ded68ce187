package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// fileNode is one of several nodes on a SQLite file, each with a store of its
// own, as processes have.
type fileNode struct {
	*engine.Engine
	receiver
	store *sqlite.Store
}

func newFileNode(t *testing.T, path, name string, policy *retry.Policy) *fileNode {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 8}); err != nil {
		t.Fatal(err)
	}
	n := &fileNode{receiver: receiver{takes: time.Millisecond}, store: s}
	n.Engine, err = engine.New(engine.Config{
		Store: s, Registry: &registry{policy: policy, handlers: handlers("t", n.handle)}, Node: store.Node{ID: name, Embedded: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// lanes are those that the node owns, as it sees it.
func (n *fileNode) lanes() (numbers []uint16) {
	for _, lane := range n.Topology().Lanes {
		if lane.Owner == n.Node() {
			numbers = append(numbers, lane.Number)
		}
	}
	return numbers
}

// fill enqueues tasks into the lanes of the node.
func (n *fileNode) fill(t *testing.T, count int) {
	t.Helper()
	lanes := n.lanes()
	var inserts []store.Insert
	for i := range count {
		in := fresh(lanes[i%len(lanes):][:1])
		in.Task.Type, in.Task.Target = "t", "t"
		inserts = append(inserts, in)
	}
	if _, err := n.EnqueueEach(t.Context(), inserts); err != nil {
		t.Fatal(err)
	}
}

// eventually waits in real time until something holds.
func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.After(within); !holds(); {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			t.Fatalf("not within %s: %s", within, what)
		}
	}
}

// Two nodes on one file: one learns that the target is down, the other stops
// calling it without failures of its own; both close when one of them finds it
// back; an operator's order reaches both.
func TestTwoSQLiteNodesShareABreaker(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	policy := policy(t, retry.Attempts(100), retry.Fixed(100*time.Millisecond),
		retry.TaskBreaker(&retry.BreakerConfig{OpenFor: 2 * time.Second, OpenMax: 2 * time.Second, Ramp: 2 * time.Second}))
	path := filepath.Join(t.TempDir(), "shared.db")
	a, b := newFileNode(t, path, "a", policy), newFileNode(t, path, "b", policy)
	state := func(n *fileNode) string { return known(n.Engine, "t").Breaker.State }
	shut := func(n *fileNode) bool { return slices.Contains([]string{"open", "half_open"}, state(n)) }
	eventually(t, time.Minute, "both have their lanes", func() bool { return len(a.lanes()) > 2 && len(b.lanes()) > 2 })

	a.set(true)
	b.set(true)
	a.fill(t, 50)
	t.Cleanup(func() {
		t.Logf("a %d b %d %+v %+v %+v", a.count(), b.count(), known(a.Engine, "t"), known(b.Engine, "t"), a.Stats())
	})
	eventually(t, time.Minute, "the first node opens", func() bool { return shut(a) })
	eventually(t, time.Minute, "the second has read of it", func() bool {
		return slices.ContainsFunc(b.Topology().Nodes, func(n store.Node) bool { return n.ID == a.Node() && len(n.Targets) == 1 })
	})
	learned, before := time.Now(), [2]int{a.count(), b.count()}
	b.fill(t, 50)
	eventually(t, time.Minute, "four seconds have passed", func() bool { return time.Since(learned) > 4*time.Second })
	own := b.count() - before[1]
	probes := a.count() - before[0] + own
	took := time.Since(learned) // on a slow machine more than four
	if most := int(3 * took / (4 * time.Second)); own > most || !shut(b) {
		t.Errorf("the second node, %s, called %d times to learn what the first knew", state(b), own)
	}
	if most := int(6 * took / (4 * time.Second)); probes > most {
		t.Errorf("%d probes of two nodes in %s", probes, took)
	}

	a.set(false)
	b.set(false)
	eventually(t, time.Minute, "a node finds the target back", func() bool { return !shut(a) || !shut(b) })
	found := time.Now()
	eventually(t, time.Minute, "both let calls through", func() bool { return !shut(a) && !shut(b) })
	t.Logf("the other node followed after %s", time.Since(found).Round(time.Millisecond))
	eventually(t, time.Minute, "all tasks have succeeded", func() bool {
		done, err := a.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 1000)
		return err == nil && done == 100
	})

	if _, err := b.store.PutTargetOrder(t.Context(), store.TargetOrder{Target: "t", Action: store.TargetOpen}); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "both obey", func() bool { return state(a) == "open" && state(b) == "open" })
	before = [2]int{a.count(), b.count()}
	a.fill(t, 20)
	b.fill(t, 20)
	time.Sleep(200 * time.Millisecond)                          // sleep: a call that should not be would have been made by then
	if after := [2]int{a.count(), b.count()}; after != before { // before the next order, which may be obeyed at once
		t.Errorf("calls of a target that is ordered open: %v, before %v", after, before)
	}
	if _, err := a.store.PutTargetOrder(t.Context(), store.TargetOrder{Target: "t", Action: store.TargetClose}); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "both let calls through again", func() bool {
		done, err := a.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 1000)
		return err == nil && done == 140
	})
}
