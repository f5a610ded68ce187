package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// registry is a fake of what the root package gives the engine.
type registry struct {
	mu       sync.Mutex
	handlers map[string]engine.Handler
	policy   *retry.Policy
	queues   []string // served; all when nil
	follow   func(t *task.Task, f *task.Follow, s *store.Settlement) (store.Insert, bool)
}

func (r *registry) Serves(queue string) (store.Serving, bool) {
	if r.queues != nil && !slices.Contains(r.queues, queue) {
		return store.Serving{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := store.Serving{Requests: r.handlers[engine.Push] != nil}
	for name := range r.handlers {
		s.Types = append(s.Types, name)
	}
	return s, true
}

func (r *registry) CanStart(capability string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.handlers[capability] != nil
}

func (r *registry) Handler(t *task.Task) engine.Handler {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.handlers[t.Type]
}

func (r *registry) Policy(*task.Task) (*retry.Policy, error) { return r.policy, nil }

func (r *registry) Fallback(*task.Task) *task.Follow { return nil }

func (r *registry) Undo(*task.Task, *task.Step) (store.Insert, bool) { return store.Insert{}, false }

func (r *registry) Follow(t *task.Task, f *task.Follow, _ task.FollowKind, s *store.Settlement) (store.Insert, bool) {
	if r.follow == nil {
		return store.Insert{}, false
	}
	return r.follow(t, f, s)
}

// world is a store with one queue, and the nodes of a test.
type world struct {
	t     *testing.T
	store *memory.Store
	lanes []uint16
	rand  *rand.Rand
	log   *slog.Logger
}

func newWorld(t *testing.T, lanes int) *world {
	t.Helper()
	w := &world{t: t, store: memory.New(), rand: rand.New(rand.NewPCG(1, 2)), log: slog.New(slog.DiscardHandler)}
	if os.Getenv("OUTLAST_TEST_LOG") != "" {
		w.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	w.lanes = w.queue("default", lanes).Numbers
	return w
}

func (w *world) queue(name string, lanes int) *store.Queue {
	w.t.Helper()
	q, err := w.store.PutQueue(w.t.Context(), store.Queue{Name: name, Lanes: lanes})
	if err != nil {
		w.t.Fatal(err)
	}
	return q
}

// node starts an engine on a handle of its own.
func (w *world) node(name string, r *registry, change func(*engine.Config)) *engine.Engine {
	w.t.Helper()
	if r.policy == nil {
		r.policy = retry.Default()
	}
	config := engine.Config{
		Store: w.store.Handle(), Registry: r, Logger: w.log.With("node", name),
		Node: store.Node{ID: name, Embedded: true}, Rand: half{},
	}
	if change != nil {
		change(&config)
	}
	e, err := engine.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := e.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return e
}

// half makes every draw the middle.
type half struct{}

func (half) Float64() float64 { return 0.5 }

// insert makes a task for a lane of the default queue.
func (w *world) insert(taskType string, change func(*store.Insert)) store.Insert {
	id := task.NewID(time.Now(), w.rand)
	t := &task.Task{ID: id.WithLane(w.lanes[w.rand.IntN(len(w.lanes))]), Queue: "default", Type: taskType, Target: taskType, Priority: 5, Payload: []byte("{}")}
	insert := store.Insert{Task: t}
	if change != nil {
		change(&insert)
	}
	if t.Key != "" {
		t.ID = t.ID.WithLane(w.lanes[int(t.Key[len(t.Key)-1])%len(w.lanes)])
	}
	return insert
}

func (w *world) enqueue(e *engine.Engine, taskType string, change func(*store.Insert)) task.ID {
	w.t.Helper()
	insert := w.insert(taskType, change)
	if _, err := e.Enqueue(w.t.Context(), []store.Insert{insert}); err != nil {
		w.t.Fatal(err)
	}
	return insert.Task.ID
}

func (w *world) get(id task.ID) *task.Task {
	w.t.Helper()
	t, err := w.store.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

// expect waits in virtual time until the task is in the state. The longer it has waited,
// the longer are its steps: a thousandth of that.
func (w *world) expect(id task.ID, state task.State, within time.Duration) *task.Task {
	w.t.Helper()
	began := time.Now()
	for deadline := began.Add(within); ; time.Sleep(max(time.Millisecond, time.Since(began)/1000)) {
		synctest.Wait()
		t := w.get(id)
		if t.State == state {
			return t
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("task is %s after %s, not %s: %+v", t.State, within, state, t)
		}
	}
}

func (w *world) stop(engines ...*engine.Engine) {
	w.t.Helper()
	for _, e := range engines {
		if err := e.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	}
	if wrong, err := w.store.Check(context.Background()); err != nil || len(wrong) > 0 {
		w.t.Errorf("the store is not sound: %v %v", wrong, err)
	}
}

func ok(context.Context, *engine.Run) ([]byte, error) { return []byte(`"done"`), nil }

func handlers(pairs ...any) map[string]engine.Handler {
	out := map[string]engine.Handler{}
	for i := 0; i < len(pairs); i += 2 {
		switch f := pairs[i+1].(type) {
		case engine.Handler:
			out[pairs[i].(string)] = f
		case func(context.Context, *engine.Run) ([]byte, error):
			out[pairs[i].(string)] = f
		}
	}
	return out
}

// unguarded is a policy without budget and breaker, for tests in which tasks
// fail by design.
func unguarded(t *testing.T, options ...retry.Option) *retry.Policy {
	t.Helper()
	return policy(t, append(options, retry.TaskBudget(nil), retry.TaskBreaker(nil))...)
}

func policy(t *testing.T, options ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTaskRunsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		e := w.node("a", &registry{handlers: handlers("mail", ok)}, nil)
		began := time.Now()
		id := w.enqueue(e, "mail", nil)
		done := w.expect(id, task.Succeeded, time.Second)
		if took := time.Since(began); took > 2*time.Millisecond {
			t.Errorf("took %s of virtual time", took)
		}
		if done.Attempt != 1 || string(done.Result) != `"done"` {
			t.Errorf("attempt %d, result %s", done.Attempt, done.Result)
		}
		w.stop(e)
	})
}

func TestScheduleIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		began := time.Now()
		var starts []time.Duration
		fail := func(context.Context, *engine.Run) ([]byte, error) {
			starts = append(starts, time.Since(began))
			return nil, errors.New("the receiver is not in the mood")
		}
		e := w.node("a", &registry{
			handlers: handlers("mail", fail),
			policy:   policy(t, retry.Attempts(6), retry.Exponential(10*time.Second, 2, time.Hour), retry.NoJitter()),
		}, nil)
		id := w.enqueue(e, "mail", nil)
		dead := w.expect(id, task.Dead, 10*time.Minute)
		want := []time.Duration{0, 10 * time.Second, 30 * time.Second, 70 * time.Second, 150 * time.Second, 310 * time.Second}
		if !slices.Equal(starts, want) {
			t.Errorf("starts at %v, want %v", starts, want)
		}
		if dead.DeadReason != task.Exhausted || dead.Attempt != 6 {
			t.Errorf("reason %s after %d attempts", dead.DeadReason, dead.Attempt)
		}
		attempts, err := w.store.Attempts(t.Context(), id)
		if err != nil || len(attempts) != 6 {
			t.Errorf("%d attempts recorded: %v", len(attempts), err)
		}
		w.stop(e)
	})
}

func TestDelayedTaskIsNeverEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		var mu sync.Mutex
		late := map[task.ID]time.Duration{}
		e := w.node("a", &registry{handlers: handlers("mail", func(_ context.Context, run *engine.Run) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			late[run.Task.ID] = time.Since(run.Task.RunAt)
			return nil, nil
		})}, nil)
		for i := range 500 {
			delay := time.Duration(i) * 777 * time.Millisecond
			w.enqueue(e, "mail", func(in *store.Insert) { in.Delay = delay; in.Task.Priority = i % 10 })
		}
		time.Sleep(500 * time.Second)
		synctest.Wait()
		if len(late) != 500 {
			t.Errorf("%d of 500 ran", len(late))
		}
		for id, by := range late {
			if by < 0 || by > 2*time.Millisecond {
				t.Errorf("task %s started %s after its time", id, by)
			}
		}
		w.stop(e)
	})
}

func TestKeysRunInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		var mu sync.Mutex
		got, running := map[string][]int64{}, map[string]bool{}
		failed := map[task.ID]int{}
		e := w.node("a", &registry{
			policy: unguarded(t, retry.Attempts(20), retry.Exponential(100*time.Millisecond, 2, 2*time.Minute)),
			handlers: handlers("light", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				key := run.Task.Key
				mu.Lock()
				if running[key] {
					t.Errorf("two tasks of key %s at once", key)
				}
				running[key] = true
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				running[key] = false
				if failed[run.Task.ID] < int(run.Task.Seq)%3 {
					failed[run.Task.ID]++
					return nil, errors.New("lost on the way")
				}
				got[key] = append(got[key], run.Task.Seq)
				return nil, nil
			}),
		}, nil)
		for i := range 1000 {
			w.enqueue(e, "light", func(in *store.Insert) {
				in.Task.Key = fmt.Sprintf("lamp-%d", i%10)
				in.Task.Priority = i % 10
			})
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for key, seqs := range got {
			if len(seqs) != 100 || !slices.IsSorted(seqs) {
				t.Errorf("key %s: %d tasks, in order: %v", key, len(seqs), slices.IsSorted(seqs))
			}
		}
		if len(got) != 10 {
			t.Errorf("%d keys", len(got))
			left, _, _ := w.store.Find(t.Context(), store.Filter{State: task.Pending}, store.Page{Limit: 3})
			for _, one := range left {
				t.Logf("%+v", one)
			}
			t.Logf("%+v", e.Stats())
		}
		w.stop(e)
	})
}

func TestNodeDiesAndAnotherTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		hang := make(chan struct{})
		a := w.node("a", &registry{handlers: handlers("slow", func(context.Context, *engine.Run) ([]byte, error) {
			<-hang
			return nil, nil
		})}, nil)
		id := w.enqueue(a, "slow", nil)
		w.expect(id, task.Running, time.Second)
		var attempts []int
		b := w.node("b", &registry{handlers: handlers("slow", func(_ context.Context, run *engine.Run) ([]byte, error) {
			attempts = append(attempts, run.Task.Attempt)
			return nil, nil
		})}, nil)
		a.Kill()
		began := time.Now()
		done := w.expect(id, task.Succeeded, 30*time.Second)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("took %s to run again", took)
		}
		if done.Attempt != 1 || done.Crashes != 1 || !slices.Equal(attempts, []int{1}) {
			t.Errorf("attempt %d, crashes %d, ran as %v", done.Attempt, done.Crashes, attempts)
		}
		close(hang)
		synctest.Wait()
		w.stop(b)
	})
}
