package storetest

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// txEnqueuer returns the store's EnqueueTx, or skips the rule.
func (h *harness) txEnqueuer() store.TxEnqueuer {
	h.Helper()
	enqueuer, ok := store.As[store.TxEnqueuer](h.s)
	if !ok {
		h.Skip("needs a store with EnqueueTx")
	}
	return enqueuer
}

// txSettler returns the store's SettleTx, or skips the rule.
func (h *harness) txSettler() store.TxSettler {
	h.Helper()
	settler, ok := store.As[store.TxSettler](h.s)
	if !ok {
		h.Skip("needs a store with SettleTx")
	}
	return settler
}

// begin begins a transaction, which is rolled back after the rule if it is open still: it
// would keep the store from being closed, and others of a rule that failed from going on.
func (h *harness) begin() (tx any, commit, rollback func() error) {
	h.Helper()
	tx, commit, rollback = h.able.Tx(h.T, h.s)
	h.Cleanup(func() { _ = rollback() }) // most have ended
	return tx, commit, rollback
}

// settleTx begins a transaction and settles in it what must be accepted.
func (h *harness) settleTx(s store.Settlement) (commit, rollback func() error) {
	h.Helper()
	settler := h.txSettler()
	tx, commit, rollback := h.begin()
	h.settleIn(settler, tx, s, store.StatusOK)
	return commit, rollback
}

func (h *harness) settleIn(settler store.TxSettler, tx any, s store.Settlement, want store.Status) {
	h.Helper()
	settled, err := settler.SettleTx(h.ctx, tx, s)
	h.ok(err)
	equal(h, "status", settled.Status, want)
	if want == store.StatusOK {
		equal(h, "state", settled.State, task.Succeeded)
	}
}

// follows is a success with a task that follows it.
func (h *harness) follows(t *task.Task) (store.Settlement, task.ID) {
	follow := h.task(h.inLane(1))
	s := settlement(t, task.OutcomeSucceeded)
	s.Follow = []store.Insert{{Task: follow}}
	return s, follow.ID
}

func txRules() []rule {
	return []rule{
		{"tx/exists if it commits", "EnqueueTx inserts in the caller's transaction: the tasks exist exactly if it commits.", func(h *harness) {
			enqueuer := h.txEnqueuer()
			for _, commits := range []bool{true, false} {
				tx, commit, rollback := h.begin()
				t := h.task(keyed("k"), due(time.Time{}))
				inserted, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: t}})
				h.ok(err)
				h.expect(len(inserted) == 1 && inserted[0].Existing == nil && inserted[0].Entry.ID == t.ID, "got %+v", inserted)
				if commits {
					h.ok(commit())
					h.state(t.ID, task.Pending)
				} else {
					h.ok(rollback())
					h.absent(t.ID)
				}
			}
		}},
		{"tx/arrives when it commits", "Arrived tells of the tasks of a caller's transaction once it has committed, for however many calls it was open, and of none that were told before.", arrivesAtCommit},
		{"tx/answers as Enqueue does", "EnqueueTx answers repeats with the task, and conflicts with an error.", func(h *harness) {
			enqueuer := h.txEnqueuer()
			t := h.task()
			h.insert(t)
			tx, _, rollback := h.begin()
			inserted, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: t}})
			h.ok(err)
			h.expect(len(inserted) == 1 && inserted[0].Existing != nil, "got %+v", inserted)
			clash := *t
			clash.Type = "other"
			_, err = enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: &clash}})
			h.code(err, task.CodeIDConflict)
			h.ok(rollback())
		}},
		{"tx/repeats within itself", "EnqueueTx knows what its own transaction has inserted: the same dedupe key answers with the first task.", func(h *harness) {
			enqueuer := h.txEnqueuer()
			tx, commit, _ := h.begin()
			first, again := h.dedupe(h.task(), "k", time.Hour, 1), h.dedupe(h.task(), "k", time.Hour, 1)
			_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{first})
			h.ok(err)
			inserted, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{again})
			h.ok(err)
			h.expect(inserted[0].Existing != nil && inserted[0].Existing.ID == first.Task.ID, "got %+v", inserted)
			h.ok(commit())
			h.state(first.Task.ID, task.Pending)
			h.absent(again.Task.ID)
		}},
		{"tx/settles if it commits", "SettleTx ends the attempt as Settle does, with its follow-up tasks, exactly if the transaction commits.", func(h *harness) {
			t := h.claimOne(h.add(keyed("k")))
			next := h.add(keyed("k"))
			s, follow := h.follows(t)
			_, rollback := h.settleTx(s)
			equal(h, "state seen by others", h.get(t.ID).State, task.Running)
			h.ok(rollback())
			equal(h, "claim after a rollback", h.state(t.ID, task.Running).Claim, t.Claim)
			h.absent(follow)
			h.refuseOne(next, store.ReasonBehindKey)

			commit, _ := h.settleTx(s)
			h.ok(commit())
			got := h.state(t.ID, task.Succeeded)
			h.expect(string(got.Result) == `{"ok":true}` && !got.FinishedAt.IsZero() && got.Attempt == 1 && got.Claim == t.Claim, "got %+v", got)
			attempt := h.outcomes(t.ID, task.OutcomeSucceeded)[0]
			h.expect(attempt.Number == 1 && attempt.Claim == t.Claim && attempt.Node == "n1", "got %+v", attempt)
			h.near("started", attempt.StartedAt, s.StartedAt)
			h.state(follow, task.Pending)
			h.claimOne(next)
		}},
		{"tx/a settle is fenced", "SettleTx changes nothing under a claim that is not the running one: stale, or not found for a task that is not there.", func(h *harness) {
			settler := h.txSettler()
			t := h.claimOne(h.add())
			old := *t
			h.settle(settlement(t, task.OutcomeReleased))
			t = h.claimOne(t.ID)
			pending := h.task()
			h.insert(pending)
			died := h.die(h.add())
			tx, commit, _ := h.begin()
			for want, late := range map[store.Status][]*task.Task{
				store.StatusStale:    {&old, pending, died},
				store.StatusNotFound: {h.task()},
			} {
				for _, t := range late {
					s, follow := h.follows(t)
					h.settleIn(settler, tx, s, want)
					defer h.absent(follow)
				}
			}
			h.ok(commit())
			equal(h, "claim", h.state(t.ID, task.Running).Claim, t.Claim)
			h.state(pending.ID, task.Pending)
			h.state(died.ID, task.Dead)
		}},
		{"tx/a settle is never a repeat", "SettleTx answers stale for a success that is recorded already, in its own transaction or an earlier one; Settle answers ok for it, and stale for another outcome.", func(h *harness) {
			settler := h.txSettler()
			t := h.claimOne(h.add())
			s := settlement(t, task.OutcomeSucceeded)
			tx, commit, _ := h.begin()
			h.settleIn(settler, tx, s, store.StatusOK)
			h.settleIn(settler, tx, s, store.StatusStale)
			h.ok(commit())
			tx, _, rollback := h.begin()
			h.settleIn(settler, tx, s, store.StatusStale)
			h.ok(rollback())
			equal(h, "the engine's own settle", h.trySettle(s)[0].Status, store.StatusOK)
			equal(h, "a late failure", h.trySettle(settlement(t, task.OutcomeFailed))[0].Status, store.StatusStale)
			h.outcomes(t.ID, task.OutcomeSucceeded)
		}},
		{"tx/nothing of a refused settle", "SettleTx refuses what Settle refuses and leaves nothing of it in the transaction, whatever the caller does next.", func(h *harness) {
			settler := h.txSettler()
			clash := h.task()
			h.insert(clash)
			other := *clash
			other.Type = "other"
			large, following := settlement(h.claimOne(h.add()), task.OutcomeSucceeded), settlement(h.claimOne(h.add()), task.OutcomeSucceeded)
			large.Result = make([]byte, task.MaxResult+1)
			following.Follow = []store.Insert{{Task: &other}}
			for _, s := range []store.Settlement{large, following} {
				tx, commit, _ := h.begin()
				settled, err := settler.SettleTx(h.ctx, tx, s)
				h.expect(err != nil || settled.Status == store.StatusRefused && settled.Err != nil, "got %+v", settled)
				_ = commit() // fails where an error has ended the transaction
				h.state(s.Task.ID, task.Running)
			}
		}},
		{"tx/only a success", "SettleTx refuses every other outcome.", func(h *harness) {
			settler := h.txSettler()
			t := h.claimOne(h.add())
			tx, _, rollback := h.begin()
			for _, outcome := range []task.Outcome{task.OutcomeFailed, task.OutcomeDead, task.OutcomeCanceled, "", "won"} {
				_, err := settler.SettleTx(h.ctx, tx, settlement(t, outcome))
				h.code(err, task.CodeInvalid)
			}
			h.ok(rollback())
			h.state(t.ID, task.Running)
		}},
		{"tx/another kind of transaction", "EnqueueTx and SettleTx refuse what is no transaction of the store's kind.", func(h *harness) {
			enqueuer, settler := h.txEnqueuer(), h.txSettler()
			t := h.claimOne(h.add())
			for _, tx := range []any{nil, 1, "tx", h.s, (*sql.Tx)(nil), (*sql.DB)(nil)} {
				_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: h.task()}})
				h.code(err, task.CodeInvalid)
				_, err = settler.SettleTx(h.ctx, tx, settlement(t, task.OutcomeSucceeded))
				h.code(err, task.CodeInvalid)
			}
		}},
		{"tx/an ended transaction", "EnqueueTx and SettleTx fail in a transaction that has ended, and change nothing.", func(h *harness) {
			enqueuer, settler := h.txEnqueuer(), h.txSettler()
			t, fresh := h.claimOne(h.add()), h.task()
			tx, commit, _ := h.begin()
			h.ok(commit())
			_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: fresh}})
			h.expect(err != nil, "enqueued")
			_, err = settler.SettleTx(h.ctx, tx, settlement(t, task.OutcomeSucceeded))
			h.expect(err != nil, "settled")
			h.absent(fresh.ID)
			h.state(t.ID, task.Running)
		}},
	}
}

// within runs do with a context that ends after a time that is long for any
// database, but short of waiting for a transaction that stays open for ever.
func (h *harness) within(what string, do func(ctx context.Context) error) {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.ctx, time.Minute)
	defer cancel()
	if err := do(ctx); err != nil {
		h.Fatalf("%s, while a transaction is open: %v", what, err)
	}
}

// openTxRules are about those who go on while a transaction of a caller is
// open.
func openTxRules() []rule {
	return []rule{
		{"tx/one outcome of a claim", "Of an open transaction that has ended an attempt and a Settle of the same claim, one outcome is recorded.", func(h *harness) {
			t := h.claimOne(h.add())
			commit, _ := h.settleTx(settlement(t, task.OutcomeSucceeded))
			answer := make(chan store.Status, 1)
			go func() {
				settled, err := h.s.Settle(h.ctx, []store.Settlement{settlement(t, task.OutcomeFailed)})
				if err != nil {
					answer <- store.Status(err.Error())
					return
				}
				answer <- settled[0].Status
			}()
			h.pause(100 * time.Millisecond) // so that the settle meets the lock
			if err := commit(); err != nil {
				equal(h, "status of the settle that won", <-answer, store.StatusOK)
				h.outcomes(t.ID, task.OutcomeFailed)
				return
			}
			equal(h, "status of the settle that lost", <-answer, store.StatusStale)
			h.state(t.ID, task.Succeeded)
			h.outcomes(t.ID, task.OutcomeSucceeded)
		}},
		{"tx/one of two transactions", "Of two transactions that end the same attempt at once, only one is answered ok: the second one waits for the first and is answered stale, or fails, also if it had looked at the row before the first one committed.", func(h *harness) {
			h.others()
			settler := h.txSettler()
			s, follow := h.follows(h.claimOne(h.add()))
			commit, _ := h.settleTx(s)
			second, _, rollback := h.begin()
			late, _ := h.follows(s.Task)
			answer := make(chan store.Status, 1)
			go func() {
				settled, err := settler.SettleTx(h.ctx, second, late)
				if err != nil {
					settled.Status = store.StatusStale // a serialization failure or a deadlock, say
				}
				answer <- settled.Status
			}()
			h.pause(200 * time.Millisecond) // so that the second one meets the lock
			h.ok(commit())
			equal(h, "status of the second transaction", <-answer, store.StatusStale)
			_ = rollback() // it may have been ended by its error
			h.state(follow, task.Pending)
			h.outcomes(s.Task.ID, task.OutcomeSucceeded)
		}},
		{"tx/recovery passes an open settle over", "Recover does not wait for a row that an open transaction has settled: it hands back the others, and that one after a rollback.", func(h *harness) {
			h.others()
			h.join("n2")
			tasks := h.claimFor("n2", h.addMany(2)...)
			commit, _ := h.settleTx(settlement(tasks[0], task.OutcomeSucceeded))
			third := h.claimFor("n2", h.add())[0]
			_, rollback := h.settleTx(settlement(third, task.OutcomeSucceeded))
			h.bury("n2")
			h.within("recovery", func(ctx context.Context) error {
				rows, err := h.s.Recover(ctx, []uint16{h.lanes[0].Lane}, 10)
				h.expect(err != nil || len(rows) == 1 && rows[0].ID == tasks[1].ID, "recovered %+v", rows)
				return err
			})
			h.ok(commit())
			h.ok(rollback())
			rows := h.recover(10, h.lanes[0].Lane)
			h.expect(len(rows) == 1 && rows[0].ID == third.ID, "recovered %+v", rows)
			h.state(tasks[0].ID, task.Succeeded)
		}},
		{"tx/an open transaction holds nobody up", "While a transaction that has enqueued and settled is open, other rows of its lanes are inserted, claimed, settled and scanned, and lanes are taken.", func(h *harness) {
			h.others()
			enqueuer, settler := h.txEnqueuer(), h.txSettler()
			other, ended := h.add(), h.claimOne(h.add())
			running := h.claimOne(h.add())
			tx, commit, _ := h.begin()
			fresh := h.task(keyed("k"), h.inLane(0))
			_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{h.dedupe(fresh, "dedupe", time.Hour, 1)})
			h.ok(err)
			s, _ := h.follows(ended)
			h.settleIn(settler, tx, s, store.StatusOK)

			var results []store.BatchResult
			h.within("enqueue", func(ctx context.Context) (err error) {
				results, err = h.s.Enqueue(ctx, []store.Batch{
					{Items: []store.Insert{{Task: h.task(keyed("k"), h.inLane(0))}}},
					{Items: []store.Insert{h.dedupe(h.task(), "another", time.Hour, 1)}},
					{Items: []store.Insert{{Task: h.task()}, {Task: h.task(h.inLane(1))}}},
				})
				return err
			})
			for i := range results {
				h.ok(results[i].Err)
			}
			h.within("claim", func(ctx context.Context) error {
				claimed, err := h.s.Claim(ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: items(other)})
				h.expect(err != nil || len(claimed.Tasks) == 1, "claimed %+v", claimed)
				return err
			})
			h.within("settle", func(ctx context.Context) error {
				settled, err := h.s.Settle(ctx, []store.Settlement{settlement(running, task.OutcomeFailed)})
				h.expect(err != nil || settled[0].Status == store.StatusOK, "settled %+v", settled)
				return err
			})
			h.within("scan", func(ctx context.Context) error {
				_, err := h.s.Scan(ctx, []store.Range{{Lane: h.lanes[0].Lane, After: -1 << 62, Until: 1 << 62, Limit: 10}})
				return err
			})
			h.within("a take-over", func(ctx context.Context) error {
				if err := h.s.Leave(ctx, "n1"); err != nil {
					return err
				}
				if err := h.s.Join(ctx, store.Node{ID: "n2", StartedAt: time.Now()}); err != nil {
					return err
				}
				taken, err := h.s.TakeLanes(ctx, "n2", h.lanes)
				h.expect(err != nil || len(taken) == len(h.lanes), "taken %+v", taken)
				return err
			})
			h.ok(commit())
			h.state(fresh.ID, task.Pending)
			h.state(ended.ID, task.Succeeded)
		}},
		{"tx/a dedupe key of an open transaction", "An enqueue with the dedupe key of an open transaction comes back soon, with dedupe_busy unless it won; after the commit one task has the key.", func(h *harness) {
			h.others()
			enqueuer := h.txEnqueuer()
			tx, commit, _ := h.begin()
			first, again := h.dedupe(h.task(), "k", time.Hour, 1), h.dedupe(h.task(), "k", time.Hour, 1)
			_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{first})
			h.ok(err)
			var result store.BatchResult
			h.within("an enqueue with its dedupe key", func(ctx context.Context) error {
				results, err := h.s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{again}}})
				if err == nil {
					result = results[0]
				}
				return err
			})
			if result.Err == nil {
				h.expect(commit() != nil, "two tasks have the dedupe key")
				h.absent(first.Task.ID)
				return
			}
			h.code(result.Err, task.CodeDedupeBusy)
			h.ok(commit())
			found := h.enqueue(again)[0]
			h.ok(found.Err)
			h.expect(found.Items[0].Existing != nil && found.Items[0].Existing.ID == first.Task.ID, "got %+v", found.Items[0])
		}},
	}
}

// others skips the rule for a store on which nobody goes on beside an open
// transaction.
func (h *harness) others() {
	h.Helper()
	if h.able.TxAlone {
		h.Skip("an open transaction shuts out every other writer of this store")
	}
}

// pause lets real time pass.
func (h *harness) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-h.ctx.Done():
	}
}

// arrivesAtCommit looks for what has arrived before and after a commit.
func arrivesAtCommit(h *harness) {
	enqueuer := h.txEnqueuer()
	arrivals, ok := store.As[store.Arrivals](h.s)
	if !ok {
		h.Skip("needs a store with Arrived")
	}
	since := ""
	look := func() (ids []task.ID) {
		h.Helper()
		found, err := arrivals.Arrived(h.ctx, []uint16{h.lanes[0].Lane, h.lanes[1].Lane}, since)
		h.ok(err)
		if found.Next == "" {
			h.Skip("needs a store that can tell")
		}
		equal(h, "whole", found.Whole, since == "")
		since = found.Next
		for _, e := range found.Entries {
			ids = append(ids, e.ID)
		}
		return ids
	}
	equal(h, "found at first", len(look()), 0)
	tx, commit, _ := h.begin()
	t := h.task(due(time.Time{}))
	_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: t}})
	h.ok(err)
	for range 3 {
		h.expect(!slices.Contains(look(), t.ID), "it arrived before the commit")
	}
	h.ok(commit())
	h.expect(slices.Contains(look(), t.ID), "it did not arrive")
	h.expect(!slices.Contains(look(), t.ID), "it arrived again, with nothing open")
}
