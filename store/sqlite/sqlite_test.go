package sqlite_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// fixture is a store with a queue "q" whose lanes belong to node "n1".
type fixture struct {
	testing.TB
	*sqlite.Store
	ctx    context.Context
	path   string
	lanes  []store.LaneEpoch
	random *rand.Rand
}

func open(t testing.TB, path string, opts ...sqlite.Option) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newFixture(t testing.TB, lanes int, opts ...sqlite.Option) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "outlast.db")
	f := &fixture{TB: t, Store: open(t, path, opts...), ctx: t.Context(), path: path, random: rand.New(rand.NewPCG(1, 2))}
	f.ok(f.Join(f.ctx, store.Node{ID: "n1"}))
	queue, err := f.PutQueue(f.ctx, store.Queue{Name: "q", Lanes: lanes})
	f.ok(err)
	for _, number := range queue.Numbers {
		f.lanes = append(f.lanes, store.LaneEpoch{Lane: number})
	}
	f.lanes, err = f.TakeLanes(f.ctx, "n1", f.lanes)
	f.ok(err)
	return f
}

func (f *fixture) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) expect(ok bool, format string, args ...any) {
	f.Helper()
	if !ok {
		f.Fatalf(format, args...)
	}
}

// task makes a task in the n-th lane that is due.
func (f *fixture) task(n int) *task.Task {
	id := task.NewID(time.Now(), f.random).WithLane(f.lanes[n%len(f.lanes)].Lane)
	return &task.Task{ID: id, Queue: "q", Type: "mail", Target: "mail", Payload: []byte(`{"n":12345}`), Priority: 5,
		RunAt: time.Now().Add(-time.Minute)}
}

func (f *fixture) insert(tasks ...*task.Task) []store.Inserted {
	f.Helper()
	items := make([]store.Insert, len(tasks))
	for i := range tasks {
		items[i].Task = tasks[i]
	}
	results, err := f.Enqueue(f.ctx, []store.Batch{{Items: items}})
	f.ok(err)
	f.ok(results[0].Err)
	return results[0].Items
}

func (f *fixture) claim(ids ...task.ID) []*task.Task {
	f.Helper()
	claim := store.Claim{Node: "n1", Lanes: f.lanes}
	for _, id := range ids {
		claim.Items = append(claim.Items, store.ClaimItem{ID: id})
	}
	claimed, err := f.Claim(f.ctx, claim)
	f.ok(err)
	f.expect(len(claimed.Tasks) == len(ids), "claimed %d of %d: %v", len(claimed.Tasks), len(ids), claimed.Refused)
	return claimed.Tasks
}

func (f *fixture) succeed(tasks ...*task.Task) {
	f.Helper()
	now := time.Now()
	settlements := make([]store.Settlement, len(tasks))
	for i, t := range tasks {
		settlements[i] = store.Settlement{Task: t, Outcome: task.OutcomeSucceeded, StartedAt: now, EndedAt: now}
	}
	results, err := f.Settle(f.ctx, settlements)
	f.ok(err)
	for _, result := range results {
		f.expect(result.Status == store.StatusOK, "settled %+v", result)
	}
}

func (f *fixture) healthy() {
	f.Helper()
	wrong, err := f.Check(f.ctx)
	f.ok(err)
	f.expect(len(wrong) == 0, "the check found %v", wrong)
}

func TestLifeOfATask(t *testing.T) {
	f := newFixture(t, 2)
	inserted := f.insert(f.task(0), f.task(1))
	first, second := inserted[0].Entry.ID, inserted[1].Entry.ID
	f.succeed(f.claim(first)...)
	failed, err := f.Settle(f.ctx, []store.Settlement{{Task: f.claim(second)[0], Outcome: task.OutcomeFailed,
		Failure: &task.Failure{Category: "down", Message: "no"}}})
	f.ok(err)
	f.expect(failed[0].Status == store.StatusOK && failed[0].State == task.Pending, "%+v", failed[0])
	died, err := f.Settle(f.ctx, []store.Settlement{{Task: f.claim(second)[0], Outcome: task.OutcomeDead, DeadReason: task.Exhausted}})
	f.ok(err)
	f.expect(died[0].Status == store.StatusOK && died[0].State == task.Dead, "%+v", died[0])
	f.healthy()
	attempts, err := f.Attempts(f.ctx, second)
	f.ok(err)
	f.expect(len(attempts) == 2 && attempts[1].Outcome == task.OutcomeDead, "%+v", attempts)
}
