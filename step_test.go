package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// diary is what steps did, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) want(k *kit, want ...string) {
	k.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.lines, want) {
		k.Errorf("done:\n%s\nwant:\n%s", strings.Join(d.lines, "\n"), strings.Join(want, "\n"))
	}
}

// does is a step that notes that it was done.
func (d *diary) does(name string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		d.add("%s", name)
		return "result of " + name, nil
	}
}

// undoing is what undoes steps, and notes that it did.
var undoing = outlast.Define[string, outlast.None]("undo", outlast.MaxAttempts(1))

// undone is a step with a compensation.
func (d *diary) undone(name string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		d.add("%s", name)
		return "result of " + name, outlast.Compensate(ctx, undoing, name)
	}
}

func (d *diary) undoes(k *kit) {
	undoing.Handle(k.client, outlast.NoResult(func(_ context.Context, name string) error {
		d.add("undo %s", name)
		return nil
	}))
}

// runs registers a handler of the type "job", of which n attempts are made a second apart.
func (k *kit) runs(attempts int, run func(context.Context) error) {
	k.Helper()
	outlast.Handle(k.client, "job", func(ctx context.Context, _ none) error { return run(ctx) }, outlast.MaxAttempts(attempts), outlast.Interval(time.Second))
}

// A finished step is not done again by a later attempt, which gets its result.
func TestStepOnce(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(3, func(ctx context.Context) error {
			info, _ := outlast.Info(ctx)
			one, err := outlast.Step(ctx, "one", did.does("one"))
			if err != nil {
				return err
			}
			two, err := outlast.Step(ctx, "two", func(ctx context.Context) (order, error) {
				if info.Attempt == 1 {
					return order{}, errBroken
				}
				did.add("two after %s", one)
				return order{ID: "A-1", Cents: 5}, nil
			})
			if err != nil {
				return err
			}
			did.add("attempt %d: %s, %+v", info.Attempt, one, two)
			if info.Attempt < 3 {
				return errBroken
			}
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "one", "two after result of one", "attempt 2: result of one, {ID:A-1 Cents:5}", "attempt 3: result of one, {ID:A-1 Cents:5}")
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("got %+v", view)
		}
		steps, err := k.store.StepsOf(k.ctx, []outlast.ID{made.ID})
		if err != nil || len(steps) != 2 || steps[0].Name != "one" || steps[0].Attempt != 1 || steps[1].Attempt != 2 || steps[1].Type != "outlast_test.order" || string(steps[1].Result) != `{"id":"A-1","cents":5}` {
			k.Errorf("stored %+v, %v", steps, err)
		}
	})
}

// A name that is asked for several times is as many steps; one that has failed is asked for
// again, in the same attempt too.
func TestStepOccurrences(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		failed := false
		k.runs(2, func(ctx context.Context) error {
			info, _ := outlast.Info(ctx)
			for i := range 3 {
				for {
					got, err := outlast.Step(ctx, "page", func(context.Context) (int, error) {
						if i == 1 && !failed {
							failed = true
							return 0, errBroken
						}
						did.add("page %d", i)
						return i, nil
					})
					if err == nil && got != i {
						return fmt.Errorf("page %d is %d", i, got)
					}
					if err == nil {
						break
					}
				}
			}
			if info.Attempt == 1 {
				return errBroken
			}
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "page 0", "page 1", "page 2")
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("got %s: %+v", view.State, view.LastError)
		}
	})
}

// Steps of a successful attempt that are stored and were not asked for are told, and do no
// harm; new ones run.
func TestStepOfAnotherRelease(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(2, func(ctx context.Context) error {
			info, _ := outlast.Info(ctx)
			names := []string{"old", "kept"}
			if info.Attempt == 2 {
				names = []string{"new", "kept"}
			}
			for _, name := range names {
				if _, err := outlast.Step(ctx, name, did.does(name)); err != nil {
					return err
				}
			}
			if info.Attempt == 1 {
				return errBroken
			}
			return nil
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "old", "kept", "new")
		if told := k.log.events(t, "step.unasked"); len(told) != 1 || fmt.Sprint(told[0]["steps"]) != "[old]" {
			k.Errorf("told %v", told)
		}
	})
}

// What a handler does wrong with steps is an error that says so, and no step is lost by it.
func TestStepMisuse(t *testing.T) {
	virtually(t, func(k *kit) {
		var mistakes diary
		k.runs(2, func(ctx context.Context) error {
			info, _ := outlast.Info(ctx)
			expect := func(what string, err error, parts ...string) {
				k.Helper()
				if err == nil {
					mistakes.add("%s is taken", what)
					return
				}
				for _, part := range parts {
					if !strings.Contains(err.Error(), part) {
						mistakes.add("%s: %q does not say %q", what, err, part)
					}
				}
			}
			if info.Attempt == 2 {
				_, err := outlast.Step(ctx, "typed", func(context.Context) (int, error) { return 1, nil })
				expect("another type", err, `"typed"`, "string", "int")
				wantCode(k.T, err, task.CodeInvalid)
				return nil
			}
			_, err := outlast.Step(ctx, "typed", func(stepCtx context.Context) (string, error) {
				_, err := outlast.Step(ctx, "typed", func(context.Context) (string, error) { return "", nil })
				expect("the same name at once", err, `"typed"`)
				if err := outlast.Compensate(stepCtx, undoing, "a"); err != nil {
					return "", err
				}
				expect("a second compensation", outlast.Compensate(stepCtx, undoing, "b"), "compensation")
				return "kept", nil
			})
			if err != nil {
				return err
			}
			_, err = outlast.Step(ctx, "", func(context.Context) (int, error) { return 1, nil })
			expect("no name", err, "name")
			_, err = outlast.Step(ctx, strings.Repeat("x", task.MaxName+1), func(context.Context) (int, error) { return 1, nil })
			expect("a long name", err, "128")
			_, err = outlast.Step(ctx, "large", func(context.Context) (string, error) { return strings.Repeat("x", task.MaxResult), nil })
			expect("a large result", err, "65536")
			_, err = outlast.Step(ctx, "no json", func(context.Context) (func(), error) { return func() {}, nil })
			expect("no JSON", err, "JSON")
			expect("a compensation outside", outlast.Compensate(ctx, undoing, "a"), "Step")
			return errBroken
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		mistakes.want(k)
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("got %s: %+v", view.State, view.LastError)
		}
		_, err := outlast.Step(k.ctx, "outside", func(context.Context) (int, error) { return 1, nil })
		wantCode(t, err, task.CodeConflict)
		wantCode(t, outlast.Sleep(k.ctx, "outside", time.Hour), task.CodeConflict)
	})
}

// Steps run side by side, and each is stored by itself.
func TestStepSideBySide(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(2, func(ctx context.Context) error {
			info, _ := outlast.Info(ctx)
			var group sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				group.Go(func() {
					_, errs[i] = outlast.Step(ctx, fmt.Sprint("part ", i), func(context.Context) (int, error) {
						if info.Attempt == 1 && i%2 == 0 {
							return 0, errBroken
						}
						did.add("%d in attempt %d", i, info.Attempt)
						return i, nil
					})
				})
			}
			group.Wait()
			return errors.Join(errs...)
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		slices.Sort(did.lines)
		did.want(k, "0 in attempt 2", "1 in attempt 1", "2 in attempt 2", "3 in attempt 1", "4 in attempt 2", "5 in attempt 1", "6 in attempt 2", "7 in attempt 1")
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("got %s: %+v", view.State, view.LastError)
		}
	})
}

// A step that is still going on when its handler has come back is not stored, and says so.
func TestStepAfterItsAttempt(t *testing.T) {
	virtually(t, func(k *kit) {
		late := make(chan error, 1)
		k.runs(1, func(ctx context.Context) error {
			begun := make(chan struct{})
			go func() {
				_, err := outlast.Step(ctx, "late", func(stepCtx context.Context) (int, error) {
					close(begun)
					time.Sleep(time.Minute) // sleep: in virtual time
					return 1, outlast.Compensate(stepCtx, undoing, "late")
				})
				late <- err
			}()
			<-begun
			return errBroken
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(2 * time.Minute)
		wantCode(t, <-late, task.CodeInvalid)
		if steps, err := k.store.StepsOf(k.ctx, []outlast.ID{made.ID}); err != nil || len(steps) != 0 {
			k.Errorf("stored %+v, %v", steps, err)
		}
	})
}

// A sleep waits without a slot and keeps what was done; it ends once, and not before.
func TestSleep(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		began := time.Now()
		k.runs(1, func(ctx context.Context) error {
			if _, err := outlast.Step(ctx, "before", did.does("before")); err != nil {
				return err
			}
			for _, wait := range []time.Duration{10 * time.Minute, 0, 100 * time.Millisecond} {
				if err := outlast.Sleep(ctx, "a while", wait); err != nil {
					return err
				}
			}
			did.add("after %s", time.Since(began).Truncate(time.Minute))
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		if view := k.get(made.ID); view.State != task.Pending || view.Attempt != 0 {
			k.Errorf("asleep it is %s after %d attempts", view.State, view.Attempt)
		}
		if _, err := k.client.Inspector().Tasks.RetryNow(k.ctx, made.ID); err != nil { // too early
			k.Fatal(err)
		}
		k.after(8 * time.Minute)
		did.want(k, "before")
		k.after(2 * time.Minute)
		did.want(k, "before", "after 10m0s")
		if view := k.get(made.ID); view.State != task.Succeeded || view.Attempt != 1 {
			k.Errorf("got %s after %d attempts", view.State, view.Attempt)
		}
	})
}

// When a task dies its steps are undone, the last one first and one at a time; those
// without a compensation are left.
func TestCompensate(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		did.undoes(k)
		k.runs(2, func(ctx context.Context) error {
			for _, name := range []string{"reserve", "charge", "note"} {
				do := did.undone(name)
				if name == "note" {
					do = did.does(name)
				}
				if _, err := outlast.Step(ctx, name, do); err != nil {
					return err
				}
			}
			_, err := outlast.Step(ctx, "ship", func(ctx context.Context) (int, error) {
				if err := outlast.Compensate(ctx, undoing, "ship"); err != nil {
					return 0, err
				}
				return 0, errBroken
			})
			return err
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "reserve", "charge", "note", "undo charge", "undo reserve")
		if view := k.get(made.ID); view.State != task.Dead {
			k.Errorf("it is %s", view.State)
		}
		for _, t := range k.tasks(store.Filter{Type: "undo"}) {
			if t.State != task.Succeeded || t.Spec.Parent != made.ID || t.Spec.Follows != task.FollowCompensation || t.Queue != made.Queue {
				k.Errorf("undone by %+v", t)
			}
		}
	})
}

// A task that dies in an attempt that asks for no step is compensated too: what ends it may
// be its crashes, its deadline, or a release that has no handler any more.
func TestCompensateWithoutAskingAgain(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		did.undoes(k)
		k.runs(5, func(ctx context.Context) error {
			if info, _ := outlast.Info(ctx); info.Attempt > 1 {
				return outlast.GiveUp(errBroken)
			}
			if _, err := outlast.Step(ctx, "reserve", did.undone("reserve")); err != nil {
				return err
			}
			return errBroken
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "reserve", "undo reserve")

		expiring := k.enqueue(outlast.Draft{Type: "job", Deadline: time.Now().Add(500 * time.Millisecond)})
		k.after(time.Minute)
		if view := k.get(expiring.ID); view.DeadReason != task.Expired {
			k.Errorf("it died of %s", view.DeadReason)
		}
		did.want(k, "reserve", "undo reserve", "reserve", "undo reserve")
	})
}

// A compensation that dies holds up those behind it. A redriven task waits until all have
// ended, then does again what was undone, and keeps what was not.
func TestCompensateAndRedrive(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		broken, undoable := true, false
		undoing.Handle(k.client, outlast.NoResult(func(_ context.Context, name string) error {
			if !undoable && name == "charge" {
				return errBroken
			}
			did.add("undo %s", name)
			return nil
		}))
		k.runs(1, func(ctx context.Context) error {
			for _, name := range []string{"number", "reserve", "charge"} {
				do := did.undone(name)
				if name == "number" {
					do = did.does(name)
				}
				if _, err := outlast.Step(ctx, name, do); err != nil {
					return err
				}
			}
			if broken {
				return errBroken
			}
			did.add("shipped")
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "number", "reserve", "charge")
		broken = false
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{made.ID}}})
		k.after(time.Minute)
		did.want(k, "number", "reserve", "charge") // the compensation of charge is dead
		undoable = true
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{Type: "undo"}})
		k.after(time.Minute)
		did.want(k, "number", "reserve", "charge", "undo charge", "undo reserve", "reserve", "charge", "shipped")
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("it is %s: %+v", view.State, view.LastError)
		}

		broken = true // a second death undoes the second time only
		again := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{again.ID}}})
		k.after(time.Minute)
		if undone := k.tasks(store.Filter{Type: "undo"}); len(undone) != 6 {
			k.Errorf("%d compensations of three deaths", len(undone))
		}
	})
}

// A redriven task waits for a compensation that is dead, also for the last one: redriven
// later, it would undo what was done anew. A purge is the word that it is not needed.
func TestCompensateWaitsForTheDead(t *testing.T) {
	for _, purged := range []bool{false, true} {
		virtually(t, func(k *kit) {
			var did diary
			broken, undoable := true, false
			undoing.Handle(k.client, outlast.NoResult(func(_ context.Context, name string) error {
				if !undoable {
					return errBroken
				}
				did.add("undo %s", name)
				return nil
			}))
			k.runs(1, func(ctx context.Context) error {
				if _, err := outlast.Step(ctx, "charge", did.undone("charge")); err != nil || !broken {
					return err
				}
				return errBroken
			})
			k.start()
			made := k.enqueue(outlast.Draft{Type: "job"})
			k.after(time.Minute)
			broken, undoable = false, true
			k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{made.ID}}})
			k.after(time.Minute)
			did.want(k, "charge")
			want := []string{"charge", "undo charge", "charge"}
			if purged {
				want = []string{"charge", "charge"}
				if _, err := k.store.Purge(k.ctx, store.Filter{Type: "undo"}, 10); err != nil {
					k.Fatal(err)
				}
			} else {
				k.redrive(inspect.RedriveRequest{Filter: &store.Filter{Type: "undo"}})
			}
			k.after(time.Minute)
			did.want(k, want...)
			if view := k.get(made.ID); view.State != task.Succeeded {
				k.Errorf("it is %s: %+v", view.State, view.LastError)
			}
			if waits := k.log.events(k.T, "step.waits"); len(waits) == 0 || waits[0]["state"] != "dead" {
				k.Errorf("told %v", waits)
			}
		})
	}
}

// A task that dies again before it has asked for a step waits, once redriven, for the
// compensations of its first death too.
func TestCompensateWaitsAfterTwoDeaths(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		undoing.Handle(k.client, outlast.NoResult(func(_ context.Context, name string) error {
			time.Sleep(5 * time.Minute) // sleep: in virtual time
			did.add("undo %s", name)
			return nil
		}))
		lives := 0
		k.runs(1, func(ctx context.Context) error {
			if lives++; lives == 2 {
				return errBroken
			}
			if _, err := outlast.Step(ctx, "charge", did.undone("charge")); err != nil || lives > 1 {
				return err
			}
			return errBroken
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		for range 2 {
			k.after(time.Minute)
			k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{made.ID}}})
		}
		k.after(time.Minute)
		did.want(k, "charge")
		k.after(5 * time.Minute)
		did.want(k, "charge", "undo charge", "charge")
	})
}

// The policy in a step is that of package retry; its failure is the failure of the attempt.
func TestStepWithItsOwnPolicy(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		inside, err := retry.New(retry.Attempts(3), retry.Fixed(time.Second), retry.Idempotent())
		if err != nil {
			k.Fatal(err)
		}
		k.runs(1, func(ctx context.Context) error {
			calls := 0
			_, err := outlast.Step(ctx, "flaky", func(ctx context.Context) (int, error) {
				return retry.Value(ctx, inside, func(context.Context) (int, error) {
					if calls++; calls < 3 {
						return 0, errBroken
					}
					did.add("done by call %d", calls)
					return calls, nil
				})
			})
			return err
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k, "done by call 3")
	})
}

// Steps are stored under RunDue too, where the engine of the client does not run.
func TestStepInRunDue(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(1, func(ctx context.Context) error {
			_, err := outlast.Step(ctx, "one", did.does("one"))
			return err
		})
		k.enqueue(outlast.Draft{Type: "job"})
		k.due(outlast.Due{}, outlast.DueCounts{Started: 1, Succeeded: 1})
		did.want(k, "one")
	})
}
