package mysql_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/storetest"
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

// added fails the test unless each step was added.
func (f *fixture) added(statuses []store.Status, err error) {
	f.Helper()
	f.ok(err)
	for i, status := range statuses {
		if status != store.StatusOK {
			f.Errorf("step %d is %s", i, status)
		}
	}
}

func (f *fixture) steps(id task.ID, want ...task.Step) {
	f.Helper()
	got, err := f.s.StepsOf(f.Context(), []task.ID{id})
	f.ok(err)
	if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		f.Errorf("got the steps %+v, want %+v", got, want)
	}
}

// held is a fixture with a task that runs, whose step is about to be committed.
type held struct {
	*fixture
	d      *database
	task   *task.Task
	step   task.Step
	resume chan struct{}
	calls  sync.WaitGroup
	err    error // of the call that adds the step
}

// holdStep adds a step up to its commit.
func holdStep(t *testing.T) *held {
	h := &held{d: newDatabase(t, options), resume: make(chan struct{})}
	reached := make(chan struct{})
	var once atomic.Bool
	h.fixture = newFixtureOn(t, h.d, 1, mysql.WithHook(func(point string) {
		if point == "steps.before_commit" && once.CompareAndSwap(false, true) {
			close(reached)
			<-h.resume
		}
	}))
	h.task = h.claim(h.fill(1, 0)...)[0]
	h.step = stepsOf(h.task, 1)[0]
	h.calls.Go(func() {
		var statuses []store.Status
		if statuses, h.err = h.s.AddSteps(t.Context(), []task.Step{h.step}); h.err == nil {
			h.added(statuses, nil)
		}
	})
	<-reached
	return h
}

// whileAdding has something done while a step is about to be committed, and then all calls
// come to their end. What was wrong counts unless the server has lost patience meanwhile, and
// ended the transaction, as it may on a slow machine: that is tried again.
func whileAdding(t *testing.T, do func(h *held) (wrong string)) *held {
	t.Helper()
	for range 5 {
		h := holdStep(t)
		wrong := do(h)
		close(h.resume)
		if h.calls.Wait(); h.err != nil {
			t.Log(h.err)
			continue
		}
		if wrong != "" {
			t.Error(wrong)
		}
		return h
	}
	t.Fatal("the server does not wait")
	return nil
}

// waits reports whether a statement that names the task is under way while some statement
// waits for a lock.
func (h *held) waits() (underWay bool) {
	err := h.d.QueryRow("SELECT COUNT(*) > 0 FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND INSTR(info, ?) > 0", hex.EncodeToString(h.task.ID[:])).Scan(&underWay)
	h.ok(err)
	return underWay && h.d.status(h, "Innodb_row_lock_current_waits") > 0
}

// An end waits for steps that are being added, so that whoever runs the task next reads
// them.
func TestAnEndWaitsForSteps(t *testing.T) {
	t.Parallel()
	for _, outcome := range []task.Outcome{task.OutcomeReleased, task.OutcomeFailed} { // without a read of the row, and with one
		h := whileAdding(t, func(h *held) (wrong string) {
			var settled atomic.Bool
			h.calls.Go(func() {
				h.settle(outcome, h.task)
				settled.Store(true)
			})
			until(t, func() bool { return h.waits() || settled.Load() })
			if settled.Load() {
				wrong = string(outcome) + " before a step was committed"
			}
			return wrong
		})
		h.steps(h.task.ID, h.step)
		late, err := h.s.AddSteps(t.Context(), stepsOf(h.task, 2)[1:])
		h.ok(err)
		if late[0] != store.StatusStale {
			t.Errorf("a step after the end: %s", late[0])
		}
		storetest.CheckInvariants(t, h.s)
	}
}

// Nobody takes a row over while steps of it are being added, though its node is dead; the
// others need not wait for it.
func TestRecoveryPassesOverWhatAddsSteps(t *testing.T) {
	t.Parallel()
	recovered := func(h *held) (ids []task.ID) {
		rows, err := h.s.Recover(t.Context(), []uint16{h.lanes[0].Lane}, 10)
		h.ok(err)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	}
	h := whileAdding(t, func(h *held) (wrong string) {
		other := h.claim(h.fill(1, 0)...)[0]
		buried, err := h.s.Bury(t.Context(), "n1", 0)
		h.ok(err)
		if got := recovered(h); !buried || !slices.Equal(got, []task.ID{other.ID}) {
			wrong = fmt.Sprintf("buried %t, recovered %v, want %s", buried, got, other.ID)
		}
		return wrong
	})
	if got := recovered(h); !slices.Equal(got, []task.ID{h.task.ID}) {
		t.Errorf("recovered %v, want %s", got, h.task.ID)
	}
	h.steps(h.task.ID, h.step)
	storetest.CheckInvariants(t, h.s)
}

// A call whose answer was lost is repeated.
func TestStepsThatWereNotAnswered(t *testing.T) {
	d, killer := newDatabase(t, options), newDatabase(t, options)
	var armed atomic.Bool
	f := newFixtureOn(t, d, 1, mysql.WithHook(func(point string) {
		if point == "steps.before_commit" && armed.CompareAndSwap(true, false) {
			d.killAll(t, killer)
		}
	}))
	one := f.claim(f.fill(1, 0)...)[0]
	steps := stepsOf(one, 3)
	f.added(f.s.AddSteps(t.Context(), steps[:1]))
	armed.Store(true)
	if _, err := f.s.AddSteps(t.Context(), steps); err == nil {
		t.Fatal("the steps are added although their commit was not answered")
	}
	f.added(f.s.AddSteps(t.Context(), steps))
	f.steps(one.ID, steps...)
}

// A step that was damaged says so; its name and the others are as they were.
func TestUnreadableStep(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 1)
	one := f.claim(f.fill(1, 0)...)[0]
	f.added(f.s.AddSteps(t.Context(), stepsOf(one, 2)))
	_, err := d.Exec(`UPDATE outlast_step SET about = '{garbage' WHERE seq = 1`)
	f.ok(err)
	steps, err := f.s.StepsOf(t.Context(), []task.ID{one.ID})
	f.ok(err)
	if len(steps) != 2 || steps[0].Unreadable == "" || steps[1].Unreadable != "" {
		t.Fatalf("%+v", steps)
	}
	if damaged := steps[0]; damaged.Name != "step 1" || damaged.Occurrence != 1 || damaged.Claim != one.Claim {
		t.Errorf("%+v", damaged)
	}
}

// What is left of a task that is gone, or was written by nobody, is told.
func TestStrangeStepsAreTold(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 1)
	one := f.claim(f.fill(1, 0)...)[0]
	f.added(f.s.AddSteps(t.Context(), stepsOf(one, 2)))
	for _, change := range [...]string{"claim = claim + 1 WHERE seq = 1", "id = x'ffffffffffffffffffffffffffffffff' WHERE seq = 2"} {
		_, err := d.Exec("UPDATE outlast_step SET " + change)
		f.ok(err)
	}
	wrong, err := f.s.Check(t.Context())
	f.ok(err)
	want := []string{"a step has no task: " + strings.Repeat("F", 32), "a step is of a newer claim than its task: " + strings.ToUpper(hex.EncodeToString(one.ID[:]))}
	if !slices.Equal(wrong, want) {
		t.Errorf("got %q, want %q", wrong, want)
	}
}

// Results of steps that need twice their length in a statement are added in several.
func TestStatementsOfStepsStaySmall(t *testing.T) {
	f := newFixtureOn(t, newDatabase(t, options+"&maxAllowedPacket=4500000"), 1)
	one := f.claim(f.fill(1, 0)...)[0]
	steps := stepsOf(one, task.MaxStepBytes/task.MaxResult)
	for i := range steps {
		steps[i].Result = bytes.Repeat([]byte{'\''}, task.MaxResult)
	}
	statuses, err := f.s.AddSteps(t.Context(), steps)
	for tries := 1; err != nil && tries < 5; tries++ { // on a slow machine the server may lose patience with so much
		statuses, err = f.s.AddSteps(t.Context(), steps)
	}
	f.added(statuses, err)
	f.steps(one.ID, steps...)
}

// A cleanup of tasks with many steps takes several transactions: their locks and what they
// undo stay small. None is passed over.
func TestCleanupOfManySteps(t *testing.T) {
	var commits atomic.Int32
	f := newFixture(t, 1, mysql.WithHook(func(point string) {
		if point == "cleanup.after_commit" {
			commits.Add(1)
		}
	}))
	tasks := f.claim(f.fill(3, 0)...)
	for _, one := range tasks {
		f.added(f.s.AddSteps(t.Context(), stepsOf(one, 6)))
	}
	f.settle(task.OutcomeSucceeded, tasks...)
	later := time.Now().Add(time.Hour)
	for call, want := range [...]struct{ deleted, commits int }{{14, 2}, {7, 3}, {0, 3}} { // the last two are of other tables
		commits.Store(0)
		deleted, err := f.s.Cleanup(t.Context(), later, 10)
		f.ok(err)
		if deleted != want.deleted || int(commits.Load()) != want.commits {
			t.Errorf("call %d: %d rows in %d transactions", call, deleted, commits.Load())
		}
		storetest.CheckInvariants(t, f.s)
	}
}
