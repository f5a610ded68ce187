package sqlite_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// failures makes settlements by which all the tasks fail.
func failures(tasks []*task.Task) []store.Settlement {
	settlements := make([]store.Settlement, len(tasks))
	for i, t := range tasks {
		settlements[i] = store.Settlement{Task: t, Outcome: task.OutcomeFailed, StartedAt: time.Now(), EndedAt: time.Now(),
			Failure: &task.Failure{Category: "down", Message: fmt.Sprint("no ", i)}}
	}
	return settlements
}

// successes makes settlements by which all the tasks succeed.
func successes(tasks []*task.Task) []store.Settlement {
	settlements := make([]store.Settlement, len(tasks))
	for i, t := range tasks {
		settlements[i] = store.Settlement{Task: t, Outcome: task.OutcomeSucceeded, StartedAt: time.Now(), EndedAt: time.Now()}
	}
	return settlements
}

// TestStaleAmongManyFailures has the statement for many meet a claim that is
// not the row's, a cancel request and a second settlement of one task.
func TestStaleAmongManyFailures(t *testing.T) {
	f := newFixture(t, 2)
	settlements := failures(f.claim(f.fill(benchBatch)...))
	stale := *settlements[70].Task
	stale.Claim++
	settlements[70].Task = &stale
	_, err := f.Cancel(f.ctx, settlements[270].Task.ID)
	f.ok(err)
	settlements[401] = settlements[400]
	left := settlements[401].Task.ID
	for round := range 2 {
		results, err := f.Settle(f.ctx, settlements)
		f.ok(err)
		for i, result := range results {
			wantStatus, wantState := store.StatusOK, task.Pending
			switch i {
			case 70:
				wantStatus, wantState = store.StatusStale, ""
			case 270:
				wantState = task.Canceled
			}
			f.expect(result.Status == wantStatus && result.State == wantState, "round %d, %d: %+v", round, i, result)
		}
	}
	attempts, err := f.Attempts(f.ctx, left)
	f.ok(err)
	f.expect(len(attempts) == 1, "%+v", attempts)
	f.healthy()
}

// TestSuccessOutrunsItsCancel settles many of which one was to be canceled.
func TestSuccessOutrunsItsCancel(t *testing.T) {
	f := newFixture(t, 2)
	claimed := f.claim(f.fill(benchBatch)...)
	_, err := f.Cancel(f.ctx, claimed[30].ID)
	f.ok(err)
	f.succeed(claimed...)
	got, err := f.Get(f.ctx, claimed[30].ID)
	f.ok(err)
	f.expect(got.State == task.Succeeded && got.CancelRequested, "%+v", got)
	f.healthy()
}

// TestHalfSettledBatchOfAKilledProcess leaves a claimed batch half settled,
// in two lanes, of which only one is recovered at first; late settlements of
// the dead process change nothing of what was recovered.
func TestHalfSettledBatchOfAKilledProcess(t *testing.T) {
	f := newFixture(t, 2)
	claimed := f.claim(f.fill(benchBatch)...)
	f.succeed(claimed[:500]...)
	_, err := f.Settle(f.ctx, failures(claimed[500:600]))
	f.ok(err)
	f.ok(f.Close())

	next := &fixture{TB: t, Store: open(t, f.path), ctx: f.ctx, path: f.path, random: f.random}
	next.ok(next.Join(next.ctx, store.Node{ID: "n2"}))
	buried, err := next.Bury(next.ctx, "n1", 0)
	next.ok(err)
	next.expect(buried, "not buried")
	byLane := map[uint16]int{}
	for _, one := range claimed[600:] {
		byLane[one.ID.Lane()]++
	}
	for i, lane := range f.lanes {
		recovered, err := next.Recover(next.ctx, []uint16{lane.Lane}, 10_000)
		next.ok(err)
		next.expect(len(recovered) == byLane[lane.Lane], "%d rows of lane %d", len(recovered), lane.Lane)
		left, err := next.Running(next.ctx, "n1", nil)
		next.ok(err)
		next.expect(len(left) == []int{byLane[f.lanes[1].Lane], 0}[i], "%d run after lane %d", len(left), i)
		next.healthy()
	}
	late := make([]store.Settlement, 0, len(claimed))
	for _, one := range claimed {
		late = append(late, store.Settlement{Task: one, Outcome: task.OutcomeSucceeded, StartedAt: time.Now(), EndedAt: time.Now()})
	}
	results, err := next.Settle(next.ctx, late)
	next.ok(err)
	for i, result := range results {
		want := store.StatusStale
		if i < 500 {
			want = store.StatusOK // a repeat
		}
		next.expect(result.Status == want, "%d: %+v", i, result)
	}
	next.healthy()
}

// TestRowsOfOtherTasksAreNotMistaken has what a process remembers of its
// claims point to rows of other tasks, which run under the same claim and
// node: only the id tells them apart. The settled half and the other half
// have changed places.
func TestRowsOfOtherTasksAreNotMistaken(t *testing.T) {
	racetest.WithoutDetector(t)
	for name, settlements := range map[string]func(tasks []*task.Task) []store.Settlement{
		"succeeded": successes,
		"failed":    failures,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, 1)
			claimed := f.claim(f.fill(benchBatch)...)
			f.expect(claimed[0].Claim == claimed[benchBatch-1].Claim, "the claims differ: the test proves nothing")
			db, err := sql.Open("sqlite3", "file:"+f.path)
			f.ok(err)
			defer func() { _ = db.Close() }()
			for _, table := range [...]string{"outlast_task", "outlast_run"} {
				_, err = db.ExecContext(f.ctx, fmt.Sprintf(`UPDATE %s SET num = num + 1000000;
UPDATE %[1]s SET num = 1 + (num - 1000001 + %d) %% %d`, table, benchBatch/2, benchBatch))
				f.ok(err)
			}
			settled, others := claimed[:benchBatch/2], claimed[benchBatch/2:]
			results, err := f.Settle(f.ctx, settlements(settled))
			f.ok(err)
			want := map[string]task.State{"succeeded": task.Succeeded, "failed": task.Pending}[name]
			for i, result := range results {
				f.expect(result.Status == store.StatusOK && result.State == want, "%d: %+v", i, result)
				got, err := f.Get(f.ctx, settled[i].ID)
				f.ok(err)
				f.expect(got.State == want, "%d is %s", i, got.State)
			}
			left, err := f.Running(f.ctx, "n1", nil)
			f.ok(err)
			f.expect(len(left) == len(others), "%d run on, want %d", len(left), len(others))
			f.succeed(others...)
			f.healthy()
		})
	}
}

func TestBacklogLeavesOutWhatIsParkedByItsKey(t *testing.T) {
	for mode, want := range map[string]int{"block": 3, "park": 1} {
		f := newFixture(t, 1)
		_, err := f.PutQueue(f.ctx, store.Queue{Name: "q", Lanes: 1, MaxPending: 100})
		f.ok(err)
		head, second, third, free := f.task(0), f.task(0), f.task(0), f.task(0)
		head.Key, second.Key, third.Key = "k", "k", "k"
		f.insert(head, second, third, free)
		_, err = f.Settle(f.ctx, []store.Settlement{{Task: f.claim(head.ID)[0], Outcome: task.OutcomeDead, OrderOnDead: mode}})
		f.ok(err)
		topology, err := f.Topology(f.ctx)
		f.ok(err)
		f.expect(topology.Queues[0].Pending == want, "%s: %d pending", mode, topology.Queues[0].Pending)
	}
}

// TestPendingTasksAreFoundAmongEnded lists few pending tasks older than many
// ended ones on one page.
func TestPendingTasksAreFoundAmongEnded(t *testing.T) {
	f := newFixture(t, 1)
	old := f.insert(f.task(0), f.task(0))
	for range 10 {
		f.succeed(f.claim(f.fill(benchBatch)...)...)
	}
	found, next, err := f.Find(f.ctx, store.Filter{State: task.Pending}, store.Page{})
	f.ok(err)
	f.expect(len(found) == len(old) && next == "", "%d found, next %q", len(found), next)
	n, err := f.Count(f.ctx, store.Filter{State: task.Pending}, 10)
	f.ok(err)
	f.expect(n == 2, "%d counted", n)
}

// TestCleanupPassesLiveTasks deletes ended tasks that stand behind live ones.
func TestCleanupPassesLiveTasks(t *testing.T) {
	f := newFixture(t, 1)
	first := f.fill(benchBatch)
	f.succeed(f.claim(f.fill(benchBatch)...)...)
	deleted, err := f.Store.Cleanup(f.ctx, time.Now().Add(time.Hour), 10_000)
	f.ok(err)
	f.expect(deleted == benchBatch, "%d deleted", deleted)
	n, err := f.Count(f.ctx, store.Filter{}, 10_000)
	f.ok(err)
	f.expect(n == benchBatch, "%d left", n)
	deleted, err = f.Store.Cleanup(f.ctx, time.Now().Add(time.Hour), 10_000)
	f.ok(err)
	f.expect(deleted == 0, "%d deleted again", deleted)

	// What ends before the place where the last call stopped is found, too.
	f.succeed(f.claim(first[:3]...)...)
	deleted, err = f.Store.Cleanup(f.ctx, time.Now().Add(-time.Hour), 10_000)
	f.ok(err)
	f.expect(deleted == 0, "%d deleted before their time", deleted)
	deleted, err = f.Store.Cleanup(f.ctx, time.Now().Add(time.Hour), 10_000)
	f.ok(err)
	f.expect(deleted == 3, "%d of 3 deleted", deleted)
}

// TestFilteredGroupsLookAtTheNewest has more letters than a filtered
// DeadGroups examines: the oldest, one more than the bound allows, is left out.
func TestFilteredGroupsLookAtTheNewest(t *testing.T) {
	racetest.WithoutDetector(t)
	const bound = 4000
	f := newFixture(t, 1)
	letter := f.claim(f.insert(f.task(0))[0].Entry.ID)[0]
	_, err := f.Settle(f.ctx, []store.Settlement{{Task: letter, Outcome: task.OutcomeDead, DeadReason: task.Exhausted,
		Failure: &task.Failure{Category: "network", Message: "no"}}})
	f.ok(err)
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	defer func() { _ = db.Close() }()
	copies := func(n int) { // newer than the letter
		_, err := db.ExecContext(f.ctx, fmt.Sprintf(`INSERT INTO outlast_dead SELECT NULL,
unhex('ff' || printf('%%030x', value + (SELECT count(*) FROM outlast_dead))),
run_at, claim, attempt, crashes, priority, node, started_at, cancel, key, seq, queue, type, target, policy, spec, created_at, finished_at,
last_error, reason, category, fingerprint, fallback, attempts, payload
FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < %d) SELECT value FROM n),
(SELECT * FROM outlast_dead ORDER BY num DESC LIMIT 1)`, n))
		f.ok(err)
	}
	count := func(filter store.Filter) int {
		groups, err := f.DeadGroups(f.ctx, filter, 10)
		f.ok(err)
		n := 0
		for _, group := range groups {
			n += group.Count
		}
		return n
	}
	copies(bound - 1)
	for _, filter := range []store.Filter{{Queue: "q"}, {Category: "network"}} {
		f.expect(count(filter) == bound, "%+v: %d of as many as the bound", filter, count(filter))
	}
	_, err = db.ExecContext(f.ctx, `UPDATE outlast_dead SET category = 'timeout', last_error = json_set(last_error, '$.category', 'timeout') WHERE num = 1`)
	f.ok(err)
	f.expect(count(store.Filter{Type: "mail"}) == bound/4, "%d of a type, which lie scattered", count(store.Filter{Type: "mail"}))
	f.expect(count(store.Filter{Category: "timeout"}) == 1, "the oldest is not seen within the bound")
	// The copies were not counted: what a counter has is not looked for.
	for _, filter := range []store.Filter{{}, {Type: "mail"}, {Reason: task.Exhausted}, {Category: "network"}, {Fingerprint: task.Fingerprint("mail", &task.Failure{Category: "network", Message: "no"})}} {
		filter.State = task.Dead
		n, err := f.Count(f.ctx, filter, 10)
		f.ok(err)
		f.expect(n == 1, "%+v: %d letters by the counter", filter, n)
		if filter.Fingerprint != "" {
			f.expect(count(filter) == 1, "a group of %d", count(filter))
		}
	}
	copies(1)
	f.expect(count(store.Filter{Queue: "q"}) == bound, "%d letters were examined", count(store.Filter{Queue: "q"}))
	f.expect(count(store.Filter{Category: "timeout"}) == 0, "a letter beyond the bound was examined")
	f.expect(count(store.Filter{IDs: []task.ID{letter.ID}}) == 1, "a letter named by its id is not found")
}
