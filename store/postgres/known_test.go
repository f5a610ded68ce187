package postgres_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// scan reads all pending rows, and fails unless the store remembers so many.
func (g *ground) scan(remembered int) (entries []store.Entry) {
	g.Helper()
	var ranges []store.Range
	for _, lane := range g.queue.Numbers {
		ranges = append(ranges, store.Range{Lane: lane, After: -1 << 62, Until: 1 << 62, Limit: 10_000})
	}
	pages, err := g.s.Scan(g.Context(), ranges)
	g.ok(err)
	if pending, _ := g.s.Remembered(); pending != remembered {
		g.Fatalf("%d rows are remembered, want %d", pending, remembered)
	}
	return slices.Concat(pages...)
}

// second is another store on the same tables.
func (g *ground) second(url string) *ground {
	return &ground{T: g.T, s: open(g.T, url), queue: g.queue, lanes: g.lanes, random: g.random}
}

// What a claim hands out of memory is what the tables have, time and again.
func TestRememberedRowsAreAsTheyStand(t *testing.T) {
	g := newGround(t, open(t, servertest.Postgres(t)), 4)
	batch, ids := g.batch(40, func(i int, t *task.Task) {
		t.Priority, t.Payload, t.Policy = i%10, []byte{byte(i), 0}, [...]string{"", "p"}[i%2]
		if i%3 == 0 {
			t.Spec = task.Spec{MaxAttempts: 3, Metadata: map[string]string{"a": "b"}}
		}
		if i == 5 || i == 6 {
			t.Key, t.ID = "k", t.ID.WithLane(g.queue.Numbers[0])
		}
		if i == 7 {
			t.Payload = make([]byte, 5000)
		}
	})
	for i := range batch.Items {
		ids[i] = batch.Items[i].Task.ID
	}
	g.ok(g.enqueue(batch)[0].Err)
	ids = slices.Delete(ids, 6, 7) // behind the one before in its key
	g.scan(37)
	for round := range 4 {
		claimed := g.claim(ids...)
		if len(claimed.Tasks) != len(ids) || len(claimed.Refused) != 0 {
			t.Fatalf("round %d: %d claimed, refused %+v", round, len(claimed.Tasks), claimed.Refused)
		}
		pending, running := g.s.Remembered()
		if pending != 0 || running != 37 {
			t.Fatalf("round %d: %d pending and %d running rows are remembered", round, pending, running)
		}
		g.same(claimed.Tasks)
		var settlements []store.Settlement
		for i, one := range claimed.Tasks {
			s := store.Settlement{Task: one, Outcome: task.OutcomeSucceeded, StartedAt: one.StartedAt, Result: []byte(`{"a":1}`)}
			if round < 3 {
				s.Outcome, s.Result = [...]task.Outcome{task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased}[(round+i)%3], nil
			}
			if s.Outcome == task.OutcomeFailed {
				s.Failure = &task.Failure{Message: "no", Category: "x"}
			}
			settlements = append(settlements, s)
		}
		settled, err := g.s.Settle(t.Context(), settlements)
		g.ok(err)
		for i, answer := range settled {
			one, err := g.s.Get(t.Context(), settlements[i].Task.ID)
			g.ok(err)
			if answer.Status != store.StatusOK || one.State != answer.State || one.State == task.Pending && one.RunAt.UnixMicro() != answer.Entry.RunAt {
				t.Fatalf("round %d: settled %+v, the task is %+v", round, answer, one)
			}
		}
		if pending, _ := g.s.Remembered(); round < 3 && pending != 37 {
			t.Fatalf("round %d: %d rows are remembered after they were put back", round, pending)
		}
	}
	g.sound()
}

// same compares tasks that were handed out with what the tables have.
func (g *ground) same(tasks []*task.Task) {
	g.Helper()
	ids := make([]task.ID, len(tasks))
	for i, one := range tasks {
		ids[i] = one.ID
	}
	stored, err := g.s.Running(g.Context(), "n1", ids)
	g.ok(err)
	if len(stored) != len(tasks) {
		g.Fatalf("%d tasks run, %d were handed out", len(stored), len(tasks))
	}
	for _, one := range stored {
		handed := tasks[slices.IndexFunc(tasks, func(t *task.Task) bool { return t.ID == one.ID })]
		if want, got := asJSON(one), asJSON(handed); !reflect.DeepEqual(want, got) {
			g.Fatalf("handed out\n%s\nstored\n%s", got, want)
		}
	}
}

func asJSON(t *task.Task) string {
	text, _ := json.Marshal(t)
	return string(text)
}

// Whatever changes between the scan and the claim, through another store, is
// seen by the claim.
func TestRememberedRowsThatChangedAreLookedUp(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 2)
	other := g.second(url)
	ids := g.add(8)
	g.scan(8)
	_, err := other.s.Cancel(t.Context(), ids[0])
	g.ok(err)
	_, err = other.s.Reschedule(t.Context(), ids[1], time.Now().Add(time.Hour))
	g.ok(err)
	moved, err := other.s.Reschedule(t.Context(), ids[2], time.Time{})
	g.ok(err)
	g.ok(other.s.Mark(t.Context(), []store.Marking{{ID: ids[3], Mark: 7}}))
	other.settle(other.claim(ids[4]).Tasks, task.OutcomeSucceeded)
	other.settle(other.claim(ids[5]).Tasks, task.OutcomeFailed)
	running := other.claim(ids[6]).Tasks
	claimed := g.claim(ids...)
	reasons := map[task.ID]store.Reason{}
	for _, refusal := range claimed.Refused {
		reasons[refusal.ID] = refusal.Reason
	}
	want := map[task.ID]store.Reason{ids[0]: store.ReasonGone, ids[1]: store.ReasonLater, ids[3]: store.ReasonParked, ids[4]: store.ReasonGone, ids[6]: store.ReasonGone}
	if !reflect.DeepEqual(reasons, want) || len(claimed.Tasks) != 3 {
		t.Fatalf("%d claimed, refused %+v", len(claimed.Tasks), claimed.Refused)
	}
	g.same(claimed.Tasks)
	for _, one := range claimed.Tasks {
		if one.ID == ids[5] && one.Attempt != 2 || one.ID == ids[2] && !one.RunAt.Equal(moved.RunAt) {
			t.Errorf("claimed %+v", one)
		}
	}
	other.settle(slices.Concat(running, claimed.Tasks), task.OutcomeSucceeded)
	g.sound()
}

// Who owns a lane no more claims nothing that it remembers.
func TestRememberedRowsOfALostLaneAreRefused(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 1)
	ids := g.add(2)
	g.scan(2)
	freed, err := g.s.FreeLanes(t.Context(), "n1", g.lanes)
	g.ok(err)
	g.ok(g.s.Join(t.Context(), store.Node{ID: "n2"}))
	_, err = g.s.TakeLanes(t.Context(), "n2", freed)
	g.ok(err)
	claimed := g.claim(ids...)
	if len(claimed.Tasks) != 0 || len(claimed.Refused) != 2 || claimed.Refused[0].Reason != store.ReasonEpoch {
		t.Fatalf("claimed %+v", claimed)
	}
}

// A claim of remembered and of other rows keeps to its limit of bytes.
func TestRememberedRowsCountAsBytes(t *testing.T) {
	g := newGround(t, open(t, servertest.Postgres(t)), 1)
	sized := func(n, size int) []task.ID {
		batch, ids := g.batch(n, func(_ int, t *task.Task) { t.Payload = make([]byte, size) })
		g.ok(g.enqueue(batch)[0].Err)
		return ids
	}
	small, large := sized(4, 100), sized(3, 10_000)
	g.scan(4)
	claim := store.Claim{Node: "n1", Lanes: g.lanes, MaxBytes: 25_000}
	for _, id := range slices.Concat(large[:1], small, large[1:]) {
		claim.Items = append(claim.Items, store.ClaimItem{ID: id})
	}
	claimed, err := g.s.Claim(t.Context(), claim)
	g.ok(err)
	if len(claimed.Tasks) != 7 || len(claimed.Refused) != 0 { // the last reaches the limit
		t.Fatalf("%d claimed, refused %+v", len(claimed.Tasks), claimed.Refused)
	}
	g.settle(claimed.Tasks, task.OutcomeFailed)
	claim.MaxBytes = 15_000
	claimed, err = g.s.Claim(t.Context(), claim)
	g.ok(err)
	if len(claimed.Tasks) != 6 || len(claimed.Refused) != 0 {
		t.Fatalf("%d claimed, refused %+v", len(claimed.Tasks), claimed.Refused)
	}
}

// Places are advice: where the server has moved rows, they are looked up.
func TestRowsThatTheServerMovedAreFound(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 2)
	p := pool(t, url)
	move := func() {
		for _, table := range []string{"outlast_task", "outlast_run"} {
			_, err := p.Exec(t.Context(), "VACUUM FULL "+table)
			g.ok(err)
		}
	}
	g.settle(g.claim(g.add(7)...).Tasks, task.OutcomeSucceeded) // leaves holes
	ids := g.add(6)
	g.scan(6)
	move()
	first := g.claim(ids[:3]...).Tasks
	if len(first) != 3 {
		t.Fatalf("%d claimed", len(first))
	}
	g.scan(3)
	second := g.claim(ids[3:]...).Tasks
	if _, running := g.s.Remembered(); running != 3 {
		t.Fatalf("%d running rows are remembered", running)
	}
	move()
	g.settle(slices.Concat(first, second), task.OutcomeFailed)
	g.sound()
}

// A cancel request between the claim and the settlement is not missed.
func TestACancelMovesARememberedRun(t *testing.T) {
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 1)
	ids := g.add(2)
	g.scan(2)
	tasks := g.claim(ids...).Tasks
	for _, one := range tasks {
		_, err := g.s.Cancel(t.Context(), one.ID)
		g.ok(err)
	}
	settled, err := g.s.Settle(t.Context(), []store.Settlement{
		{Task: tasks[0], Outcome: task.OutcomeFailed, StartedAt: tasks[0].StartedAt, Failure: &task.Failure{Message: "no"}},
		{Task: tasks[1], Outcome: task.OutcomeSucceeded, StartedAt: tasks[1].StartedAt},
	})
	g.ok(err)
	if settled[0].State != task.Canceled || settled[1].State != task.Succeeded {
		t.Fatalf("settled %+v", settled)
	}
	g.sound()
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	at := time.Now()
	r := postgres.NewRecent(100, time.Second)
	random := newGround(t, open(t, servertest.Postgres(t)), 1)
	ids := make([]task.ID, 5)
	for i := range ids {
		ids[i] = random.task().ID
	}
	keep := func(want ...int) {
		t.Helper()
		for i, id := range ids {
			if value, found := r.Take(id); found != slices.Contains(want, i) || found && value != i {
				t.Errorf("value %d is %d, %v; want %v", i, value, found, want)
			}
		}
	}
	for i, id := range ids {
		r.Put(at, id, i, 30)
	}
	r.Put(at, ids[0], 0, 30) // again: it counts once
	keep(0, 1, 2)
	for i, id := range ids[:3] {
		r.Put(at.Add(time.Duration(i)*900*time.Millisecond), id, i, 30)
	}
	keep(0, 1, 2)
	for i, id := range ids {
		r.Put(at.Add(time.Duration(10+i)*900*time.Millisecond), id, i, 1)
	}
	keep(2, 3, 4)
}
