package storetest

import (
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func scanRules() []rule {
	return []rule{
		{"scan/pending rows by rank", "Scan reads the pending rows of a lane by (rank, id); rank is the run time minus 30 s for each step of priority.", func(h *harness) {
			base := time.Now().Add(-time.Hour)
			third := h.add(due(base.Add(20*time.Second)), func(t *task.Task) { t.Priority = 5 })
			first := h.add(due(base.Add(50*time.Second)), func(t *task.Task) { t.Priority = 7 })
			second := h.add(due(base.Add(10*time.Second)), func(t *task.Task) { t.Priority = 5 })
			h.add(h.inLane(1))
			running, done := h.add(), h.add()
			h.claim(running)
			h.run(done, task.OutcomeSucceeded)
			entries := h.scan(h.lanes[0].Lane, 0)
			equal(h, "rows", len(entries), 3)
			for i, id := range []task.ID{first, second, third} {
				equal(h, "row", entries[i], h.entryOf(h.get(id)))
			}
		}},
		{"scan/pages with equal ranks", "Paging by (rank, id) neither loses nor doubles rows of equal rank.", func(h *harness) {
			at := time.Now().Add(-time.Minute)
			want := map[task.ID]bool{}
			for _, id := range h.addMany(53, due(at)) {
				want[id] = true
			}
			from := store.Range{Lane: h.lanes[0].Lane, After: -1 << 62, Until: 1 << 62, Limit: 7}
			for {
				lists, err := h.s.Scan(h.ctx, []store.Range{from})
				h.ok(err)
				h.expect(len(lists[0]) <= 7, "a page has %d rows", len(lists[0]))
				for _, entry := range lists[0] {
					h.expect(want[entry.ID], "%s came twice", entry.ID)
					delete(want, entry.ID)
					from.After, from.AfterID = entry.Rank, entry.ID
				}
				if len(lists[0]) < 7 {
					break
				}
			}
			equal(h, "lost rows", len(want), 0)
		}},
		{"scan/bounds", "A range begins behind (After, AfterID), ends with Until included, and gives at most Limit rows.", func(h *harness) {
			base := time.Now().Add(-time.Hour)
			var ranks []int64
			var ids []task.ID
			for i := range 5 {
				entry := h.insert(h.task(due(base.Add(time.Duration(i) * time.Second))))[0]
				ranks, ids = append(ranks, entry.Rank), append(ids, entry.ID)
			}
			lists, err := h.s.Scan(h.ctx, []store.Range{
				{Lane: h.lanes[0].Lane, After: ranks[0], AfterID: ids[0], Until: ranks[3], Limit: 100},
				{Lane: h.lanes[0].Lane, After: ranks[0], Until: ranks[0], Limit: 100},
				{Lane: h.lanes[1].Lane, After: -1 << 62, Until: 1 << 62, Limit: 100},
				{Lane: h.lanes[0].Lane, After: ranks[4] + 1, Until: 1 << 62, Limit: 100},
				{Lane: h.lanes[0].Lane, After: -1 << 62, Until: 1 << 62, Limit: 2},
			})
			h.ok(err)
			equal(h, "lists", len(lists), 5)
			for i, want := range [][]task.ID{ids[1:4], ids[:1], nil, nil, ids[:2]} {
				equal(h, "rows", len(lists[i]), len(want))
				for j, id := range want {
					equal(h, "row", lists[i][j].ID, id)
				}
			}
		}},
		{"scan/changes nothing", "Scan does not change anything; rows of the future are read as well.", func(h *harness) {
			id := h.add(due(time.Now().Add(time.Hour)))
			before := h.get(id)
			equal(h, "rows", len(h.scan(h.lanes[0].Lane, 0)), 1)
			equal(h, "rows", len(h.scan(h.lanes[0].Lane, 0)), 1)
			h.expect(h.get(id).UpdatedAt.Equal(before.UpdatedAt), "the row was touched")
		}},
	}
}

func markRules() []rule {
	return []rule{
		{"mark/a stream of its own", "Mark moves pending rows into the stream of the park mark, and Mark 0 back.", func(h *harness) {
			ids := h.addMany(3)
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[0], Mark: 42}, {ID: ids[1], Mark: -42}}))
			for mark, id := range map[int64]task.ID{42: ids[0], -42: ids[1], 0: ids[2]} {
				entries := h.scan(h.lanes[0].Lane, mark)
				h.expect(len(entries) == 1 && entries[0].ID == id && entries[0].Park == mark, "stream %d: %+v", mark, entries)
				equal(h, "park", h.get(id).Park, mark)
			}
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[0]}, {ID: ids[1], Mark: 7}}))
			equal(h, "rows without mark", len(h.scan(h.lanes[0].Lane, 0)), 2)
			equal(h, "rows with the old mark", len(h.scan(h.lanes[0].Lane, 42)), 0)
			equal(h, "rows with the new mark", len(h.scan(h.lanes[0].Lane, 7)), 1)
		}},
		{"mark/only pending rows", "Rows that are not pending, or not there, are left alone without error.", func(h *harness) {
			ids := h.addMany(4)
			running := h.claimOne(ids[0])
			h.run(ids[1], task.OutcomeSucceeded)
			h.die(ids[2])
			h.ok(h.s.Mark(h.ctx, []store.Marking{
				{ID: ids[0], Mark: 5}, {ID: ids[1], Mark: 5}, {ID: ids[2], Mark: 5}, {ID: h.task().ID, Mark: 5}, {ID: ids[3], Mark: 5},
			}))
			for i, want := range []int64{0, 0, 0, 5} {
				equal(h, "park", h.get(ids[i]).Park, want)
			}
			h.settle(settlement(running, task.OutcomeFailed))
			equal(h, "park after the attempt", h.state(ids[0], task.Pending).Park, 0)
		}},
		{"marks/each once per lane with its first entry", "Marks lists the marks present in the lanes, each once per lane, with its first entry by rank, and no more of a lane than it is asked for.", func(h *harness) {
			base := time.Now().Add(-time.Hour)
			var marks []store.Marking
			first := map[uint16]task.ID{}
			for i := range 6 {
				id := h.add(h.inLane(i%2), due(base.Add(-time.Duration(i)*time.Second)))
				marks = append(marks, store.Marking{ID: id, Mark: 9})
				first[id.Lane()] = id
			}
			other := h.add()
			h.add()
			marks = append(marks, store.Marking{ID: other, Mark: 10})
			h.ok(h.s.Mark(h.ctx, marks))
			entries, err := h.s.Marks(h.ctx, []uint16{h.lanes[0].Lane, h.lanes[1].Lane}, 0)
			h.ok(err)
			equal(h, "marks", len(entries), 3)
			for _, entry := range entries {
				want := first[entry.ID.Lane()]
				if entry.Park == 10 {
					want = other
				}
				equal(h, "first entry", entry.ID, want)
				equal(h, "entry", entry, h.entryOf(h.get(want)))
			}
			entries, err = h.s.Marks(h.ctx, []uint16{h.lanes[1].Lane}, 0)
			h.ok(err)
			equal(h, "marks of one lane", len(entries), 1)
			for most, want := range map[int]int{1: 2, 2: 3, 3: 3} {
				entries, err = h.s.Marks(h.ctx, []uint16{h.lanes[0].Lane, h.lanes[1].Lane}, most)
				h.ok(err)
				equal(h, fmt.Sprintf("marks with at most %d of each lane", most), len(entries), want)
			}
		}},
		{"mark/survives nothing but pending", "A claimed row loses its mark, and a rescheduled one too.", func(h *harness) {
			h.join("n2")
			ids := h.addMany(2)
			t := h.claimFor("n2", ids[0])[0]
			equal(h, "park of the claimed", t.Park, 0)
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[1], Mark: 3}}))
			_, err := h.s.Reschedule(h.ctx, ids[1], time.Time{})
			h.ok(err)
			equal(h, "park of the rescheduled", h.get(ids[1]).Park, 0)
			marks, err := h.s.Marks(h.ctx, []uint16{h.lanes[0].Lane}, 0)
			h.ok(err)
			equal(h, "marks", len(marks), 0)
		}},
	}
}
