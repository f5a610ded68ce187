package storetest

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// leaseTo claims for n1 with a lease for a remote worker.
func (h *harness) leaseTo(worker string, lease time.Duration, ids ...task.ID) []*task.Task {
	h.Helper()
	claimed := h.tryAs(store.Claim{Node: "n1", Lanes: h.lanes, Items: items(ids...), Worker: worker, Lease: lease})
	h.expect(len(claimed.Tasks) == len(ids) && len(claimed.Refused) == 0, "leased %d of %d tasks: %v", len(claimed.Tasks), len(ids), claimed.Refused)
	return inOrder(claimed.Tasks, ids)
}

func (h *harness) extend(lease time.Duration, tasks ...*task.Task) []store.Extended {
	h.Helper()
	list := make([]store.LeaseItem, len(tasks))
	for i, t := range tasks {
		list[i] = store.LeaseItem{ID: t.ID, Claim: t.Claim}
	}
	results, err := h.s.Extend(h.ctx, list, lease)
	h.ok(err)
	equal(h, "answers", len(results), len(list))
	return results
}

// A lease that ends within a test, and how long to wait until it has.
const (
	shortLease = 50 * time.Millisecond
	afterLease = 80 * time.Millisecond
)

func leaseRules() []rule {
	return []rule{
		{"lease/a claim with a lease is the worker's", "A row that was claimed with a lease is held by task.Holder(node, worker): it is not among the node's running rows, and the history names the holder.", func(h *harness) {
			id := h.add()
			t := h.leaseTo("w1", time.Hour, id)[0]
			equal(h, "holder", t.Node, task.Holder("n1", "w1", ""))
			equal(h, "holder on disk", h.state(id, task.Running).Node, task.Holder("n1", "w1", ""))
			equal(h, "rows of the node", len(h.running("n1", nil)), 0)
			equal(h, "rows of the worker", len(h.running(t.Node, nil)), 1)
			equal(h, "settled", h.trySettle(settlement(t, task.OutcomeFailed))[0].Status, store.StatusOK)
			equal(h, "history", h.outcomes(id, task.OutcomeFailed)[0].Node, t.Node)
			next := h.claimOne(id)
			equal(h, "next holder", next.Node, "n1")
			equal(h, "a row without a lease extended", h.extend(time.Hour, next)[0].Status, store.StatusStale)
		}},
		{"lease/survives the node", "Rows with a lease that has not ended are not recovered, whatever became of their node.", func(h *harness) {
			h.join("n2")
			lanes := h.take("n2", h.queue("other", 1)...)
			id := h.add(func(t *task.Task) { t.ID, t.Queue = t.ID.WithLane(lanes[0].Lane), "other" })
			claimed := h.tryAs(store.Claim{Node: "n2", Lanes: lanes, Items: items(id), Worker: "w", Lease: time.Hour})
			equal(h, "claimed", len(claimed.Tasks), 1)
			h.bury("n2")
			equal(h, "recovered", len(h.recover(100, lanes[0].Lane)), 0)
			equal(h, "extended", h.extend(time.Hour, claimed.Tasks[0])[0].Status, store.StatusOK)
			equal(h, "settled", h.trySettle(settlement(claimed.Tasks[0], task.OutcomeSucceeded))[0].Status, store.StatusOK)
		}},
		{"lease/ends", "A row whose lease has ended is recovered though its node lives: attempt - 1, crashes + 1, claim raised, a history row crashed, cause \"lease expired\".", func(h *harness) {
			ids := []task.ID{h.add(), h.add(), h.add(h.inLane(1))}
			late := h.leaseTo("w1", shortLease, ids[0], ids[2])
			h.leaseTo("w1", time.Hour, ids[1])
			h.pass(afterLease)
			rows := h.recoverAll()
			equal(h, "recovered", len(rows), 2)
			for _, t := range late {
				row, got := rows[t.ID], h.state(t.ID, task.Pending)
				h.expect(row.Cause == "lease expired" && row.Node == t.Node && row.OldClaim == t.Claim && row.Claim == got.Claim && row.Crashes == 1, "reported %+v", row)
				h.expect(got.Attempt == 0 && got.Crashes == 1 && got.Claim > t.Claim && got.Node == "", "got %+v", got)
				equal(h, "history", h.outcomes(t.ID, task.OutcomeCrashed)[0].Node, t.Node)
				equal(h, "late settle", h.trySettle(settlement(t, task.OutcomeSucceeded))[0].Status, store.StatusStale)
				equal(h, "late extend", h.extend(time.Hour, t)[0].Status, store.StatusStale)
			}
			h.state(ids[1], task.Running)
			equal(h, "recovered again", len(h.recoverAll()), 0)
			equal(h, "other lanes", len(h.recover(100)), 0)
		}},
		{"lease/extend", "Extend moves the end of a lease for the claim that has it, and tells whether the cancel was requested; it changes nothing for another claim.", func(h *harness) {
			ids := []task.ID{h.add(), h.add(), h.add()}
			tasks := h.leaseTo("w1", shortLease, ids...)
			_, err := h.s.Cancel(h.ctx, ids[1])
			h.ok(err)
			stale := *tasks[2]
			stale.Claim--
			answers := h.extend(time.Hour, tasks[0], tasks[1], &stale)
			h.expect(answers[0] == store.Extended{Status: store.StatusOK}, "got %+v", answers[0])
			h.expect(answers[1] == store.Extended{Status: store.StatusOK, CancelRequested: true}, "got %+v", answers[1])
			equal(h, "another claim", answers[2].Status, store.StatusStale)
			h.pass(afterLease)
			rows := h.recoverAll()
			h.expect(len(rows) == 1 && rows[ids[2]].OldClaim == tasks[2].Claim, "recovered %+v", rows)
			equal(h, "of none", len(h.extend(time.Hour)), 0)
			absent := *tasks[0]
			absent.ID = h.task().ID
			equal(h, "absent", h.extend(time.Hour, &absent)[0].Status, store.StatusStale)
		}},
		{"lease/a late settle wins before recovery", "An attempt whose lease has ended keeps its outcome if it settles before recovery, and can still be extended.", func(h *harness) {
			tasks := h.leaseTo("w1", shortLease, h.add(), h.add())
			h.pass(afterLease)
			equal(h, "settled", h.trySettle(settlement(tasks[0], task.OutcomeSucceeded))[0].Status, store.StatusOK)
			equal(h, "extended", h.extend(time.Hour, tasks[1])[0].Status, store.StatusOK)
			equal(h, "recovered", len(h.recoverAll()), 0)
			equal(h, "repeated", h.trySettle(settlement(tasks[0], task.OutcomeSucceeded))[0].Status, store.StatusOK)
		}},
		{"lease/canceled", "A row whose cancel was requested and whose lease has ended ends as canceled.", func(h *harness) {
			t := h.leaseTo("w1", shortLease, h.add())[0]
			_, err := h.s.Cancel(h.ctx, t.ID)
			h.ok(err)
			h.pass(afterLease)
			h.expect(h.recoverAll()[t.ID].Canceled, "it was not reported as canceled")
			h.state(t.ID, task.Canceled)
		}},
		{"lease/keys", "A keyed row with a lease keeps its key taken, and the next of the key runs when it has ended.", func(h *harness) {
			first, second := h.add(keyed("k")), h.add(keyed("k"))
			t := h.leaseTo("w1", shortLease, first)[0]
			equal(h, "behind", len(h.try(second).Refused), 1)
			h.pass(afterLease)
			h.recoverAll()
			equal(h, "behind the one that ran before", len(h.try(second).Refused), 1)
			again := h.claimOne(first)
			h.expect(again.Claim > t.Claim, "claim %d after %d", again.Claim, t.Claim)
		}},
		{"lease/outcomes", "Every outcome of a row with a lease is recorded as for a node's, and leaves no lease behind.", func(h *harness) {
			var ids []task.ID
			for range settleOutcomes {
				ids = append(ids, h.add())
			}
			tasks := h.leaseTo("w1", shortLease, ids...)
			for i, outcome := range settleOutcomes {
				equal(h, "status of "+string(outcome), h.trySettle(settlement(tasks[i], outcome))[0].Status, store.StatusOK)
			}
			h.pass(afterLease)
			equal(h, "recovered", len(h.recoverAll()), 0)
			for i, outcome := range settleOutcomes {
				if slices.Contains([]task.Outcome{task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased}, outcome) {
					equal(h, "holder after "+string(outcome), h.state(ids[i], task.Pending).Node, "")
				}
			}
		}},
	}
}

func (h *harness) running(node string, ids []task.ID) []*task.Task {
	h.Helper()
	rows, err := h.s.Running(h.ctx, node, ids)
	h.ok(err)
	return rows
}
