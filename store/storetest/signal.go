package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func signal(id task.ID, name, payload string) task.Step {
	s := task.Step{Task: id, Name: name, Type: task.StepSignal}
	if payload != "" {
		s.Result = []byte(payload)
	}
	return s
}

func timeout(t *task.Task, name string) task.Step {
	return task.Step{Task: t.ID, Claim: t.Claim, Attempt: t.Attempt, Name: name, Type: task.StepTimeout}
}

// await is a wait that an attempt has stored.
func await(t *task.Task, seq int, name string, until time.Time) task.Step {
	s := step(t, seq, name)
	s.Type, s.Result, s.Until = task.StepAwait, nil, until
	return s
}

// inAnHour is a time as stores keep it.
func inAnHour() time.Time { return time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond) }

func (h *harness) signal(step task.Step, audit ...store.Audit) store.Signaled {
	h.Helper()
	done, err := h.s.Signal(h.ctx, step, audit...)
	h.ok(err)
	return done
}

// stands fails the test unless what ends a wait is of a type, with a payload, and added or not.
func (h *harness) stands(done store.Signaled, added bool, kind, payload string) {
	h.Helper()
	equal(h, "status", done.Status, store.StatusOK)
	equal(h, "added", done.Added, added)
	equal(h, "type", done.Step.Type, kind)
	equal(h, "payload", string(done.Step.Result), payload)
}

// ends fails the test unless what is stored of a name ends the wait so; kind "" for nothing.
func (h *harness) ends(id task.ID, name, kind, payload string) {
	h.Helper()
	var got, text string
	for _, s := range h.stepsOf(id) {
		if s.Name == name && s.EndsWait() {
			got, text = s.Type, string(s.Result)
		}
	}
	equal(h, "what ends the wait for "+name, got+" "+text, kind+" "+payload)
}

// snoozed ends an attempt that waits for signals.
func snoozed(t *task.Task, until time.Time, names ...string) store.Settlement {
	s := settlement(t, task.OutcomeSnoozed)
	s.RunAt, s.Awaits = until, names
	return s
}

// awaiting claims a task, has it wait for signals, and settles that.
func (h *harness) awaiting(until time.Time, names ...string) *task.Task {
	h.Helper()
	t := h.claimOne(h.add())
	for i, name := range names {
		h.addSteps(await(t, i+1, name, until))
	}
	h.settle(snoozed(t, until, names...))
	return t
}

func signalRules() []rule {
	return []rule{
		{"signal/first stands", "The first signal of a name stands, also for a task that has not begun; a repeat and another are answered with it, also when the task has ended.", func(h *harness) {
			id := h.add()
			h.stands(h.signal(signal(id, "a", `{"n":1}`)), true, task.StepSignal, `{"n":1}`)
			h.stands(h.signal(signal(id, "a", `{"n":1}`)), false, task.StepSignal, `{"n":1}`)
			h.stands(h.signal(signal(id, "a", `{"n":2}`)), false, task.StepSignal, `{"n":1}`)
			h.stands(h.signal(signal(id, "A", "")), true, task.StepSignal, "")
			h.ends(id, "a", task.StepSignal, `{"n":1}`)
			t := h.claimOne(id)
			h.stands(h.signal(signal(id, "a", "3")), false, task.StepSignal, `{"n":1}`)
			h.stands(h.signal(signal(id, "b", "3")), true, task.StepSignal, "3")
			equal(h, "steps", len(h.stepsOf(id)), 3)
			h.expect(!h.stepsOf(id)[0].EndedAt.IsZero(), "a signal has no time")
			h.settle(settlement(t, task.OutcomeSucceeded))
			h.stands(h.signal(signal(id, "b", "3")), false, task.StepSignal, "3")
		}},
		{"signal/refused", "A signal is refused for a task that is not there, for one that has ended, with the state, and if it is too large or no signal; nothing is stored then.", func(h *harness) {
			_, err := h.s.Signal(h.ctx, signal(h.task().ID, "a", "1"))
			h.code(err, task.CodeNotFound)
			for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeDead, task.OutcomeCanceled} {
				t := h.run(h.add(), outcome)
				_, err := h.s.Signal(h.ctx, signal(t.ID, "a", "1"))
				equal(h, "state", h.code(err, task.CodeConflict).State, h.get(t.ID).State)
				equal(h, "steps", len(h.stepsOf(t.ID)), 0)
			}
			t := h.claimOne(h.add())
			_, err = h.s.Signal(h.ctx, signal(t.ID, "a", `"`+strings.Repeat("x", task.MaxResult)+`"`))
			h.code(err, task.CodeTooLarge)
			for _, wrong := range []task.Step{step(t, 1, "a"), await(t, 1, "a", inAnHour()), {Task: t.ID, Type: task.StepSignal}, {Task: t.ID, Name: "a", Type: task.StepSignal, Occurrence: 1}} {
				_, err := h.s.Signal(h.ctx, wrong)
				h.code(err, task.CodeInvalid)
			}
			many := make([]task.Step, task.MaxSteps)
			for i := range many {
				many[i] = await(t, i+1, fmt.Sprint("n", i), inAnHour())
			}
			h.addSteps(many...)
			_, err = h.s.Signal(h.ctx, signal(t.ID, "a", "1"))
			h.code(err, task.CodeTooLarge)
			h.ends(t.ID, "a", "", "")
		}},
		{"signal/wakes who waits", "A signal makes a task due that waits for its name, alone or beside others, and clears its mark; the answer says so.", func(h *harness) {
			until := inAnHour()
			t := h.awaiting(until, "a", "b")
			h.expect(h.get(t.ID).RunAt.Equal(until), "it waits until %v, not %v", h.get(t.ID).RunAt, until)
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: t.ID, Mark: 7}}))
			done := h.signal(signal(t.ID, "b", "1"))
			h.expect(done.Woken && done.Task.State == task.Pending && done.Task.RunAt.Before(until) && done.Task.Park == 0, "got %+v of %+v", done, done.Task)
			row := h.get(t.ID)
			h.expect(row.RunAt.Equal(done.Task.RunAt) && row.Park == 0, "the row has %v and the mark %d", row.RunAt, row.Park)
			h.expect(!h.signal(signal(t.ID, "a", "1")).Woken, "a task that is due is moved")
			h.expect(h.get(t.ID).RunAt.Equal(row.RunAt), "a task that is due was moved")
			h.claimOne(t.ID)
		}},
		{"signal/moves nothing else", "A signal that nobody waits for moves no task: one that waits for another name, for a retry, for a sleep, for its first run, or by an operator's order.", func(h *harness) {
			until := inAnHour()
			other, retry, sleeps, ordered := h.awaiting(until, "other"), h.claimOne(h.add()), h.claimOne(h.add()), h.awaiting(until, "a")
			h.addSteps(await(retry, 1, "a", until.Add(-time.Minute)))
			failed := settlement(retry, task.OutcomeFailed)
			failed.RunAt = until
			nap := step(sleeps, 1, "nap")
			nap.Type, nap.Until = "sleep", until
			h.addSteps(nap)
			h.settle(failed, snoozed(sleeps, until))
			later := until.Add(time.Minute)
			_, err := h.s.Reschedule(h.ctx, ordered.ID, later)
			h.ok(err)
			first := h.add(func(t *task.Task) { t.RunAt = until })
			for id, at := range map[task.ID]time.Time{other.ID: until, retry.ID: until, sleeps.ID: until, ordered.ID: later, first: until} {
				done := h.signal(signal(id, "a", "1"))
				h.expect(done.Added && !done.Woken && h.get(id).RunAt.Equal(at), "moved to %v from %v", h.get(id).RunAt, at)
			}
		}},
		{"signal/seen by the settlement", "A settlement that snoozes for signals finds those that came while the task ran, and makes it due at once; a repeat of it is ok.", func(h *harness) {
			until := inAnHour()
			t, waits, naps := h.claimOne(h.add()), h.claimOne(h.add()), h.claimOne(h.add())
			for _, t := range []*task.Task{t, waits, naps} {
				h.addSteps(await(t, 1, "a", until))
				name := "a"
				if t == waits {
					name = "b"
				}
				h.expect(!h.signal(signal(t.ID, name, "1")).Woken, "a running task is moved")
			}
			all := []store.Settlement{snoozed(t, until, "c", "a"), snoozed(waits, until, "a"), snoozed(naps, until)}
			for range 2 {
				settled := h.settle(all...)
				for i := range all {
					due := settled[i].Entry.RunAt < until.UnixMicro()
					equal(h, fmt.Sprintf("task %d is due", i), due, i == 0)
					equal(h, "run_at of the row", h.get(all[i].Task.ID).RunAt.UnixMicro(), settled[i].Entry.RunAt)
				}
			}
			h.claimOne(t.ID)
		}},
		{"signal/timeout competes", "A timeout and a signal compete for one name: the first that is stored stands, and the other is answered with it. A timeout is fenced by its claim.", func(h *harness) {
			t := h.claimOne(h.add())
			h.stands(h.signal(signal(t.ID, "a", "1")), true, task.StepSignal, "1")
			h.stands(h.signal(timeout(t, "a")), false, task.StepSignal, "1")
			h.stands(h.signal(timeout(t, "b")), true, task.StepTimeout, "")
			h.stands(h.signal(timeout(t, "b")), false, task.StepTimeout, "")
			h.stands(h.signal(signal(t.ID, "b", "1")), false, task.StepTimeout, "")
			h.settle(settlement(t, task.OutcomeFailed))
			stale := h.signal(timeout(t, "c"))
			h.expect(stale.Status == store.StatusStale && !stale.Added, "a late timeout: %+v", stale)
			again := h.claimOne(t.ID)
			equal(h, "under the old claim", h.signal(timeout(t, "c")).Status, store.StatusStale)
			h.ends(t.ID, "c", "", "")
			h.stands(h.signal(timeout(again, "b")), false, task.StepTimeout, "")
			h.stands(h.signal(timeout(again, "c")), true, task.StepTimeout, "")
		}},
		{"signal/redrive", "A redrive keeps signals, and forgets timeouts and waits: a signal can come anew, and wakes who waits anew.", func(h *harness) {
			until := inAnHour()
			t := h.claimOne(h.add())
			h.addSteps(await(t, 1, "late", until), await(t, 2, "a", until))
			h.stands(h.signal(timeout(t, "late")), true, task.StepTimeout, "")
			h.stands(h.signal(signal(t.ID, "a", "1")), true, task.StepSignal, "1")
			h.settle(settlement(t, task.OutcomeDead))
			_, _, err := h.s.Redrive(h.ctx, []task.ID{t.ID}, store.RedriveOptions{RunAt: []time.Time{until}})
			h.ok(err)
			done := h.signal(signal(t.ID, "late", "2"))
			h.stands(done, true, task.StepSignal, "2")
			h.expect(!done.Woken && h.get(t.ID).RunAt.Equal(until), "a wait of before the death is woken")
			h.ends(t.ID, "late", task.StepSignal, "2")
			h.stands(h.signal(signal(t.ID, "a", "3")), false, task.StepSignal, "1")
		}},
		{"signal/audit", "A signal writes its row of the audit log as it is given if it is stored, and none otherwise.", func(h *harness) {
			id, row := h.add(), store.Audit{Actor: "a", Action: "task.signal", Subject: "task/x", After: []byte(`{"signal":"a"}`)}
			for range 2 {
				h.signal(signal(id, "a", "1"), row)
			}
			rows := h.audit(store.AuditFilter{}, 10)
			h.expect(len(rows) == 1 && rows[0].Action == "task.signal", "rows %+v", rows)
		}},
		{"race/signals and snoozes", "Of a signal and a settlement that snoozes for it at once the task is due afterwards, and the signal is there.", checkSignalsAndSnoozes},
		{"race/signal and timeout", "Of signals and a timeout at once one stands, and all are answered with it.", checkSignalAndTimeout},
	}
}

// checkSignalsAndSnoozes signals tasks while they are settled, alone and beside others.
func checkSignalsAndSnoozes(h *harness) {
	until, ctx := inAnHour(), context.WithoutCancel(h.ctx)
	ids := h.addMany(20)
	for i := range 10 {
		ids = append(ids, h.add(keyed(fmt.Sprint("k", i))))
	}
	tasks := h.claim(ids...)
	var group sync.WaitGroup
	for _, some := range [][]*task.Task{tasks[:10], tasks[10:20], tasks[20:]} {
		var ends []store.Settlement
		for _, t := range some {
			h.addSteps(await(t, 1, "a", until))
			ends = append(ends, snoozed(t, until, "a"))
		}
		group.Go(func() {
			settled, err := h.s.Settle(ctx, ends)
			for i := range settled {
				if settled[i].Status != store.StatusOK {
					h.Errorf("settled as %s: %v", settled[i].Status, settled[i].Err)
				}
			}
			if err != nil {
				h.Error(err)
			}
		})
		for _, t := range some {
			group.Go(func() {
				if _, err := h.s.Signal(ctx, signal(t.ID, "a", "1")); err != nil {
					h.Error(err)
				}
			})
		}
	}
	group.Wait()
	for _, t := range tasks {
		h.ends(t.ID, "a", task.StepSignal, "1")
		if row := h.get(t.ID); row.State != task.Pending || !row.RunAt.Before(until) {
			h.Errorf("a signal is lost: the task is %s and waits until %v", row.State, row.RunAt)
		}
	}
}

func checkSignalAndTimeout(h *harness) {
	ctx := context.WithoutCancel(h.ctx)
	for _, t := range h.claim(h.addMany(10)...) {
		given := []task.Step{signal(t.ID, "a", "1"), timeout(t, "a"), signal(t.ID, "a", "2")}
		answers := make([]store.Signaled, len(given))
		var group sync.WaitGroup
		for i := range given {
			group.Go(func() {
				var err error
				if answers[i], err = h.s.Signal(ctx, given[i]); err != nil {
					h.Error(err)
				}
			})
		}
		group.Wait()
		added := 0
		for _, answer := range answers {
			if answer.Added {
				added++
			}
			h.ends(t.ID, "a", answer.Step.Type, string(answer.Step.Result))
		}
		equal(h, "added", added, 1)
	}
}
