package faulty_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

func TestWithoutRulesItIsTheStore(t *testing.T) {
	inner := map[store.Backend]*memory.Store{}
	storetest.Run(t, func(*testing.T) store.Backend {
		m := memory.New()
		wrapped, _ := faulty.Wrap(m, 1)
		inner[wrapped] = m
		return wrapped
	}, storetest.Abilities{Reopen: func(_ *testing.T, s store.Backend) store.Backend { return inner[s].Handle() }})
}

func TestFailDoesNothingAndLoseDoesIt(t *testing.T) {
	ctx := t.Context()
	for kind, joined := range map[faulty.Kind]bool{faulty.Fail: false, faulty.Lose: true} {
		inner := memory.New()
		s, faults := faulty.Wrap(inner, 1, faulty.Rule{Kind: kind, Methods: []string{"Join"}, Nth: 1})
		if err := s.Join(ctx, store.Node{ID: "n"}); !errors.Is(err, faulty.ErrInjected) {
			t.Fatalf("%s: got %v", kind, err)
		}
		topology, err := s.Topology(ctx)
		if err != nil || (len(topology.Nodes) == 1) != joined {
			t.Fatalf("%s: nodes %v, %v", kind, topology.Nodes, err)
		}
		if err := s.Join(ctx, store.Node{ID: "n"}); err != nil {
			t.Fatalf("%s: the second call got %v", kind, err)
		}
		if n := faults.Injected()[faulty.Injection{Method: "Join", Kind: kind}]; n != 1 || faults.Total() != 1 || faults.Calls("Join") != 2 {
			t.Fatalf("%s: injected %v in %d calls", kind, faults.Injected(), faults.Calls("Join"))
		}
	}
}

func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := faulty.Wrap(memory.New(), 1, faulty.Rule{Kind: faulty.Delay, Probability: 1, Wait: time.Second})
		begin := time.Now()
		if _, err := s.Topology(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took < time.Second/2 || took > time.Second {
			t.Fatalf("took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := s.Join(ctx, store.Node{ID: "n"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
	})
}

// pattern is which of 200 calls of Beat failed.
func pattern(t *testing.T, seed uint64, between func(store.Backend)) (out [200]bool) {
	s, faults := faulty.Wrap(memory.New(), seed, faulty.Rule{Kind: faulty.Fail, Methods: []string{"Beat", "Topology"}, Probability: 0.3})
	for i := range out {
		_, err := s.Beat(t.Context(), "absent", store.Report{})
		out[i] = errors.Is(err, faulty.ErrInjected)
		between(s)
	}
	if n := faults.Injected()[faulty.Injection{Method: "Beat", Kind: faulty.Fail}]; n < 30 || n > 90 {
		t.Fatalf("%d of 200 calls failed with probability 0.3", n)
	}
	return out
}

func TestTheSameSeedGivesTheSameFaults(t *testing.T) {
	nothing := func(store.Backend) {}
	others := func(s store.Backend) { _, _ = s.Topology(t.Context()) }
	if pattern(t, 1, nothing) != pattern(t, 1, others) {
		t.Error("calls of another method changed the faults")
	}
	if pattern(t, 1, nothing) == pattern(t, 2, nothing) {
		t.Error("another seed gave the same faults")
	}
}

func TestLimitAndHeal(t *testing.T) {
	own := errors.New("own")
	s, faults := faulty.Wrap(memory.New(), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1, Limit: 3, Err: own})
	faults.Heal()
	if _, err := s.Queues(t.Context()); err != nil {
		t.Fatal(err)
	}
	faults.Resume()
	failed := 0
	for range 10 {
		if _, err := s.Queues(t.Context()); errors.Is(err, own) {
			failed++
		}
	}
	if failed != 3 || faults.Total() != 3 {
		t.Fatalf("%d calls failed, %d faults", failed, faults.Total())
	}
}

// plain hides the optional interfaces of a store.
type plain struct{ store.Backend }

// transactional works in transactions of the caller.
type transactional struct{ store.Backend }

func (transactional) EnqueueTx(context.Context, any, []store.Insert) ([]store.Inserted, error) {
	return []store.Inserted{{}}, nil
}

func (transactional) SettleTx(context.Context, any, store.Settlement) (store.Settled, error) {
	return store.Settled{Status: store.StatusOK}, nil
}

func TestOptionalInterfacesAreForwarded(t *testing.T) {
	type both struct {
		transactional
		store.Waker
	}
	type waking struct {
		store.Backend
		store.Waker
	}
	for _, c := range []struct {
		backend   store.Backend
		tx, waker bool
	}{
		{waking{memory.New(), memory.New()}, false, true}, {memory.New(), true, true}, {plain{memory.New()}, false, false}, {transactional{memory.New()}, true, false},
		{both{transactional{memory.New()}, memory.New()}, true, true},
	} {
		s, _ := faulty.Wrap(c.backend, 1, faulty.Rule{Kind: faulty.Lose, Methods: []string{"EnqueueTx", "SettleTx"}, Probability: 1})
		enqueuer, isEnqueuer := s.(store.TxEnqueuer)
		settler, isSettler := s.(store.TxSettler)
		_, isWaker := s.(store.Waker)
		if isEnqueuer != c.tx || isSettler != c.tx || isWaker != c.waker {
			t.Errorf("%T: TxEnqueuer %v, TxSettler %v, Waker %v", c.backend, isEnqueuer, isSettler, isWaker)
		}
		if _, works := c.backend.(*memory.Store); c.tx && !works {
			if items, err := enqueuer.EnqueueTx(t.Context(), nil, nil); !errors.Is(err, faulty.ErrInjected) || items != nil {
				t.Errorf("got %v, %v", items, err)
			}
			if settled, err := settler.SettleTx(t.Context(), nil, store.Settlement{}); !errors.Is(err, faulty.ErrInjected) || settled.Status != "" {
				t.Errorf("got %v, %v", settled, err)
			}
		}
	}
}

// telling is what a store of PostgreSQL can do.
type telling struct {
	transactional
	store.Waker
	told int
}

func (t *telling) Notify(context.Context, []store.ChangedLane) error { t.told++; return nil }

func TestNewsAreForwardedAndLost(t *testing.T) {
	m := memory.New()
	inner := &telling{transactional: transactional{m}, Waker: m}
	s, _ := faulty.Wrap(inner, 1, faulty.Rule{Kind: faulty.Fail, Methods: []string{"Notify"}, Nth: 1})
	notifier, is := s.(store.Notifier)
	if !is {
		t.Fatal("it does not tell news")
	}
	first, second := notifier.Notify(t.Context(), nil), notifier.Notify(t.Context(), nil)
	if !errors.Is(first, faulty.ErrInjected) || second != nil || inner.told != 1 {
		t.Errorf("%v, %v, told %d times", first, second, inner.told)
	}
	_, isTx := s.(store.TxSettler)
	_, isWaker := s.(store.Waker)
	if !isTx || !isWaker {
		t.Error("other abilities are lost")
	}
}

// Every method of the backend must go through the faults.
func TestEveryMethodIsCovered(t *testing.T) {
	s, faults := faulty.Wrap(memory.New(), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1})
	value, backend := reflect.ValueOf(s), reflect.TypeFor[store.Backend]()
	want := map[faulty.Injection]int{}
	for i := range backend.NumMethod() {
		method := backend.Method(i)
		if method.Name == "Close" {
			continue
		}
		want[faulty.Injection{Method: method.Name, Kind: faulty.Fail}] = 1
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for j := 1; j < method.Type.NumIn(); j++ {
			args = append(args, reflect.Zero(method.Type.In(j)))
		}
		do := value.MethodByName(method.Name)
		call := do.Call
		if method.Type.IsVariadic() {
			call = do.CallSlice
		}
		out := call(args)
		if err, _ := out[len(out)-1].Interface().(error); !errors.Is(err, faulty.ErrInjected) {
			t.Errorf("%s: got %v", method.Name, err)
		}
	}
	if !maps.Equal(faults.Injected(), want) {
		t.Errorf("injected %v", faults.Injected())
	}
}

// A call of unknown outcome may be repeated as it stands: with lost answers
// and failures everywhere, a loop of repeats still runs each task once.
func TestRepeatsSurviveLostAnswers(t *testing.T) {
	inner := memory.New()
	s, faults := faulty.Wrap(inner, 7, faulty.Rule{Kind: faulty.Lose, Probability: 0.3}, faulty.Rule{Kind: faulty.Fail, Probability: 0.2})
	ctx, random := t.Context(), rand.New(rand.NewPCG(1, 1))
	again := func(do func() error) {
		t.Helper()
		for range 100 {
			if do() == nil {
				return
			}
		}
		t.Fatal("100 faults in a row")
	}
	again(func() error { return s.Join(ctx, store.Node{ID: "n"}) })
	var queue *store.Queue
	again(func() (err error) { queue, err = s.PutQueue(ctx, store.Queue{Name: "q", Lanes: 1}); return err })
	again(func() error { _, err := s.TakeLanes(ctx, "n", []store.LaneEpoch{{Lane: queue.Numbers[0]}}); return err })
	lanes := []store.LaneEpoch{{Lane: queue.Numbers[0], Epoch: 1}}
	for range 50 {
		id := task.NewID(time.Now(), random).WithLane(queue.Numbers[0])
		insert := store.Insert{Task: &task.Task{ID: id, Queue: "q", Type: "t", Key: "k"}}
		again(func() error { _, err := s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{insert}}}); return err })
		again(func() error {
			_, err := s.Claim(ctx, store.Claim{Node: "n", Lanes: lanes, Items: []store.ClaimItem{{ID: id}}})
			return err
		})
		var running []*task.Task
		again(func() (err error) { running, err = s.Running(ctx, "n", []task.ID{id}); return err })
		if len(running) != 1 {
			t.Fatalf("%d rows run", len(running))
		}
		settlement := store.Settlement{Task: running[0], Outcome: task.OutcomeSucceeded}
		again(func() error {
			settled, err := s.Settle(ctx, []store.Settlement{settlement})
			if err == nil && settled[0].Status != store.StatusOK {
				t.Fatalf("settled %+v", settled[0])
			}
			return err
		})
		attempts, err := inner.Attempts(ctx, id)
		if err != nil || len(attempts) != 1 {
			t.Fatalf("%d attempts, %v", len(attempts), err)
		}
	}
	if faults.Total() < 50 {
		t.Fatalf("%d faults", faults.Total())
	}
	storetest.CheckInvariants(t, inner)
}
