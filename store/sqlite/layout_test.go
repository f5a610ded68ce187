package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestFilesArePrivate(t *testing.T) {
	f := newFixture(t, 1)
	f.insert(f.task(0))
	for _, suffix := range []string{"", "-wal", "-shm", "-nodes"} {
		info, err := os.Stat(f.path + suffix)
		f.ok(err)
		f.expect(info.Mode().Perm()&0o077 == 0, "%s has mode %s", suffix, info.Mode())
	}
	locks, err := filepath.Glob(f.path + "-nodes/*")
	f.ok(err)
	for _, lock := range locks {
		info, err := os.Stat(lock)
		f.ok(err)
		f.expect(info.Mode().Perm() == 0o600, "%s has mode %s", lock, info.Mode())
	}
}

// failures makes settlements by which all the tasks fail.
func failures(tasks []*task.Task) []store.Settlement {
	settlements := make([]store.Settlement, len(tasks))
	for i, t := range tasks {
		settlements[i] = store.Settlement{Task: t, Outcome: task.OutcomeFailed, StartedAt: time.Now(), EndedAt: time.Now(),
			Failure: &task.Failure{Category: "down", Message: fmt.Sprint("no ", i)}}
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
// claims point to rows that belong to other tasks by now.
func TestRowsOfOtherTasksAreNotMistaken(t *testing.T) {
	f := newFixture(t, 1)
	claimed := f.claim(f.fill(benchBatch)...)
	other := open(t, f.path)
	results, err := other.Settle(f.ctx, failures(claimed))
	f.ok(err)
	f.expect(results[0].Status == store.StatusOK, "%+v", results[0])
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	defer db.Close()
	_, err = db.ExecContext(f.ctx, `UPDATE outlast_task SET num = num + 1000000; UPDATE outlast_task SET num = 1000000 + 2 * 1000 - (num - 1000000)`)
	f.ok(err)
	late, err := f.Settle(f.ctx, failures(claimed))
	f.ok(err)
	for i, result := range late {
		f.expect(result.Status == store.StatusOK && result.State == task.Pending, "%d: %+v", i, result) // repeats
	}
	again := f.claim(claimed[0].ID)
	f.succeed(again...)
	f.healthy()
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
	f.fill(benchBatch)
	f.succeed(f.claim(f.fill(benchBatch)...)...)
	deleted, err := f.Store.Cleanup(f.ctx, time.Now().Add(time.Hour), 10_000)
	f.ok(err)
	f.expect(deleted == benchBatch, "%d deleted", deleted)
	n, err := f.Count(f.ctx, store.Filter{}, 10_000)
	f.ok(err)
	f.expect(n == benchBatch, "%d left", n)
}
