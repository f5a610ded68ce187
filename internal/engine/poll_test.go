package engine_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// slowScans is a store that tells of nothing, and whose scans take a while.
type slowScans struct {
	store.Store
	each time.Duration
}

func (s *slowScans) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	time.Sleep(s.each)
	return s.Store.Scan(ctx, ranges)
}

// deadScans is a store that tells of nothing. Whoever scans a lane from its beginning on
// walks past rows that have ended.
type deadScans struct {
	store.Backend
	each         time.Duration
	walks, marks atomic.Int64
}

func (s *deadScans) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if slices.ContainsFunc(ranges, func(r store.Range) bool { return r.Park == 0 && r.After == math.MinInt64 }) {
		s.walks.Add(1)
		time.Sleep(s.each)
	}
	return s.Backend.Scan(ctx, ranges)
}

func (s *deadScans) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	s.marks.Add(1)
	return s.Backend.Marks(ctx, lanes, most)
}

// A walk past rows that have ended takes a small part of the time, and holds up neither the
// look at marks nor a look that somebody has asked for. What nobody has told of is found
// all the same.
func TestWalksPastEndedRowsAreRare(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		const length = 1000 * time.Second
		w := newWorld(t, 4)
		dead := &deadScans{each: 2 * time.Second}
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, func(c *engine.Config) {
			dead.Backend = c.Store.(store.Backend)
			c.Store = mute{dead}
		})
		time.Sleep(10 * time.Second)
		before, marks := dead.walks.Load(), dead.marks.Load()
		untold, told := w.insert("mail", nil), w.insert("mail", nil)
		if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{untold}}}); err != nil {
			t.Fatal(err)
		}
		w.expect(untold.Task.ID, task.Succeeded, 2*time.Minute)
		time.Sleep(10 * time.Second)
		if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{told}}}); err != nil {
			t.Fatal(err)
		}
		e.Heard(told.Task.ID.Lane())
		w.expect(told.Task.ID, task.Succeeded, 5*time.Second)
		time.Sleep(length)
		if walks := dead.walks.Load() - before; walks < 5 || walks > 16 {
			t.Errorf("%d walks of %s in %s", walks, dead.each, length)
		}
		if looks := dead.marks.Load() - marks; looks < int64(length/time.Second)*8/10 {
			t.Errorf("%d looks at marks in %s", looks, length)
		}
		w.stop(e)
	})
}

// A look that stalls once, or fails, keeps nobody from looking again soon.
func TestPatrolsGoOnAfterAStall(t *testing.T) {
	racetest.WithoutDetector(t)
	for name, fails := range map[string]error{"it was slow": nil, "it failed": errors.New("cut")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 4)
				stalls := &stalling{fails: fails}
				e := w.node("a", &registry{handlers: handlers("mail", ok)}, func(c *engine.Config) {
					stalls.Backend = c.Store.(store.Backend)
					c.Store = mute{stalls}
				})
				time.Sleep(30 * time.Second)
				stalls.once.Store(true)
				time.Sleep(8 * time.Second)
				if stalls.once.Load() {
					t.Fatal("nobody has looked")
				}
				untold := w.insert("mail", nil)
				if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{untold}}}); err != nil {
					t.Fatal(err)
				}
				w.expect(untold.Task.ID, task.Succeeded, 20*time.Second)
				w.stop(e)
			})
		})
	}
}

// stalling is a store of which one scan stalls.
type stalling struct {
	store.Backend
	once  atomic.Bool
	fails error
}

func (s *stalling) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	if s.once.CompareAndSwap(true, false) {
		time.Sleep(9 * time.Second)
		if s.fails != nil {
			return nil, s.fails
		}
	}
	return s.Backend.Scan(ctx, ranges)
}

// A wake-up says from which rank on rows have changed: its look walks past nothing that
// has ended.
func TestWakeUpsAreReadFromTheirRankOn(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w, b, air := newWorld(t, 8), &began{}, &air{listen: map[chan []store.ChangedLane]bool{}}
		dead := &deadScans{each: 2 * time.Second}
		node := func(name string, wrap func(store.Backend) store.Backend) *engine.Engine {
			return w.node(name, &registry{handlers: handlers("t", b.handler(name))}, func(c *engine.Config) {
				c.Store = &notifier{Backend: wrap(c.Store.(store.Backend)), air: air}
			})
		}
		a := node("a", func(s store.Backend) store.Backend { return s })
		other := node("b", func(s store.Backend) store.Backend { dead.Backend = s; return dead })
		time.Sleep(5 * time.Minute)                                     // until no lane is given to another node any more
		for before := dead.walks.Load(); dead.walks.Load() == before; { // until the patrol that follows is long away
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		before := dead.walks.Load()
		for i := range 20 {
			insert := w.owned(other, "t")
			insert.Task.Priority = i % 10
			sent := time.Now()
			if _, err := a.Enqueue(t.Context(), []store.Insert{insert}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
			if lag := b.lag(insert.Task.ID, sent); lag > 5*time.Millisecond {
				t.Errorf("it began %s after the enqueue", lag)
			}
		}
		if walks := dead.walks.Load() - before; walks != 0 {
			t.Errorf("%d walks past rows that have ended", walks)
		}
		w.stop(a, other)
	})
}

// arriving is a store that knows what transactions of callers have brought.
type arriving struct {
	store.Backend
	mu    sync.Mutex
	rows  []store.Entry
	asked int
	whole bool
	fails error
}

func (s *arriving) Arrived(_ context.Context, lanes []uint16, since string) (store.Arrival, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.fails != nil {
		return store.Arrival{}, s.fails
	}
	found := store.Arrival{Next: "next", Whole: s.whole || since != "next"}
	if s.whole = false; !found.Whole {
		found.Entries, s.rows = s.rows, nil
	}
	return found, nil
}

// What the transaction of a caller has brought is found within a second, also where looks at
// all rows are rare; and when the store cannot tell, all is looked at.
func TestArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		dead, arrives := &deadScans{each: 2 * time.Second}, &arriving{}
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, func(c *engine.Config) {
			dead.Backend = c.Store.(store.Backend)
			arrives.Backend = dead
			c.Store = arrives
		})
		enqueue := func(arrived bool) task.ID {
			in := w.insert("mail", nil)
			made, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{in}}})
			if err != nil {
				t.Fatal(err)
			}
			arrives.mu.Lock()
			defer arrives.mu.Unlock()
			if arrived {
				arrives.rows = append(arrives.rows, made[0].Items[0].Entry)
			}
			return in.Task.ID
		}
		patrolled := func() {
			for before := dead.walks.Load(); dead.walks.Load() == before; {
				time.Sleep(100 * time.Millisecond)
			}
			time.Sleep(10 * time.Second)
		}
		time.Sleep(30 * time.Second)
		patrolled()
		before := dead.walks.Load()
		w.expect(enqueue(true), task.Succeeded, 300*time.Millisecond)
		if walks := dead.walks.Load() - before; walks != 0 {
			t.Errorf("%d walks for what has arrived", walks)
		}
		arrives.mu.Lock()
		arrives.fails = errors.New("away")
		arrives.mu.Unlock()
		late := enqueue(true)
		time.Sleep(5 * time.Second)
		if got := w.get(late); got.State != task.Pending {
			t.Errorf("it is %s, and nobody knew of it", got.State)
		}
		arrives.mu.Lock()
		arrives.fails = nil
		arrives.mu.Unlock()
		w.expect(late, task.Succeeded, 300*time.Millisecond)
		lost := enqueue(false)
		arrives.mu.Lock()
		arrives.whole = true
		arrives.mu.Unlock()
		w.expect(lost, task.Succeeded, 3*time.Second)
		w.stop(e)
	})
}

// A row that nobody told of, such as one of a caller's own transaction, is found by
// the poll also while wake-ups for other lanes do not end.
func TestUntoldRowsAreFoundAmongManyWakeUps(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, func(c *engine.Config) {
			c.Store = &slowScans{c.Store, 4 * time.Millisecond}
		})
		time.Sleep(3 * time.Second)
		heard, hush := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		calls.Go(func() {
			for heard.Err() == nil {
				e.Heard(w.lanes[0])
				time.Sleep(3 * time.Millisecond)
			}
		})
		time.Sleep(time.Second)
		untold := w.insert("mail", func(in *store.Insert) { in.Task.ID = in.Task.ID.WithLane(w.lanes[3]) })
		if _, err := w.store.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{untold}}}); err != nil {
			t.Fatal(err)
		}
		w.expect(untold.Task.ID, task.Succeeded, 2*time.Second)
		hush()
		calls.Wait()
		w.stop(e)
	})
}
