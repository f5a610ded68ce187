package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mute is a store that tells of no commit.
type mute struct{ store.Backend }

// phone connects nodes on mute stores by calls.
type phone struct {
	mu    sync.Mutex
	nodes map[string]*engine.Engine // by wake key
	calls atomic.Int64
	fail  func() error
	delay time.Duration
}

func (p *phone) tell(ctx context.Context, node store.Node, lanes []uint16) error {
	p.calls.Add(1)
	if p.fail != nil {
		return p.fail()
	}
	select {
	case <-time.After(p.delay):
	case <-ctx.Done():
		return ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.nodes[node.WakeKey]; e != nil {
		e.Heard(lanes...)
	}
	return nil
}

// phoned starts a node on a mute store that others can call.
func (w *world) phoned(p *phone, name string, r *registry, change func(*engine.Config)) *engine.Engine {
	e := w.node(name, r, func(c *engine.Config) {
		c.Store, c.Tell = mute{c.Store.(store.Backend)}, p.tell
		c.Node.Address, c.Node.WakeKey = name+":1", "key of "+name
		if change != nil {
			change(c)
		}
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nodes == nil {
		p.nodes = map[string]*engine.Engine{}
	}
	p.nodes["key of "+name] = e
	return e
}

// began notes when tasks begin, by node.
type began struct {
	mu    sync.Mutex
	at    map[task.ID]time.Time
	where map[task.ID]string
}

func (b *began) handler(node string) engine.Handler {
	return func(_ context.Context, run *engine.Run) ([]byte, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.at == nil {
			b.at, b.where = map[task.ID]time.Time{}, map[task.ID]string{}
		}
		b.at[run.Task.ID], b.where[run.Task.ID] = time.Now(), node
		return nil, nil
	}
}

// lag is how long after the time a task began.
func (b *began) lag(id task.ID, since time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at[id].IsZero() {
		return time.Hour
	}
	return b.at[id].Sub(since)
}

// on is where a task began last.
func (b *began) on(id task.ID) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.where[id]
}

// owned puts a task into a lane that the node owns.
func (w *world) owned(e *engine.Engine, taskType string) store.Insert {
	w.t.Helper()
	topology, err := w.store.Topology(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, lane := range topology.Lanes {
		if lane.Owner == e.Node() {
			return w.insert(taskType, func(in *store.Insert) { in.Task.ID = in.Task.ID.WithLane(lane.Number) })
		}
	}
	w.t.Fatalf("%s owns no lane", e.Node())
	return store.Insert{}
}

// A task that one node accepts for a lane of another starts within
// milliseconds, also where the store tells of nothing.
func TestOwnersHearOfTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, b := newWorld(t, 8), &phone{}, &began{}
		a := w.phoned(p, "a", &registry{handlers: handlers("t", b.handler("a"))}, nil)
		other := w.phoned(p, "b", &registry{handlers: handlers("t", b.handler("b"))}, nil)
		time.Sleep(10 * time.Second)
		for range 20 {
			insert := w.owned(other, "t")
			sent := time.Now()
			if _, err := a.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(37 * time.Millisecond)
			if lag := b.lag(insert.Task.ID, sent); lag > 5*time.Millisecond {
				t.Errorf("it began %s after the enqueue", lag)
			}
		}
		w.stop(a, other)
	})
}

// Wake-ups are advice: without them, with ones that fail or hang, tasks are
// found by the poll, and nobody who enqueues waits.
func TestWakeUpsMayFail(t *testing.T) {
	for name, phone := range map[string]*phone{
		"refused": {fail: func() error { return errors.New("refused") }}, "hanging": {delay: time.Hour}, "slow": {delay: 900 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, b := newWorld(t, 8), &began{}
				a := w.phoned(phone, "a", &registry{handlers: handlers("t", b.handler("a"))}, nil)
				other := w.phoned(phone, "b", &registry{handlers: handlers("t", b.handler("b"))}, nil)
				time.Sleep(10 * time.Second)
				for range 20 {
					insert := w.owned(other, "t")
					sent := time.Now()
					if _, err := a.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
						t.Fatal(err)
					}
					if waited := time.Since(sent); waited > time.Millisecond {
						t.Errorf("the enqueue waited %s", waited)
					}
					time.Sleep(300 * time.Millisecond)
					if lag := b.lag(insert.Task.ID, sent); lag > 210*time.Millisecond {
						t.Errorf("it began %s after the enqueue", lag)
					}
				}
				w.stop(a, other)
			})
		})
	}
}

// However much changes, a node is called no more often than every two
// milliseconds, one call at a time, and rests after one that failed.
func TestWakeUpsAreFew(t *testing.T) {
	for name, test := range map[string]struct {
		phone *phone
		most  int64
	}{
		"quick":  {&phone{}, 260},
		"slow":   {&phone{delay: 100 * time.Millisecond}, 8},
		"broken": {&phone{fail: func() error { return errors.New("refused") }}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, b := newWorld(t, 8), &began{}
				a := w.phoned(test.phone, "a", &registry{handlers: handlers("t", b.handler("a"))}, nil)
				other := w.phoned(test.phone, "b", &registry{handlers: handlers("t", b.handler("b"))}, nil)
				time.Sleep(10 * time.Second)
				before := test.phone.calls.Load()
				for range 500 {
					if _, err := a.Enqueue(t.Context(), []store.Insert{w.owned(other, "t")}); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Millisecond)
				}
				if calls := test.phone.calls.Load() - before; calls == 0 || calls > test.most {
					t.Errorf("%d calls in half a second", calls)
				}
				w.stop(a, other)
			})
		})
	}
}

// notifier is a store that tells only of what it is asked to.
type notifier struct {
	store.Backend
	air  *air
	told atomic.Int64
}

// air carries notifications to all who listen.
type air struct {
	mu     sync.Mutex
	listen map[chan []store.ChangedLane]bool
}

func (n *notifier) Notify(_ context.Context, lanes []store.ChangedLane) error {
	n.told.Add(1)
	n.air.mu.Lock()
	defer n.air.mu.Unlock()
	for c := range n.air.listen {
		c <- lanes
	}
	return nil
}

func (n *notifier) Watch(ctx context.Context, wake func(lanes []store.ChangedLane)) error {
	c := make(chan []store.ChangedLane, 100)
	n.air.mu.Lock()
	n.air.listen[c] = true
	n.air.mu.Unlock()
	for {
		select {
		case lanes := <-c:
			wake(lanes)
		case <-ctx.Done():
			n.air.mu.Lock()
			defer n.air.mu.Unlock()
			delete(n.air.listen, c)
			return nil
		}
	}
}

// On a store with notifications they are the way, and what comes without one
// is found by the poll of a second.
func TestNotificationsOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b, air := newWorld(t, 8), &began{}, &air{listen: map[chan []store.ChangedLane]bool{}}
		var stores []*notifier
		node := func(name string) *engine.Engine {
			return w.node(name, &registry{handlers: handlers("t", b.handler(name))}, func(c *engine.Config) {
				stores = append(stores, &notifier{Backend: c.Store.(store.Backend), air: air})
				c.Store = stores[len(stores)-1]
				c.Tell = func(context.Context, store.Node, []uint16) error {
					t.Error("a call beside the notifications")
					return nil
				}
			})
		}
		a, other := node("a"), node("b")
		time.Sleep(10 * time.Second)
		before := stores[0].told.Load()
		for range 10 {
			insert := w.owned(other, "t")
			sent := time.Now()
			if _, err := a.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
			if lag := b.lag(insert.Task.ID, sent); lag > 5*time.Millisecond {
				t.Errorf("it began %s after the enqueue", lag)
			}
		}
		if told := stores[0].told.Load() - before; told == 0 || told > 10 {
			t.Errorf("%d notifications of 10 enqueues", told)
		}
		insert, sent := w.owned(other, "t"), time.Now()
		if _, err := stores[0].Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{insert}}}); err != nil {
			t.Fatal(err) // beside the engine, as in a caller's transaction
		}
		time.Sleep(2 * time.Second)
		if lag := b.lag(insert.Task.ID, sent); lag > 1100*time.Millisecond {
			t.Errorf("what nobody told of began after %s", lag)
		}
		w.stop(a, other)
	})
}

// A key that another process released is noticed at once, however long its
// tasks have waited.
func TestReleasedKeyIsHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, b := newWorld(t, 1), &phone{}, &began{}
		policy := unguarded(t, retry.Attempts(1))
		fail := func(context.Context, *engine.Run) ([]byte, error) { return nil, errors.New("bad") }
		a := w.phoned(p, "a", &registry{handlers: handlers("t", b.handler("a"), "bad", fail), policy: policy}, nil)
		time.Sleep(3 * time.Second)
		other := w.phoned(p, "b", &registry{handlers: handlers(), policy: policy}, nil)
		time.Sleep(3 * time.Second)
		keyed := func(in *store.Insert) { in.Task.Key = "k" }
		w.expect(w.enqueue(a, "bad", keyed), task.Dead, 5*time.Second)
		id := w.enqueue(a, "t", keyed)
		time.Sleep(10 * time.Minute)
		if got := w.get(id); got.State != task.Pending {
			t.Fatalf("it is %s behind a blocked key", got.State)
		}
		if _, err := w.store.ReleaseKey(t.Context(), "default", "k"); err != nil {
			t.Fatal(err)
		}
		released := time.Now()
		other.Wake(w.lanes[0])
		w.expect(id, task.Succeeded, time.Second)
		if lag := b.lag(id, released); lag > 100*time.Millisecond {
			t.Errorf("it began %s after the release", lag)
		}
		w.stop(a, other)
	})
}

// Only one of three nodes can start a type: wherever its tasks are, it runs
// them, within milliseconds, and their retries and keys go on.
func TestBorrowersHearOfTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p, b := newWorld(t, 8), &phone{}, &began{}
		policy := unguarded(t, retry.Attempts(3), retry.Fixed(50*time.Millisecond))
		l := newLedger(t)
		node := func(name string, pairs ...any) *engine.Engine {
			return w.phoned(p, name, &registry{handlers: handlers(pairs...), policy: policy}, nil)
		}
		special := func(ctx context.Context, run *engine.Run) ([]byte, error) {
			_, _ = b.handler("c")(ctx, run)
			return l.handler(1)(ctx, run)
		}
		nodes := []*engine.Engine{node("a", "t", b.handler("a")), node("b", "t", b.handler("b")), node("c", "t", b.handler("c"), "special", special)}
		time.Sleep(15 * time.Second)
		for i := range 40 {
			insert := w.owned(nodes[i%2], "special")
			if i%4 == 0 {
				insert.Task.Key = fmt.Sprint("key-", i%8)
			}
			sent := time.Now()
			if _, err := nodes[1].Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			if got := w.expect(insert.Task.ID, task.Succeeded, 2*time.Second); got.Attempt != 2 || b.on(got.ID) != "c" {
				t.Errorf("attempt %d on %s", got.Attempt, b.on(got.ID))
			}
			if lag := time.Since(sent); lag > 150*time.Millisecond {
				t.Errorf("both attempts took %s", lag)
			}
		}
		w.stop(nodes...)
	})
}

// seeing is a store that tells of nothing, but sees what others insert.
type seeing struct {
	mute
	lanes chan []uint16
}

func (s seeing) Spot(ctx context.Context, found func(lanes []uint16)) error {
	for {
		select {
		case lanes := <-s.lanes:
			found(lanes)
		case <-ctx.Done():
			return nil
		}
	}
}

// What the store sees is looked for at once, but not behind a backlog: there the poll is soon
// enough.
func TestSpottedTasksStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newWorld(t, 1), &began{}
		lanes := make(chan []uint16)
		a := w.node("a", &registry{handlers: handlers("t", b.handler("a"), "held", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})}, func(c *engine.Config) {
			c.Store, c.DeafPoll = seeing{mute{c.Store.(store.Backend)}, lanes}, 10*time.Second
		})
		time.Sleep(11 * time.Second)
		spotted := func() time.Duration {
			insert := w.owned(a, "t")
			sent := time.Now()
			if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{insert}}}); err != nil {
				t.Fatal(err)
			}
			lanes <- []uint16{insert.Task.ID.Lane()}
			lanes <- []uint16{9999} // nobody's
			time.Sleep(20 * time.Second)
			return b.lag(insert.Task.ID, sent)
		}
		if lag := spotted(); lag > 10*time.Millisecond {
			t.Errorf("it began %s after it was seen", lag)
		}
		var backlog []store.Insert
		for range 300 {
			backlog = append(backlog, w.owned(a, "held"))
		}
		if _, err := a.Enqueue(t.Context(), backlog); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if lag := spotted(); lag < 100*time.Millisecond || lag > 11*time.Second {
			t.Errorf("behind a backlog it began after %s", lag)
		}
		w.stop(a)
	})
}
