package outlast

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// inherent are the answers in which a reader of rows must differ from the node that has a
// task in memory. What is told late is none of them: the test has it told at once.
var inherent = []struct {
	name string
	are  func(t *Task, here, there task.Waiting) bool
}{
	{"a target, or a node's part of a queue's limit, that is full while attempts go on to end is not told", func(_ *Task, here, there task.Waiting) bool {
		return here == task.AtConcurrency && there == task.NoSlot
	}},
	{"what the last attempt asks of the guards is known where it ran", func(t *Task, here, there task.Waiting) bool {
		return t.Type == "spares" && there == task.BudgetSpent && here != there
	}},
	{"who gives way to others behind an outage is not told", func(t *Task, here, there task.Waiting) bool {
		return t.Attempt > 0 && here == task.RateLimited && there == task.NoSlot
	}},
}

// fleet is nodes whose tasks wait for all kinds of reasons, and a client beside them that
// has not started: it can only read what they have written.
type fleet struct {
	*testing.T
	rand    *rand.Rand
	back    time.Time // when all that is called works again
	nodes   []*Client
	reader  *Client
	workers sync.WaitGroup
	same    map[task.Waiting]int // answers
	differs map[string]int
}

// says is a failure that says what it is.
type says struct{ retry.Verdict }

func (says) Error() string                 { return "not now" }
func (s says) RetryVerdict() retry.Verdict { return s.Verdict }

// held is a failure of nobody having taken a task.
type held struct{ says }

func (held) HandlerOutcome() engine.HandlerOutcome {
	return engine.HandlerOutcome{Action: engine.ActionHold, After: 3 * time.Second, Since: time.Now(), Held: store.Held{Failures: 1, Error: "nobody"}}
}

var (
	down = says{retry.Verdict{Category: retry.Unavailable, Effect: retry.Done}}
	busy = says{retry.Verdict{Category: retry.Throttled, Effect: retry.NotSent, Hint: retry.Hint{After: 2 * time.Second}}}
)

// handlers are what the nodes can run.
func (f *fleet) handlers(c *Client) {
	until := func(failure error) func(context.Context, string) error {
		return func(context.Context, string) error {
			if time.Now().Before(f.back) {
				return failure
			}
			return nil
		}
	}
	often := func(failure error) func(context.Context, string) error {
		var calls atomic.Int64
		return func(context.Context, string) error {
			if calls.Add(1)%3 == 0 {
				return failure
			}
			return nil
		}
	}
	every, shared := Interval(time.Second), Target(func(string) string { return "shared" })
	noBudget, err := retry.New(retry.TaskBudget(nil), retry.Fixed(time.Second))
	f.must(noBudget, err)
	Handle(c, "quick", func(context.Context, string) error { return nil })
	Handle(c, "slow", func(context.Context, string) error { time.Sleep(1500 * time.Millisecond); return nil })
	Handle(c, "ordered", func(context.Context, string) error { return nil })
	Handle(c, "down", until(down), every)
	Handle(c, "busy", until(busy), every)
	Handle(c, "free", until(down), every, NoGuards())
	Handle(c, "left", until(held{}), every)
	Handle(c, "flaky", often(down), every)
	Handle(c, "pays", often(down), every, shared)
	Handle(c, "spares", often(down), shared, Retry(noBudget))
	Handle(c, "fresh", func(ctx context.Context, _ string) error {
		if info, _ := Info(ctx); info.Attempt == 1 {
			return down
		}
		return nil
	}, every)
	Handle(c, "dies", func(context.Context, string) error { return GiveUp(errors.New("no")) })
}

func (f *fleet) open(s store.Backend, opts ...Option) *Client {
	client, err := Open(f.Context(), s, opts...)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := client.Stop(context.Background()); err != nil {
			f.Error(err)
		}
	})
	return client
}

func (f *fleet) must(_ any, err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fleet) start(nodes int) {
	s := memory.New()
	f.reader = f.open(&telling{s.Handle(), f})
	inspector := f.reader.Inspector()
	for _, q := range []store.Queue{{Name: "narrow", Concurrency: 2}, {Name: "paused"}, {Name: "nobody"}} {
		f.must(inspector.Queues.Put(f.Context(), q))
	}
	f.must(inspector.Queues.Pause(f.Context(), "paused", true))
	f.must(inspector.Targets.Order(f.Context(), "ordered", store.TargetOpen))
	f.back = time.Now().Add(12 * time.Second)
	f.Cleanup(f.workers.Wait)
	for range nodes {
		c := f.open(s.Handle(), WithSlots(8), WithQueues("default", "narrow", "paused"))
		f.handlers(c)
		if err := c.Start(f.Context()); err != nil {
			f.Fatal(err)
		}
		f.workers.Go(func() { f.work(c) })
		f.nodes = append(f.nodes, c)
	}
}

// work is a remote worker, which mostly works and seldom asks.
func (f *fleet) work(c *Client) {
	for {
		leased, err := c.engine.Poll(f.Context(), engine.Poll{Worker: "w", Queues: []string{"default"}, Types: []string{"remote"}, Most: 1, Wait: time.Second, Lease: time.Minute})
		if err != nil || f.Context().Err() != nil {
			return
		}
		select {
		case <-time.After(3 * time.Second):
		case <-f.Context().Done():
		}
		for i := range leased {
			_, _ = c.engine.SettleLeased(f.Context(), []engine.Ending{{ID: leased[i].Task.ID, Claim: leased[i].Task.Claim}})
		}
	}
}

// send enqueues a task of any kind.
func (f *fleet) send() {
	kinds := []string{"quick", "slow", "slow", "slow", "slow", "ordered", "down", "down", "busy", "busy", "free", "left", "flaky", "flaky", "pays", "pays", "spares", "spares", "fresh", "fresh", "dies", "remote", "unheard"}
	d := Draft{Type: kinds[f.rand.IntN(len(kinds))], Payload: []byte(`""`)}
	switch f.rand.IntN(7) {
	case 0:
		d.Key = fmt.Sprint("k", f.rand.IntN(3))
	case 1:
		d.Delay = time.Duration(f.rand.IntN(5000)) * time.Millisecond
	case 2:
		d.Queue = []string{"narrow", "narrow", "narrow", "narrow", "paused", "nobody"}[f.rand.IntN(6)]
	}
	switch {
	case d.Queue == "narrow":
		d.Type = "slow"
	case d.Type == "dies":
		d.Key = "blocked"
	}
	f.must(f.nodes[f.rand.IntN(len(f.nodes))].Enqueue(f.Context(), d))
}

// telling is a store in which all can read what all nodes would tell just now.
type telling struct {
	store.Backend
	fleet *fleet
}

func (s *telling) Topology(ctx context.Context) (*store.Topology, error) {
	read, err := s.Backend.Topology(ctx)
	if err != nil {
		return nil, err
	}
	for n := range read.Nodes {
		for _, c := range s.fleet.nodes {
			if node := &read.Nodes[n]; c.engine.Node() == node.ID {
				node.Targets = c.engine.Troubled()
			}
		}
	}
	return read, nil
}

// compare asks for each pending task the node that has it in memory, and the reader.
func (f *fleet) compare() {
	f.must(f.reader.backend.Topology(f.Context())) // breakers follow the clock when they are looked at
	synctest.Wait()
	rows, _, err := f.reader.backend.Find(f.Context(), store.Filter{State: task.Pending}, store.Page{Limit: 500})
	f.must(rows, err)
	there := f.ask(f.reader, rows)
	for _, c := range f.nodes {
		known := slices.DeleteFunc(slices.Clone(rows), func(t *Task) bool {
			_, known := c.engine.Explain(t.ID)
			return !known
		})
		for id, here := range f.ask(c, known) {
			f.count(here.Task, here.Waiting, there[id].Waiting)
		}
	}
}

// ask is what a node says of tasks.
func (f *fleet) ask(c *Client, tasks []*Task) map[ID]*inspect.View {
	views, err := c.Inspector().Tasks.View(f.Context(), tasks...)
	f.must(views, err)
	said := make(map[ID]*inspect.View, len(views))
	for _, view := range views {
		said[view.ID] = view
	}
	return said
}

func (f *fleet) count(t *Task, here, there task.Waiting) {
	if here == there {
		f.same[here]++
		return
	}
	for _, one := range inherent {
		if one.are(t, here, there) {
			f.differs[one.name]++
			return
		}
	}
	f.Errorf("%s %s with key %q, attempt %d, due since %s: the node says %q, the reader %q", t.Queue, t.Type, t.Key, t.Attempt, time.Since(t.RunAt), here, there)
}

// Whoever is asked why a task waits, the node that has it in memory or one that reads rows,
// gives the same answer.
func TestOneAnswerOnEveryNode(t *testing.T) {
	same, differs := map[task.Waiting]int{}, map[string]int{}
	const seeds = 8
	for seed := range uint64(seeds) {
		synctest.Test(t, func(t *testing.T) {
			f := &fleet{T: t, rand: rand.New(rand.NewPCG(seed, 1)), same: same, differs: differs}
			f.start(1 + int(seed)%3)
			time.Sleep(3 * time.Second)
			for range 40 {
				for range f.rand.IntN(12) {
					f.send()
				}
				time.Sleep(500 * time.Millisecond)
				synctest.Wait()
				f.compare()
			}
		})
	}
	t.Log(same, differs)
	for _, why := range []task.Waiting{
		"", task.InBackoff, task.BehindKey, task.BreakerOpen, task.BudgetSpent, task.AtConcurrency, task.DueLater, task.InGroupBackoff, task.KeyBlocked,
		task.NoSlot, task.QueuePaused, task.RateLimited,
	} {
		if same[why] == 0 {
			t.Errorf("nobody has answered %q", why)
		}
	}
}
