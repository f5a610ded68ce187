package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// step is one that ended under the claim of a task.
func step(t *task.Task, seq int, name string) task.Step {
	began := time.UnixMicro(1_700_000_000_000_000).UTC()
	return task.Step{
		Task: t.ID, Seq: seq, Claim: t.Claim, Name: name, Occurrence: 1, Attempt: t.Attempt,
		StartedAt: began, EndedAt: began.Add(time.Second), Result: []byte(fmt.Sprintf(`{"of":%q}`, name)),
	}
}

func (h *harness) tryAddSteps(steps ...task.Step) []store.Status {
	h.Helper()
	statuses, err := h.s.AddSteps(h.ctx, steps)
	h.ok(err)
	equal(h, "statuses", len(statuses), len(steps))
	return statuses
}

func (h *harness) addSteps(steps ...task.Step) {
	h.Helper()
	for i, status := range h.tryAddSteps(steps...) {
		equal(h, "status of step "+steps[i].Name, status, store.StatusOK)
	}
}

func (h *harness) stale(what string, steps ...task.Step) {
	h.Helper()
	for _, status := range h.tryAddSteps(steps...) {
		equal(h, what, status, store.StatusStale)
	}
}

func (h *harness) stepsOf(ids ...task.ID) []task.Step {
	h.Helper()
	steps, err := h.s.StepsOf(h.ctx, ids)
	h.ok(err)
	return steps
}

// steps fails the test unless those of a task are these.
func (h *harness) steps(id task.ID, want ...task.Step) {
	h.Helper()
	got := h.stepsOf(id)
	equal(h, "steps of "+id.String(), len(got), len(want))
	for i := range got {
		h.expect(reflect.DeepEqual(got[i], want[i]), "step %d: got %+v, want %+v", i, got[i], want[i])
	}
}

func stepRules() []rule {
	return []rule{
		{"step/comes back", "A step that was added comes back as it was, by task, Seq, Name and Occurrence, also beside those of other tasks and lanes.", func(h *harness) {
			a, b := h.claimOne(h.add()), h.claimOne(h.add(h.inLane(1)))
			first, bare := step(a, 1, "reserve"), task.Step{Task: a.ID, Seq: 2, Claim: a.Claim, Name: "wait \x00 €", Occurrence: 1000, Until: time.UnixMicro(1_800_000_000_000_001).UTC()}
			first.Type = "shop.Reservation"
			first.Compensation = &task.Follow{Type: "release", Queue: "q", Policy: "careful", Payload: []byte(`{"id":"r-1"}`)}
			third, other := step(a, 3, "reserve"), step(b, 1, "reserve")
			third.Occurrence = 2
			third.Compensation = &task.Follow{Type: "release"}
			h.addSteps(third, other, bare)
			h.addSteps(first)
			h.steps(a.ID, first, bare, third)
			h.steps(b.ID, other)
			equal(h, "steps of both", len(h.stepsOf(b.ID, a.ID, b.ID)), 4)
			equal(h, "steps of nobody", len(h.stepsOf(h.task().ID)), 0)
			equal(h, "steps of none", len(h.stepsOf()), 0)
			equal(h, "none added", len(h.tryAddSteps()), 0)
		}},
		{"step/leaves the task alone", "Adding a step changes nothing of the task.", func(h *harness) {
			t := h.claimOne(h.add())
			before := h.get(t.ID)
			h.addSteps(step(t, 1, "reserve"))
			h.expect(reflect.DeepEqual(h.get(t.ID), before), "the task has changed: %+v", h.get(t.ID))
		}},
		{"step/fenced", "A step is added only while its task runs under its claim: not before a claim, under another number, after any end, for a task that is not there.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeDead, task.OutcomeCanceled} {
				id := h.add()
				h.stale("before the claim", step(h.get(id), 1, "early"))
				t := h.claimOne(id)
				other := *t
				for _, by := range []int64{-1, 1} {
					other.Claim = t.Claim + by
					h.stale("under another claim", step(&other, 1, "other"))
				}
				h.addSteps(step(t, 1, "in time"))
				h.settle(settlement(t, outcome))
				h.stale("after "+string(outcome), step(t, 2, "late"))
				h.steps(id, step(t, 1, "in time"))
			}
			absent := h.task()
			absent.Claim = 1
			h.stale("of no task", step(absent, 1, "nobody's"))
		}},
		{"step/items do not share fate", "A step that is late keeps no other from being added.", func(h *harness) {
			t, late := h.claimOne(h.add()), h.claimOne(h.add())
			h.settle(settlement(late, task.OutcomeFailed))
			statuses := h.tryAddSteps(step(t, 1, "a"), step(late, 1, "b"), step(t, 2, "c"))
			h.expect(statuses[0] == store.StatusOK && statuses[1] == store.StatusStale && statuses[2] == store.StatusOK, "got %v", statuses)
			h.steps(t.ID, step(t, 1, "a"), step(t, 2, "c"))
			h.steps(late.ID)
		}},
		{"step/repeated", "A step replaces one of its task with its Name and Occurrence; so a call of unknown outcome is repeated.", func(h *harness) {
			t := h.claimOne(h.add())
			second := step(t, 2, "a")
			second.Occurrence = 2
			h.addSteps(step(t, 1, "a"), second)
			h.addSteps(step(t, 1, "a"), second)
			h.steps(t.ID, step(t, 1, "a"), second)
			h.settle(settlement(t, task.OutcomeFailed))
			h.stale("a repeat after the end", step(t, 1, "a"))
			h.steps(t.ID, step(t, 1, "a"), second)
			again := h.claimOne(t.ID)
			newer := step(again, 3, "a")
			newer.Result, newer.Type = []byte("2"), "int"
			h.addSteps(newer)
			h.steps(t.ID, second, newer)
		}},
		{"step/survives its owner", "Steps of a task whose node has died are there for the next claim; none is added under the claim that was lost.", func(h *harness) {
			t := h.claimOne(h.add())
			h.addSteps(step(t, 1, "a"))
			h.bury("n1")
			equal(h, "recovered", len(h.recoverAll()), 1)
			h.stale("under the lost claim", step(t, 2, "late"))
			h.steps(t.ID, step(t, 1, "a"))
		}},
		{"step/of a remote worker", "Steps of a leased task are added under its claim, until the lease has ended and the row was handed back.", func(h *harness) {
			t := h.leaseTo("w1", shortLease, h.add())[0]
			h.addSteps(step(t, 1, "a"))
			h.pass(afterLease)
			h.addSteps(step(t, 2, "b"))
			equal(h, "recovered", len(h.recoverAll()), 1)
			h.stale("after the lease", step(t, 3, "late"))
			h.steps(t.ID, step(t, 1, "a"), step(t, 2, "b"))
		}},
		{"step/of a task with a cancel request", "A cancel request does not keep steps from being added.", func(h *harness) {
			t := h.claimOne(h.add())
			_, err := h.s.Cancel(h.ctx, t.ID)
			h.ok(err)
			h.addSteps(step(t, 1, "a"))
			h.steps(t.ID, step(t, 1, "a"))
		}},
	}
}

func stepLifeRules() []rule {
	return []rule{
		{"step/stays with the task", "Steps stay through success, death and redrive; Purge and Cleanup delete them with their task, and no other's.", checkStepsStay},
		{"step/names are compared byte for byte", "Steps are told apart by their names byte for byte: case, composition, NUL and trailing bytes make other steps, and so does the last of 128 characters.", func(h *harness) {
			t := h.claimOne(h.add())
			long := strings.Repeat("🙂", 127)
			names := append([]string{"k\x00", "k\x00\x00", "\x00", "\x00k", long + "🙂", long + "🙃"}, lookalikes...)
			steps := make([]task.Step, len(names))
			for i, name := range names {
				steps[i] = step(t, i+1, name)
			}
			h.addSteps(steps...)
			h.addSteps(steps...)
			h.steps(t.ID, steps...)
		}},
		{"step/large", "A task may have task.MaxSteps steps, and results and arguments of task.MaxResult bytes each.", func(h *harness) {
			t := h.claimOne(h.add())
			big := step(t, 1, "big")
			big.Result = append(append([]byte{'"'}, bytes.Repeat([]byte("x"), task.MaxResult-2)...), '"')
			big.Compensation = &task.Follow{Type: "undo", Payload: bytes.Clone(big.Result)}
			steps := []task.Step{big}
			for seq := 2; seq <= task.MaxSteps; seq++ {
				small := step(t, seq, "small")
				small.Occurrence = seq
				steps = append(steps, small)
			}
			h.addSteps(steps...)
			h.steps(t.ID, steps...)
		}},
		{"race/steps and ends", "Of a step and the end of its claim at once either the step is there for the next owner, or it is answered as stale.", checkStepsAndEnds},
		{"race/steps and recoveries", "Of a step and the recovery of its task at once either the step is there for the next owner, or it is answered as stale.", checkStepsAndRecoveries},
	}
}

// checkStepsStay has steps of a task that has succeeded, of a dead one, of one that was sent
// back and of one that runs.
func checkStepsStay(h *harness) {
	ended, dead, redriven, live := h.claimOne(h.add()), h.claimOne(h.add()), h.claimOne(h.add()), h.claimOne(h.add())
	for _, t := range []*task.Task{ended, dead, redriven, live} {
		h.addSteps(step(t, 1, "a"))
	}
	h.settle(settlement(ended, task.OutcomeSucceeded))
	h.settle(settlement(dead, task.OutcomeDead))
	h.settle(settlement(redriven, task.OutcomeDead))
	_, _, err := h.s.Redrive(h.ctx, []task.ID{redriven.ID}, store.RedriveOptions{})
	h.ok(err)
	equal(h, "undone with the death", h.get(redriven.ID).Spec.Undone, redriven.Claim)
	h.steps(redriven.ID, step(redriven, 1, "a"))
	h.steps(dead.ID, step(dead, 1, "a"))
	purged, err := h.s.Purge(h.ctx, store.Filter{}, 10)
	h.ok(err)
	equal(h, "purged", len(purged), 1)
	h.steps(dead.ID)
	h.steps(ended.ID, step(ended, 1, "a"))
	h.cleanup(h.get(ended.ID).FinishedAt.Add(-time.Hour), 1000)
	h.steps(ended.ID, step(ended, 1, "a"))
	h.pass(5 * time.Millisecond)
	h.cleanup(h.get(ended.ID).FinishedAt.Add(time.Hour), 1000)
	h.absent(ended.ID)
	h.steps(ended.ID)
	h.steps(redriven.ID, step(redriven, 1, "a"))
	h.steps(live.ID, step(live, 1, "a"))
}

// checkStepsAndEnds adds steps while their task is settled. Who settles then reads what the
// next owner does.
func checkStepsAndEnds(h *harness) {
	for range 30 {
		t := h.claimOne(h.add())
		var group sync.WaitGroup
		statuses := make([]store.Status, 4)
		for seq := range statuses {
			group.Go(func() {
				got, err := h.s.AddSteps(context.WithoutCancel(h.ctx), []task.Step{step(t, seq+1, fmt.Sprint("step ", seq+1))})
				if err != nil {
					h.Error(err)
					return
				}
				statuses[seq] = got[0]
			})
		}
		var ended []store.Settled
		next := map[int]bool{} // the steps that the next owner reads
		group.Go(func() {
			ctx := context.WithoutCancel(h.ctx)
			var err error
			if ended, err = h.s.Settle(ctx, []store.Settlement{settlement(t, task.OutcomeFailed)}); err != nil {
				h.Error(err)
				return
			}
			steps, err := h.s.StepsOf(ctx, []task.ID{t.ID})
			if err != nil {
				h.Error(err)
			}
			for _, s := range steps {
				next[s.Seq] = true
			}
		})
		group.Wait()
		if h.Failed() {
			return
		}
		equal(h, "settled", ended[0].Status, store.StatusOK)
		equal(h, "steps after the end", len(h.stepsOf(t.ID)), len(next))
		for seq, status := range statuses {
			equal(h, "the next owner reads a step answered with "+string(status), next[seq+1], status == store.StatusOK)
		}
	}
}

// checkStepsAndRecoveries adds steps of a node that has died, while its rows are handed
// back. Who hands them back then reads what their next owners do.
func checkStepsAndRecoveries(h *harness) {
	tasks := h.claim(h.addMany(40)...)
	h.bury("n1")
	var group sync.WaitGroup
	ctx := context.WithoutCancel(h.ctx)
	statuses := make([]store.Status, len(tasks))
	for i, t := range tasks {
		group.Go(func() {
			got, err := h.s.AddSteps(ctx, []task.Step{step(t, 1, "a")})
			if err != nil {
				h.Error(err)
				return
			}
			statuses[i] = got[0]
		})
	}
	next := map[task.ID]bool{} // of which the next owner reads a step
	group.Go(func() {
		for left := len(tasks); left > 0 && h.ctx.Err() == nil; {
			rows, err := h.s.Recover(ctx, []uint16{h.lanes[0].Lane}, 5)
			left -= len(rows)
			var ids []task.ID
			for _, row := range rows {
				ids = append(ids, row.ID)
			}
			steps, wrong := h.s.StepsOf(ctx, ids)
			if err := errors.Join(err, wrong); err != nil {
				h.Error(err)
				return
			}
			for _, s := range steps {
				next[s.Task] = true
			}
		}
	})
	group.Wait()
	if h.Failed() {
		return
	}
	for i, status := range statuses {
		equal(h, "the next owner reads a step answered with "+string(status), next[tasks[i].ID], status == store.StatusOK)
		equal(h, "steps after the recovery", len(h.stepsOf(tasks[i].ID)) > 0, next[tasks[i].ID])
	}
}
