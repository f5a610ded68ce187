package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (w *world) countDone(ids []task.ID) int {
	n := 0
	for _, id := range ids {
		if w.get(id).State == task.Succeeded {
			n++
		}
	}
	return n
}

// A dead head blocks one key; more tasks than the lane's window wait behind
// it. Everything else of that lane must go on.
func TestBlockedKeyStarvesItsLane(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(1)), handlers: handlers(
			"bad", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { return nil, errDown }),
			"good", engine.Handler(ok))}, func(c *engine.Config) { c.NearFuture = 8000 })
		head := w.enqueue(e, "bad", func(in *store.Insert) { in.Task.Key = "k0" })
		w.expect(head, task.Dead, time.Second)
		lane := w.get(head).ID.Lane()
		for range 1500 {
			w.enqueue(e, "good", func(in *store.Insert) { in.Task.Key = "k0" })
		}
		time.Sleep(5 * time.Second)
		var ids []task.ID
		for i := range 50 {
			insert := w.insert("good", nil)
			insert.Task.ID = insert.Task.ID.WithLane(lane)
			insert.Task.Key = fmt.Sprintf("other-%d", i)
			if _, err := e.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, insert.Task.ID)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("after an hour %d of %d tasks of other keys of the lane have run; %+v", n, len(ids), e.Stats())
		}
		w.stop(e)
	})
}

// A hanging target with a backlog over the window; then a burst of another.
func TestHangingTargetStarvesABurst(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		hang := make(chan struct{})
		e := w.node("a", &registry{handlers: handlers(
			"hang", engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				select {
				case <-hang:
				case <-ctx.Done():
				}
				return nil, nil
			}), "good", engine.Handler(ok))}, func(c *engine.Config) { c.NearFuture = 8000; c.Slots = 100; c.Grace = time.Second })
		for range 20_000 {
			w.enqueue(e, "hang", nil)
		}
		time.Sleep(10 * time.Second)
		var inserts []store.Insert
		var ids []task.ID
		for range 900 {
			in := w.insert("good", nil)
			inserts, ids = append(inserts, in), append(ids, in.Task.ID)
		}
		if _, err := e.Enqueue(t.Context(), inserts); err != nil {
			t.Fatal(err)
		}
		for _, after := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute} {
			time.Sleep(after)
			synctest.Wait()
			t.Logf("+%s: %d of %d; %+v", after, w.countDone(ids), len(ids), e.Stats())
		}
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("%d of %d tasks of the healthy target have run", n, len(ids))
		}
		close(hang)
		w.stop(e)
	})
}

// A target with a backlog refuses everything, or never answers: tasks of another, which
// come fifty times a second for as long, begin as soon as without it.
func TestBadTargetDelaysNobody(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, bad := range []struct {
		name    string
		backlog int
		handler engine.Handler
	}{
		{"refuses", 20_000, func(context.Context, *engine.Run) ([]byte, error) {
			time.Sleep(time.Millisecond)
			return nil, errDown
		}},
		{"hangs", 5000, func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		t.Run(bad.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { besideABadTarget(t, bad.backlog, bad.handler) })
		})
	}
}

func besideABadTarget(t *testing.T, backlog int, handler engine.Handler) {
	w := newWorld(t, 8)
	sent, late := map[task.ID]time.Time{}, []time.Duration{}
	var mu sync.Mutex
	e := w.node("a", &registry{handlers: handlers("bad", handler, "good", func(_ context.Context, run *engine.Run) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		late = append(late, time.Since(sent[run.Task.ID]))
		return nil, nil
	})}, func(c *engine.Config) { c.NearFuture = 8000; c.Grace = time.Second })
	for range backlog {
		w.enqueue(e, "bad", nil)
	}
	for range 900 {
		in := w.insert("good", nil)
		mu.Lock()
		sent[in.Task.ID] = time.Now()
		mu.Unlock()
		if _, err := e.Enqueue(t.Context(), []store.Insert{in}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	synctest.Wait()
	mu.Lock()
	defer mu.Unlock()
	if len(late) != 900 {
		t.Fatalf("%d of 900 have begun", len(late))
	}
	if slices.Sort(late); late[890] > 2*time.Millisecond || late[899] > 25*time.Millisecond {
		t.Errorf("p99 begins after %s, the last after %s", late[890], late[899])
	}
	w.stop(e)
}

// Five queues: the target that hangs in one of them never has limit/4 entries.
func TestHangingTargetInOneOfFiveQueues(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		for i := range 4 {
			w.queue(fmt.Sprint("q", i), 8)
		}
		hang := make(chan struct{})
		e := w.node("a", &registry{handlers: handlers(
			"hang", engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				select {
				case <-hang:
				case <-ctx.Done():
				}
				return nil, nil
			}), "good", engine.Handler(ok))}, func(c *engine.Config) { c.NearFuture = 8000; c.Slots = 100; c.Grace = time.Second })
		for range 10_000 {
			w.enqueue(e, "hang", nil)
		}
		time.Sleep(10 * time.Second)
		var inserts []store.Insert
		var ids []task.ID
		for range 300 {
			in := w.insert("good", nil)
			inserts, ids = append(inserts, in), append(ids, in.Task.ID)
		}
		if _, err := e.Enqueue(t.Context(), inserts); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("after an hour %d of %d tasks of the healthy target have run; %+v", n, len(ids), e.Stats())
		}
		close(hang)
		w.stop(e)
	})
}

// Tasks of priority 9 that are due in four minutes fill the window before
// tasks of priority 0 that are due now.
func TestLaterTasksStarveDueOnes(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("a", &registry{handlers: handlers("mail", engine.Handler(ok), "low", engine.Handler(ok))},
			func(c *engine.Config) { c.NearFuture = 2000 })
		for range 6000 {
			w.enqueue(e, "mail", func(in *store.Insert) { in.Task.Priority = 9; in.Delay = 4 * time.Minute })
		}
		time.Sleep(5 * time.Second)
		var inserts []store.Insert
		var ids []task.ID
		for range 200 {
			in := w.insert("low", func(in *store.Insert) { in.Task.Priority = 0 })
			inserts, ids = append(inserts, in), append(ids, in.Task.ID)
		}
		if _, err := e.Enqueue(t.Context(), inserts); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("30 s later %d of %d due tasks have run on an idle node; %+v", n, len(ids), e.Stats())
		}
		w.stop(e)
	})
}

// Heads of many keys back off for an hour: they stay in memory and fill it.
func TestBackingOffHeadsFillMemory(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("a", &registry{policy: unguarded(t, retry.Attempts(5), retry.Fixed(time.Hour), retry.NoJitter()), handlers: handlers(
			"order", engine.Handler(func(_ context.Context, run *engine.Run) ([]byte, error) {
				if string(run.Task.Payload) == "bad" {
					return nil, errors.New("not now")
				}
				return nil, nil
			}))}, func(c *engine.Config) { c.NearFuture = 2000 })
		for i := range 3000 {
			w.enqueue(e, "order", func(in *store.Insert) { in.Task.Key = fmt.Sprintf("c-%d", i); in.Task.Payload = []byte("bad") })
		}
		time.Sleep(10 * time.Second)
		t.Logf("%+v", e.Stats())
		var ids []task.ID
		for i := range 200 {
			ids = append(ids, w.enqueue(e, "order", func(in *store.Insert) { in.Task.Key = fmt.Sprintf("d-%d", i) }))
		}
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("half an hour later %d of %d due tasks of other keys have run on an idle node; %+v", n, len(ids), e.Stats())
		}
		w.stop(e)
	})
}

// Retry-now through another node than the owner of the lane.
func TestRetryNowThroughAnotherNode(t *testing.T) {
	for _, key := range []string{"", "k1"} {
		t.Run("key "+key, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 1)
				r := &registry{policy: policy(t, retry.Attempts(5), retry.Fixed(50*time.Second), retry.NoJitter()), handlers: handlers(
					"mail", engine.Handler(func(_ context.Context, run *engine.Run) ([]byte, error) {
						if run.Task.Attempt == 1 {
							return nil, errors.New("once")
						}
						return nil, nil
					}))}
				a := w.node("a", r, nil)
				id := w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Key = key })
				time.Sleep(2 * time.Second)
				other := w.store.Handle()
				if _, err := other.Reschedule(t.Context(), id, time.Time{}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				w.expect(id, task.Succeeded, 2*time.Minute)
				if took := time.Since(began); took > 1500*time.Millisecond {
					t.Errorf("retry now took %s", took)
				}
				w.stop(a)
			})
		})
	}
}

// The waiting head of a key is canceled through another node: the next one of
// the key must step forward.
func TestCancelOfAHeadThroughAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(ok))}, nil)
		head := w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Key = "k1"; in.Delay = time.Hour })
		next := w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Key = "k1" })
		time.Sleep(3 * time.Second)
		if _, err := w.store.Handle().Cancel(t.Context(), head); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		w.expect(next, task.Succeeded, 2*time.Hour)
		if took := time.Since(began); took > 1500*time.Millisecond {
			t.Errorf("the next task of the key started %s after its head was canceled", took)
		}
		w.stop(a)
	})
}

type nilErr struct{ err error }

func (e *nilErr) Error() string { return e.err.Error() }
func (e *nilErr) Unwrap() error { return e.err }

// A handler returns a typed nil whose Unwrap dereferences it.
func TestTypedNilErrorKillsTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		a := w.node("a", &registry{policy: policy(t, retry.Attempts(1)), handlers: handlers("mail",
			engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { var e *nilErr; return nil, e }))}, nil)
		w.expect(w.enqueue(a, "mail", nil), task.Dead, time.Second)
		w.stop(a)
	})
}

// A user's backoff panics.
func TestCustomBackoffPanicKillsTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		steps := []time.Duration{time.Second}
		a := w.node("a", &registry{policy: policy(t, retry.Attempts(5), retry.NoJitter(), retry.Custom(func(n int, _ retry.Attempt) time.Duration { return steps[n-1] })), handlers: handlers("mail",
			engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { return nil, errDown }))}, nil)
		w.expect(w.enqueue(a, "mail", nil), task.Dead, time.Minute)
		w.stop(a)
	})
}

// A handler ends its goroutine (t.FailNow, runtime.Goexit).
func TestGoexitLeaksTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		a := w.node("a", &registry{policy: policy(t, retry.Attempts(1)), handlers: handlers("mail",
			engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { runtime.Goexit(); return nil, nil }))}, nil)
		id := w.enqueue(a, "mail", nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := w.get(id); got.State == task.Running {
			t.Errorf("an hour later the task still runs; %+v", a.Stats())
		}
		w.stop(a)
	})
}

// slowClaim holds the answer of claims back.
type slowClaim struct {
	store.Backend
	hold atomic.Pointer[chan struct{}]
}

func (s *slowClaim) Claim(ctx context.Context, c store.Claim) (store.Claimed, error) {
	out, err := s.Backend.Claim(ctx, c)
	if hold := s.hold.Load(); hold != nil && len(out.Tasks) > 0 {
		<-*hold
	}
	return out, err
}

// A claim's answer arrives after the node was found dead and came back.
func TestClaimAnsweredAfterRejoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var mu sync.Mutex
		running, both, canceled := 0, false, false
		run := engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			mu.Lock()
			running++
			both = both || running > 1
			mu.Unlock()
			select {
			case <-ctx.Done():
				canceled = true
			case <-time.After(30 * time.Second):
			}
			mu.Lock()
			running--
			mu.Unlock()
			return nil, nil
		})
		r := &registry{handlers: handlers("mail", run)}
		slow := &slowClaim{}
		a := w.node("a", r, func(c *engine.Config) { slow.Backend = c.Store.(store.Backend); c.Store = slow })
		hold := make(chan struct{})
		slow.hold.Store(&hold)
		id := w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Key = "k1" })
		w.expect(id, task.Running, time.Second)
		// Another node finds it dead (it was stopped, say), and takes over.
		b := w.node("b", r, nil)
		top, _ := w.store.Topology(t.Context())
		for _, n := range top.Nodes {
			if n.ID == "a" {
				if buried, err := w.store.Bury(t.Context(), "a", n.Counter); !buried || err != nil {
					t.Fatal(buried, err)
				}
			}
		}
		time.Sleep(6 * time.Second) // a rejoins at its next beat, b runs the task
		t.Log("a is now", a.Node(), "task on", w.get(id).Node)
		slow.hold.Store(nil)
		close(hold)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		mu.Lock()
		if both {
			t.Errorf("two attempts of one key at once, the stale one canceled: %v", canceled)
		}
		mu.Unlock()
		time.Sleep(time.Minute)
		w.stop(a, b)
	})
}

// A claim's answer is slow: the reconciler releases what is about to start.
func TestReconcilerReleasesAClaimInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var mu sync.Mutex
		starts, running, both := 0, 0, false
		run := engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			mu.Lock()
			starts++
			running++
			both = both || running > 1
			mu.Unlock()
			time.Sleep(20 * time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return nil, nil
		})
		slow := &slowClaim{}
		a := w.node("a", &registry{handlers: handlers("mail", run)}, func(c *engine.Config) { slow.Backend = c.Store.(store.Backend); c.Store = slow })
		time.Sleep(55 * time.Second)
		hold := make(chan struct{})
		slow.hold.Store(&hold)
		id := w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Key = "k1" })
		time.Sleep(15 * time.Second)
		synctest.Wait()
		t.Log("while the claim's answer is on its way the row is", w.get(id).State)
		slow.hold.Store(nil)
		close(hold)
		w.expect(id, task.Succeeded, 2*time.Minute)
		if starts > 1 || both {
			t.Errorf("%d starts, two at once: %v", starts, both)
		}
		w.stop(a)
	})
}

// Taking lanes fails at the start: the node has joined, and tries again.
func TestLanesThatCannotBeTakenAtTheStartAreTakenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("a", &registry{handlers: handlers("t", engine.Handler(ok))}, func(c *engine.Config) {
			c.Store, _ = faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: faulty.Fail, Methods: []string{"TakeLanes"}, Nth: 1})
		})
		w.expect(w.enqueue(e, "t", nil), task.Succeeded, 2*time.Second)
		w.stop(e)
	})
}

// Race detector: Stop hands back the attempt of a handler that hangs.
func TestStopBesideAHangingHandlerRace(t *testing.T) {
	w := newWorld(t, 1)
	hang := make(chan struct{})
	a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { <-hang; return nil, nil }))},
		func(c *engine.Config) { c.Grace = 50 * time.Millisecond })
	w.enqueue(a, "mail", nil)
	time.Sleep(300 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Stop(ctx); err != nil {
		t.Log(err)
	}
	close(hang)
}

// A borrower meets more than a ramp of rows behind a blocked key.
func TestBorrowerStuckBehindABlockedKey(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		owner := &registry{handlers: handlers("mine", engine.Handler(ok))}
		a := w.node("a", owner, nil)
		b := w.node("b", &registry{policy: policy(t, retry.Attempts(1)), handlers: handlers("other", engine.Handler(func(_ context.Context, run *engine.Run) ([]byte, error) {
			if string(run.Task.Payload) == "bad" {
				return nil, errDown
			}
			return nil, nil
		}))}, nil)
		time.Sleep(3 * time.Second)
		head := w.enqueue(a, "other", func(in *store.Insert) { in.Task.Key = "k1"; in.Task.Payload = []byte("bad") })
		w.expect(head, task.Dead, 30*time.Second)
		for range 400 {
			w.enqueue(a, "other", func(in *store.Insert) { in.Task.Key = "k1" })
		}
		time.Sleep(10 * time.Second)
		var ids []task.ID
		for range 20 {
			ids = append(ids, w.enqueue(a, "other", nil))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("an hour later %d of %d tasks without a key have run; a %+v b %+v", n, len(ids), a.Stats(), b.Stats())
		}
		w.stop(a, b)
	})
}
