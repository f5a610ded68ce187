package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// ledger records every run, and checks what must hold for each of them.
type ledger struct {
	t       *testing.T
	mu      sync.Mutex
	claims  map[task.ID]int64
	running map[string]bool // by key
	order   map[string][]int64
	ends    map[task.ID]int
}

func newLedger(t *testing.T) *ledger {
	return &ledger{t: t, claims: map[task.ID]int64{}, running: map[string]bool{}, order: map[string][]int64{}, ends: map[task.ID]int{}}
}

func (l *ledger) handler(failures int) engine.Handler {
	return func(_ context.Context, run *engine.Run) ([]byte, error) {
		t := run.Task
		l.mu.Lock()
		if t.Claim <= l.claims[t.ID] {
			l.t.Errorf("task %s runs with claim %d after %d", t.ID, t.Claim, l.claims[t.ID])
		}
		l.claims[t.ID] = t.Claim
		if early := time.Until(t.RunAt); early > 0 {
			l.t.Errorf("task %s runs %s early", t.ID, early)
		}
		if t.Key != "" && l.running[t.Key] {
			l.t.Errorf("two tasks of key %s at once", t.Key)
		}
		l.running[t.Key] = true
		l.mu.Unlock()
		time.Sleep(time.Duration(t.Claim%7) * time.Millisecond)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running[t.Key] = false
		if t.Attempt <= failures {
			return nil, errors.New("not yet")
		}
		l.ends[t.ID]++
		if order := l.order[t.Key]; t.Key != "" && len(order) > 0 && order[len(order)-1] > t.Seq {
			l.t.Errorf("key %s: %d after %d", t.Key, t.Seq, order[len(order)-1])
		}
		l.order[t.Key] = append(l.order[t.Key], t.Seq)
		return nil, nil
	}
}

func TestStartMayFailAndBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		backend, _ := faulty.Wrap(w.store.Handle(), 1, faulty.Rule{Kind: faulty.Fail, Methods: []string{"Join"}, Nth: 1})
		e, err := engine.New(engine.Config{
			Store: backend, Registry: &registry{policy: retry.Default(), handlers: handlers("t", engine.Handler(ok))},
			Node: store.Node{ID: "a", Embedded: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Start(t.Context()); !errors.Is(err, faulty.ErrInjected) {
			t.Fatalf("the first start: %v", err)
		}
		early := w.enqueue(e, "t", nil)
		if err := e.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.expect(early, task.Succeeded, time.Second)
		w.expect(w.enqueue(e, "t", nil), task.Succeeded, time.Second)
		w.stop(e)
	})
}

// TestSilentStoreStopsTheNode lets every call fail for a while: the node
// stops acting within four seconds, its tasks run again when another has
// found it dead, and it returns under a new id.
func TestSilentStoreStopsTheNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		l := newLedger(t)
		var ended time.Time
		var backend store.Backend
		var faults *faulty.Faults
		a := w.node("a", &registry{handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
			<-ctx.Done()
			ended = time.Now()
			return nil, ctx.Err()
		})}, func(c *engine.Config) {
			backend, faults = faulty.Wrap(c.Store.(store.Backend), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1})
			faults.Heal()
			c.Store = backend
		})
		id := w.enqueue(a, "t", nil)
		w.expect(id, task.Running, time.Second)
		b := w.node("b", &registry{handlers: handlers("t", l.handler(0))}, nil)
		time.Sleep(5 * time.Second)
		faults.Resume()
		silent := time.Now()
		w.expect(id, task.Succeeded, 11*time.Second)
		if took := ended.Sub(silent); took < 0 || took > 4*time.Second+100*time.Millisecond {
			t.Errorf("the attempt of the silent node ended after %s", took)
		}
		if got := w.get(id); got.Attempt != 1 || got.Crashes != 1 {
			t.Errorf("attempt %d, crashes %d", got.Attempt, got.Crashes)
		}
		faults.Heal()
		time.Sleep(10 * time.Second)
		if a.Node() == "a" || a.Stats().Lost {
			t.Errorf("the node is %s, lost %v", a.Node(), a.Stats().Lost)
		}
		w.stop(a, b)
	})
}

// forgetful answers its first settle without doing it, and fails the next beat:
// as a standby does that takes over without the last transactions.
type forgetful struct {
	store.Backend
	forgot, failed atomic.Bool
}

func (f *forgetful) Settle(ctx context.Context, all []store.Settlement) ([]store.Settled, error) {
	if f.forgot.Swap(true) {
		return f.Backend.Settle(ctx, all)
	}
	return []store.Settled{{Status: store.StatusOK, State: task.Succeeded}}, nil
}

func (f *forgetful) Beat(ctx context.Context, node string, report store.Report) ([]task.ID, error) {
	if f.forgot.Load() && !f.failed.Swap(true) {
		return nil, errors.New("the connection was closed")
	}
	return f.Backend.Beat(ctx, node, report)
}

// TestResultThatADatabaseLostAfterItsAnswer: the task is found as soon as the
// node knows that its database was away, and runs again.
func TestResultThatADatabaseLostAfterItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		runs := 0
		a := w.node("a", &registry{handlers: handlers("mail", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) {
			runs++
			return nil, nil
		}))}, func(c *engine.Config) { c.Store = &forgetful{Backend: c.Store.(store.Backend)} })
		w.expect(w.enqueue(a, "mail", nil), task.Succeeded, 15*time.Second)
		if runs != 2 {
			t.Errorf("it ran %d times", runs)
		}
		w.stop(a)
	})
}

// slowScan holds the answers of scans back.
type slowScan struct {
	store.Backend
	hold chan struct{}
}

func (s *slowScan) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	pages, err := s.Backend.Scan(ctx, ranges)
	<-s.hold
	return pages, err
}

// TestFollowUpBesideAScan: a page that was read before a follow-up was written does
// not hide it.
func TestFollowUpBesideAScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		slow := &slowScan{hold: make(chan struct{})}
		told := 0
		r := &registry{handlers: map[string]engine.Handler{
			"mail": ok,
			"told": func(context.Context, *engine.Run) ([]byte, error) { told++; return nil, nil },
		}}
		r.follow = func(*task.Task, *task.Follow, *store.Settlement) (store.Insert, bool) {
			return w.insert("told", nil), true
		}
		a := w.node("a", r, func(c *engine.Config) { slow.Backend = c.Store.(store.Backend); c.Store, c.DeafPoll = slow, time.Hour })
		synctest.Wait() // a scan has read nothing, and is not answered
		id := w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Spec.OnSuccess = &task.Follow{Type: "told"} })
		w.expect(id, task.Succeeded, time.Second)
		close(slow.hold)
		time.Sleep(time.Second)
		synctest.Wait()
		if told != 1 {
			t.Errorf("the callback ran %d times within a second", told)
		}
		w.stop(a)
	})
}

// TestFollowUpOfANodeThatIsAhead: a node whose clock is ahead of the store's looks for
// follow-ups where they are.
func TestFollowUpOfANodeThatIsAhead(t *testing.T) {
	for _, ahead := range []time.Duration{2 * time.Millisecond, time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1)
			w.store = memory.New(memory.WithClock(func() time.Time { return time.Now().Add(-ahead) }))
			w.lanes = w.queue("default", 1).Numbers
			var ended time.Time
			var latest time.Duration
			r := &registry{handlers: map[string]engine.Handler{
				"mail": func(context.Context, *engine.Run) ([]byte, error) { ended = time.Now(); return nil, nil },
				"told": func(context.Context, *engine.Run) ([]byte, error) {
					latest = max(latest, time.Since(ended))
					return nil, nil
				},
			}}
			r.follow = func(*task.Task, *task.Follow, *store.Settlement) (store.Insert, bool) {
				return w.insert("told", nil), true
			}
			a := w.node("a", r, nil)
			time.Sleep(3 * time.Second)
			for range 8 {
				w.expect(w.enqueue(a, "mail", func(in *store.Insert) { in.Task.Spec.OnSuccess = &task.Follow{Type: "told"} }), task.Succeeded, 2*ahead+20*time.Second)
				time.Sleep(17 * time.Second)
			}
			if latest > 100*time.Millisecond {
				t.Errorf("with a clock %v ahead a callback began after %v", ahead, latest)
			}
			w.stop(a)
		})
	}
}

// TestFollowUpsDoNotKeepTheLoader: while follow-ups are written all the time, what
// another process has enqueued is found.
func TestFollowUpsDoNotKeepTheLoader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		slow := &lateScan{wait: 10 * time.Millisecond}
		chain := func(in *store.Insert) { in.Task.Spec.OnSuccess = &task.Follow{Type: "mail"} }
		r := &registry{handlers: map[string]engine.Handler{
			"mail": func(context.Context, *engine.Run) ([]byte, error) { time.Sleep(3 * time.Millisecond); return nil, nil },
			"else": ok,
		}}
		var making sync.Mutex
		r.follow = func(*task.Task, *task.Follow, *store.Settlement) (store.Insert, bool) {
			making.Lock()
			defer making.Unlock()
			return w.insert("mail", chain), true
		}
		a := w.node("a", r, func(c *engine.Config) { slow.Backend = c.Store.(store.Backend); c.Store = slow })
		for range 20 {
			making.Lock()
			first := w.insert("mail", chain)
			making.Unlock()
			if _, err := a.EnqueueEach(t.Context(), []store.Insert{first}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(700 * time.Microsecond)
		}
		time.Sleep(time.Second)
		making.Lock()
		foreign := w.insert("else", func(in *store.Insert) { in.Task.Priority = 9 })
		making.Unlock()
		if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{foreign}}}); err != nil {
			t.Fatal(err)
		}
		w.expect(foreign.Task.ID, task.Succeeded, 3*time.Second)
		w.stop(a)
	})
}

// lateScan answers scans late.
type lateScan struct {
	store.Backend
	wait time.Duration
}

func (s *lateScan) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	pages, err := s.Backend.Scan(ctx, ranges)
	time.Sleep(s.wait)
	return pages, err
}

// lostThenClosed takes what it is given, loses the answer, and is closed then.
type lostThenClosed struct {
	store.Backend
	taken atomic.Bool
}

func (s *lostThenClosed) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	if s.taken.Swap(true) {
		return nil, store.ErrClosed
	}
	_, err := s.Backend.Enqueue(ctx, batches)
	return nil, errors.Join(errors.New("the connection was closed"), err)
}

// TestEnqueueWhileTheStoreIsClosed: a closed store says nothing about a call before it
// that has had no answer.
func TestEnqueueWhileTheStoreIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		a := w.node("a", &registry{}, func(c *engine.Config) { c.Store = &lostThenClosed{Backend: c.Store.(store.Backend)} })
		in := w.insert("mail", nil)
		_, err := a.Enqueue(t.Context(), []store.Insert{in})
		failed, ok := errors.AsType[*task.Error](err)
		if !ok || !errors.Is(err, store.ErrClosed) || failed.Code != task.CodeUnavailable || failed.Err == nil || !strings.Contains(failed.Hint, "unknown") {
			t.Errorf("%#v", err)
		}
		w.get(in.Task.ID)
		w.stop(a)
	})
}
