package storetest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// newGroup makes a group of tasks that is open.
func (h *harness) newGroup() task.ID {
	h.Helper()
	g := task.Group{ID: task.NewID(time.Now(), h.random), Label: "March", Callback: task.Follow{Type: "closing", Queue: "q"}}
	_, err := h.s.PutGroup(h.ctx, g)
	h.ok(err)
	return g.ID
}

func of(group task.ID) func(*task.Task) { return func(t *task.Task) { t.Spec.Group = group } }

func (h *harness) group(id task.ID) *task.Group {
	h.Helper()
	g, err := h.s.Group(h.ctx, id)
	h.ok(err)
	return g
}

// counts fails the test unless a group counts so many.
func (h *harness) counts(id task.ID, members, succeeded, dead, canceled int) {
	h.Helper()
	equal(h, "counts", h.group(id).Counts, task.GroupCounts{Members: members, Succeeded: succeeded, Dead: dead, Canceled: canceled})
}

func (h *harness) closeGroup(id task.ID) *task.Group {
	h.Helper()
	g, err := h.s.CloseGroup(h.ctx, id)
	h.ok(err)
	return g
}

// finish tries to make a group done, and returns it with its callback.
func (h *harness) finish(id task.ID) (*task.Group, *task.Task) {
	h.Helper()
	callback := h.task(typed("closing"))
	g, err := h.s.FinishGroup(h.ctx, id, h.group(id).Counts, store.Insert{Task: callback})
	h.ok(err)
	return g, callback
}

func groupRules() []rule {
	return []rule{
		{"group/comes back", "A group comes back as it was made, also from a repeat; another with its id is refused, and one that is not there is not found.", func(h *harness) {
			g := task.Group{
				ID: task.NewID(time.Now(), h.random), Label: "März €",
				Callback: task.Follow{Type: "http", Queue: "q", Policy: "p", Payload: []byte(`{"a":1}`), HTTP: &task.Request{URL: "https://a.example/x", Headers: map[string]string{"X-A": "b"}}},
			}
			made, err := h.s.PutGroup(h.ctx, g)
			h.ok(err)
			h.expect(!made.CreatedAt.IsZero(), "it has no time of being created")
			g.State, g.CreatedAt = task.GroupOpen, made.CreatedAt
			again, err := h.s.PutGroup(h.ctx, g)
			h.ok(err)
			for _, got := range []*task.Group{made, again, h.group(g.ID)} {
				h.expect(reflect.DeepEqual(*got, g), "got %+v, want %+v", *got, g)
			}
			other, label := g, g
			other.Callback.Payload, label.Label = []byte(`{"a":2}`), "other"
			for _, bad := range []task.Group{other, label} {
				_, err = h.s.PutGroup(h.ctx, bad)
				h.code(err, task.CodeIDConflict)
			}
			h.expect(reflect.DeepEqual(*h.group(g.ID), g), "a refused group has changed it: %+v", h.group(g.ID))
			_, err = h.s.PutGroup(h.ctx, task.Group{ID: task.NewID(time.Now(), h.random)})
			h.code(err, task.CodeInvalid)
			nobody := task.NewID(time.Now(), h.random)
			_, err = h.s.Group(h.ctx, nobody)
			h.code(err, task.CodeNotFound)
			_, err = h.s.CloseGroup(h.ctx, nobody)
			h.code(err, task.CodeNotFound)
			_, err = h.s.FinishGroup(h.ctx, nobody, task.GroupCounts{}, store.Insert{Task: h.task()})
			h.code(err, task.CodeNotFound)
		}},
		{"group/lists", "Groups lists those in a state or all, the newest first, in pages.", func(h *harness) {
			var want []task.ID
			for range 5 {
				want = append(want, h.newGroup())
			}
			slices.SortFunc(want, func(a, b task.ID) int { return b.Compare(a) })
			list := func(state task.GroupState, before task.ID, limit int) (ids []task.ID) {
				groups, err := h.s.Groups(h.ctx, state, before, limit)
				h.ok(err)
				for i := range groups {
					h.expect(reflect.DeepEqual(groups[i], *h.group(groups[i].ID)), "listed %+v", groups[i])
					ids = append(ids, groups[i].ID)
				}
				return ids
			}
			h.add(of(want[1]))
			h.closeGroup(want[2])
			for _, c := range []struct {
				got, want []task.ID
			}{
				{list("", task.ID{}, 10), want}, {list("", task.ID{}, 2), want[:2]}, {list("", want[1], 2), want[2:4]}, {list("", want[4], 9), nil}, {list("", task.ID{}, 0), nil},
				{list(task.GroupOpen, task.ID{}, 3), []task.ID{want[0], want[1], want[3]}}, {list(task.GroupClosed, task.ID{}, 3), want[2:3]}, {list(task.GroupDone, task.ID{}, 3), nil},
			} {
				h.expect(slices.Equal(c.got, c.want), "listed %v, want %v", c.got, c.want)
			}
		}},
		{"group/counts members once", "A member is counted when it is inserted, not by a repeat, and only in an open group: the batch of one that is refused does nothing. A repeat after the close is answered.", membersCount},
		{"group/every end counts once", "Each end of a member is counted once, whatever ends it, and nothing that goes on.", func(h *harness) {
			id := h.newGroup()
			for _, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeDead, task.OutcomeCanceled} {
				t := h.claimOne(h.add(of(id), h.inLane(1)))
				h.settle(settlement(t, outcome))
				h.settle(settlement(t, outcome)) // a repeat
			}
			h.counts(id, 3, 1, 1, 1)
			again := h.add(of(id))
			for _, outcome := range []task.Outcome{task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased} {
				h.run(again, outcome)
			}
			h.counts(id, 4, 1, 1, 1)
			asked := h.claimOne(again)
			_, err := h.s.Cancel(h.ctx, again)
			h.ok(err)
			h.counts(id, 4, 1, 1, 1)
			h.settle(settlement(asked, task.OutcomeFailed))
			h.counts(id, 4, 1, 1, 2)
			h.canceled(h.add(of(id)))
			h.counts(id, 5, 1, 1, 3)
			h.steer(store.Steering{IDs: []task.ID{h.add(of(id)), h.add(of(id), h.inLane(1)), h.add()}, Event: task.Cancel})
			h.counts(id, 7, 1, 1, 5)
			h.join("n2")
			lost := h.claimFor("n2", h.add(of(id)), h.add(of(id)))
			_, err = h.s.Cancel(h.ctx, lost[0].ID)
			h.ok(err)
			h.bury("n2")
			h.recoverAll()
			h.counts(id, 9, 1, 1, 6)
		}},
		{"group/many ends at once", "Of many ends in one call, of members of several groups and of none, each counts for its own.", func(h *harness) {
			a, b := h.newGroup(), h.newGroup()
			var ids []task.ID
			for i, group := range []task.ID{a, b, {}} {
				ids = append(append(ids, h.addMany(120, of(group), h.inLane(i%2))...), h.addMany(15, of(group), h.inLane(1))...)
			}
			var all []store.Settlement
			for i, t := range h.claim(ids...) {
				outcome := task.OutcomeSucceeded
				if i%10 == 9 {
					outcome = task.OutcomeDead
				}
				if i%10 == 4 {
					outcome = task.OutcomeFailed
				}
				all = append(all, settlement(t, outcome))
			}
			h.settle(all...)
			h.counts(a, 135, 108, 13, 0)
			h.counts(b, 135, 108, 14, 0)
			h.settle(all...)
			h.counts(a, 135, 108, 13, 0)
		}},
		{"group/done once", "A group that is closed is made done with its callback once all members have ended, and never again.", doneOnce},
	}
}

func groupLifeRules() []rule {
	return []rule{
		{"group/redrive", "A redrive takes the death of a member back while its group is not done; later the task leaves the group.", func(h *harness) {
			id := h.newGroup()
			member := h.add(of(id))
			h.die(member)
			h.closeGroup(id)
			done, _ := h.redrive(store.RedriveOptions{}, member)
			equal(h, "redriven", len(done), 1)
			h.counts(id, 1, 0, 0, 0)
			if g, _ := h.finish(id); g.State != task.GroupClosed {
				h.Fatalf("the group is %s while a member waits", g.State)
			}
			h.die(member)
			h.counts(id, 1, 0, 1, 0)
			equal(h, "group of the task", h.get(member).Spec.Group, id)
			if g, _ := h.finish(id); g.State != task.GroupDone {
				h.Fatalf("the group is %s when all have ended", g.State)
			}
			h.redrive(store.RedriveOptions{}, member)
			equal(h, "group of the task", h.get(member).Spec.Group, task.ID{})
			h.run(member, task.OutcomeSucceeded)
			h.counts(id, 1, 0, 1, 0)
		}},
		{"group/stays with dead members", "A purge of dead members changes no counts.", func(h *harness) {
			id := h.newGroup()
			h.die(h.add(of(id)))
			purged, err := h.s.Purge(h.ctx, store.Filter{}, 10)
			h.ok(err)
			equal(h, "purged", len(purged), 1)
			h.counts(id, 1, 0, 1, 0)
		}},
		{"group/cleanup", "Cleanup deletes groups that were done before the time, and no others.", func(h *harness) {
			open, closed, done := h.newGroup(), h.newGroup(), h.newGroup()
			h.closeGroup(closed)
			h.closeGroup(done)
			h.finish(done)
			h.cleanup(time.Now().Add(-time.Hour), 100)
			equal(h, "state", h.group(done).State, task.GroupDone)
			h.cleanup(time.Now().Add(time.Hour), 100)
			_, err := h.s.Group(h.ctx, done)
			h.code(err, task.CodeNotFound)
			equal(h, "state", h.group(open).State, task.GroupOpen)
			equal(h, "state", h.group(closed).State, task.GroupClosed)
		}},
		{"group/audit", "The rows of the audit log of a group are written when it is made and when it is closed, and not by repeats.", func(h *harness) {
			g := task.Group{ID: task.NewID(time.Now(), h.random), Callback: task.Follow{Type: "closing"}}
			said := func(action string) store.Audit {
				return store.Audit{Actor: "a", Action: action, Subject: g.ID.String()}
			}
			for range 2 {
				_, err := h.s.PutGroup(h.ctx, g, said("group.create"))
				h.ok(err)
			}
			for range 2 {
				_, err := h.s.CloseGroup(h.ctx, g.ID, said("group.close"))
				h.ok(err)
			}
			equal(h, "rows", len(h.audit(store.AuditFilter{}, 10)), 2)
		}},
	}
}

func membersCount(h *harness) {
	id := h.newGroup()
	first, second := h.task(of(id)), h.task(of(id), h.inLane(1))
	for range 2 {
		results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: first}, {Task: second}, {Task: h.task()}}}, {Items: []store.Insert{{Task: first}}}})
		h.ok(err)
		for _, result := range results {
			h.ok(result.Err)
		}
	}
	h.counts(id, 2, 0, 0, 0)
	refused := func(code task.Code, items ...store.Insert) {
		h.Helper()
		for _, result := range h.enqueue(items...)[:1] {
			h.code(result.Err, code)
		}
		h.absent(items[0].Task.ID)
	}
	refused(task.CodeNotFound, store.Insert{Task: h.task(of(task.NewID(time.Now(), h.random)))})
	refused(task.CodeInvalid, h.dedupe(h.task(of(id)), "k", time.Hour, 1))
	stranger := h.task()
	h.insert(stranger)
	stranger.Spec.Group = id
	h.code(h.enqueue(store.Insert{Task: stranger})[0].Err, task.CodeIDConflict)

	equal(h, "state", h.closeGroup(id).State, task.GroupClosed)
	h.expect(!h.closeGroup(id).ClosedAt.IsZero(), "it has no time of being closed")
	outside, late := h.task(), h.task(of(id))
	refused(task.CodeConflict, store.Insert{Task: late})
	results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: outside}, {Task: late}}}})
	h.ok(err)
	h.code(results[0].Err, task.CodeConflict)
	h.absent(outside.ID)
	repeat := h.enqueue(store.Insert{Task: first})[0]
	h.ok(repeat.Err)
	h.expect(repeat.Items[0].Existing != nil, "a member is there twice")
	h.counts(id, 2, 0, 0, 0)
}

func doneOnce(h *harness) {
	id := h.newGroup()
	member := h.add(of(id))
	notYet := func(when string) {
		h.Helper()
		g, callback := h.finish(id)
		h.expect(g.State != task.GroupDone, "the group is done %s", when)
		h.absent(callback.ID)
	}
	notYet("while it is open")
	h.run(member, task.OutcomeSucceeded)
	notYet("while it is open, with all members ended")
	h.closeGroup(id)
	callback := h.task(typed("closing"))
	g, err := h.s.FinishGroup(h.ctx, id, task.GroupCounts{Members: 1, Dead: 1}, store.Insert{Task: callback})
	h.ok(err)
	h.expect(g.State == task.GroupClosed, "it is done by counts that are not its own")
	h.absent(callback.ID)

	done, callback := h.finish(id)
	h.expect(done.State == task.GroupDone && done.CallbackTask == callback.ID, "got %+v", done)
	h.expect(!done.DoneAt.IsZero(), "it has no time of being done")
	h.state(callback.ID, task.Pending)
	again, second := h.finish(id)
	h.expect(reflect.DeepEqual(again, done), "a repeat answers %+v, want %+v", again, done)
	h.absent(second.ID)
	h.expect(reflect.DeepEqual(h.closeGroup(id), done), "a close answers %+v", again)

	empty := h.newGroup()
	h.closeGroup(empty)
	g, _ = h.finish(empty)
	equal(h, "state of a group without members", g.State, task.GroupDone)
}

func groupTxRules() []rule {
	return []rule{
		{"tx/members of a group", "What a caller's transaction brings to a group and ends of it counts exactly if it commits, and keeps no other from counting meanwhile.", func(h *harness) {
			enqueuer, settler := h.txEnqueuer(), h.txSettler()
			id := h.newGroup()
			running := h.claim(h.add(of(id)), h.add(of(id)))
			beside := h.claimOne(h.add(of(id)))
			elsewhere := h.task(of(id), h.inLane(1))
			for i, commits := range []bool{false, true} {
				tx, commit, rollback := h.begin()
				_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: h.task(of(id))}, {Task: h.task(of(id))}})
				h.ok(err)
				h.settleIn(settler, tx, settlement(running[1], task.OutcomeSucceeded), store.StatusOK)
				if i == 0 && !h.able.TxAlone {
					h.within("an end and a member", func(ctx context.Context) error {
						_, err := h.s.Settle(ctx, []store.Settlement{settlement(beside, task.OutcomeSucceeded)})
						if err == nil {
							_, err = h.s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: elsewhere}}}})
						}
						return err
					})
				}
				if commits {
					h.ok(commit())
				} else {
					h.ok(rollback())
				}
			}
			if h.able.TxAlone {
				h.settle(settlement(beside, task.OutcomeSucceeded))
				h.insert(elsewhere)
			}
			h.counts(id, 6, 2, 0, 0)
			h.closeGroup(id)
			tx, _, rollback := h.begin()
			_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: h.task(of(id))}})
			h.code(err, task.CodeConflict)
			h.ok(rollback())
			h.counts(id, 6, 2, 0, 0)
		}},
		{"race/members and a close", "Of members that come while their group is closed, those that were accepted are counted when the close has answered.", func(h *harness) {
			id := h.newGroup()
			var mu sync.Mutex
			accepted, seen := 0, -1
			tasks := make([]*task.Task, 4*racers)
			for i := range tasks {
				tasks[i] = h.task(of(id), h.inLane(i%2))
			}
			h.race(func(i int) error {
				if i == racers/2 {
					g, err := h.s.CloseGroup(h.ctx, id)
					if err == nil {
						seen = g.Counts.Members
					}
					return err
				}
				for _, t := range tasks[4*i : 4*i+4] {
					results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: t}}}})
					if err != nil {
						return err
					}
					mu.Lock()
					if results[0].Err == nil {
						accepted++
					} else if !errors.Is(results[0].Err, &task.Error{Code: task.CodeConflict}) {
						err = results[0].Err
					}
					mu.Unlock()
					if err != nil {
						return err
					}
				}
				return nil
			})
			equal(h, "members when it was closed", seen, accepted)
			h.counts(id, accepted, 0, 0, 0)
		}},
		{"race/ends of a group", "Of ends, redrives, closes and attempts to finish at once, one inserts the callback, with all members ended.", func(h *harness) {
			id := h.newGroup()
			claimed := h.claim(append(h.addMany(racers, of(id)), h.addMany(racers, of(id), h.inLane(1))...)...)
			callbacks := make([]*task.Task, racers)
			for i := range callbacks {
				callbacks[i] = h.task(typed("closing"))
			}
			h.race(func(i int) error {
				pair := []store.Settlement{settlement(claimed[i], task.OutcomeSucceeded), settlement(claimed[racers+i], task.OutcomeDead)}
				if i%2 == 0 {
					slices.Reverse(pair)
				}
				if _, err := h.s.Settle(h.ctx, pair); err != nil {
					return err
				}
				if i == 0 {
					if _, err := h.s.CloseGroup(h.ctx, id); err != nil {
						return err
					}
				}
				for range 2 {
					g, err := h.s.Group(h.ctx, id)
					if err == nil {
						_, err = h.s.FinishGroup(h.ctx, id, g.Counts, store.Insert{Task: callbacks[i]})
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
			g, last := h.finish(id)
			equal(h, "state", g.State, task.GroupDone)
			h.counts(id, 2*racers, racers, racers, 0)
			made := 0
			for _, callback := range append(callbacks, last) {
				if _, err := h.s.Get(h.ctx, callback.ID); err == nil {
					made++
					equal(h, "callback", g.CallbackTask, callback.ID)
				}
			}
			equal(h, "callbacks", made, 1)
		}},
	}
}
