package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
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

// A queue with a limit of one task and two owners: every task runs.
func TestLimitBelowNodesStarvesLanes(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 8, Concurrency: 1}); err != nil {
			t.Fatal(err)
		}
		r := &registry{handlers: handlers("mail", engine.Handler(ok))}
		a := w.node("a", r, nil)
		b := w.node("b", r, nil)
		time.Sleep(30 * time.Second)
		var ids []task.ID
		for range 100 {
			ids = append(ids, w.enqueue(a, "mail", nil))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("an hour later %d of %d tasks have run; a %+v b %+v", n, len(ids), a.Stats(), b.Stats())
		}
		w.stop(a, b)
	})
}

// A queue with a limit of one task; another node borrows.
func TestBorrowerIgnoresTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 1, Concurrency: 1}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		running, most := 0, 0
		slow := engine.Handler(func(context.Context, *engine.Run) ([]byte, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(10 * time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return nil, nil
		})
		a := w.node("a", &registry{handlers: handlers("mine", slow)}, nil)
		b := w.node("b", &registry{handlers: handlers("other", slow)}, nil)
		time.Sleep(5 * time.Second)
		for range 5 {
			w.enqueue(a, "mine", nil)
			w.enqueue(a, "other", nil)
		}
		time.Sleep(5*time.Minute + time.Second)
		w.enqueue(a, "mine", nil)
		time.Sleep(time.Second)
		w.stop(a, b) // which lets the other node start what only it can
		mu.Lock()
		defer mu.Unlock()
		if most > 1 {
			t.Errorf("%d at once in a queue with a limit of 1", most)
		}
	})
}

// A handler asks for the longest possible wait.
func TestRetryAfterOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		starts := 0
		a := w.node("a", &registry{policy: policy(t, retry.Attempts(5)), handlers: handlers("mail",
			engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { starts++; return nil, asksForLong{} }))}, nil)
		id := w.enqueue(a, "mail", nil)
		time.Sleep(time.Hour)
		if got := w.get(id); starts != 1 {
			t.Errorf("%d starts within the hour, state %s, run at %s", starts, got.State, got.RunAt)
		}
		w.stop(a)
	})
}

type asksForLong struct{}

func (asksForLong) Error() string { return "later" }
func (asksForLong) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionRetry, After: math.MaxInt64}
}

// hungStore lets Enqueue hang.
type hungStore struct{ store.Backend }

func (h hungStore) Enqueue(ctx context.Context, b []store.Batch) ([]store.BatchResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// While the store hangs, callers give up; what they handed in must not pile up.
func TestEnqueuesPileUp(t *testing.T) {
	w := newWorld(t, 1)
	a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(ok))}, func(c *engine.Config) { c.Store = hungStore{c.Store.(store.Backend)} })
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	for range 10 {
		for range 2000 {
			in := w.insert("mail", nil)
			in.Task.Payload = []byte(strings.Repeat("x", 20_000))
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				_, _ = a.Enqueue(ctx, []store.Insert{in})
			})
		}
		wg.Wait()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20; grown > 64 {
		t.Errorf("20000 callers have given up; %d MiB are still held", grown)
	}
	runtime.KeepAlive(a)
}

// Mark fails for long (a full disk): what is to be parked must not pile up.
func TestMarksPileUp(t *testing.T) {
	racetest.WithoutDetector(t)
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var faults *faulty.Faults
		a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(ok))}, func(c *engine.Config) {
			c.Store, faults = faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: faulty.Fail, Methods: []string{"Mark"}, Probability: 1})
		})
		for range 1000 {
			w.enqueue(a, "unknown", nil)
		}
		time.Sleep(10 * time.Minute)
		if n := a.Parking(); n > 2000 {
			t.Errorf("%d marks are to be written for 1000 rows", n)
		}
		faults.Heal()
		w.stop(a)
	})
}

// Targets that two queues used at the same moment are never forgotten.
func TestTargetsLeak(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		q2 := w.queue("second", 1)
		a := w.node("a", &registry{handlers: targets{}.all(2000)}, nil)
		for i := range 2000 {
			name := fmt.Sprint("t", i)
			w.enqueue(a, name, nil)
			in := w.insert(name, nil)
			in.Task.Queue = "second"
			in.Task.ID = in.Task.ID.WithLane(q2.Numbers[0])
			in.Delay = 500 * time.Millisecond
			if _, err := a.Enqueue(t.Context(), []store.Insert{in}); err != nil {
				t.Fatal(err)
			}
			if i%100 == 0 {
				time.Sleep(3 * time.Second)
			}
		}
		time.Sleep(10 * time.Minute)
		if n := a.TargetCount(); n > 10 {
			t.Errorf("ten minutes after the last task %d targets are remembered", n)
		}
		w.stop(a)
	})
}

type targets struct{}

func (targets) all(n int) map[string]engine.Handler {
	out := map[string]engine.Handler{}
	for i := range n {
		out[fmt.Sprint("t", i)] = func(context.Context, *engine.Run) ([]byte, error) {
			time.Sleep(time.Second)
			return nil, nil
		}
	}
	return out
}

// A suspect that takes long keeps all other tasks that survived two crashes.
func TestOneLongSuspectHoldsAllOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		r := &registry{handlers: handlers("long", engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			select {
			case <-time.After(10 * time.Hour):
			case <-ctx.Done():
			}
			return nil, nil
		}), "short", engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			select {
			case <-time.After(20 * time.Second):
			case <-ctx.Done():
			}
			return nil, nil
		}))}
		a := w.node("a", r, nil)
		w.enqueue(a, "long", nil)
		var ids []task.ID
		for range 20 {
			ids = append(ids, w.enqueue(a, "short", nil))
		}
		for i := range 2 {
			time.Sleep(10 * time.Second)
			a.Kill()
			a = w.node(fmt.Sprint("a", i), r, nil)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("an hour after the second crash %d of %d neighbours have run on an idle node", n, len(ids))
		}
		a.Kill()
	})
}

// Deadline, cancel and stop under a failing store: Stop returns.
func TestStopOnADeadStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var faults *faulty.Faults
		a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			<-ctx.Done()
			return nil, errors.New("x")
		}))}, func(c *engine.Config) {
			var b store.Backend
			b, faults = faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1})
			c.Store = b
			faults.Heal()
			c.Grace = time.Second
		})
		for range 100 {
			w.enqueue(a, "mail", nil)
		}
		time.Sleep(2 * time.Second)
		faults.Resume()
		began := time.Now()
		_ = a.Stop(context.Background())
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("Stop took %s", took)
		}
	})
}
