package storetest

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var settleOutcomes = []task.Outcome{
	task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeDead, task.OutcomeCanceled,
}

func fenceRules() []rule {
	return []rule{
		{"fence/a stale claim changes nothing", "A settlement under another claim number than the row's is stale and changes nothing.", func(h *harness) {
			id := h.add(keyed("k"))
			old := h.run(id, task.OutcomeFailed)
			current := h.claimOne(id)
			future := *current
			future.Claim++
			for _, outcome := range settleOutcomes {
				for _, t := range []*task.Task{old, &future} {
					if outcome == task.OutcomeFailed && t == old {
						continue // a repeat
					}
					s := settlement(t, outcome)
					s.Follow = []store.Insert{{Task: h.task()}}
					equal(h, "status of "+string(outcome), h.trySettle(s)[0].Status, store.StatusStale)
					h.absent(s.Follow[0].Task.ID)
				}
			}
			got := h.state(id, task.Running)
			h.expect(got.Claim == current.Claim && got.Attempt == 2, "got %+v", got)
			h.outcomes(id, task.OutcomeFailed)
			equal(h, "dead letters", h.stats().Total, 0)
			equal(h, "hold", h.keyState("k").Held, false)
			h.settle(settlement(current, task.OutcomeSucceeded))
		}},
		{"fence/a stale success", "A settlement of an older claim changes nothing while the task runs again, keyed or not.", func(h *harness) {
			for _, id := range []task.ID{h.add(), h.add(keyed("k"))} {
				old := h.run(id, task.OutcomeFailed)
				current := h.claimOne(id)
				for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeReleased, task.OutcomeSnoozed} {
					equal(h, "status of "+string(outcome), h.trySettle(settlement(old, outcome))[0].Status, store.StatusStale)
				}
				got := h.state(id, task.Running)
				h.expect(got.Claim == current.Claim && got.Attempt == 2, "got %+v", got)
				h.outcomes(id, task.OutcomeFailed)
				h.settle(settlement(current, task.OutcomeSucceeded))
			}
		}},
		{"fence/a repeat is answered ok", "A repeat of a recorded outcome for the same claim answers ok with the state, and changes nothing.", func(h *harness) {
			for _, outcome := range settleOutcomes {
				s := settlement(h.claimOne(h.add(keyed("k-"+string(outcome)))), outcome)
				s.Follow = []store.Insert{{Task: h.task()}}
				first := h.settle(s)[0]
				before, stats, seq := h.get(s.Task.ID), h.stats().Total, len(h.find(store.Filter{}, 100))
				for range 2 {
					again := h.settle(s)[0]
					h.expect(again.State == first.State && again.Entry == first.Entry, "%s: answered %+v, then %+v", outcome, first, again)
				}
				after := h.get(s.Task.ID)
				h.expect(after.Claim == before.Claim && after.Attempt == before.Attempt && after.RunAt.Equal(before.RunAt), "%s: %+v became %+v", outcome, before, after)
				h.outcomes(s.Task.ID, outcome)
				equal(h, "dead letters", h.stats().Total, stats)
				equal(h, "tasks", len(h.find(store.Filter{}, 100)), seq)
			}
		}},
		{"fence/a repeat after the task went on", "A repeat is answered ok also when the task has been claimed again since; the new attempt is not disturbed.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased} {
				s := settlement(h.claimOne(h.add()), outcome)
				h.settle(s)
				current := h.claimOne(s.Task.ID)
				h.settle(s)
				equal(h, "claim", h.state(s.Task.ID, task.Running).Claim, current.Claim)
				h.settle(settlement(current, task.OutcomeSucceeded))
				h.settle(s)
				h.outcomes(s.Task.ID, outcome, task.OutcomeSucceeded)
			}
		}},
		{"fence/a repeat after the task died", "A repeat of an earlier attempt is answered ok also when the task is a dead letter since, which holds its attempts.", func(h *harness) {
			for _, outcome := range []task.Outcome{task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased} {
				s := settlement(h.claimOne(h.add()), outcome)
				h.settle(s)
				h.settle(settlement(h.claimOne(s.Task.ID), task.OutcomeDead))
				equal(h, "state", h.settle(s)[0].State, task.Dead)
				s.Outcome = task.OutcomeSucceeded
				equal(h, "another outcome", h.trySettle(s)[0].Status, store.StatusStale)
				h.outcomes(s.Task.ID, outcome, task.OutcomeDead)
			}
		}},
		{"fence/another outcome is stale", "Another outcome than the recorded one for the same claim is stale.", func(h *harness) {
			for _, recorded := range settleOutcomes {
				t := h.run(h.add(), recorded)
				for _, other := range settleOutcomes {
					if other == recorded || recorded == task.OutcomeCanceled { // a canceled row may stand for a failure
						continue
					}
					equal(h, string(recorded)+", then "+string(other), h.trySettle(settlement(t, other))[0].Status, store.StatusStale)
				}
				h.outcomes(t.ID, recorded)
			}
			t := h.run(h.add(), task.OutcomeCanceled)
			equal(h, "canceled, then succeeded", h.trySettle(settlement(t, task.OutcomeSucceeded))[0].Status, store.StatusStale)
		}},
		{"fence/a pending row is not settled", "A row that is pending is not settled, even under its last claim number.", func(h *harness) {
			t := h.run(h.add(), task.OutcomeFailed)
			equal(h, "status", h.trySettle(settlement(t, task.OutcomeSucceeded))[0].Status, store.StatusStale)
			fresh := h.task()
			h.insert(fresh)
			equal(h, "status of a task never claimed", h.trySettle(settlement(h.get(fresh.ID), task.OutcomeSucceeded))[0].Status, store.StatusStale)
			h.state(fresh.ID, task.Pending)
		}},
		{"fence/an absent task", "A settlement of a task of which there is no trace is not found.", func(h *harness) {
			equal(h, "status", h.trySettle(settlement(h.task(), task.OutcomeSucceeded))[0].Status, store.StatusNotFound)
		}},
		{"fence/twice in one call", "The same settlement twice in a call is recorded once; of two outcomes for one claim one is recorded.", func(h *harness) {
			s := settlement(h.claimOne(h.add()), task.OutcomeDead)
			h.settle(s, s)
			h.outcomes(s.Task.ID, task.OutcomeDead)
			equal(h, "dead letters", h.stats().Total, 1)
			t := h.claimOne(h.add())
			answers := h.trySettle(settlement(t, task.OutcomeSucceeded), settlement(t, task.OutcomeFailed))
			h.expect((answers[0].Status == store.StatusOK) != (answers[1].Status == store.StatusOK), "got %+v", answers)
			equal(h, "history rows", len(h.attempts(t.ID)), 1)
		}},
		{"fence/a repeated unstarted settlement", "A repeat of a settlement of an attempt that never started changes nothing. It is answered ok until the task is claimed again, though no history row tells of it; another outcome is stale.", checkUnstartedRepeats},
		{"fence/a settle after redrive", "After a redrive the claim number is the same, yet a late settle of the old attempt does not end the new life.", func(h *harness) {
			t := h.die(h.add())
			_, _, err := h.s.Redrive(h.ctx, []task.ID{t.ID}, store.RedriveOptions{})
			h.ok(err)
			equal(h, "claim", h.state(t.ID, task.Pending).Claim, t.Claim)
			equal(h, "status", h.trySettle(settlement(t, task.OutcomeSucceeded))[0].Status, store.StatusStale)
			current := h.claimOne(t.ID)
			h.expect(current.Claim > t.Claim, "claim %d after %d", current.Claim, t.Claim)
			for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeFailed} {
				equal(h, "status", h.trySettle(settlement(t, outcome))[0].Status, store.StatusStale)
			}
			equal(h, "claim", h.state(t.ID, task.Running).Claim, current.Claim)
		}},
	}
}

func runningRules() []rule {
	return []rule{
		{"running/reads back a claim", "Running reads the node's running rows whole: those of ids, or all when ids is nil.", func(h *harness) {
			h.join("n2")
			ids := h.addMany(5)
			own := h.claim(ids[0], ids[1])
			h.claim(ids[2])
			h.claimFor("n2", ids[3])
			running := func(node string, ids []task.ID) []*task.Task {
				tasks, err := h.s.Running(h.ctx, node, ids)
				h.ok(err)
				return tasks
			}
			h.ids(running("n1", nil), ids[0], ids[1], ids[2])
			h.ids(running("n2", nil), ids[3])
			h.ids(running("absent", nil))
			h.ids(running("n1", []task.ID{}))
			h.ids(running("n1", []task.ID{ids[1], ids[3], ids[4], h.task().ID}), ids[1])
			got := running("n1", ids[:1])[0]
			h.expect(got.Claim == own[0].Claim && got.Attempt == 1 && got.Node == "n1", "got %+v", got)
			h.same(got.Payload, own[0].Payload)
			h.settle(settlement(own[0], task.OutcomeSucceeded))
			h.ids(running("n1", nil), ids[1], ids[2])
		}},
		{"running/over all lanes", "Running reads rows of every lane, and says which have a cancel request.", func(h *harness) {
			first, second := h.add(), h.add(h.inLane(1))
			h.claim(first, second)
			_, err := h.s.Cancel(h.ctx, second)
			h.ok(err)
			tasks, err := h.s.Running(h.ctx, "n1", nil)
			h.ok(err)
			h.ids(tasks, first, second)
			for _, t := range tasks {
				equal(h, "cancel requested", t.CancelRequested, t.ID == second)
			}
		}},
	}
}

func checkUnstartedRepeats(h *harness) {
	for _, outcome := range settleOutcomes[1:] {
		s := settlement(h.claimOne(h.add()), outcome)
		s.Unstarted = true
		first := h.settle(s)[0]
		before := h.get(s.Task.ID)
		again := h.settle(s)[0]
		h.expect(again.State == first.State && again.Entry == first.Entry, "%s: answered %+v, then %+v", outcome, first, again)
		other := settlement(s.Task, task.OutcomeSucceeded)
		equal(h, "success after an unstarted "+string(outcome), h.trySettle(other)[0].Status, store.StatusStale)
		after := h.get(s.Task.ID)
		h.expect(after.State == before.State && after.Attempt == before.Attempt && after.Claim == before.Claim, "%+v became %+v", before, after)
		h.outcomes(s.Task.ID)
		if after.State != task.Pending {
			continue
		}
		started := settlement(s.Task, outcome)
		equal(h, "a started "+string(outcome)+" after an unstarted one", h.trySettle(started)[0].Status, store.StatusStale)
		current := h.claimOne(s.Task.ID)
		h.trySettle(s) // ok or stale: the record went with the claim
		equal(h, "claim", h.state(s.Task.ID, task.Running).Claim, current.Claim)
		h.settle(settlement(current, outcome))
		equal(h, "an old "+string(outcome)+" with its mark", h.trySettle(s)[0].Status, store.StatusStale)
	}
}
