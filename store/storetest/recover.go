package storetest

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// crash lets a fresh node claim the tasks and die, and recovers all.
func (h *harness) crash(node string, ids ...task.ID) map[task.ID]store.Recovered {
	h.Helper()
	h.join(node)
	h.claimFor(node, ids...)
	h.bury(node)
	return h.recoverAll()
}

func recoverRules() []rule {
	return []rule{
		{"recover/rows of a dead node", "Recover hands back running rows of a dead node: pending, attempt - 1, crashes + 1, claim raised, a history row crashed.", func(h *harness) {
			h.join("n2")
			id := h.add(keyed("k"), func(t *task.Task) { t.Spec.TraceParent = "00-trace" })
			t := h.claimFor("n2", id)[0]
			h.bury("n2")
			row := h.recoverAll()[id]
			h.expect(row.Attempt == t.Attempt && row.Queue == t.Queue && row.TraceParent == "00-trace", "reported for the log: %+v", row)
			got := h.state(id, task.Pending)
			h.expect(got.Attempt == 0 && got.Crashes == 1 && got.Node == "" && got.Claim > t.Claim, "got %+v", got)
			h.expect(row.OldClaim == t.Claim && row.Claim == got.Claim && row.Crashes == 1 && row.Node == "n2" && row.Type == "mail" && !row.Canceled, "reported %+v", row)
			equal(h, "cause", row.Cause, "node dead")
			equal(h, "entry", row.Entry, h.entryOf(got))
			attempt := h.outcomes(id, task.OutcomeCrashed)[0]
			h.expect(attempt.Claim == t.Claim && attempt.Number == 1 && attempt.Node == "n2" && !attempt.EndedAt.IsZero(), "history %+v", attempt)
			equal(h, "recovered again", len(h.recoverAll()), 0)
			equal(h, "attempt of the next claim", h.claimOne(id).Attempt, 1)
		}},
		{"recover/rows of a node that left", "A node that left counts no crash: the history row is released.", func(h *harness) {
			h.join("n2")
			id := h.add()
			t := h.claimFor("n2", id)[0]
			h.leave("n2")
			row := h.recoverAll()[id]
			equal(h, "cause", row.Cause, "node left")
			got := h.state(id, task.Pending)
			h.expect(got.Attempt == 0 && got.Crashes == 0 && got.Claim > t.Claim && row.Crashes == 0, "got %+v", got)
			h.outcomes(id, task.OutcomeReleased)
		}},
		{"recover/not those of the living", "Rows of nodes that are alive, and rows of other lanes, are left alone.", func(h *harness) {
			h.join("n2")
			ids := []task.ID{h.add(), h.add(), h.add(h.inLane(1))}
			h.claim(ids[0])
			h.claimFor("n2", ids[1], ids[2])
			equal(h, "recovered while all live", len(h.recoverAll()), 0)
			h.bury("n2")
			rows := h.recover(100, h.lanes[0].Lane)
			h.expect(len(rows) == 1 && rows[0].ID == ids[1], "got %+v", rows)
			h.state(ids[0], task.Running)
			h.state(ids[2], task.Running)
			equal(h, "recovered of no lanes", len(h.recover(100)), 0)
		}},
		{"recover/the late settle is stale", "After recovery the settlement of the lost attempt is stale, before and after the next claim.", func(h *harness) {
			h.join("n2")
			id := h.add()
			lost := h.claimFor("n2", id)[0]
			h.bury("n2")
			h.recoverAll()
			for range 2 {
				for _, outcome := range settleOutcomes {
					equal(h, "status of "+string(outcome), h.trySettle(settlement(lost, outcome))[0].Status, store.StatusStale)
				}
				if h.get(id).State == task.Pending {
					h.claimOne(id)
				}
			}
			h.outcomes(id, task.OutcomeCrashed)
		}},
		{"recover/a settle before it wins", "An attempt that settles before recovery keeps its outcome, though its node is marked dead.", func(h *harness) {
			h.join("n2")
			id := h.add()
			t := h.claimFor("n2", id)[0]
			h.bury("n2")
			h.settle(settlement(t, task.OutcomeSucceeded))
			equal(h, "recovered", len(h.recoverAll()), 0)
			h.state(id, task.Succeeded)
		}},
		{"recover/a requested cancel", "Rows whose cancel was requested end as canceled.", func(h *harness) {
			h.join("n2")
			id := h.add(keyed("k"))
			t := h.claimFor("n2", id)[0]
			_, err := h.s.Cancel(h.ctx, id)
			h.ok(err)
			h.bury("n2")
			row := h.recoverAll()[id]
			h.expect(row.Canceled && row.Entry == store.Entry{} && row.ID == id, "reported %+v", row)
			got := h.state(id, task.Canceled)
			h.expect(!got.FinishedAt.IsZero() && got.Claim > t.Claim, "got %+v", got)
			equal(h, "history rows", len(h.attempts(id)), 1)
			equal(h, "status of the late success", h.trySettle(settlement(t, task.OutcomeSucceeded))[0].Status, store.StatusStale)
			h.claimOne(h.add(keyed("k")))
		}},
		{"recover/at most limit rows", "Recover handles at most limit rows; called again while it returns as many, it handles all, each once.", func(h *harness) {
			h.join("n2")
			ids := append(h.addMany(6), h.addMany(5, h.inLane(1))...)
			h.claimFor("n2", ids...)
			h.bury("n2")
			seen := map[task.ID]bool{}
			for {
				rows := h.recover(4, h.lanes[0].Lane, h.lanes[1].Lane)
				h.expect(len(rows) <= 4, "%d rows with limit 4", len(rows))
				for _, row := range rows {
					h.expect(!seen[row.ID], "%s was recovered twice", row.ID)
					seen[row.ID] = true
				}
				if len(rows) < 4 {
					break
				}
			}
			equal(h, "recovered", len(seen), len(ids))
			for _, id := range ids {
				equal(h, "crashes", h.get(id).Crashes, 1)
			}
		}},
		{"recover/the key goes on", "The recovered head of a key stays its head, ahead of tasks that have not started.", func(h *harness) {
			ids := h.addMany(2, keyed("k"))
			h.crash("n2", ids[0])
			equal(h, "head", h.refuseOne(ids[1], store.ReasonBehindKey).Head.ID, ids[0])
			h.run(ids[0], task.OutcomeSucceeded)
			h.claimOne(ids[1])
		}},
		{"recover/spent attempts stay spent", "A crash takes back its own attempt only, and numbers in history repeat.", func(h *harness) {
			id := h.add()
			h.run(id, task.OutcomeFailed)
			h.crash("n2", id)
			equal(h, "attempt", h.get(id).Attempt, 1)
			h.run(id, task.OutcomeSucceeded)
			attempts := h.outcomes(id, task.OutcomeFailed, task.OutcomeCrashed, task.OutcomeSucceeded)
			h.expect(attempts[1].Number == 2 && attempts[2].Number == 2, "numbers %+v", attempts)
		}},
	}
}

// suspect makes a task with two crashes.
func (h *harness) suspect(change ...func(*task.Task)) task.ID {
	h.Helper()
	id := h.add(change...)
	for _, node := range []string{"a", "b"} {
		h.crash(node+id.String(), id)
	}
	equal(h, "crashes", h.get(id).Crashes, 2)
	return id
}

func suspectRules() []rule {
	const sentence = "When a task with crashes >= 2 was running on a dead node, the crash counts for such tasks alone"
	return []rule{
		{"suspect/its neighbours do not count", sentence + ".", func(h *harness) {
			poison, neighbour := h.suspect(), h.add()
			h.crash("n2", poison, neighbour)
			equal(h, "crashes of the suspect", h.get(poison).Crashes, 3)
			equal(h, "crashes of its neighbour", h.get(neighbour).Crashes, 0)
			equal(h, "attempt of its neighbour", h.get(neighbour).Attempt, 0)
			h.outcomes(neighbour, task.OutcomeCrashed)
		}},
		{"suspect/without one all count", "Without a task with crashes >= 2 the crash counts for all rows of the node.", func(h *harness) {
			ids := h.addMany(3)
			h.crash("n2", ids[0])
			h.crash("n3", ids...)
			for i, want := range []int{2, 1, 1} {
				equal(h, "crashes", h.get(ids[i]).Crashes, want)
			}
		}},
		{"suspect/across lanes", sentence + ", also when it was in another lane.", func(h *harness) {
			poison, neighbour := h.suspect(h.inLane(1)), h.add()
			h.join("n2")
			h.claimFor("n2", poison, neighbour)
			h.bury("n2")
			equal(h, "recovered", len(h.recover(10, h.lanes[0].Lane)), 1)
			equal(h, "crashes of the neighbour", h.get(neighbour).Crashes, 0)
			equal(h, "recovered", len(h.recover(10, h.lanes[1].Lane)), 1)
			equal(h, "crashes of the suspect", h.get(poison).Crashes, 3)
		}},
		{"suspect/across calls", sentence + ", whichever call recovers the others: also after the suspect was recovered and claimed again.", func(h *harness) {
			poison, neighbours := h.suspect(h.inLane(1)), h.addMany(2)
			h.join("n2")
			h.claimFor("n2", poison, neighbours[0], neighbours[1])
			h.bury("n2")
			equal(h, "recovered", len(h.recover(10, h.lanes[1].Lane)), 1)
			h.run(poison, task.OutcomeSucceeded)
			for range 2 {
				equal(h, "recovered", len(h.recover(1, h.lanes[0].Lane)), 1)
			}
			for _, id := range neighbours {
				equal(h, "crashes of a neighbour", h.get(id).Crashes, 0)
			}
		}},
		{"suspect/a task reaching two does not count later", "Whether a suspect was running is judged by the crashes before this death, whichever call recovers the rows.", func(h *harness) {
			first, second := h.add(), h.add(h.inLane(1))
			h.crash("n2", first)
			h.join("n3")
			h.claimFor("n3", first, second)
			h.bury("n3")
			equal(h, "recovered", len(h.recover(10, h.lanes[0].Lane)), 1)
			equal(h, "crashes of the first", h.get(first).Crashes, 2)
			h.claim(first)
			equal(h, "recovered", len(h.recover(10, h.lanes[1].Lane)), 1)
			equal(h, "crashes of the second", h.get(second).Crashes, 1)
		}},
		{"suspect/another node's death", "A suspect on one node does not spare the rows of another dead node.", func(h *harness) {
			poison, other := h.suspect(), h.add()
			h.join("n2")
			h.join("n3")
			h.claimFor("n2", poison)
			h.claimFor("n3", other)
			h.bury("n2")
			h.bury("n3")
			h.recoverAll()
			equal(h, "crashes of the suspect", h.get(poison).Crashes, 3)
			equal(h, "crashes of the other", h.get(other).Crashes, 1)
		}},
		{"suspect/a node that left counts none", "A node that left counts no crash, neither for suspects.", func(h *harness) {
			poison := h.suspect()
			h.join("n2")
			h.claimFor("n2", poison)
			h.leave("n2")
			h.recoverAll()
			equal(h, "crashes", h.get(poison).Crashes, 2)
		}},
	}
}
