package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// frozen is a node whose store can stop answering.
type frozen struct {
	*engine.Engine
	faults *faulty.Faults
}

// freezable starts a node on a mute store that stops answering on Resume: each
// call hangs for a while, then fails. So does a process that was killed or
// stopped, for its database.
func (w *world) freezable(p *phone, name string, r *registry) *frozen {
	f := &frozen{}
	f.Engine = w.phoned(p, name, r, func(c *engine.Config) {
		backend, faults := faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: faulty.Delay, Probability: 1, Wait: 2 * time.Minute})
		faults.Heal()
		f.faults, c.Store = faults, mute{backend}
	})
	return f
}

// lanesOf counts the lanes of a queue by owner.
func (w *world) lanesOf(queue string) map[string]int {
	w.t.Helper()
	topology, err := w.store.Topology(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]int{}
	for _, l := range topology.Lanes {
		if l.Queue == queue {
			out[l.Owner]++
		}
	}
	return out
}

// even checks that the engines own all lanes of a queue evenly.
func (w *world) even(queue string, lanes int, engines ...*engine.Engine) {
	w.t.Helper()
	owned, sum := w.lanesOf(queue), 0
	for _, e := range engines {
		count := owned[e.Node()]
		if sum += count; count < lanes/len(engines) || count > (lanes+len(engines)-1)/len(engines) {
			w.t.Errorf("queue %s: lanes by owner %v among %d nodes", queue, owned, len(engines))
			return
		}
	}
	if sum != lanes {
		w.t.Errorf("queue %s: %d of %d lanes have one of %d owners: %v", queue, sum, lanes, len(engines), owned)
	}
}

// A node that is killed while tasks run on it: they run again on others within
// ten seconds, and have spent no attempt.
func TestTakeoverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 12), &phone{}
		starts := make(chan string, 100)
		r := func(name string) *registry {
			return &registry{handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				starts <- name
				if run.Task.Crashes > 0 {
					return nil, nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			})}
		}
		a, b, c := w.freezable(p, "a", r("a")), w.freezable(p, "b", r("b")), w.freezable(p, "c", r("c"))
		time.Sleep(10 * time.Second)
		var ids []task.ID
		for range 20 {
			insert := w.owned(c.Engine, "t")
			if _, err := c.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, insert.Task.ID)
		}
		for range ids {
			if name := <-starts; name != "c" {
				t.Errorf("a task of c began on %s", name)
			}
		}
		c.Kill()
		killed := time.Now()
		for range ids {
			if name := <-starts; name == "c" {
				t.Error("c is dead")
			}
		}
		if took := time.Since(killed); took < 4*time.Second || took > 8*time.Second {
			t.Errorf("the last of them ran again after %s", took)
		}
		for _, id := range ids {
			if got := w.expect(id, task.Succeeded, time.Second); got.Attempt != 1 || got.Crashes != 1 {
				t.Errorf("attempt %d, crashes %d", got.Attempt, got.Crashes)
			}
		}
		time.Sleep(time.Second)
		w.even("default", 12, a.Engine, b.Engine)
		w.stop(a.Engine, b.Engine)
	})
}

// A node that stops hands its lanes over at once: what waits in them starts
// elsewhere while its last attempts still run, which end well and are not
// repeated; a key is handed over when its task has ended.
func TestGracefulHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, b := newWorld(t, 4), &phone{}, &began{}
		r := func(name string) *registry {
			return &registry{handlers: handlers("t", b.handler(name), "long", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				_, _ = b.handler(name)(ctx, run)
				time.Sleep(15 * time.Second)
				return nil, ctx.Err()
			})}
		}
		a := w.phoned(p, "a", r("a"), nil)
		time.Sleep(2 * time.Second)
		free := w.enqueue(a, "long", func(in *store.Insert) { in.Task.ID = in.Task.ID.WithLane(w.lanes[0]) })
		keyed := func(in *store.Insert) { in.Task.Key = "key-1" }
		head := w.enqueue(a, "long", keyed)
		w.expect(head, task.Running, time.Second)
		other := w.phoned(p, "b", r("b"), nil)
		time.Sleep(5 * time.Second)
		w.even("default", 4, a, other)
		second := w.enqueue(other, "t", keyed)
		stopped := make(chan error)
		left := time.Now()
		go func() { stopped <- a.Stop(context.Background()) }()
		time.Sleep(10 * time.Millisecond)
		for _, lane := range w.lanes {
			if lane == head.Lane() {
				continue
			}
			sent := time.Now()
			id := w.enqueue(other, "t", func(in *store.Insert) { in.Task.ID = in.Task.ID.WithLane(lane) })
			w.expect(id, task.Succeeded, time.Second)
			if lag := b.lag(id, sent); lag > 250*time.Millisecond || b.on(id) != "b" {
				t.Errorf("lane %d: it began after %s on %s", lane, lag, b.on(id))
			}
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if took := time.Since(left); took > 11*time.Second {
			t.Errorf("the stop took %s, its attempts had 10s to go", took)
		}
		for _, id := range []task.ID{free, head} {
			if got := w.expect(id, task.Succeeded, time.Second); got.Attempt != 1 || got.Crashes != 0 || b.on(id) != "a" {
				t.Errorf("the running task: attempt %d, crashes %d, on %s", got.Attempt, got.Crashes, b.on(id))
			}
		}
		got := w.expect(second, task.Succeeded, 2*time.Second)
		if lag := b.lag(second, w.get(head).FinishedAt); b.on(second) != "b" || lag < 0 {
			t.Errorf("the next of the key began %s after the first had ended, on %s: %+v", lag, b.on(second), got)
		}
		w.stop(other)
	})
}

// Lanes in which a keyed task always runs are handed over too: they are
// drained for a moment.
func TestBusyLanesAreHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, l := newWorld(t, 4), &phone{}, newLedger(t)
		h := handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
			time.Sleep(100 * time.Millisecond)
			return l.handler(0)(ctx, run)
		})
		a := w.phoned(p, "a", &registry{handlers: h, policy: unguarded(t)}, nil)
		time.Sleep(2 * time.Second)
		work := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				for i := range 12 { // three keys in each lane, with a backlog each
					w.enqueue(a, "t", func(in *store.Insert) { in.Task.Key = fmt.Sprint("key-", i) })
				}
			}
		}
		work(10 * time.Second)
		b := w.phoned(p, "b", &registry{handlers: h, policy: unguarded(t)}, nil)
		work(10 * time.Second)
		w.even("default", 4, a, b)
		w.stop(a, b)
	})
}

// A queue that an operator creates works within milliseconds.
func TestNewQueueIsOwnedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, b := newWorld(t, 4), &phone{}, &began{}
		a, other := w.phoned(p, "a", &registry{handlers: handlers("t", b.handler("a"))}, nil), w.phoned(p, "b", &registry{handlers: handlers("t", b.handler("b"))}, nil)
		time.Sleep(10*time.Second + 300*time.Millisecond)
		q := w.queue("new", 8)
		if err := a.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.Stir(t.Context())
		insert, sent := w.insert("t", func(in *store.Insert) { in.Task.Queue = "new" }), time.Now()
		insert.Task.ID = insert.Task.ID.WithLane(q.Numbers[5])
		if _, err := a.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
			t.Fatal(err)
		}
		w.expect(insert.Task.ID, task.Succeeded, 3*time.Second)
		if lag := b.lag(insert.Task.ID, sent); lag > 50*time.Millisecond {
			t.Errorf("its first task began after %s", lag)
		}
		time.Sleep(3 * time.Second)
		w.even("new", 8, a, other)
		w.stop(a, other)
	})
}

// Handlers may enqueue while their node stops.
func TestEnqueueWhileStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 4), &phone{}
		var a *engine.Engine
		var made task.ID
		a = w.phoned(p, "a", &registry{handlers: handlers("t", func(context.Context, *engine.Run) ([]byte, error) {
			time.Sleep(2 * time.Second)
			insert := w.insert("other", nil)
			made = insert.Task.ID
			_, err := a.Enqueue(context.Background(), []store.Insert{insert})
			return nil, err
		})}, nil)
		id := w.enqueue(a, "t", nil)
		w.expect(id, task.Running, time.Second)
		w.stop(a)
		if got := w.get(id); got.State != task.Succeeded {
			t.Errorf("it is %s: %+v", got.State, got.LastError)
		}
		if got := w.get(made); got.State != task.Pending {
			t.Errorf("what it enqueued is %s", got.State)
		}
		if _, err := a.Enqueue(context.Background(), []store.Insert{w.insert("t", nil)}); !errors.Is(err, &task.Error{Code: task.CodeUnavailable}) {
			t.Errorf("after the stop: %v", err)
		}
	})
}

// A server leaves queues to the applications that work on them, and takes them
// when these stop or die; a queue that it was told to work on it shares.
func TestServersBesideEmbeddedNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 8), &phone{}
		named := w.queue("named", 8)
		r := func() *registry { return &registry{handlers: handlers("t", engine.Handler(ok))} }
		server := w.phoned(p, "server", r(), func(c *engine.Config) {
			c.Node.Embedded = false
			c.Queues = []string{"named"}
		})
		time.Sleep(2 * time.Second)
		w.even("default", 8, server)
		app := w.phoned(p, "app", r(), nil)
		time.Sleep(3 * time.Second)
		w.even("default", 8, app)
		w.even("named", len(named.Numbers), app, server)
		w.stop(app)
		time.Sleep(100 * time.Millisecond)
		w.even("default", 8, server)
		again := w.phoned(p, "app2", r(), nil)
		time.Sleep(3 * time.Second)
		w.even("default", 8, again)
		again.Kill()
		time.Sleep(8 * time.Second)
		w.even("default", 8, server)
		w.stop(server)
	})
}
