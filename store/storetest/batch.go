package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// batchRules are about rows that one claim has made running together: a store may
// keep one record of all of them.
func batchRules() []rule {
	return []rule{
		{"batch/each ends by itself", "Of rows claimed together each ends by itself, with any outcome, in one call or several, and can be claimed again when it is pending.", func(h *harness) {
			ids := h.addMany(len(settleOutcomes) + 2)
			tasks := h.claim(ids...)
			h.settle(settlement(tasks[0], task.OutcomeFailed))
			h.settle(settlement(tasks[1], task.OutcomeSucceeded))
			var rest []store.Settlement
			for i, outcome := range settleOutcomes {
				rest = append(rest, settlement(tasks[2+i], outcome))
			}
			h.settle(rest...)
			var again []task.ID
			for _, id := range ids {
				if h.get(id).State == task.Pending {
					again = append(again, id)
				}
			}
			equal(h, "pending", len(again), 4)
			later := h.claim(again...)
			for i, t := range later {
				h.expect(t.Claim > tasks[slices.Index(ids, again[i])].Claim, "the claim did not grow: %d", t.Claim)
			}
			equal(h, "status of a stale settle", h.trySettle(settlement(tasks[1], task.OutcomeFailed))[0].Status, store.StatusStale)
			for _, t := range later {
				h.settle(settlement(t, task.OutcomeSucceeded))
			}
		}},
		{"batch/cancel of one", "A cancel request is of one of the rows claimed together; a late success outruns it, and the others do not see it.", func(h *harness) {
			tasks := h.claim(append(h.addMany(4), h.add(keyed("k")))...)
			for _, t := range []*task.Task{tasks[0], tasks[1], tasks[4]} {
				got, err := h.s.Cancel(h.ctx, t.ID)
				h.ok(err)
				h.expect(got.State == task.Running && got.CancelRequested && got.Claim == t.Claim && got.Node == "n1", "got %+v", got)
			}
			canceled, err := h.s.Beat(h.ctx, "n1", store.Report{})
			h.ok(err)
			equal(h, "canceled rows", len(canceled), 3)
			for _, t := range tasks {
				h.refuseOne(t.ID, store.ReasonGone)
			}
			h.settle(settlement(tasks[0], task.OutcomeFailed), settlement(tasks[1], task.OutcomeSucceeded), settlement(tasks[2], task.OutcomeFailed),
				settlement(tasks[3], task.OutcomeSucceeded), settlement(tasks[4], task.OutcomeFailed))
			for i, want := range []task.State{task.Canceled, task.Succeeded, task.Pending, task.Succeeded, task.Canceled} {
				h.state(tasks[i].ID, want)
			}
		}},
		{"batch/what runs is listed", "Rows claimed together are running in every view: Get, Find, Count, Running, Backlog.", func(h *harness) {
			ids := h.addMany(5)
			tasks := h.claim(ids[:3]...)
			h.settle(settlement(tasks[0], task.OutcomeFailed))
			equal(h, "running", len(h.find(store.Filter{State: task.Running}, 10)), 2)
			equal(h, "pending", len(h.find(store.Filter{State: task.Pending}, 10)), 3)
			for state, want := range map[task.State]int{task.Running: 2, task.Pending: 3} {
				n, err := h.s.Count(h.ctx, store.Filter{Queue: "q", State: state}, 10)
				h.ok(err)
				equal(h, "count of "+string(state), n, want)
			}
			running, err := h.s.Running(h.ctx, "n1", nil)
			h.ok(err)
			equal(h, "running of the node", len(running), 2)
			running, err = h.s.Running(h.ctx, "n1", ids)
			h.ok(err)
			equal(h, "running of the ids", len(running), 2)
			backlog, err := h.s.Backlog(h.ctx, []uint16{h.lanes[0].Lane, h.lanes[1].Lane}, 10)
			h.ok(err)
			equal(h, "backlog", backlog.Pending, 3)
		}},
		{"batch/no mark for what runs", "Mark leaves each of the rows claimed together alone as long as it runs, and not longer.", func(h *harness) {
			tasks := h.claim(h.addMany(2)...)
			h.settle(settlement(tasks[0], task.OutcomeFailed))
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: tasks[0].ID, Mark: 5}, {ID: tasks[1].ID, Mark: 7}}))
			marks, err := h.s.Marks(h.ctx, []uint16{h.lanes[0].Lane}, 0)
			h.ok(err)
			h.expect(len(marks) == 1 && marks[0].ID == tasks[0].ID && marks[0].Park == 5, "got %+v", marks)
			h.settle(settlement(tasks[1], task.OutcomeFailed))
			equal(h, "marked", len(h.scan(h.lanes[0].Lane, 5)), 1)
			equal(h, "not marked", len(h.scan(h.lanes[0].Lane, 0)), 1)
		}},
		{"batch/recovery", "Rows of a dead node that it claimed together are handed back each, but for those that have ended; at most limit in a call.", func(h *harness) {
			h.join("n2")
			ids := h.addMany(6)
			tasks := h.claim(ids...)
			h.settle(settlement(tasks[0], task.OutcomeSucceeded), settlement(tasks[1], task.OutcomeFailed))
			_, err := h.s.Cancel(h.ctx, ids[2])
			h.ok(err)
			h.bury("n1")
			for _, want := range []int{2, 2, 0} {
				equal(h, "recovered", len(h.recover(2, h.lanes[0].Lane)), want)
			}
			h.state(ids[1], task.Pending)
			h.state(ids[2], task.Canceled)
			for _, id := range ids[3:] {
				got := h.state(id, task.Pending)
				h.expect(got.Crashes == 1 && got.Attempt == 0 && got.Claim > tasks[3].Claim, "got %+v", got)
				h.outcomes(id, task.OutcomeCrashed)
			}
			for _, t := range tasks[2:] {
				equal(h, "status of the dead node's settle", h.trySettle(settlement(t, task.OutcomeSucceeded))[0].Status, store.StatusStale)
			}
		}},
		{"batch/the suspect of another lane", "A task that crashed twice before is suspect for the rows of every lane of its dead node.", func(h *harness) {
			h.join("n3")
			suspect, other := h.add(h.inLane(1)), h.add(h.inLane(0))
			node := "n1"
			for _, next := range []string{"n4", "n5"} {
				h.claimBy(node, suspect)
				node = h.succeed(node, next)
			}
			h.claimBy(node, suspect, other)
			h.bury(node)
			for _, row := range h.recover(10, h.lanes[0].Lane) {
				equal(h, "crashes of the other", row.Crashes, 0)
			}
			for _, row := range h.recover(10, h.lanes[1].Lane) {
				equal(h, "crashes of the suspect", row.Crashes, 3)
			}
		}},
		{"batch/long runs", "Rows that run for long stay running and end as others do, also after a recovery that had nothing to do.", func(h *harness) {
			if h.able.Advance == nil {
				h.Skip("needs a clock that goes on")
			}
			tasks := h.claim(h.addMany(len(settleOutcomes) + 1)...)
			h.settle(settlement(tasks[len(settleOutcomes)], task.OutcomeFailed))
			for range 2 {
				h.pass(30 * time.Second)
				equal(h, "recovered", len(h.recover(10, h.lanes[0].Lane, h.lanes[1].Lane)), 0)
			}
			running, err := h.s.Running(h.ctx, "n1", nil)
			h.ok(err)
			equal(h, "running", len(running), len(settleOutcomes))
			for i, outcome := range settleOutcomes {
				h.settle(settlement(tasks[i], outcome))
			}
			h.claimOne(tasks[len(settleOutcomes)].ID)
		}},
		{"batch/an id that comes again", "An id that is purged or past its retention and enqueued again is a new task, whatever was claimed together with the old one: a late settle of the old one changes nothing.", func(h *harness) {
			ids := h.addMany(3)
			tasks := h.claim(ids...)
			last := []store.Settlement{settlement(tasks[0], task.OutcomeDead), settlement(tasks[1], task.OutcomeSucceeded)}
			h.settle(last...)
			_, err := h.s.Purge(h.ctx, store.Filter{IDs: ids[:1]}, 10)
			h.ok(err)
			_, err = h.s.Cleanup(h.ctx, time.Now().Add(48*time.Hour), 1000)
			h.ok(err)
			h.absent(ids[1])
			h.pass(time.Millisecond)
			for i, id := range ids[:2] {
				h.add(func(t *task.Task) { t.ID = id })
				h.state(id, task.Pending)
				equal(h, "scanned", len(h.scan(h.lanes[0].Lane, 0)), 1)
				equal(h, "status of the late settle", h.trySettle(last[i])[0].Status, store.StatusStale)
				h.state(id, task.Pending)
				h.settle(settlement(h.claimOne(id), task.OutcomeSucceeded))
			}
			h.settle(settlement(tasks[2], task.OutcomeSucceeded))
		}},
	}
}

// batchProcessRules are those about two processes.
func batchProcessRules() []rule {
	return []rule{
		{"batch/a lane that goes on", "Rows that a node claimed together keep running when another process takes the lane: it neither sees nor claims them until each has ended.", func(h *harness) {
			other := h.reopen()
			h.join("n2")
			ids := h.addMany(5)
			tasks := h.claim(ids...)
			freed, err := h.s.FreeLanes(h.ctx, "n1", h.lanes[:1])
			h.ok(err)
			equal(h, "freed", len(freed), 1)
			taken, err := other.TakeLanes(h.ctx, "n2", freed)
			h.ok(err)
			equal(h, "taken", len(taken), 1)
			claim := func(ids ...task.ID) store.Claimed {
				claimed, err := other.Claim(h.ctx, store.Claim{Node: "n2", Lanes: taken, Items: items(ids...)})
				h.ok(err)
				return claimed
			}
			scan := func() int {
				lists, err := other.Scan(h.ctx, []store.Range{{Lane: taken[0].Lane, After: -1 << 62, Until: 1 << 62, Limit: 2}})
				h.ok(err)
				return len(lists[0])
			}
			equal(h, "scanned of what runs", scan(), 0)
			claimed := claim(ids...)
			h.expect(len(claimed.Tasks) == 0 && len(claimed.Refused) == len(ids), "claimed %v, refused %v", claimed.Tasks, claimed.Refused)
			h.settle(settlement(tasks[0], task.OutcomeFailed), settlement(tasks[1], task.OutcomeReleased), settlement(tasks[2], task.OutcomeSucceeded))
			equal(h, "scanned of what has ended", scan(), 2)
			equal(h, "claimed of what has ended", len(claim(ids...).Tasks), 2)
			equal(h, "status of the old owner", h.trySettle(settlement(tasks[3], task.OutcomeFailed))[0].Status, store.StatusOK)
			equal(h, "claimed after that", len(claim(ids...).Tasks), 1)
			fresh := h.addMany(3)
			equal(h, "claimed of fresh ones", len(claim(fresh...).Tasks), 3)
			h.state(ids[4], task.Running)
			h.settle(settlement(tasks[4], task.OutcomeSucceeded))
		}},
		{"batch/two processes of one owner", "What another process has claimed for the same node and epoch is not claimed again, in whatever turns they go on.", func(h *harness) {
			other := h.reopen()
			ids := h.addMany(12)
			seen := map[task.ID]bool{}
			for i := range 6 {
				s := h.s
				if i%2 == 1 {
					s = other
				}
				claimed, err := s.Claim(h.ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: items(ids[:2*i+2]...)})
				h.ok(err)
				for _, t := range claimed.Tasks {
					h.expect(!seen[t.ID], "%s was claimed twice", t.ID)
					seen[t.ID] = true
				}
				equal(h, "claimed", len(seen), 2*i+2)
			}
		}},
	}
}

// batchTxRules are those about transactions of callers.
func batchTxRules() []rule {
	return []rule{
		{"tx/recovery passes one of a batch over", "Of rows that one claim made running, Recover hands back those that no open transaction has settled, and the others after a rollback.", func(h *harness) {
			h.others()
			h.join("n2")
			tasks := h.claim(h.addMany(3)...)
			commit, _ := h.settleTx(settlement(tasks[0], task.OutcomeSucceeded))
			_, rollback := h.settleTx(settlement(tasks[1], task.OutcomeSucceeded))
			h.bury("n1")
			h.within("recovery", func(ctx context.Context) error {
				rows, err := h.s.Recover(ctx, []uint16{h.lanes[0].Lane}, 10)
				h.expect(err != nil || len(rows) == 1 && rows[0].ID == tasks[2].ID, "recovered %+v", rows)
				return err
			})
			h.ok(commit())
			h.ok(rollback())
			rows := h.recover(10, h.lanes[0].Lane)
			h.expect(len(rows) == 1 && rows[0].ID == tasks[1].ID && rows[0].Crashes == 1, "recovered %+v", rows)
			h.state(tasks[0].ID, task.Succeeded)
		}},
	}
}

// claimBy claims rows for the owner of the lanes.
func (h *harness) claimBy(node string, ids ...task.ID) {
	h.Helper()
	claimed := h.tryAs(store.Claim{Node: node, Lanes: h.lanes, Items: items(ids...)})
	equal(h, "claimed by "+node, len(claimed.Tasks), len(ids))
}

// succeed buries the owner of the lanes, recovers what it ran and makes another
// node the owner.
func (h *harness) succeed(node, next string) string {
	h.Helper()
	h.join(next)
	h.bury(node)
	h.recover(100, h.lanes[0].Lane, h.lanes[1].Lane)
	h.lanes = h.take(next, h.lanes...)
	equal(h, "lanes of "+next, len(h.lanes), 2)
	return next
}
