package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type tap struct {
	store.Backend
	failMark, failMarks        atomic.Bool
	claims, scans, marks, rows atomic.Int64
	took                       time.Duration
	refuse                     atomic.Int64 // settlements that are refused
}

func (s *tap) Claim(ctx context.Context, c store.Claim) (store.Claimed, error) {
	s.claims.Add(1)
	time.Sleep(s.took)
	return s.Backend.Claim(ctx, c)
}
func (s *tap) Scan(ctx context.Context, r []store.Range) ([][]store.Entry, error) {
	s.scans.Add(1)
	time.Sleep(s.took)
	return s.Backend.Scan(ctx, r)
}
func (s *tap) Mark(ctx context.Context, m []store.Marking) error {
	s.marks.Add(1)
	s.rows.Add(int64(len(m)))
	time.Sleep(s.took)
	if s.failMark.Load() {
		return errors.New("injected")
	}
	return s.Backend.Mark(ctx, m)
}
func (s *tap) Marks(ctx context.Context, l []uint16, most int) ([]store.Entry, error) {
	if s.failMarks.Swap(false) {
		return nil, errors.New("injected")
	}
	return s.Backend.Marks(ctx, l, most)
}
func (s *tap) Settle(ctx context.Context, x []store.Settlement) ([]store.Settled, error) {
	if s.refuse.Add(-1) >= 0 {
		return []store.Settled{{Status: store.StatusRefused, Err: errors.New("bad data")}}, nil
	}
	return s.Backend.Settle(ctx, x)
}

func badGood(t *testing.T) *registry {
	return &registry{policy: unguarded(t, retry.Attempts(1)), handlers: handlers(
		"bad", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { return nil, errDown }),
		"good", engine.Handler(ok))}
}

func key(k string) func(*store.Insert) { return func(in *store.Insert) { in.Task.Key = k } }

func (w *world) tapped(name string, r *registry, s *tap, change func(*engine.Config)) *engine.Engine {
	return w.node(name, r, func(c *engine.Config) {
		s.Backend = c.Store.(store.Backend)
		c.Store = s
		if change != nil {
			change(c)
		}
	})
}

func TestMarkForgottenWhileUnwritten(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s := &tap{}
		e := w.tapped("a", badGood(t), s, nil)
		w.expect(w.enqueue(e, "bad", key("k1")), task.Dead, time.Second)
		s.failMark.Store(true)
		next := w.enqueue(e, "good", key("k1"))
		time.Sleep(3 * time.Second)
		s.failMark.Store(false)
		time.Sleep(3 * time.Second)
		if ok, err := w.store.ReleaseKey(t.Context(), "default", "k1"); !ok || err != nil {
			t.Fatal(ok, err)
		}
		e.Wake()
		time.Sleep(time.Hour)
		synctest.Wait()
		if g := w.get(next); g.State != task.Succeeded {
			t.Errorf("an hour after its release: %s park %d; %+v", g.State, g.Park, e.Stats())
		}
		w.stop(e)
	})
}

// no fault at all: 2000 followers and a store whose calls take 5 ms
func TestNoFault(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s := &tap{took: 5 * time.Millisecond}
		e := w.tapped("a", badGood(t), s, nil)
		for round := range 40 {
			k := fmt.Sprintf("key%d", round)
			w.expect(w.enqueue(e, "bad", key(k)), task.Dead, time.Second)
			var ids []task.ID
			for range 3 {
				ids = append(ids, w.enqueue(e, "good", key(k)))
			}
			time.Sleep(time.Duration(900+7*round) * time.Millisecond)
			_, _ = w.store.ReleaseKey(t.Context(), "default", k)
			e.Wake()
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if n := w.countDone(ids); n != len(ids) {
				t.Errorf("round %d: two minutes after the release %d of %d ran", round, n, len(ids))
			}
		}
		w.stop(e)
	})
}

func TestMarksFailAtTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		a := w.node("a", &registry{handlers: handlers("mine", engine.Handler(ok))}, nil)
		id := w.enqueue(a, "good", nil)
		time.Sleep(3 * time.Second)
		w.stop(a)
		s := &tap{}
		s.failMarks.Store(true)
		b := w.tapped("b", badGood(t), s, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if g := w.get(id); g.State != task.Succeeded {
			t.Errorf("an hour later: %s park %d; %+v", g.State, g.Park, b.Stats())
		}
		w.stop(b)
	})
}

func TestLimitAndServeNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 1, Concurrency: 50}); err != nil {
			t.Fatal(err)
		}
		a := w.node("a", &registry{handlers: handlers("mine", engine.Handler(ok))}, nil)
		b := w.node("b", &registry{handlers: handlers("other", engine.Handler(ok))}, func(c *engine.Config) { c.Node.Embedded = false })
		time.Sleep(5 * time.Second)
		id := w.enqueue(a, "other", nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if g := w.get(id); g.State != task.Succeeded {
			t.Errorf("limit 50, borrower not embedded: an hour later: %s", g.State)
		}
		w.stop(a, b)
	})
}

func TestDelayedTaskHoldsReleasedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("a", badGood(t), nil)
		w.expect(w.enqueue(e, "bad", key("k1")), task.Dead, time.Second)
		next := w.enqueue(e, "good", key("k1"))
		time.Sleep(3 * time.Second)
		w.enqueue(e, "good", func(in *store.Insert) { in.Task.Key = "k1"; in.Delay = 50 * time.Second })
		time.Sleep(time.Second)
		_, _ = w.store.ReleaseKey(t.Context(), "default", "k1")
		e.Wake()
		began := time.Now()
		w.expect(next, task.Succeeded, 5*time.Minute)
		if d := time.Since(began); d > 2*time.Second {
			t.Errorf("ran %s after the release", d)
		}
		w.stop(e)
	})
}

func TestHotLoopWhileMarksFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s := &tap{took: time.Millisecond}
		e := w.tapped("a", badGood(t), s, nil)
		w.expect(w.enqueue(e, "bad", key("k1")), task.Dead, time.Second)
		w.enqueue(e, "good", key("k1"))
		time.Sleep(300 * time.Millisecond) // parked
		s.failMark.Store(true)
		w.enqueue(e, "good", func(in *store.Insert) { in.Task.Key = "k1"; in.Delay = 2 * time.Second })
		_, _ = w.store.ReleaseKey(t.Context(), "default", "k1")
		time.Sleep(3 * time.Second)
		before := s.claims.Load()
		time.Sleep(5 * time.Second)
		t.Logf("%d claims in 5 s", s.claims.Load()-before)
		if n := s.claims.Load() - before; n > 500 {
			t.Errorf("%d claims in 5 s while marks cannot be written", n)
		}
		s.failMark.Store(false)
		time.Sleep(10 * time.Second)
		w.stop(e)
	})
}

func TestManyFailingTargets(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var pairs []any
		for i := range 20 {
			pairs = append(pairs, fmt.Sprint("f", i), engine.Handler(func(ctx context.Context, r *engine.Run) ([]byte, error) {
				if string(r.Task.Payload) == "slow" {
					select {
					case <-time.After(10 * time.Second):
					case <-ctx.Done():
					}
				}
				return nil, errDown
			}))
		}
		pairs = append(pairs, "good", engine.Handler(ok))
		s := &tap{}
		e := w.tapped("a", &registry{policy: policy(t, retry.Attempts(5), retry.Fixed(time.Hour), retry.NoJitter()), handlers: handlers(pairs...)}, s,
			func(c *engine.Config) { c.NearFuture = 1000; c.Slots = 100; c.Grace = time.Second })
		for i := range 20 * 40 {
			w.enqueue(e, fmt.Sprint("f", i%20), nil)
		}
		time.Sleep(30 * time.Second)
		for i := range 20 * 200 {
			w.enqueue(e, fmt.Sprint("f", i%20), func(in *store.Insert) { in.Task.Payload = []byte("slow") })
		}
		time.Sleep(20 * time.Second)
		var in []store.Insert
		var ids []task.ID
		for range 800 {
			x := w.insert("good", nil)
			in, ids = append(in, x), append(ids, x.Task.ID)
		}
		m := s.rows.Load()
		if _, err := e.Enqueue(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		for _, d := range []time.Duration{2 * time.Second, 10 * time.Second, time.Minute} {
			time.Sleep(d)
			synctest.Wait()
			t.Logf("+%s %d of %d, marks %d, %+v", d, w.countDone(ids), len(ids), s.rows.Load()-m, e.Stats())
		}
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("%d of %d", n, len(ids))
		}
		w.stop(e)
	})
}

func TestManyBlockedKeys(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s := &tap{took: time.Millisecond}
		e := w.tapped("a", badGood(t), s, nil)
		const keys = 2000
		for i := range keys {
			w.enqueue(e, "bad", key(fmt.Sprintf("k%d", i)))
		}
		time.Sleep(5 * time.Second)
		for i := range keys {
			w.enqueue(e, "good", key(fmt.Sprintf("k%d", i)))
		}
		time.Sleep(20 * time.Second)
		c, sc, m := s.claims.Load(), s.scans.Load(), s.marks.Load()
		time.Sleep(10 * time.Second)
		t.Logf("in 10 s idle: %d claims %d scans %d marks", s.claims.Load()-c, s.scans.Load()-sc, s.marks.Load()-m)
		worst := time.Duration(0)
		for range 10 {
			x := w.insert("good", nil)
			began := time.Now()
			if _, err := w.store.Handle().Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{x}}}); err != nil {
				t.Fatal(err)
			}
			w.expect(x.Task.ID, task.Succeeded, time.Minute)
			worst = max(worst, time.Since(began))
			time.Sleep(377 * time.Millisecond)
		}
		if worst > 2*time.Second {
			t.Errorf("a task of another process waits %s", worst)
		}
		w.stop(e)
	})
}

func TestRefusedSettleAndPanickingBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s := &tap{}
		var none []time.Duration
		e := w.tapped("a", &registry{policy: policy(t, retry.Attempts(5), retry.Custom(func(n int, _ retry.Attempt) time.Duration {
			if n == 1 {
				return time.Second // asked when the policy is made
			}
			return none[n]
		})), handlers: handlers("mail", engine.Handler(ok))}, s, nil)
		s.refuse.Store(1)
		id := w.enqueue(e, "mail", nil)
		w.expect(id, task.Succeeded, time.Minute)
		w.stop(e)
	})
}

// What follows a task is kept when its end is refused, unless it is refused itself:
// a task must end.
func TestRefusedSettleWithWhatFollows(t *testing.T) {
	for refusals, followed := range map[int64]bool{1: true, 2: false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1)
			s, told := &tap{}, w.insert("told", nil)
			r := badGood(t)
			r.follow = func(*task.Task, *task.Follow, *store.Settlement) (store.Insert, bool) {
				return store.Insert{Task: told.Task}, true
			}
			e := w.tapped("a", r, s, nil)
			s.refuse.Store(refusals)
			id := w.enqueue(e, "good", func(in *store.Insert) { in.Task.Spec.OnDead = &task.Follow{Type: "told"} })
			w.expect(id, task.Dead, time.Minute)
			if last := w.get(id).LastError; last == nil || last.Category != string(retry.Local) {
				t.Errorf("the failure is %+v", last)
			}
			if _, err := w.store.Get(t.Context(), told.Task.ID); (err == nil) != followed {
				t.Errorf("after %d refusals what follows is there: %v, %v", refusals, err == nil, err)
			}
			w.stop(e)
		})
	}
}

// lane handed back and taken again while marks are unwritten
func TestBorrowedThenOwned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		a := w.node("a", &registry{handlers: handlers("mine", engine.Handler(ok))}, nil)
		free := make(chan struct{})
		b := w.node("b", &registry{handlers: handlers("other", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { <-free; return nil, nil }))},
			func(c *engine.Config) { c.Slots = 1 })
		time.Sleep(3 * time.Second)
		var ids []task.ID
		for range 5 {
			ids = append(ids, w.enqueue(a, "other", nil))
		}
		time.Sleep(3 * time.Second)
		w.stop(a)
		time.Sleep(5 * time.Second)
		t.Logf("%+v", b.Stats())
		close(free)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("2 s later %d of %d", n, len(ids))
		}
		w.stop(b)
	})
}

// An outcome that the store refuses is recorded as a failure; it says under what the
// attempt ran, too.
func TestRefusedOutcomeKeepsItsLabel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t, 1), &tap{}
		s.refuse.Store(1)
		e := w.tapped("n", &registry{policy: unguarded(t, retry.Attempts(3)), handlers: handlers("good", engine.Handler(ok))}, s, func(c *engine.Config) { c.Node.Release = "r1" })
		id := w.enqueue(e, "good", nil)
		w.expect(id, task.Succeeded, time.Hour)
		attempts, err := w.store.Attempts(t.Context(), id)
		if err != nil || len(attempts) != 2 || attempts[0].Outcome != task.OutcomeFailed {
			t.Fatalf("%+v, %v", attempts, err)
		}
		for _, a := range attempts {
			if a.Release != "r1" {
				t.Errorf("attempt %d %s under %q", a.Number, a.Outcome, a.Release)
			}
		}
		w.stop(e)
	})
}
