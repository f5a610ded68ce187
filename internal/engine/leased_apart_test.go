package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// pair is two nodes: workers poll one and tell the other how their tasks ended.
func (w *world) pair(told bool, policy *retry.Policy) (leases, settles *engine.Engine) {
	w.t.Helper()
	p := &phone{}
	change := func(c *engine.Config) {
		c.Slots = 16
		if !told {
			c.Tell = nil
		}
	}
	leases, settles = w.phoned(p, "a", &registry{policy: policy}, change), w.phoned(p, "b", &registry{policy: policy}, change)
	short := poll("w", 1, "mail")
	short.Wait = 0
	w.poll(leases, short) // b leaves its tasks to a from now on
	time.Sleep(5 * time.Second)
	return leases, settles
}

// apart runs a test with wake-ups between the nodes, and without.
func apart(t *testing.T, run func(t *testing.T, told bool)) {
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { run(t, told) })
		})
	}
}

// places expects that a node has so many tasks in hand after a time.
func (w *world) places(e *engine.Engine, running int, within time.Duration) {
	w.t.Helper()
	time.Sleep(within)
	synctest.Wait()
	if got := e.Stats().Running; got != running {
		w.t.Fatalf("%d places are taken after %v, want %d", got, within, running)
	}
}

// soon is how long a node needs at most to learn what another has settled.
func soon(told bool) time.Duration {
	if told {
		return 20 * time.Millisecond
	}
	return 1100 * time.Millisecond
}

func TestTasksFlowThroughTwoNodes(t *testing.T) {
	apart(t, func(t *testing.T, told bool) {
		w := newWorld(t, 8)
		a, b := w.pair(told, unguarded(t))
		const tasks = 1000
		for i := range tasks {
			w.enqueue([]*engine.Engine{a, b}[i%2], "mail", nil)
		}
		began := time.Now()
		for done := 0; done < tasks; {
			if time.Since(began) > 4*time.Minute {
				t.Fatalf("%d of %d tasks were done in %v", done, tasks, time.Since(began))
			}
			for _, leased := range w.poll(a, poll("w", 8, "mail")) {
				w.status(w.settle(b, leased.Task, nil), store.StatusOK)
				done++
			}
		}
		took, most := time.Since(began), 10*time.Second
		if !told {
			most = tasks / 8 * soon(told) // one type has eight places
		}
		if took > most {
			t.Errorf("it took %v, want %v at most", took, most)
		}
		t.Log(took)
		w.places(a, 0, soon(told))
		stop(t, a, b)
	})
}

func TestRetriesOfTwoNodesAreOnTime(t *testing.T) {
	apart(t, func(t *testing.T, told bool) {
		w := newWorld(t, 8)
		a, b := w.pair(told, unguarded(t, retry.Attempts(3), retry.Fixed(3*time.Second), retry.NoJitter()))
		for i := range 8 {
			w.enqueue([]*engine.Engine{a, b}[i%2], "mail", nil)
		}
		late := 300 * time.Millisecond // a poll of one node, and that of the other
		if !told {
			late = 3 * time.Second
		}
		done := map[task.ID]int{}
		for ended := 0; ended < 3*8; {
			for _, leased := range w.poll(a, poll("w", 8, "mail")) {
				got := leased.Task
				if by := got.StartedAt.Sub(got.RunAt); got.Attempt > 1 && by > late {
					t.Errorf("attempt %d began %v after its time", got.Attempt, by)
				}
				if done[got.ID]++; got.Attempt != done[got.ID] || got.Crashes > 0 {
					t.Errorf("attempt %d, want %d; %d crashes", got.Attempt, done[got.ID], got.Crashes)
				}
				w.status(w.settle(b, got, errors.New("no")), store.StatusOK)
				ended++
			}
		}
		for id := range done {
			w.want(id, task.Dead, 3, 0)
		}
		w.places(a, 0, soon(told))
		stop(t, a, b)
	})
}

// A lease that only the other node has extended is kept, however often this one
// hears of the lane, and is over when the worker says so.
func TestLeaseExtendedElsewhere(t *testing.T) {
	apart(t, func(t *testing.T, told bool) {
		w := newWorld(t, 1)
		a, b := w.pair(told, unguarded(t))
		id := w.enqueue(a, "mail", nil)
		got := w.polled(a, poll("w", 1, "mail"))
		extend := func() store.Extended {
			answers, err := b.Extend(t.Context(), []engine.Extension{{ID: id, Claim: got.Claim}}, 30*time.Second)
			if err != nil || answers[0].Status != store.StatusOK {
				t.Fatal(answers, err)
			}
			return answers[0]
		}
		for range 10 {
			time.Sleep(20 * time.Second)
			extend()
			a.Heard(id.Lane())
			a.Heard()
			w.places(a, 1, soon(told))
		}
		if until, _ := a.Lease(w.get(id)); !until.IsZero() {
			t.Errorf("the node knows of a lease until %v", until)
		}
		if _, err := w.store.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if !extend().CancelRequested {
			t.Error("the worker does not learn of the cancel")
		}
		w.status(w.settle(b, got, errors.New("stopped")), store.StatusOK)
		w.want(id, task.Canceled, 1, 0)
		w.places(a, 0, soon(told))
		w.status(w.settle(a, got, nil), store.StatusStale)
		stop(t, a, b)
	})
}

// The node that settled is killed before it tells of it: with others alive the place
// is free after a second.
func TestSettledByNodeThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		a, b := w.pair(false, unguarded(t))
		w.enqueue(a, "mail", nil)
		w.enqueue(a, "mail", nil)
		var got []*task.Task
		for len(got) < 2 {
			for _, leased := range w.poll(a, poll("w", 2, "mail")) {
				got = append(got, leased.Task)
			}
		}
		w.status(w.settle(b, got[0], nil), store.StatusOK)
		b.Kill()
		w.places(a, 1, soon(false))
		w.status(w.settle(a, got[0], nil), store.StatusOK) // a repeat
		w.status(w.settle(a, got[1], nil), store.StatusOK)
		w.places(a, 0, 0)
		stop(t, a)
	})
}

// Another node has leased the task again: the first one's attempt is over, and what
// its worker says is refused.
func TestLeasedAgainElsewhere(t *testing.T) {
	apart(t, func(t *testing.T, told bool) {
		w := newWorld(t, 1)
		a, b := w.pair(told, unguarded(t))
		id := w.enqueue(a, "mail", nil)
		first := w.polled(a, poll("w", 1, "mail"))
		w.status(w.settle(b, first, engine.ErrReleased), store.StatusOK)
		second := w.polled(b, poll("w", 1, "mail"))
		if second.ID != id || second.Claim <= first.Claim {
			t.Fatalf("polled %+v", second)
		}
		w.places(a, 0, soon(told))
		w.places(b, 1, 0)
		w.status(w.settle(a, first, nil), store.StatusStale)
		w.status(w.settle(a, second, nil), store.StatusOK)
		w.want(id, task.Succeeded, 1, 0)
		w.places(b, 0, soon(told))
		stop(t, a, b)
	})
}
