package sqlite_test

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// stepsOf makes n steps of a task that runs.
func stepsOf(t *task.Task, n int) []task.Step {
	steps := make([]task.Step, n)
	for i := range steps {
		steps[i] = task.Step{Task: t.ID, Seq: i + 1, Claim: t.Claim, Name: fmt.Sprint("step ", i+1), Occurrence: 1, Result: []byte(`"done"`)}
	}
	return steps
}

func (f *fixture) addSteps(steps ...task.Step) {
	f.Helper()
	statuses, err := f.AddSteps(f.ctx, steps)
	f.ok(err)
	for i, status := range statuses {
		f.expect(status == store.StatusOK, "step %d is %s", i, status)
	}
}

// A step that was damaged says so; its name and the others are as they were.
func TestUnreadableStep(t *testing.T) {
	f := newFixture(t, 1)
	one := f.claim(f.fill(benchBatch)[0])[0]
	f.addSteps(stepsOf(one, 2)...)
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(f.ctx, `UPDATE outlast_step SET about = '{garbage' WHERE seq = 1`)
	f.ok(err)
	steps, err := f.StepsOf(f.ctx, []task.ID{one.ID})
	f.ok(err)
	f.expect(len(steps) == 2 && steps[0].Unreadable != "" && steps[1].Unreadable == "", "%+v", steps)
	f.expect(steps[0].Name == "step 1" && steps[0].Occurrence == 1 && steps[0].Claim == one.Claim, "%+v", steps[0])
}

// What is left of a task that is gone, or was written by nobody, is told.
func TestStrangeStepsAreTold(t *testing.T) {
	f := newFixture(t, 1)
	one := f.claim(f.fill(benchBatch)[0])[0]
	f.addSteps(stepsOf(one, 2)...)
	db, err := sql.Open("sqlite3", "file:"+f.path)
	f.ok(err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(f.ctx, `UPDATE outlast_step SET claim = claim + 1 WHERE seq = 1; UPDATE outlast_step SET id = x'ff' WHERE seq = 2`)
	f.ok(err)
	wrong, err := f.Check(f.ctx)
	f.ok(err)
	f.expect(slices.Equal(wrong, []string{"a step has no task: FF", "a step is of a newer claim than its task: " + strings.ToUpper(hex.EncodeToString(one.ID[:]))}), "%q", wrong)
}

// A cleanup of tasks with many steps takes several transactions: nobody waits for all of
// them. None is passed over.
func TestCleanupOfManySteps(t *testing.T) {
	var commits atomic.Int32
	f := newFixture(t, 1, sqlite.WithHook(func(point string) {
		if point == "cleanup.after_commit" {
			commits.Add(1)
		}
	}))
	tasks := f.claim(f.insert(f.task(0))[0].Entry.ID, f.insert(f.task(0))[0].Entry.ID, f.insert(f.task(0))[0].Entry.ID)
	for _, one := range tasks {
		f.addSteps(stepsOf(one, 6)...)
	}
	f.succeed(tasks...)
	later := time.Now().Add(time.Hour)
	for call, want := range [...]struct{ deleted, commits int }{{14, 2}, {7, 2}, {0, 1}} {
		commits.Store(0)
		deleted, err := f.Store.Cleanup(f.ctx, later, 10)
		f.ok(err)
		f.expect(deleted == want.deleted && int(commits.Load()) == want.commits, "call %d: %d rows in %d transactions", call, deleted, commits.Load())
		f.healthy()
	}
}

// Steps of calls that wait for the writer share a commit, and one that is late costs the
// others nothing.
func TestStepsShareOneCommit(t *testing.T) {
	held, resume := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f := newFixture(t, 1, sqlite.WithHook(func(point string) {
		if point == "beat.before_commit" {
			once.Do(func() { close(held); <-resume })
		}
	}))
	one := f.claim(f.fill(benchBatch)[0])[0]
	before := f.Commits()
	var calls sync.WaitGroup
	calls.Go(func() { _, _ = f.Beat(f.ctx, "n1", store.Report{}) })
	<-held
	steps := stepsOf(one, 20)
	steps[7].Claim++
	statuses := make([][]store.Status, len(steps))
	for i := range steps {
		waiting := f.Queued()
		calls.Go(func() {
			var err error
			if statuses[i], err = f.AddSteps(f.ctx, steps[i:i+1]); err != nil {
				t.Error(err)
			}
		})
		for f.Queued() == waiting {
			runtime.Gosched()
		}
	}
	close(resume)
	calls.Wait()
	for i := range statuses {
		want := store.StatusOK
		if i == 7 {
			want = store.StatusStale
		}
		f.expect(len(statuses[i]) == 1 && statuses[i][0] == want, "step %d: %v", i, statuses[i])
	}
	// A slow machine may end a transaction before all have joined it.
	f.expect(f.Commits()-before-1 < int64(len(steps)), "%d calls in %d commits", len(steps), f.Commits()-before-1)
	f.healthy()
}
