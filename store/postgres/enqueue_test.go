package postgres_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// ground is a store with a queue that a node owns.
type ground struct {
	*testing.T
	s      *postgres.Store
	queue  *store.Queue
	lanes  []store.LaneEpoch
	random *rand.Rand
}

func newGround(t *testing.T, s *postgres.Store, lanes int) *ground {
	t.Helper()
	g := &ground{T: t, s: s, random: rand.New(rand.NewPCG(1, 2))}
	var err error
	g.queue, err = s.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: lanes})
	g.ok(err)
	g.ok(s.Join(t.Context(), store.Node{ID: "n1"}))
	var free []store.LaneEpoch
	for _, number := range g.queue.Numbers {
		free = append(free, store.LaneEpoch{Lane: number})
	}
	g.lanes, err = s.TakeLanes(t.Context(), "n1", free)
	g.ok(err)
	return g
}

func (g *ground) ok(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *ground) task() *task.Task {
	lane := g.queue.Numbers[g.random.IntN(len(g.queue.Numbers))]
	return &task.Task{ID: task.NewID(time.Now(), g.random).WithLane(lane), Queue: "q", Type: "mail", Target: "mail", Payload: []byte("x")}
}

func (g *ground) batch(n int, change ...func(i int, t *task.Task)) (store.Batch, []task.ID) {
	var batch store.Batch
	var ids []task.ID
	for i := range n {
		t := g.task()
		for _, apply := range change {
			apply(i, t)
		}
		batch.Items, ids = append(batch.Items, store.Insert{Task: t}), append(ids, t.ID)
	}
	return batch, ids
}

func (g *ground) enqueue(batches ...store.Batch) []store.BatchResult {
	g.Helper()
	results, err := g.s.Enqueue(g.Context(), batches)
	g.ok(err)
	return results
}

// add inserts n new tasks.
func (g *ground) add(n int) []task.ID {
	g.Helper()
	batch, ids := g.batch(n)
	g.ok(g.enqueue(batch)[0].Err)
	return ids
}

func (g *ground) claim(ids ...task.ID) store.Claimed {
	g.Helper()
	claim := store.Claim{Node: "n1", Lanes: g.lanes}
	for _, id := range ids {
		claim.Items = append(claim.Items, store.ClaimItem{ID: id})
	}
	claimed, err := g.s.Claim(g.Context(), claim)
	g.ok(err)
	return claimed
}

func (g *ground) settle(tasks []*task.Task, outcome task.Outcome) {
	g.Helper()
	settlements := make([]store.Settlement, len(tasks))
	for i, t := range tasks {
		settlements[i] = store.Settlement{Task: t, Outcome: outcome, StartedAt: t.StartedAt, EndedAt: time.Now()}
	}
	settled, err := g.s.Settle(g.Context(), settlements)
	g.ok(err)
	for _, answer := range settled {
		if answer.Status != store.StatusOK {
			g.Fatalf("settled %+v", answer)
		}
	}
}

func (g *ground) sound() {
	g.Helper()
	wrong, err := g.s.Check(g.Context())
	g.ok(err)
	for _, line := range wrong {
		g.Error(line)
	}
}

func TestLargeBatchesAreWhole(t *testing.T) {
	g := newGround(t, open(t, database(t)), 4)
	before, later := time.Now().Add(-time.Second), time.Hour
	batch, _ := g.batch(1500, func(i int, t *task.Task) {
		t.Priority, t.Payload = i%10, make([]byte, i)
		if i%3 == 0 {
			t.Key, t.ID = "k", t.ID.WithLane(g.queue.Numbers[0])
			t.Policy, t.Spec = "p", task.Spec{MaxAttempts: 3}
		}
	})
	batch.Items[7].Delay = later
	result := g.enqueue(batch)[0]
	g.ok(result.Err)
	var last int64
	for i := range batch.Items {
		got, err := g.s.Get(t.Context(), batch.Items[i].Task.ID)
		g.ok(err)
		want, entry := batch.Items[i].Task, result.Items[i].Entry
		if got.Key != want.Key || got.Policy != want.Policy || got.Spec.MaxAttempts != want.Spec.MaxAttempts || len(got.Payload) != i ||
			got.Priority != i%10 || got.Seq != entry.Seq || got.RunAt.UnixMicro() != entry.RunAt || entry.Size != i || got.State != task.Pending {
			t.Fatalf("task %d is %+v, its entry %+v", i, got, entry)
		}
		if (want.Key != "") != (entry.Seq > last) {
			t.Fatalf("seq %d of task %d with key %q after %d", entry.Seq, i, want.Key, last)
		}
		last = max(last, entry.Seq)
		if delayed := got.RunAt.Sub(got.CreatedAt) == later; delayed != (i == 7) || got.CreatedAt.Before(before) {
			t.Fatalf("task %d runs at %v, made at %v", i, got.RunAt, got.CreatedAt)
		}
	}
	g.sound()
}

func TestABadItemAmongManyIsAlone(t *testing.T) {
	g := newGround(t, open(t, database(t)), 4)
	live, ended, dead := g.add(1)[0], g.add(1)[0], g.add(1)[0]
	g.settle(g.claim(ended).Tasks, task.OutcomeSucceeded)
	g.settle(g.claim(dead).Tasks, task.OutcomeDead)
	var batches []store.Batch
	for range 600 {
		one, _ := g.batch(1)
		batches = append(batches, one)
	}
	known := map[int]task.ID{17: live, 300: ended, 599: dead}
	for at, id := range known {
		repeat := *batches[at].Items[0].Task
		repeat.ID = id
		batches[at].Items[0].Task = &repeat
	}
	clash := *batches[400].Items[0].Task
	clash.ID, clash.Type = live, "other"
	batches[400].Items[0].Task = &clash
	for i, result := range g.enqueue(batches...) {
		if i == 400 {
			if !errors.Is(result.Err, &task.Error{Code: task.CodeIDConflict}) {
				t.Fatalf("other content under an id: %v", result.Err)
			}
			continue
		}
		g.ok(result.Err)
		if id, repeat := known[i]; repeat != (result.Items[0].Existing != nil) || repeat && result.Items[0].Existing.ID != id {
			t.Fatalf("batch %d: %+v", i, result.Items[0])
		}
	}
	n, err := g.s.Count(t.Context(), store.Filter{}, 1000)
	g.ok(err)
	if n != 3+600-4 {
		t.Fatalf("%d tasks", n)
	}
	g.sound()
}

// A claim number that no node has written is the highest that there is. The next one
// comes from the clock, and the rows beside it are claimed and released as ever.
func TestClaimNumbersEndNowhere(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 2)
	ids, db := g.add(3), pool(t, url)
	plant := func(table string) {
		t.Helper()
		_, err := db.Exec(t.Context(), "UPDATE "+table+" SET claim = 9223372036854775807 WHERE id = $1", ids[1].String())
		g.ok(err)
	}
	claim := func() []*task.Task {
		t.Helper()
		g.claim(ids...)
		running, err := g.s.Running(t.Context(), "n1", ids)
		g.ok(err)
		if len(running) != len(ids) {
			t.Fatalf("%d of %d rows run", len(running), len(ids))
		}
		for _, one := range running {
			if one.Claim <= 0 || one.Claim > time.Now().Add(time.Hour).UnixMicro() {
				t.Errorf("the claim number is %d", one.Claim)
			}
		}
		return running
	}
	plant("outlast_task")
	running := claim()
	plant("outlast_run")
	for _, one := range running {
		if one.ID == ids[1] {
			one.Claim = math.MaxInt64
		}
	}
	g.settle(running, task.OutcomeReleased)
	g.settle(claim(), task.OutcomeSucceeded)
	g.sound()
}
