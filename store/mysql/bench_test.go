package mysql_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/task"
)

const benchBatch = 1000

// fixture is a store with one queue, all of whose lanes the node n1 owns.
type fixture struct {
	testing.TB
	s     *mysql.Store
	lanes []store.LaneEpoch

	mu     sync.Mutex
	random *rand.Rand
}

func newFixture(t testing.TB, lanes int, opts ...mysql.Option) *fixture {
	return newFixtureOn(t, newDatabase(t, options), lanes, opts...)
}

func newFixtureOn(t testing.TB, d *database, lanes int, opts ...mysql.Option) *fixture {
	f := &fixture{TB: t, s: d.store(t, opts...), random: rand.New(rand.NewPCG(1, 2))}
	f.ok(f.s.Join(t.Context(), store.Node{ID: "n1"}))
	queue, err := f.s.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: lanes})
	f.ok(err)
	for _, number := range queue.Numbers {
		f.lanes = append(f.lanes, store.LaneEpoch{Lane: number})
	}
	f.lanes, err = f.s.TakeLanes(t.Context(), "n1", f.lanes)
	f.ok(err)
	return f
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Error(err)
		panic(err)
	}
}

func (f *fixture) task(lane int) *task.Task {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &task.Task{
		ID: task.NewID(time.Now(), f.random).WithLane(f.lanes[lane%len(f.lanes)].Lane), Queue: "q", Type: "noop", Target: "noop",
		Payload: []byte(`{"n":1234}`), Priority: task.DefaultPriority, RunAt: time.Now().Add(-time.Second),
	}
}

// insert enqueues each task as a batch of its own, in one call.
func (f *fixture) insert(tasks ...*task.Task) {
	batches := make([]store.Batch, len(tasks))
	for i, t := range tasks {
		batches[i].Items = []store.Insert{{Task: t}}
	}
	results, err := f.s.Enqueue(f.Context(), batches)
	f.ok(err)
	for i := range results {
		f.ok(results[i].Err)
	}
}

func (f *fixture) fill(n, lane int) []task.ID {
	ids := make([]task.ID, 0, n)
	for len(ids) < n {
		tasks := make([]*task.Task, min(benchBatch, n-len(ids)))
		for i := range tasks {
			tasks[i] = f.task(lane)
			ids = append(ids, tasks[i].ID)
		}
		f.insert(tasks...)
	}
	return ids
}

func (f *fixture) claim(ids ...task.ID) []*task.Task {
	items := make([]store.ClaimItem, len(ids))
	for i, id := range ids {
		items[i].ID = id
	}
	claimed, err := f.s.Claim(f.Context(), store.Claim{Node: "n1", Lanes: f.lanes, Items: items})
	f.ok(err)
	if len(claimed.Tasks) != len(ids) {
		f.Fatalf("claimed %d of %d", len(claimed.Tasks), len(ids))
	}
	return claimed.Tasks
}

func (f *fixture) settle(outcome task.Outcome, tasks ...*task.Task) {
	settlements := make([]store.Settlement, len(tasks))
	for i, t := range tasks {
		settlements[i] = store.Settlement{Task: t, Outcome: outcome, StartedAt: time.Now(), EndedAt: time.Now()}
		if outcome == task.OutcomeFailed {
			settlements[i].Failure = &task.Failure{Category: "down", Message: "connection refused"}
		}
	}
	settled, err := f.s.Settle(f.Context(), settlements)
	f.ok(err)
	for i := range settled {
		if settled[i].Status != store.StatusOK {
			f.Fatalf("%+v", settled[i])
		}
	}
}

// inParallel runs do in so many goroutines, each with a lane of its own.
func inParallel(n int, do func(lane int)) {
	var wait sync.WaitGroup
	for lane := range n {
		wait.Go(func() { do(lane) })
	}
	wait.Wait()
}

const benchLanes = 4

func perSecond(b *testing.B, n int) {
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tasks/s")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkInsertBatches(b *testing.B) {
	f := newFixture(b, benchLanes)
	n := 0
	for b.Loop() {
		inParallel(benchLanes, func(lane int) { f.fill(benchBatch, lane) })
		n += benchLanes * benchBatch
	}
	perSecond(b, n)
}

// BenchmarkBurnDown claims and settles batches of 1000, of four lanes at once.
func BenchmarkBurnDown(b *testing.B) {
	f := newFixture(b, benchLanes)
	n := 0
	var ids [benchLanes][]task.ID
	for b.Loop() {
		b.StopTimer()
		inParallel(benchLanes, func(lane int) { ids[lane] = f.fill(5*benchBatch, lane) })
		b.StartTimer()
		inParallel(benchLanes, func(lane int) {
			for all := ids[lane]; len(all) > 0; all = all[benchBatch:] {
				f.settle(task.OutcomeSucceeded, f.claim(all[:benchBatch]...)...)
			}
		})
		n += 5 * benchBatch * benchLanes
	}
	perSecond(b, n)
}

// BenchmarkFailOnce lets every task fail once and then succeed.
func BenchmarkFailOnce(b *testing.B) {
	f := newFixture(b, benchLanes)
	n := 0
	var ids [benchLanes][]task.ID
	for b.Loop() {
		b.StopTimer()
		inParallel(benchLanes, func(lane int) { ids[lane] = f.fill(benchBatch, lane) })
		b.StartTimer()
		inParallel(benchLanes, func(lane int) {
			f.settle(task.OutcomeFailed, f.claim(ids[lane]...)...)
			f.settle(task.OutcomeSucceeded, f.claim(ids[lane]...)...)
		})
		n += benchLanes * benchBatch
	}
	perSecond(b, n)
}

// BenchmarkGroupedEnqueues are calls of so many single enqueues, as the engine
// makes of those of concurrent callers.
func BenchmarkGroupedEnqueues(b *testing.B) {
	for _, group := range []int{1, 16, 64, 256} {
		b.Run(strconv.Itoa(group), func(b *testing.B) {
			f := newFixture(b, benchLanes)
			n := 0
			for b.Loop() {
				tasks := make([]*task.Task, group)
				for i := range tasks {
					tasks[i] = f.task(i)
				}
				f.insert(tasks...)
				n += group
			}
			perSecond(b, n)
		})
	}
}

// BenchmarkSteps adds steps of so many tasks in one call, as the engine makes of those of
// concurrent handlers.
func BenchmarkSteps(b *testing.B) {
	for _, group := range []int{1, 16, 256} {
		b.Run(strconv.Itoa(group), func(b *testing.B) {
			f := newFixture(b, benchLanes)
			tasks := f.claim(f.fill(group, 0)...)
			steps := make([]task.Step, group)
			for i, t := range tasks {
				steps[i] = stepsOf(t, 1)[0]
			}
			n := 0
			for b.Loop() {
				for i := range steps {
					steps[i].Seq, steps[i].Occurrence = n%task.MaxSteps+1, n%task.MaxSteps+1
				}
				f.added(f.s.AddSteps(b.Context(), steps))
				n++
			}
			b.ReportMetric(float64(n*group)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
