package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func poll(worker string, most int, types ...string) engine.Poll {
	return engine.Poll{Worker: worker, Queues: []string{"default"}, Types: types, Most: most, Wait: 10 * time.Second, Lease: 30 * time.Second}
}

func (w *world) poll(e *engine.Engine, p engine.Poll) []engine.Leased {
	w.t.Helper()
	tasks, err := e.Poll(w.t.Context(), p)
	if err != nil {
		w.t.Fatal(err)
	}
	return tasks
}

// polled polls for exactly one task.
func (w *world) polled(e *engine.Engine, p engine.Poll) *task.Task {
	w.t.Helper()
	tasks := w.poll(e, p)
	if len(tasks) != 1 {
		w.t.Fatalf("polled %d tasks, want 1", len(tasks))
	}
	return tasks[0].Task
}

func (w *world) settle(e *engine.Engine, t *task.Task, err error) store.Settled {
	w.t.Helper()
	results, failed := e.SettleLeased(w.t.Context(), []engine.Ending{{ID: t.ID, Claim: t.Claim, Err: err}})
	if failed != nil {
		w.t.Fatal(failed)
	}
	return results[0]
}

func (w *world) want(id task.ID, state task.State, attempt, crashes int) {
	w.t.Helper()
	if got := w.get(id); got.State != state || got.Attempt != attempt || got.Crashes != crashes {
		w.t.Fatalf("the task is %s after %d attempts and %d crashes; want %s, %d, %d", got.State, got.Attempt, got.Crashes, state, attempt, crashes)
	}
}

func (w *world) status(got store.Settled, want store.Status) {
	w.t.Helper()
	if got.Status != want {
		w.t.Fatalf("settled with %q (%v), want %q", got.Status, got.Err, want)
	}
}

func stop(t *testing.T, engines ...*engine.Engine) {
	t.Helper()
	for _, e := range engines {
		if err := e.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestWorkerIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		var stale []task.ID
		e := w.node("n", &registry{policy: unguarded(t, retry.Attempts(2), retry.Fixed(time.Second))}, func(c *engine.Config) {
			c.Observer.Stale = func(_ context.Context, id task.ID, status store.Status) {
				if status == store.StatusStale {
					stale = append(stale, id)
				}
			}
		})
		waiting := w.enqueue(e, "mail", nil) // before any worker is there
		time.Sleep(5 * time.Second)
		first := w.polled(e, poll("w1", 10, "mail"))
		if first.ID != waiting || first.Attempt != 1 {
			t.Fatalf("polled %+v", first)
		}
		w.status(w.settle(e, first, nil), store.StatusOK)
		w.want(first.ID, task.Succeeded, 1, 0)
		w.status(w.settle(e, first, nil), store.StatusOK) // a repeat
		w.status(w.settle(e, first, errors.New("no")), store.StatusStale)

		began := time.Now()
		answer := make(chan *task.Task)
		go func() {
			tasks, err := e.Poll(t.Context(), poll("w1", 10, "mail"))
			if err != nil || len(tasks) != 1 {
				t.Errorf("polled %d tasks, %v", len(tasks), err)
				close(answer)
				return
			}
			answer <- tasks[0].Task
		}()
		time.Sleep(3 * time.Second)
		w.enqueue(e, "other", nil)
		second := w.enqueue(e, "mail", nil)
		got := <-answer
		if late := time.Since(began) - 3*time.Second; got.ID != second || late > 10*time.Millisecond {
			t.Fatalf("polled %v after %v", got.ID, late)
		}
		w.status(w.settle(e, got, errors.New("broken")), store.StatusOK)
		w.want(got.ID, task.Pending, 1, 0)
		again := w.polled(e, poll("w1", 10, "mail"))
		if again.ID != got.ID || again.Attempt != 2 || again.Claim <= got.Claim {
			t.Fatalf("polled again %+v", again)
		}
		w.status(w.settle(e, again, errors.New("broken")), store.StatusOK)
		w.want(got.ID, task.Dead, 2, 0)
		w.status(w.settle(e, again, errors.New("broken")), store.StatusOK) // also a repeat
		w.status(w.settle(e, got, errors.New("broken")), store.StatusOK)   // recorded as failed
		w.status(w.settle(e, again, nil), store.StatusStale)
		if !slices.Equal(stale, []task.ID{first.ID, got.ID}) {
			t.Errorf("the observer was told that %v came too late", stale)
		}
		if tasks := w.poll(e, poll("w1", 10, "mail")); len(tasks) != 0 {
			t.Fatalf("polled %d tasks", len(tasks))
		}
		stop(t, e)
	})
}

func TestBatchesAreAsLargeAsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		e := w.node("n", &registry{policy: unguarded(t)}, nil)
		now := poll("w1", 1, "mail")
		now.Wait = 0
		w.poll(e, now) // tasks need not be read back from disk from now on
		for range 250 {
			w.enqueue(e, "mail", nil)
		}
		var sizes []int
		for range 3 {
			tasks := w.poll(e, poll("w1", 100, "mail"))
			sizes = append(sizes, len(tasks))
			for _, leased := range tasks {
				if want := leased.Task.StartedAt.Add(30 * time.Second); !leased.Until.Equal(want) {
					t.Fatalf("leased until %v, want %v", leased.Until, want)
				}
			}
		}
		if !slices.Equal(sizes, []int{100, 100, 50}) {
			t.Errorf("polled %v tasks", sizes)
		}
		stop(t, e)
	})
}

func TestSteeringByWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("n", &registry{policy: unguarded(t, retry.Attempts(5))}, nil)
		id := w.enqueue(e, "mail", nil)
		w.status(w.settle(e, w.polled(e, poll("w", 1, "mail")), engine.ErrReleased), store.StatusOK)
		w.want(id, task.Pending, 0, 0)
		w.status(w.settle(e, w.polled(e, poll("w", 1, "mail")), wish{engine.HandlerOutcome{Action: engine.ActionSnooze, After: time.Second}}), store.StatusOK)
		w.want(id, task.Pending, 0, 0)
		w.status(w.settle(e, w.polled(e, poll("w", 1, "mail")), wish{engine.HandlerOutcome{Action: engine.ActionRetry, After: 2 * time.Second}}), store.StatusOK)
		w.want(id, task.Pending, 1, 0)
		if wait := time.Until(w.get(id).RunAt); wait > 2*time.Second || wait < time.Second {
			t.Errorf("runs again in %v", wait)
		}
		w.status(w.settle(e, w.polled(e, poll("w", 1, "mail")), wish{engine.HandlerOutcome{Action: engine.ActionDead}}), store.StatusOK)
		w.want(id, task.Dead, 2, 0)
		stop(t, e)
	})
}

type wish struct{ asks engine.HandlerOutcome }

func (wish) Error() string                           { return "steered" }
func (s wish) HandlerOutcome() engine.HandlerOutcome { return s.asks }

// A worker that is killed: its lease ends, the node lives.
func TestLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("n", &registry{policy: unguarded(t, retry.Attempts(2))}, nil)
		var causes []string
		e2 := w.node("n2", &registry{policy: unguarded(t)}, func(c *engine.Config) {
			c.Observer.Recovered = func(r store.Recovered) { causes = append(causes, r.Cause) }
		})
		_ = e2
		id := w.enqueue(e, "mail", nil)
		began := time.Now()
		lost := w.polled(e, poll("w1", 1, "mail"))
		again := w.polled(e, engine.Poll{Worker: "w2", Queues: []string{"default"}, Types: []string{"mail"}, Most: 1, Wait: time.Minute, Lease: 30 * time.Second})
		if took := time.Since(began); again.ID != id || again.Attempt != 1 || again.Crashes != 1 || took < 30*time.Second || took > 34*time.Second {
			t.Fatalf("polled %+v after %v", again, took)
		}
		w.status(w.settle(e, lost, nil), store.StatusStale)
		w.status(w.settle(e, again, nil), store.StatusOK)
		w.want(id, task.Succeeded, 1, 1)
		stop(t, e, e2)
	})
}

// TestCrashLoopOfWorkers: leases that end are told by the names of their workers, of
// which each may live; their letters are one group all the same.
func TestCrashLoopOfWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("n", &registry{policy: unguarded(t)}, nil)
		var same []string
		for _, workers := range [][]string{{"w1", "w2", "w3"}, {"a-b", "c-d", "e-f"}} {
			id := w.enqueue(e, "mail", nil)
			for _, worker := range workers {
				w.polled(e, engine.Poll{Worker: worker, Queues: []string{"default"}, Types: []string{"mail"}, Most: 1, Wait: time.Minute, Lease: 30 * time.Second})
			}
			last := poll("last", 1, "mail")
			last.Wait = time.Minute
			if got, err := e.Poll(t.Context(), last); err != nil || len(got) != 0 {
				t.Fatalf("polled %v, %v", got, err)
			}
			dead := w.get(id)
			want := "3 runs of this task were lost: the lease of worker " + workers[0] + " ended without an answer; the lease of worker " +
				workers[1] + " ended without an answer; the lease of worker " + workers[2] + " ended without an answer"
			if dead.DeadReason != task.CrashLoop || dead.LastError.Message != want {
				t.Fatalf("%s: %+v", dead.DeadReason, dead.LastError)
			}
			same = append(same, dead.LastError.Fingerprint)
			attempts, err := w.store.Attempts(t.Context(), id)
			if err != nil || attempts[0].Lost() != "the lease of worker "+workers[0]+" ended without an answer" {
				t.Errorf("history %+v, %v", attempts, err)
			}
		}
		if same[0] != same[1] {
			t.Errorf("fingerprints %v", same)
		}
		stop(t, e)
	})
}

func TestExtendKeepsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		e := w.node("n", &registry{policy: unguarded(t)}, nil)
		id := w.enqueue(e, "mail", nil)
		t1 := w.polled(e, poll("w1", 1, "mail"))
		for range 10 {
			time.Sleep(20 * time.Second)
			answers, err := e.Extend(t.Context(), []engine.Extension{{ID: id, Claim: t1.Claim, Progress: []byte(`0.5`)}}, 30*time.Second)
			if err != nil || answers[0] != (store.Extended{Status: store.StatusOK}) {
				t.Fatal(answers, err)
			}
		}
		if _, got := e.Lease(w.get(id)); string(got) != "0.5" {
			t.Errorf("progress %s", got)
		}
		if _, err := w.store.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		answers, err := e.Extend(t.Context(), []engine.Extension{{ID: id, Claim: t1.Claim}, {ID: id, Claim: t1.Claim - 1}}, 30*time.Second)
		if err != nil || !answers[0].CancelRequested || answers[1].Status != store.StatusStale {
			t.Fatal(answers, err)
		}
		w.status(w.settle(e, t1, errors.New("stopped")), store.StatusOK)
		w.want(id, task.Canceled, 1, 0)
		stop(t, e)
	})
}

// The node that leased is killed or stops: its workers go on, and any node settles.
func TestLeasesOutliveTheirNode(t *testing.T) {
	for _, how := range []string{"killed", "stopped"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 4)
				policy := unguarded(t, retry.Attempts(3), retry.Fixed(time.Second))
				a, b := w.node("a", &registry{policy: policy}, nil), w.node("b", &registry{policy: policy}, nil)
				time.Sleep(5 * time.Second)
				var ids []task.ID
				for range 8 {
					ids = append(ids, w.enqueue(b, "mail", nil))
				}
				time.Sleep(3 * time.Second)
				var tasks []*task.Task
				for len(tasks) < 8 {
					for _, leased := range w.poll(a, poll("w1", 8, "mail")) {
						tasks = append(tasks, leased.Task)
					}
				}
				if how == "killed" {
					a.Kill()
				} else {
					stop(t, a)
				}
				time.Sleep(20 * time.Second) // longer than it takes to recover what a node ran
				for i, one := range tasks {
					answers, err := b.Extend(t.Context(), []engine.Extension{{ID: one.ID, Claim: one.Claim}}, 30*time.Second)
					if err != nil || answers[0].Status != store.StatusOK {
						t.Fatal(answers, err)
					}
					if i%2 == 0 {
						w.status(w.settle(b, one, nil), store.StatusOK)
						w.want(one.ID, task.Succeeded, 1, 0)
						w.status(w.settle(b, one, nil), store.StatusOK)
					} else {
						w.status(w.settle(b, one, errors.New("no")), store.StatusOK)
						w.status(w.settle(b, one, errors.New("no")), store.StatusOK)
						w.want(one.ID, task.Pending, 1, 0)
					}
				}
				for done := 0; done < 4; {
					for _, leased := range w.poll(b, poll("w1", 8, "mail")) {
						if leased.Task.Attempt != 2 {
							t.Fatalf("attempt %d", leased.Task.Attempt)
						}
						w.status(w.settle(b, leased.Task, nil), store.StatusOK)
						done++
					}
				}
				for _, id := range ids {
					if got := w.get(id); got.State != task.Succeeded || got.Crashes != 0 {
						t.Errorf("the task is %s with %d crashes", got.State, got.Crashes)
					}
				}
				stop(t, b)
			})
		})
	}
}

// A worker that polls one of three nodes is served the tasks of all, soon.
func TestWorkerIsServedTasksOfAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 12), &phone{}
		var nodes []*engine.Engine
		for i := range 3 {
			nodes = append(nodes, w.phoned(p, fmt.Sprint("n", i), &registry{policy: unguarded(t)}, nil))
		}
		time.Sleep(10 * time.Second)
		ids := map[task.ID]bool{}
		for range 100 {
			ids[w.enqueue(nodes[0], "mail", nil)] = true
		}
		began := time.Now()
		for len(ids) > 0 && time.Since(began) < 10*time.Second {
			for _, leased := range w.poll(nodes[2], poll("w", 10, "mail")) {
				w.status(w.settle(nodes[len(ids)%3], leased.Task, nil), store.StatusOK)
				delete(ids, leased.Task.ID)
			}
		}
		if took := time.Since(began); len(ids) > 0 || took > 3*time.Second {
			t.Errorf("%d tasks are left after %v", len(ids), took)
		}
		stop(t, nodes...)
	})
}

// Of two nodes, the worker of one is busy for long, and that of the other idle.
func TestIdleWorkerGetsTasksOfBusyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 8), &phone{}
		a, b := w.phoned(p, "a", &registry{policy: unguarded(t)}, nil), w.phoned(p, "b", &registry{policy: unguarded(t)}, nil)
		time.Sleep(5 * time.Second)
		for e, worker := range map[*engine.Engine]string{a: "wa", b: "wb"} { // each gets one, and works on it for long
			go func() {
				if _, err := e.Poll(t.Context(), poll(worker, 1, "mail")); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		var ids []task.ID
		for range 40 {
			ids = append(ids, w.enqueue(a, "mail", nil))
		}
		began, done := time.Now(), 0
		for done < 38 && time.Since(began) < 20*time.Second {
			for _, leased := range w.poll(b, poll("wb", 1, "mail")) {
				w.status(w.settle(b, leased.Task, nil), store.StatusOK)
				done++
			}
		}
		if took := time.Since(began); done < 38 || took > 6*time.Second {
			t.Errorf("%d of %d tasks were done in %v", done, len(ids), took)
		}
		stop(t, a, b)
	})
}

// A task whose worker has gone away is left to other nodes.
func TestForgottenWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, p := newWorld(t, 4), &phone{}
		a, b := w.phoned(p, "a", &registry{policy: unguarded(t)}, nil), w.phoned(p, "b", &registry{policy: unguarded(t)}, nil)
		short := poll("wa", 1, "mail")
		short.Wait = 0
		w.poll(a, short)
		time.Sleep(70 * time.Second)
		for range 10 {
			w.enqueue(a, "mail", nil)
		}
		began, done := time.Now(), 0
		for done < 10 && time.Since(began) < 20*time.Second {
			for _, leased := range w.poll(b, poll("wb", 10, "mail")) {
				w.status(w.settle(b, leased.Task, nil), store.StatusOK)
				done++
			}
		}
		if took := time.Since(began); done < 10 || took > 2*time.Second {
			t.Errorf("%d tasks were done in %v", done, took)
		}
		stop(t, a, b)
	})
}

func TestAttemptTimeoutOfWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("n", &registry{policy: unguarded(t, retry.Attempts(2), retry.PerAttempt(10*time.Second), retry.Fixed(time.Second))}, nil)
		id := w.enqueue(e, "mail", nil)
		tasks := w.poll(e, poll("w", 1, "mail"))
		if ends := time.Until(tasks[0].AttemptEnds); ends != 10*time.Second {
			t.Errorf("the attempt ends in %v", ends)
		}
		time.Sleep(13 * time.Second)
		if got := w.get(id); got.State != task.Pending || got.LastError == nil || got.LastError.Category != string(retry.Timeout) {
			t.Errorf("the task is %s, last error %+v", got.State, got.LastError)
		}
		w.status(w.settle(e, tasks[0].Task, nil), store.StatusStale)
		stop(t, e)
	})
}

// A client that goes away while it polls loses nothing.
func TestPollThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("n", &registry{policy: unguarded(t)}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			tasks, err := e.Poll(ctx, poll("w", 1, "mail"))
			ended <- errors.Join(err, map[bool]error{true: fmt.Errorf("%d tasks", len(tasks))}[len(tasks) > 0])
		}()
		time.Sleep(time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		id := w.enqueue(e, "mail", nil)
		time.Sleep(time.Second)
		w.want(id, task.Pending, 0, 0)
		if got := w.polled(e, poll("w", 1, "mail")); got.ID != id {
			t.Error("another task")
		}
		stop(t, e)
	})
}

// Gates hold for workers as for handlers: the queue's limit, its pause, keys.
func TestGatesOfWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		if _, err := w.store.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 1, Concurrency: 2}); err != nil {
			t.Fatal(err)
		}
		e := w.node("n", &registry{policy: unguarded(t)}, nil)
		for range 3 {
			w.enqueue(e, "mail", nil)
		}
		first := w.poll(e, poll("w", 10, "mail"))
		if len(first) != 2 {
			t.Fatalf("polled %d tasks at a limit of 2", len(first))
		}
		short := poll("w", 10, "mail")
		short.Wait = time.Second
		if more := w.poll(e, short); len(more) != 0 {
			t.Fatalf("polled %d tasks beyond the limit", len(more))
		}
		w.status(w.settle(e, first[0].Task, nil), store.StatusOK)
		w.polled(e, poll("w", 10, "mail"))
		stop(t, e)
	})
}
