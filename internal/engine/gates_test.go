package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var errRefused = errors.New("refused")

func TestPoisonEndsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		var node *engine.Engine
		var mu sync.Mutex
		crashed := make(chan struct{}, 100)
		r := &registry{policy: policy(t, retry.Attempts(3)), handlers: handlers(
			"innocent", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				select {
				case <-time.After(300 * time.Millisecond):
				case <-ctx.Done():
				}
				return nil, ctx.Err()
			},
			"poison", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				time.Sleep(50 * time.Millisecond)
				crashed <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			})}
		slots := func(c *engine.Config) { c.Slots = 100; c.Share = 1 }
		node = w.node("n0", r, slots)
		var innocents []task.ID
		for range 250 {
			innocents = append(innocents, w.enqueue(node, "innocent", nil))
		}
		poison := w.enqueue(node, "poison", nil)
		for range 250 {
			innocents = append(innocents, w.enqueue(node, "innocent", nil))
		}
		for life := 1; life < 10; life++ {
			select {
			case <-crashed:
			case <-time.After(10 * time.Minute):
			}
			if w.get(poison).State == task.Dead {
				break
			}
			mu.Lock()
			node.Kill()
			node = w.node(fmt.Sprintf("n%d", life), r, slots)
			mu.Unlock()
		}
		dead := w.expect(poison, task.Dead, time.Minute)
		if dead.DeadReason != task.CrashLoop || dead.Crashes != 3 || dead.Attempt != 0 || !strings.Contains(dead.LastError.Message, "the process died: node ") {
			t.Errorf("poison: %s, crashes %d, attempt %d", dead.DeadReason, dead.Crashes, dead.Attempt)
		}
		for _, id := range innocents {
			if done := w.expect(id, task.Succeeded, 10*time.Minute); done.Crashes > 2 {
				t.Errorf("an innocent has %d crashes", done.Crashes)
			}
		}
		w.stop(node)
	})
}

func TestDeadHeadBlocksSkipsOrParksItsKey(t *testing.T) {
	for _, mode := range []string{retry.OrderBlock, retry.OrderSkip, retry.OrderPark} {
		t.Run(mode, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2)
				fail := true
				r := &registry{policy: policy(t, retry.Attempts(1), retry.OrderOnDead(mode)), handlers: handlers(
					"bad", func(context.Context, *engine.Run) ([]byte, error) {
						if fail {
							return nil, errRefused
						}
						return nil, nil
					}, "good", ok)}
				e := w.node("a", r, nil)
				keyed := func(in *store.Insert) { in.Task.Key = "k" }
				bad, next := w.enqueue(e, "bad", keyed), w.enqueue(e, "good", keyed)
				w.expect(bad, task.Dead, time.Second)
				if mode == retry.OrderSkip {
					w.expect(next, task.Succeeded, time.Second)
					w.stop(e)
					return
				}
				time.Sleep(time.Minute)
				w.stop(e)
				e = w.node("b", r, nil)
				time.Sleep(time.Minute)
				if now := w.get(next); now.State != task.Pending {
					t.Fatalf("the task behind a dead head is %s", now.State)
				}
				fail = false
				if done, missing, err := w.store.Redrive(t.Context(), []task.ID{bad}, store.RedriveOptions{}); len(done) != 1 {
					t.Fatal(done, missing, err)
				}
				e.Wake()
				w.expect(bad, task.Succeeded, 2*time.Second)
				w.expect(next, task.Succeeded, 2*time.Second)
				w.stop(e)
			})
		})
	}
}

func TestBackoffOfAHeadBeyondTheHorizonKeepsOrder(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		var order []string
		r := &registry{policy: policy(t, retry.Attempts(3), retry.Fixed(10*time.Minute), retry.NoJitter()), handlers: handlers(
			"t", func(_ context.Context, run *engine.Run) ([]byte, error) {
				order = append(order, fmt.Sprintf("%s/%d", run.Task.Payload, run.Task.Attempt))
				if run.Task.Attempt == 1 && string(run.Task.Payload) == "1" {
					return nil, errRefused
				}
				return nil, nil
			})}
		e := w.node("a", r, nil)
		for i := 1; i <= 3; i++ {
			w.enqueue(e, "t", func(in *store.Insert) { in.Task.Key, in.Task.Payload = "k", fmt.Append(nil, i) })
		}
		time.Sleep(time.Minute)
		w.stop(e)
		e = w.node("b", r, nil)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if want := []string{"1/1", "1/2", "2/1", "3/1"}; !slices.Equal(order, want) {
			t.Errorf("ran %v, want %v", order, want)
		}
		w.stop(e)
	})
}

func TestPausedQueueStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, nil)
		if _, err := w.store.PauseQueue(t.Context(), "default", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		id := w.enqueue(e, "mail", nil)
		time.Sleep(time.Minute)
		if now := w.get(id); now.State != task.Pending {
			t.Fatalf("a task of a paused queue is %s", now.State)
		}
		if _, err := w.store.PauseQueue(t.Context(), "default", false); err != nil {
			t.Fatal(err)
		}
		w.expect(id, task.Succeeded, 1100*time.Millisecond)
		w.stop(e)
	})
}

func TestQueueLimitHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 4, Concurrency: 3}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		now, most, done := 0, 0, 0
		e := w.node("a", &registry{handlers: handlers("mail", func(context.Context, *engine.Run) ([]byte, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			done++
			mu.Unlock()
			return nil, nil
		})}, nil)
		for range 30 {
			w.enqueue(e, "mail", nil)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if most != 3 || done != 30 {
			t.Errorf("at most %d at once, %d done", most, done)
		}
		w.stop(e)
	})
}

func TestHangingTargetLeavesHalfOfTheSlots(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		e := w.node("a", &registry{handlers: handlers(
			"hang", func(ctx context.Context, _ *engine.Run) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
			"fine", ok,
		)}, func(c *engine.Config) { c.Slots = 10; c.Grace = time.Second; c.NearFuture = 200 })
		var hung []task.ID
		for range 2000 {
			hung = append(hung, w.enqueue(e, "hang", nil))
		}
		time.Sleep(10 * time.Second)
		began := time.Now()
		for range 100 {
			w.expect(w.enqueue(e, "fine", nil), task.Succeeded, time.Second)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("100 tasks of another target took %s", took)
		}
		if running := e.Stats().Running; running != 5 {
			t.Errorf("the hanging target holds %d of 10 slots", running)
		}
		if memory := e.Stats().Waiting + e.Stats().Ready; memory > 600 {
			t.Errorf("%d entries in memory", memory)
		}
		w.stop(e)
		if first := w.get(hung[0]); first.State != task.Pending || first.Attempt != 0 || first.Crashes != 0 {
			t.Errorf("after a stop: %s, attempt %d, crashes %d", first.State, first.Attempt, first.Crashes)
		}
	})
}

func TestBacklogBeyondTheWindowDrains(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		var mu sync.Mutex
		runs := map[task.ID]int{}
		r := &registry{policy: unguarded(t, retry.Attempts(5), retry.Fixed(2*time.Second)), handlers: handlers(
			"flaky", func(_ context.Context, run *engine.Run) ([]byte, error) {
				mu.Lock()
				defer mu.Unlock()
				if runs[run.Task.ID]++; run.Task.Attempt < 3 {
					return nil, errRefused
				}
				return nil, nil
			})}
		e := w.node("a", r, func(c *engine.Config) { c.NearFuture = 200; c.Slots = 20 })
		var items []store.Insert
		for i := range 3000 {
			items = append(items, w.insert("flaky", func(in *store.Insert) {
				if i%5 == 0 {
					in.Task.Key = fmt.Sprint("key-", i%40)
				}
			}))
		}
		if _, err := e.EnqueueEach(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		for i, item := range items {
			if got := w.get(item.Task.ID); got.State != task.Succeeded && i > 0 {
				t.Logf("%+v", got)
				t.Logf("%+v", e.Stats())
				break
			}
		}
		for id, n := range runs {
			if n != 3 {
				t.Errorf("task %s ran %d times", id, n)
			}
		}
		if n, _ := w.store.Count(t.Context(), store.Filter{State: task.Succeeded}, 5000); len(runs) != 3000 {
			t.Errorf("%d tasks ran, %d succeeded", len(runs), n)
		}
		w.stop(e)
	})
}

func TestTypesRunWhereTheyCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		a := w.node("a", &registry{handlers: handlers("mail", ok)}, nil)
		id := w.enqueue(a, "report", nil)
		time.Sleep(5 * time.Second)
		if now := w.get(id); now.State != task.Pending || now.Park == 0 {
			t.Fatalf("a task that nobody can start is %s, mark %d", now.State, now.Park)
		}
		b := w.node("b", &registry{handlers: handlers("report", ok)}, nil)
		w.expect(id, task.Succeeded, 3*time.Second)
		var more []task.ID
		for range 50 {
			more = append(more, w.enqueue(a, "report", nil), w.enqueue(b, "mail", nil))
		}
		for _, id := range more {
			w.expect(id, task.Succeeded, 5*time.Second)
		}
		w.stop(a, b)
	})
}

func TestUnknownTypeDiesWhereTheQueueSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 1, UnknownType: "dead"}); err != nil {
			t.Fatal(err)
		}
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, nil)
		dead := w.expect(w.enqueue(e, "report", nil), task.Dead, time.Second)
		if dead.DeadReason != task.NoHandler || dead.Attempt != 0 {
			t.Errorf("reason %s, attempt %d", dead.DeadReason, dead.Attempt)
		}
		w.stop(e)
	})
}

func TestPriorityGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		var got []int
		e := w.node("a", &registry{handlers: handlers("mail", func(_ context.Context, run *engine.Run) ([]byte, error) {
			got = append(got, run.Task.Priority)
			time.Sleep(time.Millisecond)
			return nil, nil
		})}, func(c *engine.Config) { c.Slots = 1; c.Share = 1 })
		if _, err := w.store.PauseQueue(t.Context(), "default", true); err != nil {
			t.Fatal(err)
		}
		if err := e.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			w.enqueue(e, "mail", func(in *store.Insert) { in.Task.Priority = (i * 7) % 10 })
		}
		if _, err := w.store.PauseQueue(t.Context(), "default", false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		slices.Reverse(got)
		if len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("ran %d, by priority from the last: %v", len(got), got)
		}
		w.stop(e)
	})
}

func TestAnotherProcessIsHeardBehindABacklog(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		a := w.node("a", &registry{handlers: handlers(
			"hang", func(ctx context.Context, _ *engine.Run) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
			"fine", ok,
		)}, func(c *engine.Config) { c.Slots = 10; c.Grace = time.Second })
		for range 5000 {
			w.enqueue(a, "hang", nil)
		}
		time.Sleep(time.Minute)
		b := w.node("b", &registry{}, func(c *engine.Config) { c.EnqueueOnly = true })
		for range 20 {
			w.expect(w.enqueue(b, "fine", nil), task.Succeeded, 100*time.Millisecond)
		}
		w.stop(a, b)
	})
}
