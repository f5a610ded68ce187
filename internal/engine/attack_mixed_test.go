package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

func TestMarkForgottenNoFault(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		s := &tap{}
		e := w.tapped("a", badGood(t), s, nil)
		for i := range 10 {
			w.expect(w.enqueue(e, "bad", key(fmt.Sprint("k", i))), task.Dead, time.Second)
		}
		s.took = 10 * time.Millisecond
		var in []store.Insert
		for range 20 {
			in = in[:0]
			for range 1000 {
				in = append(in, w.insert("nobody", nil))
			}
			if _, err := e.Enqueue(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		var ids []task.ID
		for i := range 10 {
			ids = append(ids, w.enqueue(e, "good", key(fmt.Sprint("k", i))))
		}
		time.Sleep(30 * time.Millisecond)
		for i := range 10 {
			_, _ = w.store.ReleaseKey(t.Context(), "default", fmt.Sprint("k", i))
		}
		e.Wake()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.countDone(ids); n != len(ids) {
			t.Errorf("an hour after the release %d of %d ran", n, len(ids))
		}
		w.stop(e)
	})
}

func TestTwoSQLiteNodesPingPong(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	path := filepath.Join(t.TempDir(), "x.db")
	var taps []*tap
	var es []*engine.Engine
	var lanes []uint16
	for i := range 2 {
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		q, err := s.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 2})
		if err != nil {
			t.Fatal(err)
		}
		lanes = q.Numbers
		tp := &tap{Backend: s}
		r := badGood(t)
		e, err := engine.New(engine.Config{Store: &watchTap{tp, s}, Registry: r, Node: store.Node{ID: fmt.Sprint("n", i), Embedded: true}})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer e.Stop(context.Background())
		taps, es = append(taps, tp), append(es, e)
	}
	time.Sleep(2500 * time.Millisecond)
	put := func(typ, k string, lane uint16) {
		in := store.Insert{Task: &task.Task{ID: task.NewID(time.Now(), source{}).WithLane(lane), Queue: "default", Type: typ, Target: typ, Priority: 5, Key: k, Payload: []byte("{}")}}
		if _, err := es[0].Enqueue(t.Context(), []store.Insert{in}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		put("bad", fmt.Sprint("k", i), lanes[i%2])
	}
	time.Sleep(time.Second)
	for i := range 20 {
		put("good", fmt.Sprint("k", i), lanes[i%2])
	}
	time.Sleep(time.Second)
	var before [2][3]int64
	for i, s := range taps {
		before[i] = [3]int64{s.claims.Load(), s.scans.Load(), s.marks.Load()}
	}
	time.Sleep(4 * time.Second)
	for i, s := range taps {
		t.Logf("node %d, idle, 4 s: %d claims %d scans %d mark transactions; %+v", i, s.claims.Load()-before[i][0], s.scans.Load()-before[i][1], s.marks.Load()-before[i][2], es[i].Stats())
	}
}

type watchTap struct {
	*tap
	w store.Waker
}

func (w *watchTap) Watch(ctx context.Context, f func([]store.ChangedLane)) error {
	return w.w.Watch(ctx, f)
}

func TestMany(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, keys := range []int{3000} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1)
			s := &tap{took: time.Millisecond}
			e := w.tapped("a", badGood(t), s, nil)
			var in, in2 []store.Insert
			for i := range keys {
				in = append(in, w.insert("bad", key(fmt.Sprintf("k%d", i))))
				in2 = append(in2, w.insert("good", key(fmt.Sprintf("k%d", i))))
			}
			for i := 0; i < keys; i += 500 {
				if _, err := e.Enqueue(t.Context(), in[i:i+500]); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(3 * time.Minute)
			t.Logf("%+v", e.Stats())
			for i := 0; i < keys; i += 500 {
				if _, err := e.Enqueue(t.Context(), in2[i:i+500]); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(time.Minute)
			c, sc, m := s.claims.Load(), s.scans.Load(), s.marks.Load()
			time.Sleep(10 * time.Second)
			t.Logf("in 10 s idle: %d claims %d scans %d marks", s.claims.Load()-c, s.scans.Load()-sc, s.marks.Load()-m)
			worst := time.Duration(0)
			for i := range 12 {
				x := w.insert("good", nil)
				began := time.Now()
				if _, err := w.store.Handle().Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{x}}}); err != nil {
					t.Error(err)
				}
				w.expect(x.Task.ID, task.Succeeded, 2*time.Minute)
				worst = max(worst, time.Since(began))
				time.Sleep(time.Duration(177+53*i) * time.Millisecond)
			}
			t.Logf("%d keys: a task of another process waits up to %s", keys, worst)
			w.stop(e)
		})
	}
}

func TestBorrowedWait(t *testing.T) {
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
		close(free)
		began := time.Now()
		for w.countDone(ids) < 5 && time.Since(began) < 5*time.Minute {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
		}
		t.Logf("took %s, %d done", time.Since(began), w.countDone(ids))
		w.stop(b)
	})
}

// the failing target recovers: how fast
func TestBackoffHeadHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(5), retry.Fixed(time.Hour), retry.NoJitter()), handlers: handlers(
			"bad", engine.Handler(func(context.Context, *engine.Run) ([]byte, error) { return nil, errDown }),
			"good", engine.Handler(ok))}, nil)
		head := w.enqueue(e, "bad", key("k1"))
		next := w.enqueue(e, "good", key("k1"))
		time.Sleep(5 * time.Second)
		w.enqueue(e, "good", func(in *store.Insert) { in.Task.Key = "k1"; in.Delay = 55 * time.Second })
		time.Sleep(time.Second)
		if _, err := w.store.Cancel(t.Context(), head); err != nil {
			t.Fatal(err)
		}
		e.Canceled(head)
		began := time.Now()
		w.expect(next, task.Succeeded, 5*time.Minute)
		t.Logf("ran %s after its head was canceled", time.Since(began))
		w.stop(e)
	})
}
