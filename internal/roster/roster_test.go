package roster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// counted is a store that counts calls, and loses answers to changes while it is told to.
type counted struct {
	store.Config
	calls atomic.Int64
	loses bool
}

var errLost = errors.New("the answer is lost")

func (c *counted) Object(ctx context.Context, kind, name string) (*store.Object, error) {
	c.calls.Add(1)
	return c.Config.Object(ctx, kind, name)
}

func (c *counted) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	c.calls.Add(1)
	return c.Config.Objects(ctx, kind)
}

func (c *counted) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	c.calls.Add(1)
	changed, err := c.Config.Change(ctx, change)
	if c.loses {
		return nil, errLost
	}
	return changed, err
}

// node is a roster of a test, of a node that knows certain workers.
type node struct {
	*Roster
	id      string
	store   *counted
	workers atomic.Pointer[[]lease.Worker]
}

// has lets the node know these workers from now on.
func (n *node) has(workers ...lease.Worker) { n.workers.Store(&workers) }

func newNode(id string, backend store.Config) *node {
	n := &node{id: id, store: &counted{Config: backend}}
	n.has()
	n.Roster = New(Config{
		Backend: n.store, Logger: slog.New(slog.DiscardHandler), Node: func() string { return n.id },
		Workers: func(time.Time) []lease.Worker { return *n.workers.Load() },
	})
	return n
}

func newID() task.ID { return task.NewID(time.Now(), rand.New(rand.NewPCG(1, 2))) }

func worker(name string, tasks ...byte) lease.Worker {
	w := lease.Worker{Name: name, Queues: []string{"q"}, Since: time.Now(), Polled: time.Now()}
	for _, n := range tasks {
		w.InHand = append(w.InHand, lease.InHand{
			Task: &task.Task{ID: newID(), Claim: int64(n), Type: "t", Queue: "q"}, Until: time.Now().Add(time.Duration(n) * time.Minute),
		})
	}
	return w
}

// seen are the workers as a node lists them while some nodes live: name, nodes and tasks.
func (n *node) seen(t *testing.T, living ...string) (rows []string) {
	t.Helper()
	alive := map[string]bool{}
	for _, id := range living {
		alive[id] = true
	}
	all, _, err := n.List(t.Context(), alive)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		rows = append(rows, fmt.Sprintf("%s%v%d", all[i].Name, all[i].Nodes, all[i].InHand))
	}
	return rows
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func pass(d time.Duration) { <-time.After(d) }

// Nodes tell one another of their workers, and take that back when they stop or have none.
// What one has told that was killed counts for nobody once it is known to be dead, and in any
// case after a minute.
func TestNodesTellOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := memory.New()
		defer data.Close()
		a, b := newNode("a", data), newNode("b", data)
		a.Start(t.Context())
		b.Start(t.Context())
		a.has(worker("w1", 1), worker("w2"))
		b.has(worker("w2", 3, 2))
		want(t, "its own at once", a.seen(t), "w1[a]1", "w2[a]0")
		pass(tellEvery)
		synctest.Wait()
		want(t, "those of both", a.seen(t, "a", "b"), "w1[a]1", "w2[a b]2")
		want(t, "the same at the other", b.seen(t, "a", "b"), "w1[a]1", "w2[a b]2")
		want(t, "a node that is not known to live", b.seen(t, "b"), "w2[b]2")
		b.has()
		pass(tellEvery)
		synctest.Wait()
		want(t, "one has none any more", a.seen(t, "a", "b"), "w1[a]1", "w2[a]0")
		b.has(worker("w3"))
		pass(tellEvery)
		synctest.Wait()
		want(t, "it has one again", a.seen(t, "a", "b"), "w1[a]1", "w2[a]0", "w3[b]0")
		b.Stop(t.Context())
		want(t, "it has stopped", a.seen(t, "a", "b"), "w1[a]1", "w2[a]0")

		_ = a.loops.Stop(t.Context()) // as if it was killed
		c := newNode("c", data)
		want(t, "one was killed just now", c.seen(t, "a", "c"), "w1[a]1", "w2[a]0")
		pass(fresh + time.Second)
		want(t, "a minute later", c.seen(t, "a", "c"))
		c.has(worker("w4"))
		pass(forget)
		if err := c.tell(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := data.Objects(t.Context(), Kind)
		if err != nil || len(left) != 1 || left[0].Name != "c" {
			t.Errorf("what is left of a node that was killed: %+v, %v", left, err)
		}
	})
}

// A node without remote workers asks nothing of the store.
func TestWithoutWorkersNothingIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := memory.New()
		defer data.Close()
		n := newNode("a", data)
		n.Start(t.Context())
		pass(time.Hour)
		n.Stop(t.Context())
		if n.store.calls.Load() != 0 {
			t.Errorf("%d calls", n.store.calls.Load())
		}
	})
}

// An answer that is lost costs nothing but time, and a node that is given another id leaves
// nothing behind under the old one.
func TestLostAnswersAndAnotherID(t *testing.T) {
	data := memory.New()
	defer data.Close()
	n := newNode("a", data)
	n.has(worker("w"))
	ctx := t.Context()
	n.store.loses = true
	for range 2 { // the second finds what the first has written
		if err := n.tell(ctx); !errors.Is(err, errLost) {
			t.Fatal(err)
		}
	}
	n.store.loses, n.id = false, "b"
	if err := n.tell(ctx); err != nil {
		t.Fatal(err)
	}
	left, err := data.Objects(ctx, Kind)
	if err != nil || len(left) != 1 || left[0].Name != "b" {
		t.Errorf("%+v, %v", left, err)
	}
	n.store.loses = true
	n.Stop(ctx) // nobody is told of the lost answer
	if left, err = data.Objects(ctx, Kind); err != nil || len(left) != 0 {
		t.Errorf("after the stop: %+v, %v", left, err)
	}
}

// What a node tells fits into an object: first fewer leases of each are told, then fewer
// workers, and how many are left out.
func TestWhatIsToldIsBounded(t *testing.T) {
	long := strings.Repeat("n", 60)
	many := func(count, queues, leases int) (workers []inspect.WorkerView) {
		for i := range count {
			w := inspect.WorkerView{Name: fmt.Sprint(long, i), InHand: leases}
			for range queues {
				w.Queues = append(w.Queues, long)
			}
			for range min(leases, mostLeases) {
				w.Leases = append(w.Leases, inspect.WorkerLease{Task: newID(), Type: long, Queue: long, Until: time.Now()})
			}
			workers = append(workers, w)
		}
		return workers
	}
	for _, c := range []struct{ count, queues, leases, told, toldLeases int }{
		{3, 1, 100, 3, 20}, {100, 1, 100, 100, 1}, {1000, 1, 0, 200, 0}, {100, 256, 1, 3, 0}, {5, 1, 0, 5, 0},
	} {
		body, err := write(time.Now(), many(c.count, c.queues, c.leases))
		if err != nil || len(body) > store.MaxObject {
			t.Fatalf("%+v: %d bytes, %v", c, len(body), err)
		}
		got, err := read(&store.Object{Body: body})
		if err != nil || len(got.Workers) != c.told || got.More != c.count-c.told {
			t.Errorf("%+v: told of %d, %d more, %v", c, len(got.Workers), got.More, err)
			continue
		}
		if w := got.Workers[0]; len(w.Leases) != c.toldLeases || w.InHand != c.leases {
			t.Errorf("%+v: %d leases of %d", c, len(w.Leases), w.InHand)
		}
	}
}

// A worker that several nodes know is as it said last, with all its leases.
func TestOneWorkerOfTwoNodes(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	leases := func(minutes ...int) (all []inspect.WorkerLease) {
		for _, m := range minutes {
			all = append(all, inspect.WorkerLease{Claim: int64(m), Until: at.Add(time.Duration(m) * time.Minute)})
		}
		return all
	}
	got := join([]inspect.WorkerView{
		{Name: "w", Release: "1", Nodes: []string{"b"}, Since: at, LastPoll: at, Waiting: true, InHand: 2, Leases: leases(2, 4)},
		{Name: "v", Nodes: []string{"b"}},
		{Name: "w", Release: "2", Nodes: []string{"a"}, Since: at.Add(time.Minute), LastPoll: at.Add(time.Minute), InHand: 21, Leases: leases(1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)},
	})
	if len(got) != 2 || got[0].Name != "v" {
		t.Fatalf("%+v", got)
	}
	w := got[1]
	if w.Release != "2" || !slices.Equal(w.Nodes, []string{"a", "b"}) || !w.Since.Equal(at) || !w.LastPoll.Equal(at.Add(time.Minute)) || !w.Waiting || w.InHand != 23 ||
		len(w.Leases) != mostLeases || w.Leases[0].Claim != 1 || w.Leases[1].Claim != 2 || w.Leases[3].Claim != 4 {
		t.Errorf("%+v", w)
	}
}
