package outlast_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// refusing is a store that refuses settlements for their data.
type refusing struct {
	*memory.Store
	refuses func(s *store.Settlement) bool
}

func (r *refusing) Settle(ctx context.Context, all []store.Settlement) ([]store.Settled, error) {
	settled := make([]store.Settled, len(all))
	for i := range all {
		if r.refuses(&all[i]) {
			settled[i] = store.Settled{Status: store.StatusRefused, Err: task.Invalid("result", "it is refused", "")}
			continue
		}
		one, err := r.Store.Settle(ctx, all[i:i+1])
		if err != nil {
			return nil, err
		}
		settled[i] = one[0]
	}
	return settled, nil
}

// A task that dies because the store does not take its outcome is compensated as any other,
// also where nothing else follows its death, such as an alert.
func TestCompensateAfterRefusal(t *testing.T) {
	for _, refused := range []string{"the success", "what follows"} {
		t.Run(refused, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &kit{T: t, ctx: t.Context(), store: memory.New(), log: &logBook{}}
				k.client = k.open(&refusing{k.store, func(s *store.Settlement) bool {
					alerts := slices.ContainsFunc(s.Follow, func(f store.Insert) bool { return f.Task.Spec.Follows != task.FollowCompensation })
					return s.Task.Type == "job" && (s.Outcome == task.OutcomeSucceeded || refused == "what follows" && alerts)
				}}, outlast.WithLogger(k.log.logger()))
				var did diary
				did.undoes(k)
				k.runs(1, func(ctx context.Context) error {
					_, err := outlast.Step(ctx, "reserve", did.undone("reserve"))
					return err
				})
				k.start()
				for range 30 { // alerts of the later ones are held back
					made := k.enqueue(outlast.Draft{Type: "job"})
					k.after(time.Second)
					if view := k.get(made.ID); view.State != task.Dead {
						k.Fatalf("it is %s", view.State)
					}
				}
				did.want(k, slices.Repeat([]string{"reserve", "undo reserve"}, 30)...)
			})
		})
	}
}

// A task that dies again while it waits for what undoes its steps waits for that after the
// next redrive too.
func TestCompensateWaitsAfterASecondDeath(t *testing.T) {
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
			if _, err := outlast.Step(ctx, "reserve", did.undone("reserve")); err != nil {
				if did.lines == nil || !broken {
					return err
				}
				return errBroken
			}
			if broken {
				return errBroken
			}
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{made.ID}}}) // it dies while it waits
		k.after(time.Minute)
		if view := k.get(made.ID); view.State != task.Dead {
			k.Fatalf("it is %s", view.State)
		}
		broken = false
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{made.ID}}})
		k.after(time.Minute)
		did.want(k, "reserve")
		undoable = true
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{Type: "undo"}})
		k.after(time.Minute)
		did.want(k, "reserve", "undo reserve", "reserve")
	})
}

// A step that is asked for first when its attempt has ended is not begun.
func TestStepFirstAfterItsAttempt(t *testing.T) {
	virtually(t, func(k *kit) {
		late := make(chan error, 1)
		var did diary
		release := make(chan struct{})
		k.runs(1, func(ctx context.Context) error {
			go func() {
				<-release
				_, err := outlast.Step(context.WithoutCancel(ctx), "late", did.does("late"))
				late <- err
			}()
			return errBroken
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		close(release)
		wantCode(t, <-late, task.CodeInvalid)
		did.want(k)
	})
}

// A step is not begun in a context that has ended: nothing that it does would count.
func TestStepInAContextThatHasEnded(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(1, func(ctx context.Context) error {
			if _, err := outlast.Step(ctx, "one", did.does("one")); err != nil {
				return err
			}
			<-ctx.Done()
			_, err := outlast.Step(ctx, "two", did.does("two"))
			if !errors.Is(err, context.Cause(ctx)) {
				did.add("%v", err)
			}
			return err
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "job", Timeout: time.Second})
		k.after(time.Minute)
		did.want(k, "one")
	})
}

// lookless is a store that does not find tasks for a while.
type lookless struct {
	*memory.Store
	mu   sync.Mutex
	fail int
}

func (l *lookless) Find(ctx context.Context, f store.Filter, p store.Page) ([]*task.Task, string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail > 0 && len(f.IDs) > 0 && p.Bare {
		l.fail--
		return nil, "", errors.New("no answer")
	}
	return l.Store.Find(ctx, f, p)
}

// Whether a redriven task has to wait is asked until it is known, and costs no attempt.
func TestCompensateWaitIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kit{T: t, ctx: t.Context(), store: memory.New(), log: &logBook{}}
		s := &lookless{Store: k.store}
		k.client = k.open(s, outlast.WithLogger(k.log.logger()))
		var did diary
		did.undoes(k)
		broken := true
		k.runs(1, func(ctx context.Context) error {
			if _, err := outlast.Step(ctx, "reserve", did.undone("reserve")); err != nil {
				return err
			}
			if broken {
				return errBroken
			}
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		broken = false
		k.redrive(inspect.RedriveRequest{Filter: &store.Filter{IDs: []outlast.ID{made.ID}}})
		s.mu.Lock()
		s.fail = 3
		s.mu.Unlock()
		k.after(time.Minute)
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("it is %s: %v", view.State, view.LastError)
		}
	})
}

// What nobody could keep or enqueue later is refused while the step can still fail: a name
// that is not UTF-8 would be another one after it was stored, and a compensation of no type
// would be lost with the death.
func TestStepOfNoName(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		nameless := outlast.Define[string, outlast.None]("no name")
		k.runs(1, func(ctx context.Context) error {
			_, err := outlast.Step(ctx, "\xff", did.does("bytes"))
			wantCode(k.T, err, task.CodeInvalid)
			_, err = outlast.Step(ctx, "one", func(ctx context.Context) (int, error) { return 1, outlast.Compensate(ctx, nameless, "a") })
			wantCode(k.T, err, task.CodeInvalid)
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		did.want(k)
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("it is %s: %v", view.State, view.LastError)
		}
	})
}

// held is a store that adds no step until it is let.
type held struct {
	*memory.Store
	let chan struct{}
}

func (h *held) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	select {
	case <-h.let:
		return h.Store.AddSteps(ctx, steps)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A handler gets back from a step whose write waits for what the handler holds, such as the
// lock of a transaction, some time after its own has ended. What was done is stored all
// the same, before anything else happens to the task.
func TestStepWaitsForItsHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &held{memory.New(), make(chan struct{})}
		k := &kit{T: t, ctx: t.Context(), store: s.Store}
		k.client = k.open(s)
		var did diary
		k.runs(2, func(ctx context.Context) error {
			_, err := outlast.Step(ctx, "one", did.does("one"))
			if err == nil {
				return nil
			}
			_, again := outlast.Step(context.WithoutCancel(ctx), "one", did.does("one"))
			wantCode(k.T, again, task.CodeInvalid)
			close(s.let) // what it held
			return err
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job", Timeout: time.Second})
		k.after(5 * time.Minute)
		did.want(k, "one")
		if view := k.get(made.ID); view.State != task.Succeeded || view.Attempt != 2 {
			k.Errorf("it is %s after %d attempts: %v", view.State, view.Attempt, view.LastError)
		}
	})
}

// picky is a store that refuses a step for its data, and what is added with it.
type picky struct{ *memory.Store }

func (p *picky) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	if slices.ContainsFunc(steps, func(s task.Step) bool { return s.Name == "refused" }) {
		return nil, task.Invalid("step", "it cannot be stored", "")
	}
	return p.Store.AddSteps(ctx, steps)
}

// A step that the store refuses fails, and holds up no other.
func TestStepThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &picky{memory.New()}
		k := &kit{T: t, ctx: t.Context(), store: s.Store}
		k.client = k.open(s)
		var did diary
		k.runs(1, func(ctx context.Context) error {
			var group sync.WaitGroup
			for _, name := range []string{"one", "refused", "two"} {
				group.Go(func() {
					if _, err := outlast.Step(ctx, name, did.does(name)); (err != nil) != (name == "refused") {
						k.Errorf("step %s: %v", name, err)
					}
				})
			}
			group.Wait()
			return nil
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		if view := k.get(made.ID); view.State != task.Succeeded {
			k.Errorf("it is %s: %v", view.State, view.LastError)
		}
	})
}

// A step that is one too many is not begun: its effect could not be kept, nor undone.
func TestStepTooMany(t *testing.T) {
	virtually(t, func(k *kit) {
		begun := 0
		k.runs(1, func(ctx context.Context) error {
			for {
				if _, err := outlast.Step(ctx, "one", func(context.Context) (int, error) { begun++; return 1, nil }); err != nil {
					wantCode(k.T, err, task.CodeInvalid)
					return nil
				}
			}
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Minute)
		if begun != task.MaxSteps {
			k.Errorf("%d were begun", begun)
		}
	})
}

// A step that goes on when its handler completes the task in a transaction does not wait
// for that transaction, nor do those of other tasks: it is not stored.
func TestStepBesideACompletion(t *testing.T) {
	a := newApp(t)
	outlast.Handle(a.client, "pay", func(ctx context.Context, _ struct{}) error {
		begun, completed, step := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			_, err := outlast.Step(ctx, "one", func(context.Context) (int, error) {
				close(begun)
				<-completed
				return 1, nil
			})
			step <- err
		}()
		<-begun
		return a.pay(ctx, func(tx *sql.Tx) error {
			err := outlast.CompleteTx(ctx, tx, nil)
			close(completed)
			wantCode(t, <-step, task.CodeInvalid) // before the commit
			return err
		})
	})
	if done, err := a.client.Run(a.ctx, outlast.Draft{Type: "pay"}); err != nil || done.State != task.Succeeded {
		t.Errorf("%+v, %v", done, err)
	}
}
