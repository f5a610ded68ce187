package storetest

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func claimRules() []rule {
	return []rule{
		{"claim/marks running and returns whole", "Claim marks rows running, returns them whole, raises the attempt by one and the claim number to at least the time in µs.", func(h *harness) {
			given := h.task(func(t *task.Task) { t.Spec, t.Policy = fullSpec(h), "p" })
			h.insert(given)
			t := h.claimOne(given.ID)
			h.expect(t.State == task.Running && t.Node == "n1" && t.Attempt == 1 && t.Crashes == 0 && t.Queue == "q" && t.Policy == "p", "got %+v", t)
			h.expect(t.Claim > t.CreatedAt.Add(-time.Hour).UnixMicro(), "claim %d is not a time in µs", t.Claim)
			h.expect(!t.StartedAt.IsZero(), "no start")
			h.sameSpec(t.Spec, given.Spec)
			h.same(t.Payload, given.Payload)
			stored := h.state(given.ID, task.Running)
			h.expect(stored.Claim == t.Claim && stored.Node == "n1" && stored.Attempt == 1, "stored %+v", stored)
			equal(h, "pending rows", len(h.scan(h.lanes[0].Lane, 0)), 0)
		}},
		{"claim/numbers grow strictly", "Claim numbers of a task grow with every claim, and attempts count from 1.", func(h *harness) {
			id := h.add()
			var last int64
			for attempt := 1; attempt <= 5; attempt++ {
				t := h.run(id, task.OutcomeFailed)
				equal(h, "attempt", t.Attempt, attempt)
				h.expect(t.Claim > last, "claim %d after %d", t.Claim, last)
				last = t.Claim
			}
		}},
		{"claim/not before its time", "A row whose RunAt is after the store's now is refused as later, with the entry.", func(h *harness) {
			id := h.add(due(time.Now().Add(time.Hour)))
			refusal := h.refuseOne(id, store.ReasonLater)
			equal(h, "entry", refusal.Entry, h.entryOf(h.state(id, task.Pending)))
		}},
		{"claim/only pending rows", "A row that runs, has ended or is not there is refused as gone, with a zero entry.", func(h *harness) {
			ids := h.addMany(3)
			h.claim(ids[0])
			h.run(ids[1], task.OutcomeSucceeded)
			h.die(ids[2])
			for _, id := range append(ids, h.task().ID) {
				equal(h, "entry", h.refuseOne(id, store.ReasonGone).Entry, store.Entry{})
			}
		}},
		{"claim/the same row twice in a call", "A row named twice in a call is claimed once.", func(h *harness) {
			id := h.add()
			claimed := h.try(id, id)
			h.expect(len(claimed.Tasks) == 1 && len(claimed.Refused) == 1 && claimed.Refused[0].Reason == store.ReasonGone, "got %+v", claimed)
			equal(h, "attempt", h.get(id).Attempt, 1)
		}},
		{"claim/only the owner at its epoch", "An owner's claim needs the lane at the given epoch and the node as its owner.", func(h *harness) {
			h.join("n2")
			id := h.add()
			stale, unknown := h.lanes[0], h.lanes[0]
			stale.Epoch--
			unknown.Epoch++
			for _, claim := range []store.Claim{
				{Node: "n1", Lanes: []store.LaneEpoch{stale}},
				{Node: "n1", Lanes: []store.LaneEpoch{unknown}},
				{Node: "n1", Lanes: []store.LaneEpoch{h.lanes[1]}},
				{Node: "n2", Lanes: h.lanes},
			} {
				claim.Items = items(id)
				refusal := h.refuse(claim, store.ReasonEpoch)
				equal(h, "entry", refusal.Entry, h.entryOf(h.state(id, task.Pending)))
			}
			h.claimOne(id)
		}},
		{"claim/an alive node", "A node that is dead, left or unknown claims nothing, neither as owner nor as borrower: reason epoch.", func(h *harness) {
			ids := h.addMany(2)
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[1], Mark: 5}}))
			h.join("left")
			h.leave("left")
			h.bury("n1")
			for _, node := range []string{"n1", "left", "absent"} {
				h.refuse(store.Claim{Node: node, Lanes: h.lanes, Items: items(ids[0])}, store.ReasonEpoch)
				h.refuse(store.Claim{Node: node, Items: []store.ClaimItem{{ID: ids[1], Mark: 5}}}, store.ReasonEpoch)
			}
		}},
		{"claim/the mark must be the item's", "A row is claimed only with the park mark that the item names; else it is refused as parked, with the entry.", func(h *harness) {
			h.join("n2")
			id := h.add()
			borrow := func(mark int64) store.Claim {
				return store.Claim{Node: "n2", Items: []store.ClaimItem{{ID: id, Mark: mark}}}
			}
			h.refuse(borrow(5), store.ReasonParked)
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: id, Mark: 6}}))
			h.refuse(borrow(5), store.ReasonParked)
			refusal := h.refuseOne(id, store.ReasonParked)
			equal(h, "entry", refusal.Entry, h.entryOf(h.get(id)))
			equal(h, "park", refusal.Entry.Park, 6)
			claimed := h.tryAs(borrow(6))
			equal(h, "claimed", len(claimed.Tasks), 1)
			equal(h, "node", claimed.Tasks[0].Node, "n2")
		}},
		{"claim/borrowers obey the other conditions", "A borrower's claim needs the time and the head of the key as an owner's does.", func(h *harness) {
			h.join("n2")
			ids := []task.ID{h.add(keyed("k")), h.add(keyed("k")), h.add(due(time.Now().Add(time.Hour)))}
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[1], Mark: 5}, {ID: ids[2], Mark: 5}}))
			h.refuse(store.Claim{Node: "n2", Items: []store.ClaimItem{{ID: ids[1], Mark: 5}}}, store.ReasonBehindKey)
			h.refuse(store.Claim{Node: "n2", Items: []store.ClaimItem{{ID: ids[2], Mark: 5}}}, store.ReasonLater)
		}},
		{"claim/a bad item does not spoil the rest", "Items of one claim do not share fate.", func(h *harness) {
			ids := h.addMany(20)
			later := h.add(due(time.Now().Add(time.Hour)))
			all := append(append(append([]task.ID{h.task().ID}, ids[:10]...), later), ids[10:]...)
			claimed := h.try(all...)
			equal(h, "refused", len(claimed.Refused), 2)
			h.ids(claimed.Tasks, ids...)
		}},
		{"claim/lanes in one call", "One call claims over several lanes, and a lane at a stale epoch does not spoil the others.", func(h *harness) {
			first, second := h.add(), h.add(h.inLane(1))
			stale := h.lanes[1]
			stale.Epoch--
			claimed := h.tryAs(store.Claim{Node: "n1", Lanes: []store.LaneEpoch{h.lanes[0], stale}, Items: items(first, second)})
			h.ids(claimed.Tasks, first)
			h.expect(len(claimed.Refused) == 1 && claimed.Refused[0].ID == second && claimed.Refused[0].Reason == store.ReasonEpoch, "got %v", claimed.Refused)
		}},
		{"claim/ends early at MaxBytes", "The batch ends early, without a report for the rest, when payloads reach MaxBytes; one row is always claimed.", func(h *harness) {
			ids := h.addMany(10, func(t *task.Task) { t.Payload = make([]byte, 1000) })
			claimed := h.tryAs(store.Claim{Node: "n1", Lanes: h.lanes, Items: items(ids...), MaxBytes: 2500})
			h.expect(len(claimed.Tasks) == 2 || len(claimed.Tasks) == 3, "claimed %d rows of 1000 bytes with MaxBytes 2500", len(claimed.Tasks))
			equal(h, "refused", len(claimed.Refused), 0)
			equal(h, "left pending", len(h.scan(h.lanes[0].Lane, 0)), 10-len(claimed.Tasks))
			rest := items(ids[len(claimed.Tasks):]...)
			claimed = h.tryAs(store.Claim{Node: "n1", Lanes: h.lanes, Items: rest, MaxBytes: 1})
			equal(h, "claimed with less than one payload", len(claimed.Tasks), 1)
		}},
		{"claim/8 MiB when 0", "MaxBytes is 8 MiB when 0.", func(h *harness) {
			ids := h.addMany(10, func(t *task.Task) { t.Payload = make([]byte, task.MaxPayload) })
			equal(h, "claimed of 1 MiB each", len(h.try(ids...).Tasks), 8)
		}},
		{"claim/nothing", "A claim without items claims nothing.", func(h *harness) {
			claimed := h.try()
			h.expect(len(claimed.Tasks) == 0 && len(claimed.Refused) == 0, "got %+v", claimed)
		}},
		{"claim/the take-over fences the old owner", "After a take-over the old owner claims nothing, and settles what it had claimed.", func(h *harness) {
			h.join("n2")
			ids := h.addMany(2)
			t := h.claimOne(ids[0])
			h.leave("n1")
			lanes := h.take("n2", h.lanes...)
			equal(h, "taken", len(lanes), 2)
			h.refuseOne(ids[1], store.ReasonEpoch)
			h.settle(settlement(t, task.OutcomeSucceeded))
			equal(h, "claimed", len(h.tryAs(store.Claim{Node: "n2", Lanes: lanes, Items: items(ids[1])}).Tasks), 1)
		}},
	}
}

func keyRules() []rule {
	return []rule{
		{"key/in the order of seq", "Tasks of a key run one at a time in the order of seq, whatever their priority and run time.", func(h *harness) {
			ids := []task.ID{h.add(keyed("k")), h.add(keyed("k"), func(t *task.Task) { t.Priority = 9 }), h.add(keyed("k"), due(time.Now().Add(-24*time.Hour)))}
			other := h.add(keyed("other"))
			for i, id := range ids {
				for _, behind := range ids[i+1:] {
					refusal := h.refuseOne(behind, store.ReasonBehindKey)
					equal(h, "entry", refusal.Entry, h.entryOf(h.get(behind)))
					equal(h, "head", refusal.Head, h.entryOf(h.get(id)))
				}
				running := h.claimOne(id)
				for _, behind := range ids[i+1:] {
					equal(h, "head while one runs", h.refuseOne(behind, store.ReasonBehindKey).Head, store.Entry{})
				}
				h.settle(settlement(running, task.OutcomeSucceeded))
			}
			h.claimOne(other)
		}},
		{"key/a delayed head delays its key", "A head whose time has not come keeps the others of its key waiting.", func(h *harness) {
			head := h.add(keyed("k"), due(time.Now().Add(time.Hour)))
			second := h.add(keyed("k"))
			equal(h, "head", h.refuseOne(second, store.ReasonBehindKey).Head.ID, head)
			h.refuseOne(head, store.ReasonLater)
		}},
		{"key/a parked head delays its key", "A head with a park mark keeps the others of its key waiting.", func(h *harness) {
			head, second := h.add(keyed("k")), h.add(keyed("k"))
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: head, Mark: 4}}))
			equal(h, "head", h.refuseOne(second, store.ReasonBehindKey).Head.ID, head)
		}},
		{"key/started before comes first", "A task of the key that has started before stays ahead of those that have not.", func(h *harness) {
			dead := h.add(keyed("k"))
			second := h.add(keyed("k"))
			h.die(dead, func(s *store.Settlement) { s.OrderOnDead = "skip" })
			h.run(second, task.OutcomeFailed)
			done, _, err := h.s.Redrive(h.ctx, []task.ID{dead}, store.RedriveOptions{})
			h.ok(err)
			equal(h, "redriven", len(done), 1)
			equal(h, "head", h.refuseOne(dead, store.ReasonBehindKey).Head.ID, second)
			h.run(second, task.OutcomeSucceeded)
			h.claimOne(dead)
		}},
		{"key/a crash counts as started", "A task that crashed before its first attempt was spent has started before.", func(h *harness) {
			dead := h.add(keyed("k"))
			second := h.add(keyed("k"))
			h.die(dead, func(s *store.Settlement) { s.OrderOnDead = "skip" })
			h.join("n2")
			h.claimFor("n2", second)
			h.bury("n2")
			h.recoverAll()
			_, _, err := h.s.Redrive(h.ctx, []task.ID{dead}, store.RedriveOptions{})
			h.ok(err)
			got := h.get(second)
			h.expect(got.Attempt == 0 && got.Crashes == 1, "got %+v", got)
			equal(h, "head", h.refuseOne(dead, store.ReasonBehindKey).Head.ID, second)
			h.claimOne(second)
		}},
		{"key/one of a key in one call", "A call with several tasks of a key claims its head alone.", func(h *harness) {
			ids := h.addMany(3, keyed("k"))
			claimed := h.try(ids...)
			h.ids(claimed.Tasks, ids[0])
			equal(h, "refused", len(claimed.Refused), 2)
			for _, refusal := range claimed.Refused {
				equal(h, "reason", refusal.Reason, store.ReasonBehindKey)
			}
		}},
		{"key/a hold blocks", "Tasks of a key that a dead task holds are refused as key held, with the entry.", func(h *harness) {
			h.die(h.add(keyed("k")))
			id := h.add(keyed("k"))
			equal(h, "entry", h.refuseOne(id, store.ReasonKeyHeld).Entry, h.entryOf(h.get(id)))
		}},
		{"key/holds", "Holds lists the keys that dead letters hold, by lane and key, with who waits behind each; pages follow one another.", checkHolds},
		{"key/parked is no backlog", "Tasks behind a key that is held in mode park do not count as pending of a queue with a limit; released they do.", func(h *harness) {
			_, err := h.s.PutQueue(h.ctx, store.Queue{Name: "q", Lanes: 2, MaxPending: 10})
			h.ok(err)
			h.die(h.add(keyed("k")), func(s *store.Settlement) { s.OrderOnDead = "park" })
			h.addMany(3, keyed("k"))
			h.add(keyed("other"))
			equal(h, "pending", h.topology().Queues[0].Pending, 1)
			released, err := h.s.ReleaseKey(h.ctx, "q", "k")
			h.ok(err)
			h.expect(released, "the key was not held")
			equal(h, "pending once released", h.topology().Queues[0].Pending, 4)
		}},
		{"backlog/counts", "Backlog counts pending tasks, those with a park mark, and apart from both those behind keys held in mode park, whether these have the mark of their key or none; each to the limit.", checkBacklog},
		{"key/state", "Key tells the hold, the task that runs and the one that runs next; a key of which nothing is known has none.", func(h *harness) {
			equal(h, "unknown key", *h.keyState("nothing"), store.KeyState{})
			ids := h.addMany(3, keyed("k"))
			equal(h, "waiting", *h.keyState("k"), store.KeyState{First: ids[0]})
			t := h.claimOne(ids[0])
			equal(h, "running", *h.keyState("k"), store.KeyState{Running: ids[0], First: ids[1]})
			s := settlement(t, task.OutcomeDead)
			s.OrderOnDead = "park"
			h.settle(s)
			state := h.keyState("k")
			h.expect(state.Held && state.Holder == ids[0] && state.Mode == "park" && !state.Since.IsZero() && state.First == ids[1] && state.Running.IsZero(), "got %+v", state)
		}},
	}
}
