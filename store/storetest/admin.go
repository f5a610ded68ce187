package storetest

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func adminRules() []rule {
	return []rule{
		{"cancel/pending", "Cancel ends a pending task as canceled, without a history row, and frees its key.", func(h *harness) {
			ids := h.addMany(2, keyed("k"))
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[0], Mark: 5}}))
			t, err := h.s.Cancel(h.ctx, ids[0])
			h.ok(err)
			h.expect(t.State == task.Canceled && !t.FinishedAt.IsZero(), "got %+v", t)
			h.state(ids[0], task.Canceled)
			h.outcomes(ids[0])
			h.refuseOne(ids[0], store.ReasonGone)
			h.claimOne(ids[1])
		}},
		{"cancel/running", "Cancel of a running task requests the cancel; the claim number stays, so that a success is kept.", func(h *harness) {
			t := h.claimOne(h.add())
			for range 2 {
				got, err := h.s.Cancel(h.ctx, t.ID)
				h.ok(err)
				h.expect(got.State == task.Running && got.CancelRequested && got.Claim == t.Claim, "got %+v", got)
			}
			h.settle(settlement(t, task.OutcomeSucceeded))
			h.state(t.ID, task.Succeeded)
		}},
		{"cancel/other states", "Cancel of an ended task is a conflict that names the state; of an absent one not found.", func(h *harness) {
			ids := h.addMany(3)
			h.run(ids[0], task.OutcomeSucceeded)
			h.die(ids[1])
			_, err := h.s.Cancel(h.ctx, ids[2])
			h.ok(err)
			for i, want := range []task.State{task.Succeeded, task.Dead, task.Canceled} {
				_, err := h.s.Cancel(h.ctx, ids[i])
				equal(h, "state", h.code(err, task.CodeConflict).State, want)
				h.state(ids[i], want)
			}
			_, err = h.s.Cancel(h.ctx, h.task().ID)
			h.code(err, task.CodeNotFound)
		}},
		{"reschedule/moves and clears the mark", "Reschedule moves the next run of a pending task, its rank too, and clears its park mark; a zero time is now.", func(h *harness) {
			id := h.add()
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: id, Mark: 5}}))
			later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
			t, err := h.s.Reschedule(h.ctx, id, later)
			h.ok(err)
			h.expect(t.RunAt.Equal(later) && t.Park == 0 && t.State == task.Pending, "got %+v", t)
			equal(h, "entry", h.scan(h.lanes[0].Lane, 0)[0], h.entryOf(h.get(id)))
			h.refuseOne(id, store.ReasonLater)
			t, err = h.s.Reschedule(h.ctx, id, time.Time{})
			h.ok(err)
			h.expect(t.RunAt.Before(later), "run at %v", t.RunAt)
			h.claimOne(id)
		}},
		{"reschedule/other states", "Reschedule of a task that is not pending is a conflict that names the state; of an absent one not found.", func(h *harness) {
			ids := h.addMany(4)
			h.claim(ids[0])
			h.run(ids[1], task.OutcomeSucceeded)
			h.die(ids[2])
			h.run(ids[3], task.OutcomeCanceled)
			for i, want := range []task.State{task.Running, task.Succeeded, task.Dead, task.Canceled} {
				_, err := h.s.Reschedule(h.ctx, ids[i], time.Time{})
				equal(h, "state", h.code(err, task.CodeConflict).State, want)
			}
			_, err := h.s.Reschedule(h.ctx, h.task().ID, time.Time{})
			h.code(err, task.CodeNotFound)
		}},
		{"release key/removes the hold", "ReleaseKey removes the hold on a key and says whether there was one; the dead letter stays.", func(h *harness) {
			dead := h.add(keyed("k"))
			h.die(dead)
			next := h.add(keyed("k"))
			for _, want := range []bool{true, false} {
				released, err := h.s.ReleaseKey(h.ctx, "q", "k")
				h.ok(err)
				equal(h, "released", released, want)
			}
			h.state(dead, task.Dead)
			equal(h, "held", h.keyState("k").Held, false)
			h.claimOne(next)
			released, err := h.s.ReleaseKey(h.ctx, "absent", "k")
			h.ok(err)
			equal(h, "released of an absent queue", released, false)
		}},
		{"release key/of its queue only", "A hold belongs to its queue: the same key of another queue is not released.", func(h *harness) {
			h.queue("other", 1)
			h.die(h.add(keyed("k")))
			released, err := h.s.ReleaseKey(h.ctx, "other", "k")
			h.ok(err)
			equal(h, "released", released, false)
			equal(h, "held", h.keyState("k").Held, true)
		}},
	}
}

func (h *harness) redrive(options store.RedriveOptions, ids ...task.ID) (done, missing []task.ID) {
	h.Helper()
	told, missing, err := h.s.Redrive(h.ctx, ids, options)
	h.ok(err)
	for i := range told {
		done = append(done, told[i].ID)
	}
	return done, missing
}

func redriveRules() []rule {
	return []rule{
		{"redrive/inserts the task again", "Redrive deletes the letter and inserts the task again: pending, now, same id, seq and claim, crashes 0, attempts 0. It keeps its last error, and has no reason, end and fallback any more.", func(h *harness) {
			id := h.add(keyed("k"), due(time.Now().Add(-24*time.Hour)), func(t *task.Task) { t.Spec = fullSpec(h) })
			h.crash("n2", id)
			h.run(id, task.OutcomeFailed)
			last := settlement(h.claimOne(id), task.OutcomeDead)
			last.Failure, last.Task.FallbackTask = failure("permanent"), h.task().ID
			h.settle(last)
			letter := h.get(id)
			equal(h, "fallback of the letter", letter.FallbackTask, last.Task.FallbackTask)
			want := store.Redriven{ID: id, Type: letter.Type, Queue: letter.Queue, Attempt: letter.Attempt, Claim: letter.Claim, TraceParent: letter.Spec.TraceParent}
			done, missing, err := h.s.Redrive(h.ctx, []task.ID{id}, store.RedriveOptions{})
			h.ok(err)
			h.expect(len(done) == 1 && done[0] == want && len(missing) == 0, "done %v, missing %v", done, missing)
			got := h.state(id, task.Pending)
			h.expect(got.Seq == letter.Seq && got.Claim == letter.Claim && got.Attempt == 0 && got.Crashes == 0 && got.Park == 0, "got %+v", got)
			h.expect(got.DeadReason == "" && got.FinishedAt.IsZero() && got.FallbackTask.IsZero() && !got.CancelRequested, "got %+v", got)
			h.expect(got.RunAt.After(letter.CreatedAt.Add(-time.Hour)) && got.CreatedAt.Equal(letter.CreatedAt), "got %+v", got)
			h.sameFailure(got.LastError, last.Failure)
			h.near("the last failure, which is the death,", got.LastFailedAt, letter.FinishedAt)
			h.expect(!got.Spec.RedrivenAt.IsZero(), "spec %+v", got.Spec)
			h.sameSpec(got.Spec, letter.Spec.Redriven(got.Spec.RedrivenAt, "", letter.Claim))
			equal(h, "dead letters", h.stats().Total, 0)
			again := h.claimOne(id)
			h.expect(again.Attempt == 1 && again.Claim > letter.Claim, "claimed %+v", again)
		}},
		{"redrive/the loser of a race finds nothing", "A second redrive finds the letter missing; so do ids that are no dead letters.", func(h *harness) {
			ids := h.addMany(3)
			h.run(ids[0], task.OutcomeSucceeded)
			h.die(ids[1])
			h.die(ids[2])
			h.redrive(store.RedriveOptions{}, ids[1])
			h.claimOne(ids[1])
			absent := h.task().ID
			done, missing := h.redrive(store.RedriveOptions{}, ids[0], ids[1], absent, ids[2], ids[2])
			h.expect(len(done) == 1 && done[0] == ids[2], "done %v", done)
			h.expect(len(missing) >= 3 && missing[0] == ids[0] && missing[1] == ids[1] && missing[2] == absent, "missing %v", missing)
			h.state(ids[0], task.Succeeded)
			h.state(ids[1], task.Running)
		}},
		{"redrive/keep attempts", "With KeepAttempts the attempts spent and their history stay; crashes are 0 all the same.", func(h *harness) {
			id := h.add()
			h.run(id, task.OutcomeFailed)
			h.die(id)
			h.redrive(store.RedriveOptions{KeepAttempts: true}, id)
			got := h.state(id, task.Pending)
			h.expect(got.Attempt == 2 && got.Crashes == 0, "got %+v", got)
			h.outcomes(id, task.OutcomeFailed, task.OutcomeDead)
			equal(h, "attempt", h.run(id, task.OutcomeSucceeded).Attempt, 3)
			h.outcomes(id, task.OutcomeFailed, task.OutcomeDead, task.OutcomeSucceeded)
		}},
		{"redrive/run times", "RunAt gives each id its time; a zero time and a nil list mean now.", func(h *harness) {
			ids := h.addMany(2)
			h.die(ids[0])
			h.die(ids[1])
			later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
			h.redrive(store.RedriveOptions{RunAt: []time.Time{later, {}}}, ids...)
			h.expect(h.get(ids[0]).RunAt.Equal(later), "run at %v", h.get(ids[0]).RunAt)
			h.refuseOne(ids[0], store.ReasonLater)
			h.claimOne(ids[1])
		}},
		{"redrive/run times with missing ids", "Run times stay with their ids when others are missing.", func(h *harness) {
			id := h.add()
			h.die(id)
			later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
			h.redrive(store.RedriveOptions{RunAt: []time.Time{{}, later}}, h.task().ID, id)
			h.expect(h.get(id).RunAt.Equal(later), "run at %v", h.get(id).RunAt)
		}},
		{"redrive/payload", "Payload replaces the payload when not nil, also by an empty one.", func(h *harness) {
			ids := h.addMany(3)
			for i, payload := range [][]byte{nil, {}, []byte("new\x00")} {
				h.die(ids[i])
				before := h.get(ids[i]).Payload
				h.redrive(store.RedriveOptions{Payload: payload}, ids[i])
				want := payload
				if payload == nil {
					want = before
				}
				h.same(h.claimOne(ids[i]).Payload, want)
			}
		}},
		{"redrive/releases its key", "Redrive releases the key that the letter holds, and the task runs before later ones of its key.", func(h *harness) {
			ids := h.addMany(2, keyed("k"))
			h.die(ids[0])
			h.redrive(store.RedriveOptions{}, ids[0])
			equal(h, "state of the key", *h.keyState("k"), store.KeyState{First: ids[0]})
			h.run(ids[0], task.OutcomeSucceeded)
			h.claimOne(ids[1])
		}},
		{"redrive/not another's hold", "Redrive leaves the hold of another letter of the key in place.", func(h *harness) {
			ids := h.addMany(2, keyed("k"))
			h.die(ids[0], func(s *store.Settlement) { s.OrderOnDead = "skip" })
			h.die(ids[1])
			h.redrive(store.RedriveOptions{}, ids[0])
			equal(h, "holder", h.keyState("k").Holder, ids[1])
			h.refuseOne(ids[0], store.ReasonKeyHeld)
		}},
		{"redrive/a cancel request does not come back", "A task whose cancel was requested before it died runs again after a redrive.", func(h *harness) {
			t := h.claimOne(h.add())
			_, err := h.s.Cancel(h.ctx, t.ID)
			h.ok(err)
			h.settle(settlement(t, task.OutcomeDead))
			h.redrive(store.RedriveOptions{}, t.ID)
			h.run(t.ID, task.OutcomeFailed)
			h.state(t.ID, task.Pending)
		}},
		{"redrive/and die again", "A redriven task can die again and be redriven again.", func(h *harness) {
			id := h.add(keyed("k"))
			for range 3 {
				h.die(id)
				equal(h, "dead letters", h.stats().Total, 1)
				equal(h, "holder", h.keyState("k").Holder, id)
				h.redrive(store.RedriveOptions{}, id)
				equal(h, "dead letters", h.stats().Total, 0)
			}
		}},
	}
}

func purgeRules() []rule {
	return []rule{
		{"purge/what the filter matches, oldest first", "Purge deletes up to limit dead letters that match, oldest first, and returns them.", func(h *harness) {
			var ids []task.ID // in the order of their making and of their death
			for i := range 3 {
				ids = append(ids, h.add(func(t *task.Task) {
					t.ID = task.NewID(time.Now().Add(time.Duration(i)*time.Second), h.random).WithLane(t.ID.Lane())
				}))
			}
			other := h.add(typed("sms"))
			for _, id := range append(ids, other) {
				h.die(id)
				h.pass(2 * time.Millisecond)
			}
			live := h.add()
			for _, want := range [][]task.ID{ids[:2], ids[2:], nil} {
				purged, err := h.s.Purge(h.ctx, store.Filter{Type: "mail"}, 2)
				h.ok(err)
				h.ids(purged, want...)
			}
			for _, id := range ids {
				h.absent(id)
				_, err := h.s.Attempts(h.ctx, id)
				h.code(err, task.CodeNotFound)
			}
			h.state(other, task.Dead)
			h.state(live, task.Pending)
			equal(h, "dead letters", h.stats().Total, 1)
		}},
		{"purge/releases keys", "Purge releases the keys that the letters hold, and returns the letters whole.", func(h *harness) {
			ids := h.addMany(2, keyed("k"))
			h.die(ids[0])
			purged, err := h.s.Purge(h.ctx, store.Filter{IDs: ids}, 10)
			h.ok(err)
			h.ids(purged, ids[0])
			h.expect(purged[0].State == task.Dead && purged[0].DeadReason == task.Exhausted && len(purged[0].Payload) > 0, "got %+v", purged[0])
			h.claimOne(ids[1])
		}},
		{"purge/the id is free again", "A purged id may be inserted anew.", func(h *harness) {
			t := h.task()
			h.insert(t)
			h.die(t.ID)
			_, err := h.s.Purge(h.ctx, store.Filter{}, 10)
			h.ok(err)
			h.insert(t)
		}},
	}
}

func cleanupRules() []rule {
	return []rule{
		{"cleanup/ended tasks past their retention", "Cleanup deletes succeeded and canceled tasks that ended before the time, with their histories; live tasks and dead letters stay.", func(h *harness) {
			ids := h.addMany(5)
			h.run(ids[0], task.OutcomeFailed)
			h.run(ids[0], task.OutcomeSucceeded)
			_, err := h.s.Cancel(h.ctx, ids[1])
			h.ok(err)
			h.die(ids[2])
			h.claim(ids[3])
			before := h.get(ids[0]).FinishedAt.Add(-time.Hour)
			h.cleanup(before, 1000)
			h.state(ids[0], task.Succeeded)
			h.pass(5 * time.Millisecond)
			h.cleanup(h.get(ids[1]).FinishedAt.Add(time.Hour), 1000)
			h.absent(ids[0])
			h.absent(ids[1])
			_, err = h.s.Attempts(h.ctx, ids[0])
			h.code(err, task.CodeNotFound)
			h.state(ids[2], task.Dead)
			h.outcomes(ids[2], task.OutcomeDead)
			h.state(ids[3], task.Running)
			h.state(ids[4], task.Pending)
		}},
		{"cleanup/in steps", "Cleanup deletes up to limit rows and returns how many; 0 when nothing is left.", func(h *harness) {
			for _, id := range h.addMany(5) {
				h.run(id, task.OutcomeSucceeded)
			}
			ended := h.find(store.Filter{}, 10)[0].FinishedAt.Add(time.Hour)
			for range 20 {
				deleted, err := h.s.Cleanup(h.ctx, ended, 2)
				h.ok(err)
				h.expect(deleted <= 2, "deleted %d rows with limit 2", deleted)
				if deleted == 0 {
					break
				}
			}
			equal(h, "tasks left", len(h.find(store.Filter{}, 10)), 0)
		}},
		{"cleanup/dedupe entries that live stay", "Cleanup leaves dedupe entries that are in their window, or whose task is live.", func(h *harness) {
			window := h.fresh(h.dedupe(h.task(), "window", time.Hour, 1))
			h.run(window, task.OutcomeSucceeded)
			live := h.fresh(h.dedupe(h.task(), "live", 20*time.Millisecond, 1))
			gone := h.fresh(h.dedupe(h.task(), "gone", 20*time.Millisecond, 1))
			h.run(gone, task.OutcomeSucceeded)
			h.pass(40 * time.Millisecond)
			h.cleanup(h.get(gone).FinishedAt.Add(-time.Hour), 1000)
			h.dup(h.dedupe(h.task(), "window", time.Hour, 1), window)
			h.dup(h.dedupe(h.task(), "live", time.Hour, 1), live)
			h.fresh(h.dedupe(h.task(), "gone", time.Hour, 2))
		}},
	}
}

// cleanup calls Cleanup until it finds nothing more.
func (h *harness) cleanup(ended time.Time, limit int) {
	h.Helper()
	for range 100 {
		deleted, err := h.s.Cleanup(h.ctx, ended, limit)
		h.ok(err)
		if deleted == 0 {
			return
		}
	}
	h.Fatal("Cleanup does not come to an end")
}
