package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
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

// asking is an error that says what is to follow.
type asking struct {
	asks engine.HandlerOutcome
	error
}

func (s asking) HandlerOutcome() engine.HandlerOutcome { return s.asks }
func (s asking) Unwrap() error                         { return s.error }

func TestHandlerSteersByItsError(t *testing.T) {
	cause := errors.New("cause")
	for _, c := range []struct {
		name     string
		asks     engine.HandlerOutcome
		state    task.State
		attempts int
		starts   []time.Duration
	}{
		{"snooze costs nothing", engine.HandlerOutcome{Action: engine.ActionSnooze, After: time.Minute}, task.Succeeded, 1, []time.Duration{0, time.Minute}},
		{"a snooze of nothing waits a second", engine.HandlerOutcome{Action: engine.ActionSnooze}, task.Succeeded, 1, []time.Duration{0, time.Second}},
		{"a snooze until a time that is past waits a second", engine.HandlerOutcome{Action: engine.ActionSnooze, After: -time.Hour}, task.Succeeded, 1, []time.Duration{0, time.Second}},
		{"retry after", engine.HandlerOutcome{Action: engine.ActionRetry, After: 7 * time.Second}, task.Succeeded, 2, []time.Duration{0, 7 * time.Second}},
		{"retry although the failure looks permanent", engine.HandlerOutcome{Action: engine.ActionRetry, After: time.Second}, task.Succeeded, 2, []time.Duration{0, time.Second}},
		{"dead", engine.HandlerOutcome{Action: engine.ActionDead}, task.Dead, 1, []time.Duration{0}},
		{"cancel", engine.HandlerOutcome{Action: engine.ActionCancel}, task.Canceled, 1, []time.Duration{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 1)
				began := time.Now()
				var starts []time.Duration
				e := w.node("a", &registry{handlers: handlers("t", func(context.Context, *engine.Run) ([]byte, error) {
					starts = append(starts, time.Since(began))
					if len(starts) == 1 {
						if strings.Contains(c.name, "permanent") {
							return nil, asking{c.asks, fs.ErrPermission}
						}
						return nil, asking{c.asks, cause}
					}
					return nil, nil
				})}, nil)
				end := w.expect(w.enqueue(e, "t", nil), c.state, 5*time.Minute)
				if end.Attempt != c.attempts || !slices.Equal(starts, c.starts) {
					t.Errorf("attempt %d, starts %v", end.Attempt, starts)
				}
				if c.state == task.Dead && (end.DeadReason != task.Rejected || end.LastError.Type != "*errors.errorString") {
					t.Errorf("reason %s, last error %+v", end.DeadReason, end.LastError)
				}
				w.stop(e)
			})
		})
	}
}

func TestTimeoutsAndDeadlines(t *testing.T) {
	hang := func(ctx context.Context, _ *engine.Run) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }
	for _, c := range []struct {
		name     string
		change   func(*store.Insert)
		policy   []retry.Option
		reason   task.DeadReason
		category string
		attempts int
		after    time.Duration
	}{
		{"a timeout per attempt is a failure of category timeout", func(in *store.Insert) { in.Task.Spec.Timeout = time.Second },
			[]retry.Option{retry.Attempts(3), retry.Fixed(time.Second), retry.NoJitter()}, task.Exhausted, "timeout", 3, 5 * time.Second},
		{"the deadline ends a running attempt", func(in *store.Insert) { in.Task.Spec.Deadline = time.Now().Add(4 * time.Second) },
			[]retry.Option{retry.Attempts(3), retry.Fixed(time.Second)}, task.Expired, "deadline", 1, 4 * time.Second},
		{"no retry is planned that would start at the deadline", func(in *store.Insert) {
			in.Task.Spec.Timeout, in.Task.Spec.Deadline = time.Second, time.Now().Add(2*time.Second)
		}, []retry.Option{retry.Attempts(3), retry.Fixed(time.Second), retry.NoJitter()}, task.Expired, "timeout", 1, time.Second},
		{"a task whose deadline passed while it waited dies unstarted", func(in *store.Insert) {
			in.Task.Spec.Deadline, in.Task.RunAt = time.Now().Add(time.Second), time.Now().Add(time.Minute)
		}, []retry.Option{retry.Attempts(3)}, task.Expired, "deadline", 0, time.Minute},
		{"the policy's ttl counts from acceptance", nil,
			[]retry.Option{retry.Attempts(3), retry.TTL(3 * time.Second)}, task.Expired, "deadline", 1, 3 * time.Second},
		{"max_attempts of the task replaces the policy's", func(in *store.Insert) { in.Task.Spec.MaxAttempts, in.Task.Spec.Timeout = 1, time.Second },
			[]retry.Option{retry.Attempts(5)}, task.Exhausted, "timeout", 1, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 1)
				e := w.node("a", &registry{handlers: handlers("hang", hang), policy: policy(t, c.policy...)}, nil)
				began := time.Now()
				id := w.enqueue(e, "hang", func(in *store.Insert) {
					if c.change != nil {
						c.change(in)
					}
				})
				dead := w.expect(id, task.Dead, time.Hour)
				if took := dead.FinishedAt.Sub(began).Round(10 * time.Millisecond); took != c.after {
					t.Errorf("ended after %s, want %s", took, c.after)
				}
				if dead.DeadReason != c.reason || dead.Attempt != c.attempts || dead.LastError.Category != c.category {
					t.Errorf("reason %s, attempt %d, last error %+v", dead.DeadReason, dead.Attempt, dead.LastError)
				}
				w.stop(e)
			})
		})
	}
}

// A transaction of database/sql is over when its context has ended: that is the timeout,
// and no fault of the handler, which has one if it ends its transaction twice.
func TestTransactionThatEndedWithTheAttempt(t *testing.T) {
	for timeout, want := range map[time.Duration]string{time.Second: "timeout, maybe, exhausted, attempt 2", time.Hour: "permanent, maybe, permanent, attempt 1"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1)
			e := w.node("a", &registry{policy: policy(t, retry.Attempts(2)), handlers: handlers("t", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
				}
				return nil, fmt.Errorf("commit: %w", sql.ErrTxDone)
			})}, nil)
			dead := w.expect(w.enqueue(e, "t", func(in *store.Insert) { in.Task.Spec.Timeout = timeout }), task.Dead, time.Hour)
			if got := fmt.Sprintf("%s, %s, %s, attempt %d", dead.LastError.Category, dead.LastError.Effect, dead.DeadReason, dead.Attempt); got != want {
				t.Errorf("%s, want %s: %+v", got, want, dead.LastError)
			}
			w.stop(e)
		})
	}
}

// What the clock has stopped keeps the type of its own error where that says more than that
// something ended.
func TestTimeoutsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(1)), handlers: handlers("t", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
			<-ctx.Done()
			return nil, &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
		})}, nil)
		dead := w.expect(w.enqueue(e, "t", func(in *store.Insert) { in.Task.Spec.Timeout = time.Second }), task.Dead, time.Hour)
		if last := dead.LastError; last.Category != "timeout" || last.Type == "timeout" {
			t.Errorf("%+v", last)
		}
		w.stop(e)
	})
}

// A rule that snoozes without a wait waits a second too.
func TestSnoozeByRuleWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, runs, began := newWorld(t, 1), 0, time.Now()
		rule := retry.Rule{When: []retry.Category{retry.Unavailable}, Then: retry.SnoozeTask, Backoff: retry.Fixed(0)}
		e := w.node("a", &registry{policy: unguarded(t, retry.Rules(rule)), handlers: handlers("t", func(context.Context, *engine.Run) ([]byte, error) {
			if runs++; runs < 4 {
				return nil, retry.ErrBreakerOpen
			}
			return nil, nil
		})}, nil)
		done := w.expect(w.enqueue(e, "t", nil), task.Succeeded, time.Minute)
		if took := time.Since(began); done.Attempt != 1 || took < 3*time.Second || took > 4*time.Second {
			t.Errorf("attempt %d after %v", done.Attempt, took)
		}
		w.stop(e)
	})
}

// How long lost attempts were waited for is not the usual length of one: the
// time that is left before the deadline is used.
func TestLostAttemptsAreNoUsualLength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("a", &registry{policy: unguarded(t, retry.Fixed(10*time.Millisecond), retry.PerAttempt(600*time.Millisecond)), handlers: handlers(
			"t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				if run.Task.Attempt == 1 {
					<-ctx.Done()
				}
				return nil, ctx.Err()
			})}, nil)
		for range 10 {
			id := w.enqueue(e, "t", func(in *store.Insert) { in.Task.Spec.Deadline = time.Now().Add(time.Second) })
			if done := w.expect(id, task.Succeeded, time.Minute); done.Attempt != 2 {
				t.Errorf("attempt %d", done.Attempt)
			}
		}
		w.stop(e)
	})
}

func TestPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		e := w.node("a", &registry{policy: policy(t, retry.Attempts(2), retry.Fixed(time.Second)), handlers: handlers(
			"t", func(context.Context, *engine.Run) ([]byte, error) { panic("no!") })}, nil)
		dead := w.expect(w.enqueue(e, "t", nil), task.Dead, time.Minute)
		if dead.LastError.Category != "bug" || dead.Attempt != 2 {
			t.Errorf("%+v", dead.LastError)
		}
		w.stop(e)
	})
}

func TestOperatorsMoveWaitingTasks(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		began := time.Now()
		var mu sync.Mutex
		starts := map[task.ID][]time.Duration{}
		r := &registry{handlers: handlers("t", func(_ context.Context, run *engine.Run) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			starts[run.Task.ID] = append(starts[run.Task.ID], time.Since(began).Round(time.Second))
			return nil, nil
		})}
		e := w.node("a", r, nil)
		at := func(d time.Duration) func(*store.Insert) {
			return func(in *store.Insert) { in.Task.RunAt = began.Add(d) }
		}
		sooner, later, now, gone := w.enqueue(e, "t", at(30*time.Second)), w.enqueue(e, "t", at(30*time.Second)), w.enqueue(e, "t", at(time.Hour)), w.enqueue(e, "t", at(30*time.Second))
		time.Sleep(5 * time.Second)
		for id, to := range map[task.ID]time.Time{sooner: began.Add(10 * time.Second), later: began.Add(50 * time.Minute), now: {}} {
			moved, err := w.store.Reschedule(t.Context(), id, to)
			if err != nil {
				t.Fatal(err)
			}
			e.Rescheduled(moved)
		}
		if _, err := w.store.Cancel(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		e.Canceled(gone)
		time.Sleep(40 * time.Minute)
		synctest.Wait()
		w.stop(e)
		e = w.node("b", r, nil)
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		for id, want := range map[task.ID]time.Duration{sooner: 10 * time.Second, later: 50 * time.Minute, now: 5 * time.Second} {
			if got := starts[id]; len(got) != 1 || got[0] != want {
				t.Errorf("started at %v, want once at %s", got, want)
			}
		}
		if len(starts[gone]) != 0 {
			t.Error("a canceled task ran")
		}
		w.stop(e)
	})
}

func TestCancelReachesARunningTask(t *testing.T) {
	for _, kept := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1)
			e := w.node("a", &registry{handlers: handlers("t", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), engine.ErrCanceled) {
					t.Errorf("cause %v", context.Cause(ctx))
				}
				if kept {
					return nil, nil // it had finished all the same
				}
				return nil, ctx.Err()
			})}, nil)
			id := w.enqueue(e, "t", nil)
			w.expect(id, task.Running, time.Second)
			if _, err := w.store.Cancel(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			want := task.Canceled
			if kept {
				want = task.Succeeded
			}
			w.expect(id, want, 1500*time.Millisecond) // told by the beat: another process asked
			w.stop(e)
		})
	}
}

func TestGracefulStopHandsBackWithoutCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		stubborn := make(chan struct{})
		a := w.node("a", &registry{handlers: handlers(
			"quick", func(context.Context, *engine.Run) ([]byte, error) { time.Sleep(2 * time.Second); return nil, nil },
			"long", func(ctx context.Context, _ *engine.Run) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
			"stubborn", func(context.Context, *engine.Run) ([]byte, error) { <-stubborn; return nil, nil },
		)}, func(c *engine.Config) { c.Grace = 5 * time.Second })
		quick, long, hard := w.enqueue(a, "quick", nil), w.enqueue(a, "long", nil), w.enqueue(a, "stubborn", nil)
		w.expect(hard, task.Running, time.Second)
		began := time.Now()
		w.stop(a)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("the stop took %s", took)
		}
		if got := w.get(quick); got.State != task.Succeeded {
			t.Errorf("quick is %s", got.State)
		}
		for _, id := range []task.ID{long, hard} {
			if got := w.get(id); got.State != task.Pending || got.Attempt != 0 || got.Crashes != 0 {
				t.Errorf("%s: attempt %d, crashes %d", got.State, got.Attempt, got.Crashes)
			}
		}
		if _, err := a.Enqueue(t.Context(), []store.Insert{w.insert("t", nil)}); !errors.Is(err, &task.Error{Code: task.CodeUnavailable}) {
			t.Errorf("enqueue after the stop: %v", err)
		}
		b := w.node("b", &registry{handlers: handlers("long", ok, "stubborn", ok)}, nil)
		w.expect(long, task.Succeeded, 100*time.Millisecond)
		w.expect(hard, task.Succeeded, 100*time.Millisecond)
		close(stubborn)
		synctest.Wait()
		w.stop(b)
	})
}

// Lanes are spread evenly soon after a node has come, has left or was killed.
func TestLanesSpreadAndMove(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 16)
		var nodes []*engine.Engine
		for i := range 6 {
			nodes = append(nodes, w.node(fmt.Sprint("n", i), &registry{handlers: handlers("t", ok)}, nil))
			time.Sleep(3 * time.Second)
			w.even("default", 16, nodes...)
		}
		w.stop(nodes[0])
		time.Sleep(2 * time.Second)
		w.even("default", 16, nodes[1:]...)
		for nodes = nodes[1:]; len(nodes) > 1; nodes = nodes[1:] {
			nodes[0].Kill()
			time.Sleep(9 * time.Second)
			w.even("default", 16, nodes[1:]...)
		}
		w.stop(nodes...)
	})
}

func TestRedriveOfAnExpiredTaskGivesItTimeAgain(t *testing.T) {
	racetest.WithoutDetector(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		hang := true
		e := w.node("a", &registry{policy: policy(t, retry.TTL(3*time.Second)), handlers: handlers(
			"t", func(ctx context.Context, _ *engine.Run) ([]byte, error) {
				if hang {
					<-ctx.Done()
				}
				return nil, ctx.Err()
			})}, nil)
		id := w.enqueue(e, "t", func(in *store.Insert) { in.Task.Spec.Deadline = time.Now().Add(2 * time.Second) })
		if dead := w.expect(id, task.Dead, time.Minute); dead.DeadReason != task.Expired {
			t.Fatalf("dead as %s", dead.DeadReason)
		}
		time.Sleep(time.Hour)
		hang = false
		if _, missing, err := w.store.Redrive(t.Context(), []task.ID{id}, store.RedriveOptions{}); err != nil || len(missing) > 0 {
			t.Fatal(missing, err)
		}
		e.Wake(id.Lane())
		w.expect(id, task.Succeeded, time.Second)
		w.stop(e)
	})
}
