package engine

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// nothing is the registry of a node whose workers do everything.
type nothing struct{}

func (nothing) Serves(string) (store.Serving, bool)              { return store.Serving{}, false }
func (nothing) CanStart(string) bool                             { return false }
func (nothing) Handler(*task.Task) Handler                       { return nil }
func (nothing) Policy(*task.Task) (*retry.Policy, error)         { return retry.Default(), nil }
func (nothing) Fallback(*task.Task) *task.Follow                 { return nil }
func (nothing) Undo(*task.Task, *task.Step) (store.Insert, bool) { return store.Insert{}, false }
func (nothing) Follow(*task.Task, *task.Follow, task.FollowKind, *store.Settlement) (store.Insert, bool) {
	return store.Insert{}, false
}

// withWorker is a node that a worker for types a and b has polled, with a task of type b in
// memory that is due in half a minute.
func withWorker(t *testing.T) (e *Engine, waits task.ID) {
	t.Helper()
	s := memory.New()
	if _, err := s.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: 1}); err != nil {
		t.Fatal(err)
	}
	e, err := New(Config{Store: s, Registry: nothing{}, Node: store.Node{ID: "n"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Poll(t.Context(), Poll{Worker: "w", Queues: []string{"q"}, Types: []string{"a", "b"}, Most: 1, Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // it has the lane
	waits = task.ID{0: 1}.WithLane(e.Topology().Lanes[0].Number)
	one := &task.Task{ID: waits, Queue: "q", Type: "b", Target: "b", RunAt: time.Now().Add(30 * time.Second)}
	if _, err := e.Enqueue(t.Context(), []store.Insert{{Task: one}}); err != nil {
		t.Fatal(err)
	}
	if !e.remembers(waits) {
		t.Fatal("the task is not in memory")
	}
	return e, waits
}

func (e *Engine) remembers(id task.ID) bool {
	e.lock()
	defer e.unlock()
	return e.agenda.Entry(id) != nil
}

// A worker that polls again for fewer types takes what only it could start out of memory
// at once: chosen later, it would be for nobody, and die.
func TestAWorkerThatTakesFewerTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, waits := withWorker(t)
		defer e.Stop(context.WithoutCancel(t.Context()))
		p, more, err := e.remote.enter(lease.Request{Worker: "w", Queues: []string{"q"}, Types: []string{"a"}, Most: 1, Wait: time.Second})
		if err != nil || !more {
			t.Fatal(more, err)
		}
		if e.remembers(waits) {
			t.Error("nobody here can start the task, and it may be chosen")
		}
		p.Wait(t.Context(), nil)
		time.Sleep(time.Minute)
		if got, err := e.config.Store.(store.Query).Get(t.Context(), waits); err != nil || got.State != task.Pending {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// What a worker that is forgotten could start leaves memory under the lock under which it
// stops being served: nothing is chosen in between.
func TestForgottenWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, waits := withWorker(t)
		defer e.Stop(context.WithoutCancel(t.Context()))
		e.lock()
		forgotten := make(chan struct{})
		go func() {
			e.disconnectOld(time.Now().Add(2 * time.Minute))
			close(forgotten)
		}()
		for range 1000 {
			runtime.Gosched() // it runs, as far as it can
		}
		if served := e.leases.Served().Has("q", "b"); served != (e.agenda.Entry(waits) != nil) {
			t.Errorf("served %v, and the task may be chosen", served)
		}
		e.unlock()
		<-forgotten
		if e.leases.Served().Has("q", "b") || e.remembers(waits) {
			t.Error("the worker is not forgotten")
		}
	})
}

// A worker polls again for fewer types while it has a task of another: when that fails,
// it is left to other nodes, and does not die here of having nobody.
func TestAFailureOfATypeThatIsNotTakenAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, waits := withWorker(t)
		defer e.Stop(context.WithoutCancel(t.Context()))
		taken, err := e.Poll(t.Context(), Poll{Worker: "w", Queues: []string{"q"}, Types: []string{"a", "b"}, Most: 1, Wait: time.Minute, Lease: time.Minute})
		if err != nil || len(taken) != 1 {
			t.Fatalf("%+v, %v", taken, err)
		}
		if _, err := e.Poll(t.Context(), Poll{Worker: "w", Queues: []string{"q"}, Types: []string{"a"}, Most: 1, Lease: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.SettleLeased(t.Context(), []Ending{{ID: waits, Claim: taken[0].Task.Claim, Err: errors.New("no")}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got, err := e.config.Store.(store.Query).Get(t.Context(), waits); err != nil || got.State != task.Pending || got.Attempt != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
