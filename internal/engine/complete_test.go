package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
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

// bank is where handlers have their effect: a commit of a transaction adds to
// the balance of its task.
type bank struct {
	w       *world
	effects sync.Map // by id
}

// transfer is one run of a handler with a transaction.
type transfer struct {
	b   *bank
	e   *engine.Engine
	ctx context.Context
	run *engine.Run
}

// begin begins a transaction with the effect in it.
func (f transfer) begin() *memory.Tx {
	tx := f.b.w.store.Begin()
	id := f.run.Task.ID
	tx.OnCommit(func() {
		n, _ := f.b.effects.LoadOrStore(id, new(int))
		*n.(*int)++
	})
	return tx
}

// complete is a transaction with the effect and the completion in it.
func (f transfer) complete() (*memory.Tx, error) {
	tx := f.begin()
	return tx, f.e.CompleteTx(f.ctx, f.run, tx, []byte(`"paid"`))
}

func (b *bank) effect(id task.ID) int {
	if n, ok := b.effects.Load(id); ok {
		return *n.(*int)
	}
	return 0
}

// paid is the ordinary handler.
func paid(f transfer) error {
	tx, err := f.complete()
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

var errCard = errors.New("the card was refused")

// What a handler's transaction has decided holds, whatever the handler
// returns; and a handler that returns nil has done nothing unless it committed.
func TestTransactionOfTheHandlerDecides(t *testing.T) {
	rolledBack := func(err error) func(transfer) error {
		return func(f transfer) error {
			if f.run.Task.Attempt > 1 {
				return paid(f)
			}
			tx, failed := f.complete()
			return errors.Join(failed, tx.Rollback(), err)
		}
	}
	for name, c := range map[string]struct {
		handler  func(transfer) error
		outcomes []task.Outcome
		code     string // of the first failure
	}{
		"committed":                       {handler: paid, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"committed, then failed":          {handler: func(f transfer) error { return errors.Join(paid(f), errCard) }, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"committed, then declared dead":   {handler: func(f transfer) error { return errors.Join(paid(f), asks{engine.ActionDead}) }, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"committed, then snoozed":         {handler: func(f transfer) error { return errors.Join(paid(f), asks{engine.ActionSnooze}) }, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"committed, then panicked":        {handler: func(f transfer) error { _ = paid(f); panic("after the commit") }, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"committed, then ended":           {handler: func(f transfer) error { _ = paid(f); runtime.Goexit(); return nil }, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"rolled back, then failed":        {handler: rolledBack(errCard), outcomes: []task.Outcome{task.OutcomeFailed, task.OutcomeSucceeded}},
		"rolled back, then returned well": {handler: rolledBack(nil), outcomes: []task.Outcome{task.OutcomeFailed, task.OutcomeSucceeded}, code: "not_committed"},
		"left open": {handler: func(f transfer) error {
			if f.run.Task.Attempt > 1 {
				return paid(f)
			}
			_, err := f.complete()
			return err
		}, outcomes: []task.Outcome{task.OutcomeFailed, task.OutcomeSucceeded}, code: "not_committed"},
		"timed out before the commit": {handler: func(f transfer) error {
			if f.run.Task.Attempt > 1 {
				return paid(f)
			}
			tx, err := f.complete()
			<-f.ctx.Done()
			return errors.Join(err, tx.Rollback(), f.ctx.Err())
		}, outcomes: []task.Outcome{task.OutcomeFailed, task.OutcomeSucceeded}},
		"timed out after the commit": {handler: func(f transfer) error {
			err := paid(f)
			<-f.ctx.Done()
			return errors.Join(err, f.ctx.Err())
		}, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"a second transaction after a rollback": {handler: func(f transfer) error {
			tx, err := f.complete()
			return errors.Join(err, tx.Rollback(), paid(f))
		}, outcomes: []task.Outcome{task.OutcomeSucceeded}},
		"the answer to the commit was lost, and the transaction repeated": {handler: func(f transfer) error {
			if err := paid(f); err != nil {
				return err
			}
			return paid(f)
		}, outcomes: []task.Outcome{task.OutcomeSucceeded}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2)
				b := &bank{w: w}
				var e *engine.Engine
				ends := 0
				e = w.node("a", &registry{
					policy: unguarded(t, retry.Attempts(5), retry.Fixed(time.Second)),
					handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
						return []byte(`"returned"`), c.handler(transfer{b, e, ctx, run})
					}),
				}, func(c *engine.Config) {
					c.Observer.Settled = func(_ context.Context, o engine.Outcome) {
						if o.State == task.Succeeded {
							ends++
						}
					}
				})
				id := w.enqueue(e, "t", func(in *store.Insert) { in.Task.Spec.Timeout = 10 * time.Second })
				done := w.expect(id, task.Succeeded, time.Minute)
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if n := b.effect(id); n != 1 {
					t.Errorf("%d effects", n)
				}
				if string(done.Result) != `"paid"` || ends != 1 {
					t.Errorf("result %s, told of %d successes", done.Result, ends)
				}
				attempts, err := w.store.Attempts(t.Context(), id)
				if err != nil || len(attempts) != len(c.outcomes) {
					t.Fatalf("%d attempts: %v", len(attempts), err)
				}
				for i, want := range c.outcomes {
					if attempts[i].Outcome != want {
						t.Errorf("attempt %d ended as %s, not %s", i+1, attempts[i].Outcome, want)
					}
				}
				if f := attempts[0].Failure; c.code != "" && (f == nil || f.Code != c.code || f.Category != string(retry.Local)) {
					t.Errorf("the first failure is %+v", f)
				}
				if n := e.Stats().Running; n != 0 {
					t.Errorf("%d attempts run still", n)
				}
				w.stop(e)
			})
		})
	}
}

// asks is a wish of a handler.
type asks struct{ action engine.HandlerAction }

func (s asks) Error() string { return string(s.action) }
func (s asks) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: s.action, After: time.Second}
}

// A completion is refused where there is none to make, and says why.
func TestCompletionsThatAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		b := &bank{w: w}
		var e *engine.Engine
		var late transfer
		failures := map[string]error{}
		e = w.node("a", &registry{
			policy: unguarded(t, retry.Attempts(5), retry.Fixed(time.Second)),
			handlers: handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
				f := transfer{b, e, ctx, run}
				late = f
				failures["no transaction"] = e.CompleteTx(ctx, run, nil, nil)
				failures["another kind"] = e.CompleteTx(ctx, run, 7, nil)
				failures["another database"] = e.CompleteTx(ctx, run, memory.New().Begin(), nil)
				ended := f.begin()
				_ = ended.Rollback()
				failures["an ended transaction"] = e.CompleteTx(ctx, run, ended, nil)
				large := f.begin()
				failures["a large result"] = e.CompleteTx(ctx, run, large, make([]byte, task.MaxResult+1))
				_ = large.Rollback()
				canceled, cancel := context.WithCancel(ctx)
				cancel()
				failures["an ended context"] = e.CompleteTx(canceled, run, f.begin(), nil)
				failures["an attempt of nobody"] = e.CompleteTx(ctx, &engine.Run{Task: run.Task}, f.begin(), nil)
				tx, err := f.complete()
				failures["twice"] = e.CompleteTx(ctx, run, tx, nil)
				return nil, errors.Join(err, tx.Commit())
			}),
		}, nil)
		id := w.enqueue(e, "t", nil)
		w.expect(id, task.Succeeded, time.Minute)
		synctest.Wait()
		failures["after the handler"] = e.CompleteTx(context.Background(), late.run, late.begin(), nil)
		for name, want := range map[string]error{
			"no transaction": &task.Error{Code: task.CodeInvalid}, "another kind": &task.Error{Code: task.CodeInvalid},
			"another database": &task.Error{Code: task.CodeInvalid}, "an ended transaction": memory.ErrTxEnded,
			"a large result": &task.Error{Code: task.CodeTooLarge}, "an ended context": context.Canceled,
			"an attempt of nobody": &task.Error{Code: task.CodeConflict}, "twice": &task.Error{Code: task.CodeConflict},
			"after the handler": &task.Error{Code: task.CodeConflict},
		} {
			if !errors.Is(failures[name], want) {
				t.Errorf("%s: %v", name, failures[name])
			}
		}
		if n := b.effect(id); n != 1 {
			t.Errorf("%d effects", n)
		}
		w.stop(e)
	})
}

// A node that is taken for dead while its handler's transaction is open may
// still commit if nobody was quicker, and only then.
func TestCompletionAgainstTakeOver(t *testing.T) {
	for _, early := range []bool{true, false} {
		t.Run(fmt.Sprint("completed before the node was dead: ", early), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2)
				b := &bank{w: w}
				r := &registry{policy: unguarded(t, retry.Attempts(5), retry.Fixed(time.Second))}
				nodes := map[string]*engine.Engine{}
				result := make(chan error, 1)
				r.handlers = handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
					f := transfer{b, nodes[run.Task.Node], ctx, run}
					if run.Task.Node != "a" {
						return nil, paid(f)
					}
					f.ctx = context.WithoutCancel(ctx) // a process that was stopped does not look at it
					if !early {
						time.Sleep(time.Minute)
					}
					tx, err := f.complete()
					time.Sleep(time.Minute)
					if err != nil {
						err = errors.Join(err, tx.Rollback())
					} else {
						err = tx.Commit()
					}
					result <- err
					return nil, err
				})
				nodes["a"] = w.node("a", r, nil)
				id := w.enqueue(nodes["a"], "t", nil)
				w.expect(id, task.Running, time.Second)
				nodes["b"] = w.node("b", r, nil)
				nodes["a"].Kill()
				done := w.expect(id, task.Succeeded, 5*time.Minute)
				if err := <-result; early != (err == nil) {
					t.Errorf("the late commit: %v", err)
				}
				if n := b.effect(id); n != 1 || early != (done.Crashes == 0) {
					t.Errorf("%d effects, %d crashes", n, done.Crashes)
				}
				w.stop(nodes["b"])
			})
		})
	}
}

// TestCompletionsUnderFaults lets every store call fail or lose its answer,
// handlers end in every way around their commit, and nodes die, on three nodes:
// every task has one effect.
func TestCompletionsUnderFaults(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { completeUnderFaults(t, seed) })
		})
	}
}

func completeUnderFaults(t *testing.T, seed uint64) {
	w := newWorld(t, 8)
	b := &bank{w: w}
	var mu sync.Mutex
	nodes := map[string]*engine.Engine{}
	r := &registry{policy: unguarded(t, retry.Attempts(1000), retry.Fixed(50*time.Millisecond), retry.MaxCrashes(1000))}
	r.handlers = handlers("t", func(ctx context.Context, run *engine.Run) ([]byte, error) {
		mu.Lock()
		f := transfer{b, nodes[run.Task.Node], ctx, run}
		mu.Unlock()
		if f.e == nil { // a node under its second name
			return nil, errCard
		}
		return nil, f.somehow(rand.New(rand.NewPCG(seed, uint64(run.Task.Claim))))
	})
	var faults []*faulty.Faults
	start := func(name string) {
		e := w.node(name, r, func(c *engine.Config) {
			backend, f := faulty.Wrap(c.Store.(store.Backend), seed*10+uint64(len(faults)),
				faulty.Rule{Kind: faulty.Fail, Probability: 0.05},
				faulty.Rule{Kind: faulty.Lose, Probability: 0.05, Methods: []string{"Claim", "Settle", "SettleTx", "Recover", "Running"}},
				faulty.Rule{Kind: faulty.Delay, Probability: 0.1, Wait: 40 * time.Millisecond})
			f.Heal()
			faults, c.Store = append(faults, f), backend
		})
		mu.Lock()
		nodes[name] = e
		mu.Unlock()
	}
	for i := range 3 {
		start(fmt.Sprint("n", i))
	}
	var ids []task.ID
	for range 300 {
		ids = append(ids, w.enqueue(nodes["n0"], "t", nil))
	}
	for _, f := range faults {
		f.Resume()
	}
	time.Sleep(200 * time.Millisecond)
	nodes["n1"].Kill()
	time.Sleep(2 * time.Minute)
	for _, f := range faults {
		f.Heal()
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	for _, id := range ids {
		if got := w.get(id); got.State != task.Succeeded || b.effect(id) != 1 {
			t.Errorf("task %s is %s with %d effects after attempt %d", id, got.State, b.effect(id), got.Attempt)
		}
	}
	w.stop(nodes["n0"], nodes["n2"])
}

// somehow is a run of a handler that meets something.
func (f transfer) somehow(random *rand.Rand) error {
	pause := func() { time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond) }
	pause()
	tx, err := f.complete()
	pause()
	if err != nil || random.IntN(4) == 0 {
		_ = tx.Rollback()
		if err == nil && random.IntN(2) == 0 {
			return nil // it does not know that it has done nothing
		}
		return errors.Join(err, errCard)
	}
	err = tx.Commit()
	pause()
	switch random.IntN(6) {
	case 0:
		return errCard
	case 1:
		panic("after the commit")
	case 2:
		return paid(f) // as if the answer to the commit had been lost
	}
	return err
}
