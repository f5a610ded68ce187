package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// mortal is a store whose process dies at a call: before the call is done, or after it,
// without the answer.
type mortal struct {
	*memory.Store
	at    int
	after bool

	mu    sync.Mutex
	calls int
	died  chan struct{}
}

var errDied = errors.New("the process is dead")

func dying[T any](m *mortal, call func() (T, error)) (answer T, err error) {
	m.mu.Lock()
	m.calls++
	mine := m.calls == m.at
	m.mu.Unlock()
	if mine && !m.after {
		m.Kill()
		close(m.died)
	}
	if answer, err = call(); mine && m.after {
		m.Kill()
		close(m.died)
		return *new(T), errDied
	}
	return answer, err
}

func (m *mortal) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	return dying(m, func() (store.Claimed, error) { return m.Store.Claim(ctx, claim) })
}

func (m *mortal) Settle(ctx context.Context, s []store.Settlement) ([]store.Settled, error) {
	return dying(m, func() ([]store.Settled, error) { return m.Store.Settle(ctx, s) })
}

func (m *mortal) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	return dying(m, func() ([]store.Status, error) { return m.Store.AddSteps(ctx, steps) })
}

func (m *mortal) StepsOf(ctx context.Context, ids []task.ID) ([]task.Step, error) {
	return dying(m, func() ([]task.Step, error) { return m.Store.StepsOf(ctx, ids) })
}

// orders is an order of three effects, of which the last fails for good: what the process
// that was killed has seen finished must not be done again, and what was done is undone
// once, in reverse order.
type orders struct {
	*testing.T
	mu       sync.Mutex
	done     map[string]int  // calls of what a step does
	finished map[string]bool // of which Step has returned, in any process
	undone   []string
}

func (o *orders) handle(c *outlast.Client) {
	outlast.Handle(c, "order", func(ctx context.Context, _ none) error {
		for _, name := range []string{"reserve", "charge"} {
			if err := o.step(ctx, name); err != nil {
				return err
			}
		}
		return outlast.GiveUp(errBroken)
	})
	undoing.Handle(c, outlast.NoResult(func(_ context.Context, name string) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.undone = append(o.undone, name)
		return nil
	}))
}

func (o *orders) step(ctx context.Context, name string) error {
	got, err := outlast.Step(ctx, name, func(ctx context.Context) (string, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.finished[name] {
			o.Errorf("%s is done again although it had finished", name)
		}
		o.done[name]++
		return fmt.Sprintf("%s %d", name, o.done[name]), outlast.Compensate(ctx, undoing, name)
	})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished[name] = true
	if want := fmt.Sprintf("%s %d", name, o.done[name]); got != want {
		o.Errorf("the step gave %q, want that of its last call, %q", got, want)
	}
	return nil
}

// TestStepKilledEverywhere kills the first process at each call of the store around a step,
// before it is done and after, and lets another go on.
func TestStepKilledEverywhere(t *testing.T) {
	const most = 12 // calls, more than one order needs
	for at := 1; at <= most; at++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("call %d, done %t", at, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { killedAt(t, at, after) })
			})
		}
	}
}

func killedAt(t *testing.T, at int, after bool) {
	first := &mortal{Store: memory.New(memory.WithExactDeath()), at: at, after: after, died: make(chan struct{})}
	k := &kit{T: t, ctx: t.Context(), store: first.Store.Handle()}
	o := &orders{T: t, done: map[string]int{}, finished: map[string]bool{}}
	victim, err := outlast.Open(k.ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	o.handle(victim)
	if err := victim.Start(k.ctx); err != nil {
		t.Fatal(err)
	}
	k.client = k.open(k.store)
	o.handle(k.client)
	made := k.enqueue(outlast.Draft{Type: "order"})
	select {
	case <-first.died:
	case <-time.After(time.Minute): // it has made fewer calls
	}
	k.start()
	k.after(time.Minute)
	ended, cancel := context.WithCancel(k.ctx)
	cancel()
	_ = victim.Stop(ended) // what is left of its goroutines
	if view := k.get(made.ID); view.State != task.Dead {
		t.Fatalf("the order is %s: %+v", view.State, view.LastError)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if got := fmt.Sprint(o.undone); got != "[charge reserve]" && !twice(o.undone) {
		t.Errorf("undone %s", got)
	}
	for _, name := range []string{"reserve", "charge"} {
		if n := o.done[name]; n < 1 || n > 2 {
			t.Errorf("%s was done %d times", name, n)
		}
	}
}

// twice reports whether one of the compensations ran again, since the process was killed
// after it and before its end was on disk.
func twice(undone []string) bool {
	got := fmt.Sprint(undone)
	return got == "[charge charge reserve]" || got == "[charge reserve reserve]"
}

// A step that ends after its claim was lost is not stored, and its handler is told: another
// run, on whichever node, has done it.
func TestStepUnderALostClaim(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		var runs atomic.Int32
		late := make(chan error, 1)
		handle := func(c *outlast.Client) {
			outlast.Handle(c, "job", func(ctx context.Context, _ none) error {
				first := runs.Add(1) == 1
				got, err := outlast.Step(ctx, "slow", func(context.Context) (string, error) {
					if !first {
						return "second", nil
					}
					time.Sleep(time.Minute) // sleep: in virtual time, whatever becomes of the context
					return "first", nil
				})
				if first {
					late <- err
					return err
				}
				did.add("%s", got)
				return err
			})
		}
		handle(k.client)
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(1500 * time.Millisecond) // between two beats
		other := k.open(k.store.Handle())
		handle(other)
		topology, err := k.store.Topology(k.ctx)
		if err != nil {
			k.Fatal(err)
		}
		if err := other.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		for _, node := range topology.Nodes {
			if buried, err := k.store.Bury(k.ctx, node.ID, node.Counter); err != nil || !buried {
				k.Fatal(buried, err)
			}
		}
		k.after(3 * time.Minute)
		wantCode(k.T, <-late, task.CodeStaleClaim)
		did.want(k, "second")
		if steps, err := k.store.StepsOf(k.ctx, []outlast.ID{made.ID}); err != nil || len(steps) != 1 || string(steps[0].Result) != `"second"` {
			k.Errorf("stored %+v, %v", steps, err)
		}
	})
}

// Answers that are lost, and a store that is away for a while, repeat no step and lose none,
// and no compensation.
func TestStepThroughAFaultyStore(t *testing.T) {
	for _, kind := range []faulty.Kind{faulty.Lose, faulty.Fail} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := memory.New()
				shaky, faults := faulty.Wrap(inner, 1, faulty.Rule{Kind: kind, Methods: []string{"AddSteps", "StepsOf"}, Probability: 0.7})
				k := &kit{T: t, ctx: t.Context(), store: inner}
				k.client = k.open(shaky)
				o := &orders{T: t, done: map[string]int{}, finished: map[string]bool{}}
				o.handle(k.client)
				k.start()
				made := k.enqueue(outlast.Draft{Type: "order"})
				k.after(5 * time.Minute)
				if row, err := inner.Get(k.ctx, made.ID); err != nil || row.State != task.Dead {
					t.Fatalf("the order is %+v, %v", row, err)
				}
				if fmt.Sprint(o.undone) != "[charge reserve]" || o.done["reserve"] != 1 || o.done["charge"] != 1 {
					t.Errorf("done %v, undone %v", o.done, o.undone)
				}
				for _, method := range []string{"AddSteps", "StepsOf"} {
					if faults.Injected()[faulty.Injection{Method: method, Kind: kind}] == 0 {
						t.Errorf("%s had no fault", method)
					}
				}
			})
		})
	}
}

// countingSteps is a store that counts calls about steps and is slow in them.
type countingSteps struct {
	*memory.Store

	mu                 sync.Mutex
	adds, reads, steps int
}

func (c *countingSteps) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	c.mu.Lock()
	c.adds++
	c.steps += len(steps)
	c.mu.Unlock()
	time.Sleep(10 * time.Millisecond) // sleep: in virtual time
	return c.Store.AddSteps(ctx, steps)
}

func (c *countingSteps) StepsOf(ctx context.Context, ids []task.ID) ([]task.Step, error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	time.Sleep(10 * time.Millisecond) // sleep: in virtual time
	return c.Store.StepsOf(ctx, ids)
}

// Steps of attempts in flight share their commits and reads: a step costs one commit at
// most. Tasks without steps that succeed or are retried cost nothing of either.
func TestStepsShareCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counts := &countingSteps{Store: memory.New()}
		k := &kit{T: t, ctx: t.Context(), store: counts.Store.Handle()}
		k.client = k.open(counts)
		outlast.Handle(k.client, "plain", func(ctx context.Context, _ none) error {
			if info, _ := outlast.Info(ctx); info.Attempt == 1 {
				return errBroken
			}
			return nil
		}, outlast.Interval(time.Second))
		outlast.Handle(k.client, "steps", func(ctx context.Context, _ none) error {
			for i := range 3 {
				if _, err := outlast.Step(ctx, fmt.Sprint(i), func(context.Context) (int, error) { return i, nil }); err != nil {
					return err
				}
			}
			return nil
		})
		k.start()
		for range 100 {
			k.enqueue(outlast.Draft{Type: "plain"})
		}
		k.after(time.Minute)
		if counts.adds+counts.reads > 0 {
			t.Errorf("tasks without steps: %d adds, %d reads", counts.adds, counts.reads)
		}
		drafts := make([]outlast.Draft, 100)
		for i := range drafts {
			drafts[i] = outlast.Draft{Type: "steps"}
		}
		if _, err := k.client.EnqueueMany(k.ctx, drafts, true); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		// The first of each kind goes alone, the rest while it does; reads are of 32 tasks.
		if counts.steps != 300 || counts.adds > 30 || counts.reads > 20 {
			t.Errorf("%d steps in %d commits, %d reads for 100 attempts", counts.steps, counts.adds, counts.reads)
		}
		t.Logf("%d commits, %d reads", counts.adds, counts.reads)
	})
}

// lateWorker is a store in which a worker adds a step just before its attempt dies, when
// what is to be undone was read already.
type lateWorker struct {
	*memory.Store
	step task.Step
}

func (l *lateWorker) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	for i := range settlements {
		if t := settlements[i].Task; settlements[i].Outcome == task.OutcomeDead && t.ID == l.step.Task {
			if statuses, err := l.Store.AddSteps(ctx, []task.Step{l.step}); err != nil || statuses[0] != store.StatusOK {
				return nil, fmt.Errorf("the late step: %v, %w", statuses, err)
			}
			l.step.Task = outlast.ID{}
		}
	}
	return l.Store.Settle(ctx, settlements)
}

// A step that a remote worker adds while its attempt dies is undone too.
func TestCompensateWhatALateWorkerDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := &lateWorker{Store: memory.New()}
		k := &kit{T: t, ctx: t.Context(), store: late.Store.Handle()}
		k.client = k.open(late)
		var did diary
		did.undoes(k)
		k.start()
		made := k.enqueue(outlast.Draft{Type: "elsewhere"})
		leased, err := k.client.Workers().Poll(k.ctx, outlast.Poll{Worker: "w", Queues: []string{"default"}, Types: []string{"elsewhere"}, Most: 1, Wait: time.Second, Lease: time.Minute})
		if err != nil || len(leased) != 1 {
			t.Fatal(leased, err)
		}
		run := leased[0].Task
		step := task.Step{Task: made.ID, Seq: 1, Claim: run.Claim, Name: "early", Occurrence: 1, Compensation: &task.Follow{Type: "undo", Payload: []byte(`"early"`)}}
		if statuses, err := k.store.AddSteps(k.ctx, []task.Step{step}); err != nil || statuses[0] != store.StatusOK {
			t.Fatal(statuses, err)
		}
		step.Seq, step.Name, step.Compensation = 2, "late", &task.Follow{Type: "undo", Payload: []byte(`"late"`)}
		late.step = step
		settled, err := k.client.Workers().Settle(k.ctx, []outlast.Ending{{ID: run.ID, Claim: run.Claim, Err: outlast.GiveUp(errBroken)}})
		if err != nil || settled[0].Status != store.StatusOK {
			t.Fatal(settled, err)
		}
		k.after(time.Minute)
		slices.Sort(did.lines)
		did.want(k, "undo early", "undo late")
	})
}
