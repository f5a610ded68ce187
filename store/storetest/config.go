package storetest

import (
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func queueRules() []rule {
	return []rule{
		{"queue/created with its lanes", "PutQueue creates a queue with its lanes, 8 when 0, and returns it as stored; lane numbers are of one queue.", func(h *harness) {
			q, err := h.s.PutQueue(h.ctx, store.Queue{
				Name: "big", Policy: "p", UnknownType: "dead", Concurrency: 5, MaxPending: 100, Weight: 3,
				Shares: store.ShareLimits{Concurrency: 2, Rate: "50/s"},
			})
			h.ok(err)
			h.expect(q.Name == "big" && q.Lanes == 8 && q.KeyLanes == 8 && len(q.Numbers) == 8 && q.Policy == "p" && q.UnknownType == "dead" &&
				q.Concurrency == 5 && q.MaxPending == 100 && q.Weight == 3 && q.Shares == store.ShareLimits{Concurrency: 2, Rate: "50/s"} && !q.Paused && !q.UpdatedAt.IsZero(), "got %+v", q)
			for _, number := range q.Numbers {
				lane := h.lane(number)
				h.expect(lane == store.Lane{Number: number, Queue: "big"}, "lane %+v", lane)
			}
			queues, err := h.s.Queues(h.ctx)
			h.ok(err)
			h.expect(len(queues) == 2 && queues[0].Name == "big" && queues[1].Name == "q", "queues by name: %+v", queues)
			h.expect(slices.Equal(queues[0].Numbers, q.Numbers), "numbers %v, want %v", queues[0].Numbers, q.Numbers)
		}},
		{"queue/lanes are raised only", "Lanes can be raised: the old numbers stay in order, keys go on hashing over the lanes at creation; they cannot be lowered.", func(h *harness) {
			first, err := h.s.PutQueue(h.ctx, store.Queue{Name: "r", Lanes: 2})
			h.ok(err)
			h.queue("between", 1)
			second, err := h.s.PutQueue(h.ctx, store.Queue{Name: "r", Lanes: 5})
			h.ok(err)
			h.expect(second.Lanes == 5 && second.KeyLanes == 2 && len(second.Numbers) == 5 && slices.Equal(second.Numbers[:2], first.Numbers), "got %+v", second)
			_, err = h.s.PutQueue(h.ctx, store.Queue{Name: "r", Lanes: 4})
			h.expect(err != nil, "the lanes were lowered")
			_, err = h.s.PutQueue(h.ctx, store.Queue{Name: "r", Lanes: 257})
			h.expect(err != nil, "257 lanes were taken")
			lanes := 0
			for _, lane := range h.topology().Lanes {
				if lane.Queue == "r" {
					lanes++
				}
			}
			equal(h, "lanes", lanes, 5)
		}},
		{"queue/changed", "PutQueue changes the settings of a queue and leaves its tasks and lanes alone.", func(h *harness) {
			id := h.add()
			q, err := h.s.PutQueue(h.ctx, store.Queue{Name: "q", Lanes: 2, Concurrency: 9, Weight: 2})
			h.ok(err)
			h.expect(q.Concurrency == 9 && q.Weight == 2 && q.Lanes == 2, "got %+v", q)
			q, err = h.s.PutQueue(h.ctx, store.Queue{Name: "q", Lanes: 2})
			h.ok(err)
			h.expect(q.Concurrency == 0 && q.Weight == 1, "without settings: %+v", q)
			h.claimOne(id)
		}},
		{"queue/256 lanes", "A queue has at most 256 lanes, and a name.", func(h *harness) {
			equal(h, "lanes", len(h.queue("wide", 256)), 256)
			for _, bad := range []store.Queue{{Name: "x", Lanes: 257}, {Name: "x", Lanes: -1}} {
				_, err := h.s.PutQueue(h.ctx, bad)
				h.code(err, task.CodeInvalid)
			}
			equal(h, "queues", len(h.topology().Queues), 2)
		}},
		{"queue/pause", "PauseQueue sets and clears the pause switch; not found for an absent queue.", func(h *harness) {
			for _, paused := range []bool{true, true, false} {
				q, err := h.s.PauseQueue(h.ctx, "q", paused)
				h.ok(err)
				h.expect(q.Name == "q" && q.Paused == paused && len(q.Numbers) == 2, "got %+v", q)
				equal(h, "paused", h.topology().Queues[0].Paused, paused)
			}
			_, err := h.s.PauseQueue(h.ctx, "absent", true)
			h.code(err, task.CodeNotFound)
		}},
		{"queue/pending is counted up to its limit", "Pending counts pending tasks no further than MaxPending, where that is set.", func(h *harness) {
			_, err := h.s.PutQueue(h.ctx, store.Queue{Name: "q", Lanes: 2, MaxPending: 3})
			h.ok(err)
			ids := h.addMany(2)
			equal(h, "pending", h.topology().Queues[0].Pending, 2)
			h.addMany(3, h.inLane(1))
			equal(h, "pending", h.topology().Queues[0].Pending, 3)
			h.claim(ids...)
			for _, t := range h.find(store.Filter{State: task.Pending}, 10)[:2] {
				h.run(t.ID, task.OutcomeSucceeded)
			}
			equal(h, "pending", h.topology().Queues[0].Pending, 1)
		}},
	}
}

func operationRules() []rule {
	return []rule{
		{"operation/inserted and read", "PutOperation inserts an operation and raises its version; Operation returns it, or not found.", func(h *harness) {
			created := time.Now().UTC().Truncate(time.Microsecond)
			given := store.Operation{
				ID: "op1", Kind: "redrive", State: store.OperationRunning, Request: []byte(`{"type":"mail"}`), Node: "n1", Matched: 7, CreatedAt: created,
			}
			stored, err := h.s.PutOperation(h.ctx, given)
			h.ok(err)
			h.expect(stored.Version > given.Version && !stored.UpdatedAt.IsZero(), "got %+v", stored)
			got, err := h.s.Operation(h.ctx, "op1")
			h.ok(err)
			h.expect(got.Kind == "redrive" && got.State == store.OperationRunning && string(got.Request) == `{"type":"mail"}` && got.Node == "n1" &&
				got.Matched == 7 && got.Done == 0 && got.Version == stored.Version && got.CreatedAt.Equal(created) && got.FinishedAt.IsZero(), "got %+v", got)
			_, err = h.s.Operation(h.ctx, "absent")
			h.code(err, task.CodeNotFound)
		}},
		{"operation/replaced at its version", "A replace succeeds only at the stored version, and raises it; else conflict. What it says of the time of creation does not count.", func(h *harness) {
			stored, err := h.s.PutOperation(h.ctx, store.Operation{ID: "op1", Kind: "redrive", State: store.OperationRunning})
			h.ok(err)
			h.expect(!stored.CreatedAt.IsZero(), "an operation without a time of creation is created now, not %v", stored.CreatedAt)
			mine, theirs := *stored, *stored
			mine.Done, mine.State, mine.FinishedAt = 5, store.OperationDone, time.Now()
			mine.CreatedAt = stored.CreatedAt.Add(time.Hour)
			changed, err := h.s.PutOperation(h.ctx, mine)
			h.ok(err)
			h.expect(changed.Version > stored.Version && changed.Done == 5, "got %+v", changed)
			h.near("created, as answered", changed.CreatedAt, stored.CreatedAt)
			for _, version := range []int64{theirs.Version, 0, changed.Version + 1} {
				theirs.Version, theirs.Done = version, 9
				_, err = h.s.PutOperation(h.ctx, theirs)
				h.code(err, task.CodeConflict)
			}
			got, err := h.s.Operation(h.ctx, "op1")
			h.ok(err)
			h.expect(got.Done == 5 && got.State == store.OperationDone && !got.FinishedAt.IsZero() && got.Version == changed.Version, "got %+v", got)
			h.near("created", got.CreatedAt, stored.CreatedAt)
		}},
		{"operation/listed newest first", "Operations lists those in a state, or with \"\" all, the newest first, at most limit.", func(h *harness) {
			base := time.Now()
			for i := range 5 {
				_, err := h.s.PutOperation(h.ctx, store.Operation{
					ID: "op" + strconv.Itoa(i), Kind: "redrive", State: store.OperationRunning, CreatedAt: base.Add(time.Duration(i) * time.Second),
				})
				h.ok(err)
			}
			list, err := h.s.Operations(h.ctx, "", 3)
			h.ok(err)
			h.expect(len(list) == 3 && list[0].ID == "op4" && list[1].ID == "op3" && list[2].ID == "op2", "got %+v", list)
			list, err = h.s.Operations(h.ctx, "", 100)
			h.ok(err)
			equal(h, "operations", len(list), 5)
			list[3].State = store.OperationDone
			_, err = h.s.PutOperation(h.ctx, list[3])
			h.ok(err)
			list, err = h.s.Operations(h.ctx, store.OperationRunning, 4)
			h.ok(err)
			h.expect(len(list) == 4 && list[3].ID == "op0", "running: %+v", list)
			list, err = h.s.Operations(h.ctx, store.OperationDone, 4)
			h.ok(err)
			h.expect(len(list) == 1 && list[0].ID == "op1", "done: %+v", list)
		}},
	}
}
