package storetest

import (
	"github.com/outlast-dev/outlast/store"
)

func checkHolds(h *harness) {
	lanes := []uint16{h.lanes[0].Lane}
	list := func(f store.HoldFilter) []store.Hold {
		f.Lanes = lanes
		found, err := h.s.Holds(h.ctx, f)
		h.ok(err)
		return found
	}
	equal(h, "holds of nothing", len(list(store.HoldFilter{Limit: 10, Count: 10})), 0)
	dead := h.addMany(1, keyed("b"))[0]
	h.die(dead)
	h.die(h.add(keyed("a")))
	parked := h.add(keyed("c"))
	h.die(parked, func(s *store.Settlement) { s.OrderOnDead = "park" })
	h.die(h.add(keyed("skipped")), func(s *store.Settlement) { s.OrderOnDead = "skip" })
	h.addMany(3, keyed("b"))
	h.addMany(2, keyed("c"))
	h.addMany(2, keyed("free"))
	all := list(store.HoldFilter{Limit: 10, Count: 2})
	h.expect(len(all) == 3 && all[0].Key == "a" && all[0].Waiting == 0 && all[1].Key == "b" && all[1].Waiting == 2 && all[1].Holder == dead &&
		all[1].Mode == "block" && all[1].Lane == lanes[0] && !all[1].Since.IsZero() && all[2].Key == "c" && all[2].Waiting == 2, "got %+v", all)
	for _, row := range []struct {
		filter store.HoldFilter
		keys   string
	}{
		{store.HoldFilter{Limit: 2}, "a b"}, {store.HoldFilter{Limit: 2, AfterLane: lanes[0], AfterKey: "b"}, "c"},
		{store.HoldFilter{Limit: 10, Waited: true}, "b c"}, {store.HoldFilter{Limit: 10, Waited: true, Mode: "park"}, "c"},
		{store.HoldFilter{Limit: 1, Waited: true, Count: 100}, "b"},
	} {
		keys := ""
		for i, hold := range list(row.filter) {
			if i > 0 {
				keys += " "
			}
			keys += hold.Key
			h.expect(row.filter.Count > 0 || hold.Waiting == 0, "counted though not asked: %+v", hold)
		}
		equal(h, "keys", keys, row.keys)
	}
	equal(h, "all of them", list(store.HoldFilter{Limit: 1, Waited: true, Count: 100})[0].Waiting, 3)
	lanes = nil
	equal(h, "holds of no lane", len(list(store.HoldFilter{Limit: 10, Count: 10})), 0)
}
