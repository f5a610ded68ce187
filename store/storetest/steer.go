package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func steerRules() []rule {
	return []rule{
		{"steer/cancel as one by one", "Steer with cancel leaves every task, of whatever state, as Cancel would, and answers in the order of the ids.", func(h *harness) {
			one, many := h.motley(), h.motley()
			h.sameSteering(store.Steering{Event: task.Cancel, IDs: many}, one, func(id task.ID) (*task.Task, error) { return h.s.Cancel(h.ctx, id) })
		}},
		{"steer/reschedule as one by one", "Steer with reschedule leaves every task, of whatever state, as Reschedule would.", func(h *harness) {
			later := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
			one, many := h.motley(), h.motley()
			h.sameSteering(store.Steering{Event: task.Reschedule, At: later, IDs: many}, one, func(id task.ID) (*task.Task, error) { return h.s.Reschedule(h.ctx, id, later) })
		}},
		{"steer/zero time is now", "Steer with reschedule and a zero time makes waiting tasks due, and clears their marks.", func(h *harness) {
			ids := []task.ID{h.add(due(time.Now().Add(time.Hour))), h.add(due(time.Now().Add(2 * time.Hour)))}
			h.ok(h.s.Mark(h.ctx, []store.Marking{{ID: ids[0], Mark: 5}}))
			steered := h.steer(store.Steering{Event: task.Reschedule, IDs: ids})
			for i := range steered {
				h.ok(steered[i].Err)
				h.claimOne(ids[i])
			}
		}},
		{"steer/operation in the same transaction", "The operation of Steer is put with what Note says of the outcome, and shows what was done.", func(h *harness) {
			operation, err := h.s.PutOperation(h.ctx, store.Operation{ID: "op1", Kind: "cancel", State: store.OperationRunning, Request: []byte(`{}`)})
			h.ok(err)
			ids := append(h.addMany(2), h.task().ID)
			_, put, err := h.s.Steer(h.ctx, store.Steering{Event: task.Cancel, IDs: ids, Operation: operation, Note: noteDone})
			h.ok(err)
			stored, err := h.s.Operation(h.ctx, "op1")
			h.ok(err)
			h.expect(put != nil && put.Done == 2 && put.Version == operation.Version+1, "put %+v", put)
			h.expect(stored.Done == 2 && string(stored.Request) == `{"done":2}`, "stored %+v", stored)
		}},
		{"steer/conflict does nothing", "If the operation of Steer has changed, nothing is done: no task, no audit row.", func(h *harness) {
			operation, err := h.s.PutOperation(h.ctx, store.Operation{ID: "op1", Kind: "cancel", State: store.OperationRunning})
			h.ok(err)
			_, err = h.s.PutOperation(h.ctx, *operation)
			h.ok(err)
			ids := h.addMany(2)
			_, _, err = h.s.Steer(h.ctx, store.Steering{Event: task.Cancel, IDs: ids, Operation: operation, Note: noteDone, Audit: []store.Audit{{Actor: "a", Action: "task.cancel", Subject: "tasks"}}})
			h.code(err, task.CodeConflict)
			for _, id := range ids {
				h.state(id, task.Pending)
			}
			equal(h, "audit rows", len(h.audit(store.AuditFilter{}, 10)), 0)
		}},
		{"steer/audit", "Steer writes its audit rows if any task was changed, and none if none was.", func(h *harness) {
			ids := append(h.addMany(1), h.task().ID)
			for range 2 {
				h.steer(store.Steering{Event: task.Cancel, IDs: ids, Audit: []store.Audit{{Actor: "a", Action: "task.cancel", Subject: "tasks"}}})
				equal(h, "audit rows", len(h.audit(store.AuditFilter{}, 10)), 1)
			}
		}},
		{"steer/what it refuses", "Steer refuses an id that is named twice, too many ids and any other event, and does nothing then.", func(h *harness) {
			id := h.add()
			many := make([]task.ID, store.MaxSteered+1)
			for i := range many {
				many[i] = task.NewID(time.Now(), h.random)
			}
			for _, s := range []store.Steering{
				{Event: task.Cancel, IDs: []task.ID{id, id}}, {Event: task.Cancel, IDs: many}, {Event: task.Die, IDs: []task.ID{id}},
				{Event: task.Cancel, IDs: []task.ID{id}, Operation: &store.Operation{ID: "x"}},
			} {
				_, _, err := h.s.Steer(h.ctx, s)
				h.code(err, task.CodeInvalid)
			}
			h.state(id, task.Pending)
			steered := h.steer(store.Steering{Event: task.Cancel})
			equal(h, "steered", len(steered), 0)
		}},
		{"find/live", "A filter for live tasks finds and counts those that are pending or running, with whatever else it asks.", func(h *harness) {
			ids := h.motley()
			want := ids[:2]
			for _, f := range []store.Filter{{Live: true}, {Live: true, Type: "mail"}, {Live: true, Queue: "q"}, {Live: true, IDs: ids}} {
				found, _, err := h.s.Find(h.ctx, f, store.Page{})
				h.ok(err)
				for _, t := range found {
					h.expect(slices.Contains(want, t.ID), "%+v finds %s, which is %s", f, t.ID, t.State)
				}
				equal(h, "found", len(found), len(want))
				n, err := h.s.Count(h.ctx, f, 100)
				h.ok(err)
				equal(h, "counted", n, len(want))
			}
			key := h.add(keyed("k"))
			h.run(h.add(keyed("other")), task.OutcomeSucceeded)
			found, _, err := h.s.Find(h.ctx, store.Filter{Live: true, Key: "k"}, store.Page{})
			h.ok(err)
			h.expect(len(found) == 1 && found[0].ID == key, "by key %v", found)
			n, err := h.s.Count(h.ctx, store.Filter{Live: true, State: task.Dead}, 10)
			h.ok(err)
			equal(h, "dead and live", n, 0)
			letters, err := h.s.Letters(h.ctx, store.Filter{Live: true}, task.ID{}, 10)
			h.ok(err)
			equal(h, "live letters", len(letters), 0)
		}},
	}
}

// motley are tasks of every state, and one that is not there: pending, running,
// succeeded, dead, canceled, absent.
func (h *harness) motley() []task.ID {
	h.Helper()
	ids := h.addMany(5)
	h.claim(ids[1])
	h.run(ids[2], task.OutcomeSucceeded)
	h.die(ids[3])
	_, err := h.s.Cancel(h.ctx, ids[4])
	h.ok(err)
	return append(ids, h.task().ID)
}

func (h *harness) steer(s store.Steering) []store.Steered {
	h.Helper()
	steered, _, err := h.s.Steer(h.ctx, s)
	h.ok(err)
	equal(h, "answers", len(steered), len(s.IDs))
	for i, id := range s.IDs {
		equal(h, "id", steered[i].ID, id)
		equal(h, "has a task", steered[i].Task != nil, steered[i].Err == nil)
	}
	return steered
}

// sameSteering compares what Steer does to tasks with what is done one by one to
// their likes.
func (h *harness) sameSteering(s store.Steering, likes []task.ID, one func(task.ID) (*task.Task, error)) {
	h.Helper()
	for i, got := range h.steer(s) {
		want, err := one(likes[i])
		if err != nil {
			equal(h, fmt.Sprintf("code of task %d", i), h.coded(got.Err), h.coded(err))
			continue
		}
		h.ok(got.Err)
		t, now := got.Task, h.get(s.IDs[i])
		for _, like := range []*task.Task{want, now} {
			h.expect(t.State == like.State && t.CancelRequested == like.CancelRequested && t.Attempt == like.Attempt &&
				t.Queue == like.Queue && t.Type == like.Type && t.Park == like.Park && t.Claim == now.Claim && t.FinishedAt.IsZero() == like.FinishedAt.IsZero(), "task %d is %+v, want %+v", i, t, like)
		}
		h.expect(t.RunAt.Equal(now.RunAt) && (s.At.IsZero() || t.RunAt.Equal(want.RunAt)), "task %d runs at %v, %v", i, t.RunAt, now.RunAt)
		h.expect(t.Payload == nil && t.Spec.IsZero() && t.LastError == nil, "task %d carries %+v", i, t)
	}
}

// coded is the code and state of an error.
func (h *harness) coded(err error) string {
	h.Helper()
	var e *task.Error
	h.expect(errors.As(err, &e), "the error is %v", err)
	if e == nil {
		return ""
	}
	return string(e.Code) + " " + string(e.State)
}

func noteDone(o *store.Operation, steered []store.Steered) error {
	for i := range steered {
		if steered[i].Err == nil {
			o.Done++
		}
	}
	o.Request = fmt.Appendf(nil, `{"done":%d}`, o.Done)
	return nil
}
