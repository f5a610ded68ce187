package storetest

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func settleRules() []rule {
	return []rule{
		{"settle/succeeded", "A success moves the row to done with its result, and its attempt is in the history.", func(h *harness) {
			t := h.claimOne(h.add())
			s := settlement(t, task.OutcomeSucceeded)
			equal(h, "state", h.settle(s)[0].State, task.Succeeded)
			got := h.state(t.ID, task.Succeeded)
			h.expect(string(got.Result) == `{"ok":true}` && !got.FinishedAt.IsZero() && got.Attempt == 1 && got.Claim == t.Claim, "got %+v", got)
			attempt := h.outcomes(t.ID, task.OutcomeSucceeded)[0]
			h.expect(attempt.Number == 1 && attempt.Claim == t.Claim && attempt.Node == "n1" && attempt.Failure == nil && attempt.NextDelay == 0, "got %+v", attempt)
			h.near("started", attempt.StartedAt, s.StartedAt)
			h.near("ended", attempt.EndedAt, s.EndedAt)
		}},
		{"settle/failed", "A failure writes a history row, keeps the error on the row, and makes it pending again at RunAt.", func(h *harness) {
			t := h.claimOne(h.add())
			s := settlement(t, task.OutcomeFailed)
			s.RunAt = time.Now().Add(time.Hour)
			settled := h.settle(s)[0]
			got := h.state(t.ID, task.Pending)
			h.expect(settled.State == task.Pending && settled.Entry == h.entryOf(got), "answered %+v", settled)
			h.expect(got.RunAt.Equal(s.RunAt.Truncate(time.Microsecond)), "run at %v, want %v", got.RunAt, s.RunAt)
			h.expect(got.Attempt == 1 && got.Crashes == 0 && got.Node == "" && got.Claim == t.Claim, "got %+v", got)
			h.sameFailure(got.LastError, s.Failure)
			attempt := h.outcomes(t.ID, task.OutcomeFailed)[0]
			h.sameFailure(attempt.Failure, s.Failure)
			h.expect(attempt.NextDelay > 50*time.Minute && attempt.NextDelay < 70*time.Minute, "next delay %v", attempt.NextDelay)
			h.refuseOne(t.ID, store.ReasonLater)
		}},
		{"settle/a zero run time is now", "A zero RunAt of a failed, snoozed or released task means now.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased} {
				t := h.claimOne(h.add(due(time.Now().Add(-48 * time.Hour))))
				s := settlement(t, outcome)
				s.RunAt = time.Time{}
				h.settle(s)
				got := h.get(t.ID)
				h.expect(!got.RunAt.Before(got.CreatedAt), "%s: run at %v, created %v", outcome, got.RunAt, got.CreatedAt)
				h.claimOne(t.ID)
			}
		}},
		{"settle/snoozed", "A snooze costs no attempt: pending at RunAt with attempt - 1, a history row, the same claim number.", func(h *harness) {
			t := h.claimOne(h.add())
			s := settlement(t, task.OutcomeSnoozed)
			h.settle(s)
			got := h.state(t.ID, task.Pending)
			h.expect(got.Attempt == 0 && got.Claim == t.Claim && got.RunAt.Equal(s.RunAt.Truncate(time.Microsecond)), "got %+v", got)
			h.run(t.ID, task.OutcomeSucceeded)
			attempts := h.outcomes(t.ID, task.OutcomeSnoozed, task.OutcomeSucceeded)
			h.expect(attempts[0].Number == 1 && attempts[1].Number == 1, "an attempt that cost nothing repeats its number: %+v", attempts)
		}},
		{"settle/snoozed without end", "The history of a live task keeps the newest KeptRuns of the runs that cost no attempt, and all others.", func(h *harness) {
			id := h.add()
			h.run(id, task.OutcomeFailed)
			h.run(id, task.OutcomeSnoozed)
			h.run(id, task.OutcomeFailed)
			want := []task.Outcome{task.OutcomeFailed, task.OutcomeFailed}
			for i := range store.KeptRuns + 3 {
				outcome := []task.Outcome{task.OutcomeSnoozed, task.OutcomeReleased}[i%2]
				if h.run(id, outcome); i >= 3 {
					want = append(want, outcome)
				}
			}
			h.run(id, task.OutcomeFailed)
			attempts := h.outcomes(id, append(want, task.OutcomeFailed)...)
			for i, attempt := range attempts {
				equal(h, "number", attempt.Number, min(i+1, 3))
			}
			equal(h, "attempt", h.get(id).Attempt, 3)
		}},
		{"settle/released", "A release costs no attempt and raises the claim number.", func(h *harness) {
			t := h.claimOne(h.add())
			h.settle(settlement(t, task.OutcomeReleased))
			got := h.state(t.ID, task.Pending)
			h.expect(got.Attempt == 0 && got.Claim > t.Claim, "attempt %d, claim %d after %d", got.Attempt, got.Claim, t.Claim)
			again := h.claimOne(t.ID)
			h.expect(again.Claim > got.Claim && again.Attempt == 1, "attempt %d, claim %d after %d", again.Attempt, again.Claim, got.Claim)
			attempts := h.outcomes(t.ID, task.OutcomeReleased)
			equal(h, "claim of the history row", attempts[0].Claim, t.Claim)
		}},
		{"settle/canceled", "A canceled attempt moves the row to done as canceled.", func(h *harness) {
			t := h.run(h.add(), task.OutcomeCanceled)
			got := h.state(t.ID, task.Canceled)
			h.expect(!got.FinishedAt.IsZero(), "no end")
			h.outcomes(t.ID, task.OutcomeCanceled)
		}},
		{"settle/the last failure is kept", "A failure keeps LastError on the row, through later outcomes without a failure.", func(h *harness) {
			t := h.run(h.add(), task.OutcomeFailed)
			h.run(t.ID, task.OutcomeSnoozed)
			h.expect(h.get(t.ID).LastError != nil, "the snooze lost the error")
			again := h.claimOne(t.ID)
			h.expect(again.LastError != nil && again.LastError.Category == "down", "the claim came without the last error")
			s := settlement(again, task.OutcomeFailed)
			s.Failure = failure("throttled")
			h.settle(s)
			equal(h, "category", h.get(t.ID).LastError.Category, "throttled")
		}},
		{"settle/history numbers are contiguous", "History rows are contiguous: the numbers count spent attempts, the claims grow.", func(h *harness) {
			id := h.add()
			outcomes := []task.Outcome{
				task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeFailed, task.OutcomeReleased, task.OutcomeFailed, task.OutcomeSucceeded,
			}
			for _, outcome := range outcomes {
				h.run(id, outcome)
			}
			var last int64
			for i, attempt := range h.outcomes(id, outcomes...) {
				equal(h, "number", attempt.Number, []int{1, 2, 2, 2, 3, 3, 4}[i])
				h.expect(attempt.Claim > last, "claim %d after %d", attempt.Claim, last)
				last = attempt.Claim
			}
			equal(h, "attempt", h.get(id).Attempt, 4)
		}},
	}
}

// labels are of attempts: none, and each part with and without the other.
var labels = []task.Label{{}, {Policy: "pay", PolicyVersion: 3}, {Release: "1.4 beta@2"}, {Policy: "p", PolicyVersion: 1 << 40, Release: "2026-11"}}

func settleMoreRules() []rule {
	return []rule{
		{"settle/unstarted", "An attempt that never started costs none and leaves no history row, whatever its outcome.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeReleased, task.OutcomeSnoozed, task.OutcomeFailed, task.OutcomeCanceled, task.OutcomeDead} {
				id := h.add()
				h.run(id, task.OutcomeFailed)
				s := settlement(h.claimOne(id), outcome)
				s.Unstarted = true
				h.settle(s)
				equal(h, "attempts after an unstarted "+string(outcome), h.get(id).Attempt, 1)
				h.outcomes(id, task.OutcomeFailed)
			}
		}},
		{"settle/a final task has its start", "StartedAt of a task that has ended is that of its last attempt, as the settlement says, or when it was claimed where that says nothing, and of a task that was canceled when it was lost. One that was never claimed has none, and one that was canceled while it waited may have none.", checkStarts},
		{"settle/label", "Every attempt keeps the label of its settlement, however it ends and however many end together, also among dead letters and back from there.", func(h *harness) {
			outcomes := []task.Outcome{task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeCanceled, task.OutcomeDead}
			ids := h.addMany(60 * len(outcomes))
			var all []store.Settlement
			for i, t := range h.claim(ids...) {
				s := settlement(t, outcomes[i/60])
				s.Label = labels[i%len(labels)]
				all = append(all, s)
			}
			h.settle(all...)
			for i, id := range ids {
				equal(h, "label of "+string(outcomes[i/60]), h.outcomes(id, outcomes[i/60])[0].Label, labels[i%len(labels)])
			}
			id := h.run(h.add(), task.OutcomeFailed).ID
			last := settlement(h.claimOne(id), task.OutcomeDead)
			last.Label = labels[1]
			h.settle(last)
			h.redrive(store.RedriveOptions{}, id)
			again := settlement(h.claimOne(id), task.OutcomeSucceeded)
			again.Label = labels[2]
			h.settle(again)
			for i, attempt := range h.outcomes(id, task.OutcomeFailed, task.OutcomeDead, task.OutcomeSucceeded) {
				equal(h, "label after a redrive", attempt.Label, labels[i])
			}
		}},
		{"settle/follow-ups of a key", "Tasks of one ordering key that follow an end run in the order in which they are given, behind those that were there.", func(h *harness) {
			before := h.add(keyed("k"))
			s := settlement(h.claimOne(h.add()), task.OutcomeDead)
			var ids []task.ID
			for range 5 {
				follow := h.task(keyed("k"))
				s.Follow, ids = append(s.Follow, store.Insert{Task: follow}), append(ids, follow.ID)
			}
			slices.Reverse(s.Follow)
			slices.Reverse(ids)
			h.settle(s)
			h.run(before, task.OutcomeSucceeded)
			for i, id := range ids {
				for _, later := range ids[i+1:] {
					h.refuseOne(later, store.ReasonBehindKey)
				}
				h.run(id, task.OutcomeSucceeded)
			}
		}},
		{"settle/follow-ups in the same transaction", "Follow is inserted in the transaction in which the attempt ends, whatever becomes of the task.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeDead, task.OutcomeFailed} {
				first, second := h.task(keyed("k-"+string(outcome))), h.task(h.inLane(1), due(time.Time{}))
				s := settlement(h.claimOne(h.add()), outcome)
				s.Follow = []store.Insert{{Task: first}, {Task: second, Delay: time.Hour}}
				h.settle(s)
				got := h.state(first.ID, task.Pending)
				h.expect(got.Seq > 0, "the keyed follow-up has no seq")
				got = h.state(second.ID, task.Pending)
				h.expect(got.RunAt.Equal(got.CreatedAt.Add(time.Hour)), "run at %v", got.RunAt)
				h.settle(s)
				h.claimOne(first.ID)
			}
		}},
		{"settle/follow-ups that exist", "A follow-up that is already there with the same content is left alone; with other content the settlement is refused and nothing changes.", func(h *harness) {
			follow := h.task()
			h.insert(follow)
			s := settlement(h.claimOne(h.add()), task.OutcomeSucceeded)
			s.Follow = []store.Insert{{Task: follow}}
			h.settle(s)
			clash := *follow
			clash.Type = "other"
			s = settlement(h.claimOne(h.add()), task.OutcomeSucceeded)
			s.Follow = []store.Insert{{Task: h.task()}, {Task: &clash}}
			answer := h.trySettle(s)[0]
			h.expect(answer.Status == store.StatusRefused && answer.Err != nil, "got %+v", answer)
			h.state(s.Task.ID, task.Running)
			h.absent(s.Follow[0].Task.ID)
			equal(h, "history", len(h.attempts(s.Task.ID)), 0)
		}},
		{"settle/items do not share fate", "Settlements of one call do not share fate and are answered in order.", func(h *harness) {
			ids := h.addMany(3)
			tasks := h.claim(ids...)
			stale := *tasks[1]
			stale.Claim--
			refused := settlement(tasks[2], "nonsense")
			answers := h.trySettle(settlement(tasks[0], task.OutcomeSucceeded), settlement(&stale, task.OutcomeSucceeded),
				settlement(h.task(), task.OutcomeSucceeded), refused, settlement(tasks[1], task.OutcomeFailed))
			for i, want := range []store.Status{store.StatusOK, store.StatusStale, store.StatusNotFound, store.StatusRefused, store.StatusOK} {
				equal(h, "status", answers[i].Status, want)
			}
			h.expect(answers[3].Err != nil, "refused without a reason")
			h.state(tasks[2].ID, task.Running)
		}},
		{"settle/cancel requested", "A failed, snoozed or released settlement of a row whose cancel was requested ends as canceled; a success is kept, and so is a death.", func(h *harness) {
			for outcome, want := range map[task.Outcome]task.State{
				task.OutcomeFailed: task.Canceled, task.OutcomeSnoozed: task.Canceled, task.OutcomeReleased: task.Canceled,
				task.OutcomeCanceled: task.Canceled, task.OutcomeSucceeded: task.Succeeded, task.OutcomeDead: task.Dead,
			} {
				t := h.claimOne(h.add())
				_, err := h.s.Cancel(h.ctx, t.ID)
				h.ok(err)
				s := settlement(t, outcome)
				equal(h, "state", h.settle(s)[0].State, want)
				h.state(t.ID, want)
				again := h.settle(s)[0]
				equal(h, "state answered to the repeat", again.State, want)
				equal(h, "history rows", len(h.attempts(t.ID)), 1)
			}
		}},
		{"settle/keeps nothing it was given", "Settle keeps none of the data that it is given.", func(h *harness) {
			s := settlement(h.claimOne(h.add()), task.OutcomeSucceeded)
			want := string(s.Result)
			h.settle(s)
			s.Result[0] = 'X'
			equal(h, "result", string(h.get(s.Task.ID).Result), want)
			s = settlement(h.claimOne(h.add()), task.OutcomeFailed)
			h.settle(s)
			s.Failure.Category = "changed"
			equal(h, "category", h.get(s.Task.ID).LastError.Category, "down")
		}},
	}
}

// near compares times to the microsecond.
func (h *harness) near(what string, got, want time.Time) {
	h.Helper()
	h.expect(got.Sub(want).Abs() <= time.Microsecond, "%s: got %v, want %v", what, got, want)
}

func (h *harness) sameFailure(got, want *task.Failure) {
	h.Helper()
	h.expect(got != nil, "the failure is absent")
	a, b := *got, *want
	h.near("failure", a.At, b.At)
	a.At, b.At = time.Time{}, time.Time{}
	equal(h, "failure", a, b)
}

func deadRules() []rule {
	return []rule{
		{"dead/the whole letter", "A death moves the row to dead with reason, failure and its attempts.", func(h *harness) {
			id := h.add(func(t *task.Task) { t.Spec = fullSpec(h) })
			h.run(id, task.OutcomeFailed)
			t := h.claimOne(id)
			t.FallbackTask = h.task().ID
			s := settlement(t, task.OutcomeDead)
			s.DeadReason, s.Failure = task.Permanent, failure("permanent")
			equal(h, "state", h.settle(s)[0].State, task.Dead)
			got := h.state(id, task.Dead)
			h.expect(got.DeadReason == task.Permanent && !got.FinishedAt.IsZero() && got.Attempt == 2 && got.Claim == t.Claim, "got %+v", got)
			h.sameFailure(got.LastError, s.Failure)
			h.sameSpec(got.Spec, t.Spec)
			equal(h, "fallback", got.FallbackTask, t.FallbackTask)
			attempts := h.outcomes(id, task.OutcomeFailed, task.OutcomeDead)
			h.sameFailure(attempts[1].Failure, s.Failure)
			equal(h, "pending rows", len(h.scan(h.lanes[0].Lane, 0)), 0)
		}},
		{"dead/by the store's clock", "A letter died when the store took its end, whatever the clock of its node says of the attempt.", func(h *harness) {
			id := h.add()
			s := settlement(h.claimOne(id), task.OutcomeDead)
			s.EndedAt = time.Now().Add(-time.Hour)
			h.settle(s)
			h.expect(time.Since(h.state(id, task.Dead).FinishedAt).Abs() < time.Minute, "died at %v", h.get(id).FinishedAt)
			h.near("the attempt", h.attempts(id)[0].EndedAt, s.EndedAt)
		}},
		{"dead/the last 100 attempts", "A dead letter has its last 100 attempts.", func(h *harness) {
			id := h.add()
			for range 104 {
				h.run(id, task.OutcomeFailed)
			}
			equal(h, "history of the live task", len(h.attempts(id)), 104)
			h.die(id)
			attempts := h.attempts(id)
			equal(h, "attempts", len(attempts), 100)
			h.expect(attempts[0].Number == 6 && attempts[99].Number == 105 && attempts[99].Outcome == task.OutcomeDead, "from %+v to %+v", attempts[0], attempts[99])
		}},
		{"dead/block and park hold the key", "The death of a keyed task holds its key under block, which is what nothing means, and park, with the mode.", func(h *harness) {
			for order, mode := range map[string]string{"block": "block", "": "block", "park": "park"} {
				key := "key " + order
				id := h.add(keyed(key))
				h.die(id, func(s *store.Settlement) { s.OrderOnDead = order })
				state := h.keyState(key)
				h.expect(state.Held && state.Holder == id && state.Mode == mode && !state.Since.IsZero(), "%q: got %+v", order, state)
				h.refuseOne(h.add(keyed(key)), store.ReasonKeyHeld)
			}
		}},
		{"dead/skip holds nothing", "The death of a keyed task under skip holds nothing: the next of the key runs.", func(h *harness) {
			ids := h.addMany(2, keyed("k"))
			h.die(ids[0], func(s *store.Settlement) { s.OrderOnDead = "skip" })
			equal(h, "state of the key", *h.keyState("k"), store.KeyState{First: ids[1]})
			h.claimOne(ids[1])
		}},
		{"dead/a task without key holds nothing", "The death of a task without key holds nothing.", func(h *harness) {
			h.die(h.add())
			h.claimOne(h.add())
			equal(h, "the empty key", h.keyState("").Held, false)
		}},
		{"dead/counters", "Counters are kept in the settling transaction: by type, reason and category.", func(h *harness) {
			h.die(h.add())
			h.die(h.add(typed("sms")), func(s *store.Settlement) { s.DeadReason, s.Failure = task.Permanent, failure("permanent") })
			h.die(h.add(typed("sms")))
			stats := h.stats()
			h.expect(stats.Total == 3 && stats.ByType["mail"] == 1 && stats.ByType["sms"] == 2 && stats.ByReason["exhausted"] == 2 &&
				stats.ByReason["permanent"] == 1 && stats.ByCategory["down"] == 2 && stats.ByCategory["permanent"] == 1, "got %+v", stats)
		}},
	}
}
