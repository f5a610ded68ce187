package storetest

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func checkBacklog(h *harness) {
	lanes := make([]uint16, len(h.lanes))
	for i := range h.lanes {
		lanes[i] = h.lanes[i].Lane
	}
	is := func(want store.Backlog, most int) {
		h.Helper()
		got, err := h.s.Backlog(h.ctx, lanes, most)
		h.ok(err)
		equal(h, "backlog", got, want)
	}
	mark := func(id task.ID, mark int64) { h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: id, Mark: mark}})) }
	is(store.Backlog{}, 10)
	h.die(h.add(keyed("p")), func(s *store.Settlement) { s.OrderOnDead = "park" })
	h.die(h.add(keyed("b")))
	behind, blocked, free := h.addMany(4, keyed("p")), h.addMany(2, keyed("b")), h.addMany(3)
	is(store.Backlog{Pending: 5, Parked: 4}, 100)
	for _, id := range behind[:3] {
		mark(id, store.KeyMark("p"))
	}
	is(store.Backlog{Pending: 5, Parked: 4}, 100)
	mark(blocked[0], store.KeyMark("b"))
	for i, number := range []int64{-1 << 62, 1<<63 - 1, -1<<63 + 1} {
		mark(free[i], number)
	}
	is(store.Backlog{Pending: 5, Aside: 4, Parked: 4}, 100)
	is(store.Backlog{Pending: 2, Aside: 2, Parked: 2}, 2)
	is(store.Backlog{}, 0)
	h.join("n2")
	claimed := h.tryAs(store.Claim{Node: "n2", Items: []store.ClaimItem{{ID: free[1], Mark: 1<<63 - 1}}})
	equal(h, "claimed", len(claimed.Tasks), 1)
	is(store.Backlog{Pending: 4, Aside: 3, Parked: 4}, 100)
	released, err := h.s.ReleaseKey(h.ctx, "q", "p")
	h.ok(err)
	h.expect(released, "the key was not held")
	is(store.Backlog{Pending: 8, Aside: 6}, 100)
	lanes = nil
	is(store.Backlog{}, 100)
}
