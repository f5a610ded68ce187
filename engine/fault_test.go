package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/faulty"
	"github.com/outlast-dev/outlast/task"
)

// ledger records every run, and checks what must hold for each of them.
type ledger struct {
	t       *testing.T
	mu      sync.Mutex
	claims  map[task.ID]int64
	running map[string]bool // by key
	order   map[string][]int64
	ends    map[task.ID]int
}

func newLedger(t *testing.T) *ledger {
	return &ledger{t: t, claims: map[task.ID]int64{}, running: map[string]bool{}, order: map[string][]int64{}, ends: map[task.ID]int{}}
}

func (l *ledger) handler(failures int) engine.Handler {
	return func(_ context.Context, run *engine.Run) ([]byte, error) {
		t := run.Task
		l.mu.Lock()
		if t.Claim <= l.claims[t.ID] {
			l.t.Errorf("task %s runs with claim %d after %d", t.ID, t.Claim, l.claims[t.ID])
		}
		l.claims[t.ID] = t.Claim
		if early := time.Until(t.RunAt); early > 0 {
			l.t.Errorf("task %s runs %s early", t.ID, early)
		}
		if t.Key != "" && l.running[t.Key] {
			l.t.Errorf("two tasks of key %s at once", t.Key)
		}
		l.running[t.Key] = true
		l.mu.Unlock()
		time.Sleep(time.Duration(t.Claim%7) * time.Millisecond)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running[t.Key] = false
		if t.Attempt <= failures {
			return nil, errors.New("not yet")
		}
		l.ends[t.ID]++
		if order := l.order[t.Key]; t.Key != "" && len(order) > 0 && order[len(order)-1] > t.Seq {
			l.t.Errorf("key %s: %d after %d", t.Key, t.Seq, order[len(order)-1])
		}
		l.order[t.Key] = append(l.order[t.Key], t.Seq)
		return nil, nil
	}
}

// TestLostAnswersAndFailedCalls lets every kind of store call fail, be slow
// or lose its answer while three nodes work: every task that was accepted
// ends once, in order, and no attempt is spent by a fault.
func TestLostAnswersAndFailedCalls(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { loseAnswers(t, seed) })
		})
	}
}

func loseAnswers(t *testing.T, seed uint64) {
	w := newWorld(t, 8)
	l := newLedger(t)
	r := &registry{policy: policy(t, retry.Attempts(10), retry.Fixed(50*time.Millisecond), retry.MaxCrashes(100)), handlers: handlers("t", l.handler(1))}
	var faults []*faulty.Faults
	var nodes []*engine.Engine
	for i := range 3 {
		nodes = append(nodes, w.node(fmt.Sprint("n", i), r, func(c *engine.Config) {
			backend, f := faulty.Wrap(c.Store.(store.Backend), seed*10+uint64(i),
				faulty.Rule{Kind: faulty.Fail, Probability: 0.05},
				faulty.Rule{Kind: faulty.Lose, Probability: 0.05, Methods: []string{"Enqueue", "Claim", "Settle", "TakeLanes", "FreeLanes", "Recover", "Mark", "Beat"}},
				faulty.Rule{Kind: faulty.Delay, Probability: 0.1, Wait: 40 * time.Millisecond})
			f.Heal()
			faults, c.Store = append(faults, f), backend
		}))
	}
	for _, f := range faults {
		f.Resume()
	}
	random := rand.New(rand.NewPCG(seed, 1))
	accepted := map[task.ID]bool{}
	for i := range 400 {
		insert := w.insert("t", func(in *store.Insert) {
			if i%2 == 0 {
				in.Task.Key = fmt.Sprint("key-", i%10)
			}
		})
		for {
			_, err := nodes[random.IntN(len(nodes))].Enqueue(t.Context(), []store.Insert{insert})
			if err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		accepted[insert.Task.ID] = true
	}
	time.Sleep(2 * time.Minute)
	for _, f := range faults {
		f.Heal()
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	for id := range accepted {
		got := w.get(id)
		if got.State != task.Succeeded || got.Attempt != 2 {
			t.Errorf("task %s is %s, attempt %d, crashes %d, key %q", id, got.State, got.Attempt, got.Crashes, got.Key)
		}
		if l.ends[id] < 1 {
			t.Errorf("task %s never ended well", id)
		}
	}
	w.stop(nodes...)
}
